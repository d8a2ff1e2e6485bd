/** `mode=append`: a run adds files of its own beside those of earlier runs. Their names have its start and its name. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemError } from '../../src/core/errors/system-error.js';
import type { OptionRow } from '../../src/core/options/kind.js';
import { word } from '../../src/core/options/kinds.js';
import type { Earlier } from '../contract.js';
import { refused } from '../errors.js';
import { partialOf } from './parts.js';

const fileModes = ['replace', 'append'] as const;

/** What becomes of the files of earlier runs. */
export type FileMode = (typeof fileModes)[number];

export const fileMode = {
  kind: word(...fileModes),
  summary:
    '`replace`: the output of a run replaces that of the run before; `append`: a run adds its own, such as `users.20261126T235900Z-IqYl0WHtFC1fnvw8.000001.ndjson`',
  default: 'replace',
} as const satisfies OptionRow;

/** The longest name of a data type, in bytes: 41 characters of the run follow it. */
export const longestBeforeRun = 160;

/** A part of file names: the start of the run, so that they sort by it, and its name. */
export function runMark({ run, startedAt }: Pick<Earlier, 'run' | 'startedAt'>): string {
  const name = run.replace(/[^\w-]/g, '_');
  if (startedAt === undefined) return name;
  return `${new Date(startedAt).toISOString().replace(/[-:]|\.\d+/g, '')}-${name}`;
}

/** Removes the temporary files and folders of unfinished runs that another run replaces. Throws ERR_SINK. */
export async function removeAdded(dir: string, runs: readonly string[]): Promise<void> {
  if (runs.length === 0) return;
  const ends = runs.map((run) => `${runMark({ run })}.`);
  for (const name of await namesIn(dir)) {
    const isTemporary = [partialOf(''), '.made', '.padded'].some((end) => name.endsWith(end));
    if (!isTemporary || !ends.some((end) => name.includes(`-${end}`) || name.includes(`.${end}`))) continue;
    await rm(join(dir, name), { recursive: true }).catch((thrown: unknown) => {
      throw refused(`remove "${join(dir, name)}"`, thrown);
    });
  }
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return [];
    throw refused(`read the directory "${dir}"`, thrown);
  }
}
