/** What an authentication type is given besides its options. */
import type { ExactObject } from '../core/json/exact.js';
import type { Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import type { RefreshTokens } from './refresh-tokens.js';

export interface AuthContext {
  /** The `config` section, for `attr` references. */
  readonly attr: ExactObject;
  /**
   * The `authorization` section of the document; empty where there is none. docs/reference/authentication.md#oauth10.
   */
  readonly authorization: ExactObject;
  /** 16 hexadecimal digits that were never used before. */
  readonly nonce: () => string;
  /** What functions of time take for now in a login request, in epoch ms; absent: the moment itself. */
  readonly preparedAt?: number;
  /** Shared by all iterations. */
  readonly refreshTokens: RefreshTokens;
  readonly secrets: Secrets;
  readonly notify: Notify;
}
