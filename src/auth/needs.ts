/** What an authentication type is given besides its options. */
import type { ExactObject } from '../exact.js';
import type { Notify, Secrets } from '../types.js';

export interface AuthNeeds {
  /** The `config` section, for `attr` references. */
  readonly attr: ExactObject;
  readonly secrets: Secrets;
  readonly notify: Notify;
}
