/** Reads the configuration of a real API as it is in examples/apis. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { elementAt } from '../../core/util/element-at.js';

export interface RealConfiguration {
  readonly text: string;
  readonly title: string;
  /** What to set in it, each `KEY: MEANING`. */
  readonly settings: readonly string[];
}

/** Reads the configuration of one of `likeNames`. */
export async function readLike(name: string): Promise<RealConfiguration> {
  const read = (file: string) => readFile(join(folderOf(name), file), 'utf8');
  const page = (await read('README.md')).split('\n');
  return { text: await read('config.json'), title: elementAt(page, 0), settings: settingsIn(page) };
}

/** The package has the examples. */
const folderOf = (name: string): string =>
  join(dirname(createRequire(import.meta.url).resolve('rxtract/package.json')), 'examples', 'apis', name);

/** The rows of the first table of the page. */
function settingsIn(page: readonly string[]): readonly string[] {
  const first = page.indexOf('| Set | |') + 2;
  const rows = page.slice(first, page.indexOf('', first));
  return rows.map((row) => row.replaceAll('`', '').replace(/^\| (.*?) \| (.*) \|$/, '$1: $2'));
}
