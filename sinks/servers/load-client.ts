/** Loads the client library of a sink, an optional peer dependency, when the sink is used. */
import { loadPackage } from '../../src/core/util/load-package.js';

export { installCommand } from '../../src/core/util/load-package.js';

/**
 * Imports a package. Rejects with ERR_SINK and the command that installs it if it is missing. The caller vouches for
 * the type.
 */
export const loadClient = <Client>(specifier: string, sink: string, packages: readonly string[]): Promise<Client> =>
  loadPackage<Client>(specifier, { code: 'ERR_SINK', user: sink, packages });
