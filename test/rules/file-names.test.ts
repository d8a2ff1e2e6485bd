/** A search for the name of a file finds one file. */
import { basename } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sources } from './sources.js';

/** One a room, by the same plan: what a room exports, and the list of its components. */
const inManyRooms = new Set(['index.ts', 'registry.ts']);

/** Names that several files still have. */
const shared = new Set([
  'entry.ts',
  'allowed-hosts.ts',
  'batch.ts',
  'clock.ts',
  'document.ts',
  'errors.ts',
  'job-stats.ts',
  'kinds.ts',
  'options.ts',
  'request.ts',
  'resume-session.ts',
  'secrets.ts',
  'settle.ts',
  'sql.ts',
  'store.ts',
  'trials.ts',
  'types.ts',
]);

/** Commands have their names from the command line; AssemblyScript is compiled apart. */
const isApart = (path: string): boolean =>
  /^src\/cli\/(bench|plan|schema|shape)\.ts$/.test(path) || path.includes('/assembly/');

/** The paths of names that occur more than once. */
function repeated(paths: readonly string[]): readonly string[] {
  const counted = paths.filter((path) => !isApart(path));
  const names = counted.map((path) => basename(path));
  return counted.filter((path) => {
    const name = basename(path);
    return !inManyRooms.has(name) && !shared.has(name) && names.indexOf(name) !== names.lastIndexOf(name);
  });
}

test('no two files of the rooms have one name', () => {
  const paths = ['src', 'sinks', 'operators'].flatMap((folder) => sources(folder, /\.ts$/)).map(({ path }) => path);
  assert.ok(paths.length > 500);
  assert.equal(repeated(paths), []);
});

test('a name that occurs twice is found', () => {
  const paths = ['src/auth/a.ts', 'src/core/url/a.ts', 'src/cli/bench.ts', 'sinks/bench.ts', 'sinks/index.ts'];
  assert.equal(repeated(paths), ['src/auth/a.ts', 'src/core/url/a.ts']);
});

test.run();
