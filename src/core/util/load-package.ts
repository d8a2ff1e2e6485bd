/** Loads an optional peer dependency, when what needs it is used. */
import type { ErrorCode } from '../errors/error-codes.js';
import { ExtractError } from '../errors/errors.js';
import { importPackage } from './import-package.js';

export interface PackageUse {
  /** The code of the error if the package is missing. */
  readonly code: ErrorCode;
  /** What needs it, as the message begins. */
  readonly user: string;
  /** What to install; absent: the package itself. */
  readonly packages?: readonly string[];
}

/**
 * Imports a package. Rejects with the command that installs it if it is missing. The caller vouches for the type, after
 * the documentation of the package.
 */
export async function loadPackage<Library>(
  specifier: string,
  { code, user, packages = [specifier] }: PackageUse,
): Promise<Library> {
  try {
    return (await importPackage(specifier)) as Library;
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    const command = installCommand(packages);
    throw new ExtractError(code, `${user} needs the package ${specifier}, which is not installed: ${command}`, {
      cause: thrown,
      remedy: `Install it next to rxtract: \`${command}\`.`,
    });
  }
}

/** The command that installs packages. */
export const installCommand = (packages: readonly string[]): string => `npm install ${packages.join(' ')}`;

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && String(thrown.code).endsWith('MODULE_NOT_FOUND');
