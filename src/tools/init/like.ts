/** `rxtract init --like NAME`: writes the configuration of a real API as it is in examples/apis. It sends nothing. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ParsedArguments } from '../../cli/arguments.js';
import { usageError } from '../../core/util/check-value.js';
import { quotedForShell } from '../text/lines.js';

export interface LikeContext {
  readonly args: ParsedArguments;
  /** The file to write, or `-`. */
  readonly out: string;
  say(line: string): void;
  save(text: string): Promise<void>;
}

/** Options that describe a request, which is not sent here. */
const ofRequests = 'header body keep allow-post list name operation param server entry max-requests proxy'.split(' ');

/**
 * Writes the configuration of one of `likeNames`, and says what to set in it. Throws ERR_USAGE for a source beside it.
 */
export async function writeLike(name: string, { args, out, say, save }: LikeContext): Promise<void> {
  const beside = ofRequests.find((each) => args.has(each));
  const [source] = args.positionals;
  if (source !== undefined) throw usageError(`--like ${name} writes a configuration as it is: leave out "${source}"`);
  if (beside !== undefined) throw usageError(`--like ${name} writes a configuration as it is: leave out --${beside}`);
  const read = (file: string) => readFile(join(folderOf(name), file), 'utf8');
  const page = (await read('README.md')).split('\n');
  await save(await read('config.json'));
  const file = out === '-' ? 'config.json' : quotedForShell(out);
  say(`${out === '-' ? 'written to standard output' : `wrote ${out}`}: ${page[0]}`);
  say('set before a run:');
  for (const line of settingsIn(page)) say(`  ${line}`);
  say('next:');
  say(`  rxtract preview ${file}   shows the first pages`);
  say(`  rxtract run ${file}       writes all items to out/`);
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
