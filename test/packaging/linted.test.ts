/** What linters of packages say of the package: its entry points, its types, and fields of its manifest. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inside, type Packed, pack } from '../package/installed.js';
import { root } from '../rules/sources.js';

interface Context {
  folder: string;
  packed: Packed;
}

// Set before the first test, because uvu has no other way.
const test = suite<Context>('the package', {} as Context);

test.before(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'rxtract-linted-'));
  context.packed = await pack(context.folder);
});
test.after(({ folder }) => rm(folder, { recursive: true, force: true }));

/** Runs the program of a package of this repository. Resolves to its output, and throws it if it fails. */
const tool = (path: string, args: readonly string[]): Promise<string> =>
  inside(root, process.execPath, [join(root, 'node_modules', path), ...args]).catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`);
  });

test('publint finds nothing, not even something to suggest', async ({ packed }) => {
  assert.match(await tool('publint/src/cli.js', [packed.tarball, '--strict']), /All good!/);
});

test('every entry point has its types, by each resolution that ES modules have', async ({ packed }) => {
  const printed = await tool('@arethetypeswrong/cli/dist/index.js', [
    packed.tarball,
    ...['--profile', 'esm-only', '--format', 'json'],
  ]);
  const { problems, analysis } = JSON.parse(printed);
  const kinds = new Set(
    Object.values<readonly { readonly kind: string }[]>(problems)
      .flat()
      .map(({ kind }) => kind),
  );
  // Of the resolutions that an ES module does not have: the old one of Node, and `require` before Node 20.19.
  assert.equal([...kinds].sort(), ['CJSResolvesToESM', 'NoResolution']);
  const entries = Object.keys(analysis.entrypoints);
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  assert.equal(entries, Object.keys(exports));
});

test.run();
