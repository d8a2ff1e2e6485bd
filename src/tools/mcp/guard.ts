/** What an assistant may reach on this machine: files of one folder, and configurations that open no others. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ExtractError } from '../../core/errors/errors.js';
import { type Exact, isArray, isObject } from '../../core/json/exact.js';
import { usageError } from '../../core/util/check-value.js';

/** Throws ERR_USAGE for a path that leads out of the folder, also by a link. Returns it relative to the folder. */
export function insideFolder(folder: string, path: string): string {
  const root = realpathSync(folder);
  const inside = relative(root, realPath(resolve(root, path)));
  if (inside === '..' || inside.startsWith(`..${sep}`) || resolve(inside) === inside) {
    throw usageError(`"${path}" is not in the folder of the server`);
  }
  return inside === '' ? '.' : inside;
}

/** Of what is not there yet: that of the folder where it would be. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), basename(path));
  }
}

/**
 * Throws ERR_USAGE for a configuration that would keep tokens in a file or at a server, connect to another host, or
 * read a file outside the folder.
 */
export function checkReach(folder: string, value: Exact): void {
  if (isArray(value)) for (const each of value) checkReach(folder, each);
  if (!isObject(value)) return;
  for (const [key, member] of value) {
    if (refused.has(key))
      throw new ExtractError('ERR_USAGE', `\`${key}\` is not for assistants: use the command itself`);
    if (key === 'each') checkFiles(folder, member);
    checkReach(folder, member);
  }
}

const refused: ReadonlySet<string> = new Set(['tokenStore', 'sshProxy']);

function checkFiles(folder: string, value: Exact): void {
  if (isArray(value)) for (const each of value) checkFiles(folder, each);
  if (!isObject(value)) return;
  for (const [key, member] of value) {
    if (key === 'file' && typeof member === 'string') insideFolder(folder, member);
    else checkFiles(folder, member);
  }
}
