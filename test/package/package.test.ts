/**
 * The package as users get it: its files, that it installs, starts and imports, and that its types work in other
 * projects.
 */
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../rules/sources.js';
import { inside, install, type Packed, pack } from './installed.js';

/**
 * The code of the whole language with its types, its pages and its schema: more than this is something that does not
 * belong there. The bundle of the command holds the code that it uses again, with that of packages.
 */
const most = 5_260_000;
const mostOfBundle = 4_300_000;
const isBundled = ({ path }: { readonly path: string }) => path.startsWith('dist/src/cli/');
const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const doors = Object.keys(manifest.exports).filter((door) => !door.endsWith('.json'));
const specifiers = doors.map((door) => door.replace(/^\./, 'rxtract'));

interface Context {
  app: string;
  packed: Packed;
}

// Set before the first test, because uvu has no other way.
const test = suite<Context>('the package', {} as Context);

test.before(async (context) => {
  context.app = await mkdtemp(join(tmpdir(), 'rxtract-package-'));
  context.packed = await pack(context.app);
  await install(context.packed, context.app);
});
test.after(({ app }) => rm(app, { recursive: true, force: true, maxRetries: 10 }));

/** Runs a module of one's own in the folder of the installed package. */
async function program(app: string, name: string, text: string): Promise<string> {
  await writeFile(join(app, name), text);
  return (await inside(app, process.execPath, [name])).trim();
}

test('holds the built code, its pages and examples, and nothing else', ({ packed }) => {
  const paths = packed.files.map(({ path }) => path);
  const allowed =
    /^(dist\/(src|operators|sinks)\/.+\.(js|d\.ts)|dist\/src\/cli\/third-party-licenses\.txt|docs\/.+\.(md|svg|png)|examples\/.+|(README|CHANGELOG|SECURITY)\.md|LICENSE|(package|(\w+\.)?schema)\.json)$/;
  assert.equal(
    paths.filter((path) => !allowed.test(path)),
    [],
  );
  assert.equal(
    paths.filter((path) => /\.(test|bench)\.|\/assembly\/|\.map$|(^|\/)(test|bench)\//.test(path)),
    [],
  );
  const untyped = paths.filter((path) => /^dist\/src\/(cli|schema|reference)\/.*\.d\.ts$/.test(path));
  assert.equal(untyped, [], 'no one can import what no door leads to');
  for (const path of ['README.md', 'LICENSE', 'CHANGELOG.md', 'docs/01-configuration.md', 'examples/README.md']) {
    assert.ok(paths.includes(path), path);
  }
});

test('every link and picture of its pages leads to a file in it', async ({ app, packed }) => {
  const paths = packed.files.map(({ path }) => path);
  const isThere = (path: string) => paths.some((each) => each === path || each.startsWith(`${path}/`));
  const lost: string[] = [];
  let links = 0;
  for (const page of paths.filter((path) => path.endsWith('.md'))) {
    const text = await readFile(join(app, 'node_modules', 'rxtract', page), 'utf8');
    const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)#\s]+)[^)\s]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      links += 1;
      const path = posix.join(posix.dirname(page), target).replace(/\/$/, '');
      if (!isThere(path)) lost.push(`${page}: ${target}`);
    }
  }
  assert.ok(links > 300, `${links} links`);
  assert.equal(lost, []);
});

test('is below 5.26 MB unpacked, beside the bundle of the command, and below 3 MB packed', ({ packed }) => {
  const { unpackedSize, size, files } = packed;
  const bundle = files.filter(isBundled).reduce((sum, file) => sum + file.size, 0);
  assert.ok(bundle < mostOfBundle, `${bundle} bytes in the bundle`);
  assert.ok(unpackedSize - bundle < most, `${unpackedSize - bundle} bytes in ${files.length} files`);
  assert.ok(size < 3_000_000, `${size} bytes packed`);
});

test('the bundle of the command has the license of each package in it, and its files all that they import', async ({
  app,
  packed,
}) => {
  const folder = join(app, 'node_modules', 'rxtract', 'dist', 'src', 'cli');
  const licenses = await readFile(join(folder, 'third-party-licenses.txt'), 'utf8');
  for (const name of ['rxjs', 'undici', 'superstruct', 'stream-json', 'log-update']) {
    assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+:`, 'im'), name);
  }
  const names = packed.files.filter(isBundled).map(({ path }) => posix.basename(path));
  const imported = new Set<string>();
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:from|import\(?)"(\.\/[\w-]+\.js|@?[a-z][\w./-]*)"/g))
      imported.add(target);
  }
  assert.equal(
    [...imported].filter(
      (target) => !names.includes(target.replace(/^\.\//, '')) && !(target in manifest.dependencies),
    ),
    [],
  );
});

test('names no file that is not there and no place of the machine that built it', async ({ app, packed }) => {
  const places = [root, homedir(), tmpdir()].filter((place) => place.length > 1).map((place) => `${place}/`);
  for (const { path } of packed.files) {
    const text = await readFile(join(app, 'node_modules', 'rxtract', path), 'utf8');
    assert.not(text.includes('sourceMappingURL='), path);
    if (path.startsWith('dist/')) for (const place of places) assert.not(text.includes(place), `${path}: ${place}`);
  }
});

test('fetches the packages it depends on and no other', async ({ app }) => {
  const tree = JSON.parse(await inside(app, 'npm', ['ls', '--all', '--json']));
  assert.equal(Object.keys(tree.dependencies), ['rxtract']);
  const listed: Readonly<Record<string, { readonly version?: string }>> = tree.dependencies.rxtract.dependencies;
  // An optional peer that is not there is listed, without a version.
  const fetched = Object.keys(listed).filter((name) => listed[name]?.version !== undefined);
  assert.equal(fetched.sort(), Object.keys(manifest.dependencies).sort());
});

test('is installed with at most 20 packages and 30 MB, and runs no script', async ({ app }) => {
  const lock = JSON.parse(await readFile(join(app, 'node_modules', '.package-lock.json'), 'utf8'));
  const folders = Object.keys(lock.packages).filter((path) => path !== 'node_modules/rxtract');
  assert.ok(folders.length > 5 && folders.length <= 20, `${folders.length} packages`);
  assert.equal(
    Object.keys(lock.packages).filter((path) => lock.packages[path].hasInstallScript),
    [],
  );
  const entries = await readdir(join(app, 'node_modules'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 1e6 && bytes < 30_000_000, `${bytes} bytes`);
});

test('the installed command prints its version', async ({ app }) => {
  assert.is(await inside(app, 'npx', ['--no-install', 'rxtract', '--version']), `${manifest.version}\n`);
});

test('the installed command pulls the sample API', async ({ app }) => {
  const examples = join(app, 'node_modules', 'rxtract', 'examples');
  const { startSampleApi } = await import(pathToFileURL(join(examples, 'sample-api.mjs')).href);
  const api = await startSampleApi(() => undefined);
  try {
    const config = (await readFile(join(examples, 'sample-users.json'), 'utf8')).replaceAll(
      'http://localhost:8080',
      api.origin,
    );
    await writeFile(join(app, 'config.json'), config);
    const command = join(app, 'node_modules', '.bin', 'rxtract');
    assert.is(await inside(app, command, ['run', 'config.json', '--quiet']), '');
  } finally {
    api.close();
  }
  const written = await readFile(join(app, 'out', 'users.ndjson'), 'utf8');
  assert.is(written.trimEnd().split('\n').length, 47);
});

test('every entry point opens for import and for require, with the same names', async ({ app }) => {
  for (const specifier of specifiers) {
    const imported = await program(
      app,
      'names.mjs',
      `console.log(Object.keys(await import('${specifier}')).join(' '));`,
    );
    const required = await program(app, 'names.cjs', `console.log(Object.keys(require('${specifier}')).join(' '));`);
    assert.ok(imported.split(' ').length > 3, imported);
    assert.is(required, imported);
  }
});

test('the schema of configurations opens, and an editor finds it beside the code', async ({ app }) => {
  const text = `const { $id } = require('rxtract/schema.json'); console.log($id, require.resolve('rxtract/schema.json'));`;
  assert.match(
    await program(app, 'schema.cjs', text),
    /^urn:rxtract:configuration .*node_modules.rxtract.schema\.json$/,
  );
});

test('private files cannot be imported', async ({ app }) => {
  const text = `import('rxtract/dist/src/run/run-context.js').catch(({ code }) => console.log(code));`;
  assert.is(await program(app, 'inner.mjs', text), 'ERR_PACKAGE_PATH_NOT_EXPORTED');
});

test('the types hold in strict projects, by the resolution of Node and of bundlers', async ({ app }) => {
  const consumers = join(root, 'test', 'consumers');
  for (const name of ['@types/node', 'undici-types']) {
    await cp(join(root, 'node_modules', name), join(app, 'node_modules', name), { recursive: true });
  }
  await cp(consumers, app, { recursive: true });
  const sources = (
    await Promise.all((await readdir(consumers)).map((name) => readFile(join(app, name), 'utf8')))
  ).join();
  for (const specifier of specifiers) assert.ok(sources.includes(`from '${specifier}'`), specifier);
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const project of ['nodenext.json', 'bundler.json']) {
    const said = await inside(app, process.execPath, [compiler, '-p', project]).catch(({ stdout }) => stdout);
    assert.is(said, '', project);
  }
});

test.run();
