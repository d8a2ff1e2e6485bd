/** Why the system refused, in words of its own. It stands alone so that sinks, cache and command line say it alike. */
import { getSystemErrorMap } from 'node:util';

interface SystemError {
  readonly code: string;
  readonly errno: number | undefined;
}

/** In the system's words: `no such file or directory (ENOENT)`; of any other error its message. */
export function describeSystemError(thrown: unknown): string {
  const system = systemError(thrown);
  if (system !== undefined) {
    const [, words] = getSystemErrorMap().get(system.errno ?? 0) ?? [];
    return words === undefined ? system.code : `${words} (${system.code})`;
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What the system threw; undefined: it was somebody else. */
export function systemError(thrown: unknown): SystemError | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined;
  return { code: thrown.code, errno: 'errno' in thrown && typeof thrown.errno === 'number' ? thrown.errno : undefined };
}
