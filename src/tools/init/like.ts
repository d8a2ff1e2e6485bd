/** Reads the configuration of a real API as it is in examples/apis. */
import { elementAt } from '../../core/util/element-at.js';
import { readLikeFile } from './like-files.js';

export interface RealConfiguration {
  readonly text: string;
  readonly title: string;
  /** What to set in it, each `KEY: MEANING`. */
  readonly settings: readonly string[];
}

/** Reads the configuration of one of `likeNames`. */
export async function readLike(name: string): Promise<RealConfiguration> {
  const page = (await readLikeFile(name, 'README.md')).split('\n');
  return { text: await readLikeFile(name, 'config.json'), title: elementAt(page, 0), settings: settingsIn(page) };
}

/** The rows of the first table of the page. */
function settingsIn(page: readonly string[]): readonly string[] {
  const first = page.indexOf('| Set | |') + 2;
  const rows = page.slice(first, page.indexOf('', first));
  return rows.map((row) => row.replaceAll('`', '').replace(/^\| (.*?) \| (.*) \|$/, '$1: $2'));
}
