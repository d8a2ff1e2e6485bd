/** The configurations of examples/apis. A file of its own, because the single executable holds them in itself. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Reads the configuration of an entry of the catalogue. The package has the examples. */
export const readLikeFile = (name: string): Promise<string> =>
  readFile(
    join(
      dirname(createRequire(import.meta.url).resolve('rxtract/package.json')),
      'examples',
      'apis',
      name,
      'config.json',
    ),
    'utf8',
  );
