/** Describes errors of the operating system in plain words, alike for sinks, cache and command line. */
import { getSystemErrorMap } from 'node:util';

interface SystemError {
  readonly code: string;
  readonly errno: number | undefined;
}

/** Returns the system's description, such as `no such file or directory (ENOENT)`; for other errors their message. */
export function describeSystemError(thrown: unknown): string {
  const system = systemError(thrown);
  if (system !== undefined) {
    const [, words] = getSystemErrorMap().get(system.errno ?? 0) ?? [];
    return words === undefined ? system.code : `${words} (${system.code})`;
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Returns code and number of a system error; undefined for any other value. */
export function systemError(thrown: unknown): SystemError | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined;
  return { code: thrown.code, errno: 'errno' in thrown && typeof thrown.errno === 'number' ? thrown.errno : undefined };
}
