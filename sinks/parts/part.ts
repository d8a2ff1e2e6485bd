/** A part: what one process has written of a data type. Checkpoints and the manifest describe it. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Exact } from '../../src/core/json/exact.js';
import type { PagePlace } from '../../src/core/model/batch-place.js';

export interface OutputPart {
  /** Its file, below the folder or the prefix. Of objects what is before their number. */
  readonly path: string;
  /** The numbers of its objects, from the first one of each range to its last one. Absent: it is one file. */
  readonly objects?: readonly (readonly [first: number, last: number])[];
  /** The place of its first page. */
  readonly first: PageOfPart;
  /** The jobs of its pages, and the columns that they add. A page names one by its index. */
  readonly origins: readonly PartOrigin[];
  readonly items: number;
  /** Of its items: what follows them in its file does not count. */
  readonly bytes: number;
  /** The SHA-256 of these bytes, in hexadecimal digits. */
  readonly sha256: string;
}

export type PageOfPart = Pick<PagePlace, 'walk' | 'page'>;

export interface PartOrigin {
  readonly job: string;
  readonly columns?: readonly string[] | undefined;
}

/** The name of the manifest. */
export const manifestName = 'manifest.json';

/** The end of the name of a file and of an object with items. */
export const partEnd = '.ndjson';

/** The name of an object of a part. */
export const objectName = (path: string, number: number): string =>
  `${path}.${String(number).padStart(6, '0')}${partEnd}`;

/** The names of its files or objects, in order. */
export function* filesOf({ path, objects }: Pick<OutputPart, 'path' | 'objects'>): Generator<string> {
  if (objects === undefined) yield path;
  for (const [first, last] of objects ?? []) {
    for (let number = first; number <= last; number += 1) yield objectName(path, number);
  }
}

/** The folder of a run, by its name. */
export const folderOfRun = (run: string): string => run.replace(/[^\w-]/g, '_');

/** The first folder of its path: that of its run. */
export const runFolderOf = (path: string): string => path.slice(0, path.indexOf('/'));

/** A checkpoint: the parts of a data type by the processes that have written them, in order. */
export const checkpointOf = (parts: readonly OutputPart[]): Exact => JSON.stringify(parts);

/** Reads a checkpoint. Throws ERR_RESUME for one of another sink. */
export function partsIn(checkpoint: Exact): readonly OutputPart[] {
  const parts = typeof checkpoint === 'string' ? parsed(checkpoint) : undefined;
  if (Array.isArray(parts) && parts.every(isPart)) return parts;
  throw new ExtractError('ERR_RESUME', 'the checkpoint is not one of parts: give the --to of the first run');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value of a file is a part whose path stays below its folder. */
export function isPart(value: unknown): value is OutputPart {
  // Each member is checked below.
  const { path, objects = [], first, origins, items, bytes, sha256 } = (value ?? {}) as Partial<OutputPart>;
  return (
    typeof path === 'string' &&
    /^[^/\\\p{Cc}]+(?:\/[^/\\\p{Cc}]+)+$/u.test(path) &&
    !path.split('/').some((name) => name === '.' || name === '..') &&
    [objects, origins].every(Array.isArray) &&
    typeof first?.walk === 'string' &&
    [first.page, items, bytes, ...objects.flat()].every(Number.isSafeInteger) &&
    typeof sha256 === 'string'
  );
}
