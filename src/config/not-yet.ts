/** The parts of the language that are known and not built yet: refused by name, never ignored. Decision 28. Whoever builds one removes its name. */
import { authenticationsToCome } from '../auth/registry.js';

export const notYet = {
  /** Beside `parameters`, or beside `api` and `config` where there is no `parameters`. requests.md 1.2 */
  root: ['image_parameters'],
  /** requests.md 1.3 */
  parameters: ['aws', 'cache'],
  /** requests.md 1.4, 6.7; output.md 5.1 */
  config: ['outputBucket', 'id', 'debug', 'incrementalOutput', 'userData', 'mappings', 'compatLevel'],
  /** requests.md 2.1 */
  api: ['caCertificate', '#clientCertificate', 'query'],
  /** requests.md 2.3 */
  http: ['requiredHeaders', 'ignoreErrors', 'connectTimeout', 'requestTimeout'],
  /** Types of `api.authentication`. requests.md 3 */
  authentications: authenticationsToCome,
  /** requests.md 6.1 */
  job: ['id', 'responseFilter', 'responseFilterDelimiter', 'children', 'placeholders', 'recursionFilter', 'userData'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
