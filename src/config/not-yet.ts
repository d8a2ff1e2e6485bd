/** The parts of the language that are known and not built yet: refused by name, never ignored. Decision 28. Whoever builds one removes its name. */
import { authenticationsToCome } from '../auth/registry.js';

export const notYet = {
  /** Beside `parameters`, or beside `api` and `config` where there is no `parameters`. requests.md 1.2 */
  root: ['image_parameters'],
  /** requests.md 1.3 */
  parameters: ['cache'],
  /** requests.md 2.1 */
  api: [],
  /** Types of `api.authentication`. requests.md 3 */
  authentications: authenticationsToCome,
} as const satisfies Readonly<Record<string, readonly string[]>>;
