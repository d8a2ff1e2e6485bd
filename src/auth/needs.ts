/** The context of an authentication type: everything it gets besides its options. */
import type { ExactObject } from '../core/json/exact.js';
import type { Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import type { RefreshTokens } from './refresh-tokens.js';

export interface AuthContext {
  /** The `config` section, for `attr` references. */
  readonly attr: ExactObject;
  /** The `authorization` section of the document; empty if absent. docs/reference/authentication.md#oauth10. */
  readonly authorization: ExactObject;
  /** Returns 16 hexadecimal digits, new on each call. */
  readonly nonce: () => string;
  /** The current time for functions in a login request, in epoch ms; absent: the time of the call. */
  readonly preparedAt?: number;
  /** Shared by all iterations. */
  readonly refreshTokens: RefreshTokens;
  readonly secrets: Secrets;
  readonly notify: Notify;
}
