/** Loads the client library of a sink, an optional peer dependency, when the sink is used. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { importPackage } from '../../src/core/util/import-package.js';

/**
 * Imports a package. Rejects with ERR_SINK and the command that installs it if it is missing. The caller vouches for
 * the type.
 */
export async function loadClient<Client>(
  specifier: string,
  sink: string,
  packages: readonly string[],
): Promise<Client> {
  try {
    return (await importPackage(specifier)) as Client; // typed by the sink, after the documentation of the package
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    const command = installCommand(packages);
    throw new ExtractError('ERR_SINK', `${sink} needs the package ${specifier}, which is not installed: ${command}`, {
      cause: thrown,
      remedy: `Install it next to rxtract: \`${command}\`.`,
    });
  }
}

/** The command that installs the packages of a sink. */
export const installCommand = (packages: readonly string[]): string => `npm install ${packages.join(' ')}`;

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && String(thrown.code).endsWith('MODULE_NOT_FOUND');
