/**
 * The default cache folder: in the user's cache directory, not beside a configuration, which may be in a repository.
 */
import { homedir, platform } from 'node:os';
import { isAbsolute, join } from 'node:path';

export interface System {
  readonly platform: string;
  /** Throws if there is none. */
  homedir(): string;
}

type FolderEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder of this user; `undefined` if the user has no home. A relative path in the environment counts as
 * none, as in the XDG specification.
 */
export function cacheFolder(
  env: FolderEnvironment,
  system: System = { platform: platform(), homedir },
): string | undefined {
  const named = [env.XDG_CACHE_HOME, system.platform === 'win32' ? env.LOCALAPPDATA : undefined];
  const [base = caches(system)] = named.filter((each) => each !== undefined && isAbsolute(each));
  return base === undefined ? undefined : join(base, 'rxtract');
}

function caches(system: System): string | undefined {
  try {
    const home = system.homedir();
    return system.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  } catch {
    return undefined;
  }
}
