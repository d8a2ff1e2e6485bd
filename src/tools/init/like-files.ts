/** The files of examples/apis. A file of its own, because the single executable holds them in itself. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Reads a file of one of `likeNames`. The package has the examples. */
export const readLikeFile = (name: string, file: string): Promise<string> =>
  readFile(
    join(dirname(createRequire(import.meta.url).resolve('rxtract/package.json')), 'examples', 'apis', name, file),
    'utf8',
  );
