/** `npm run release` in a repository of its own, with the files that a release reads, and checks that take no time. */
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../rules/sources.js';

interface Context {
  folder: string;
}

const test = suite<Context>('a release', { folder: '' });

const notes = `### Added

#### Sinks

- \`sqlite:\` is a sink.
  Its second line.

### Fixed

#### Requests

- A response is read once.`;

/** Runs a program in the folder. Returns its exit code and all that it has printed. */
function start(folder: string, program: string, args: readonly string[]) {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: join(folder, 'none'), GIT_CONFIG_NOSYSTEM: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
  return { exit: status, printed: `${stdout}${stderr}` };
}

function git(folder: string, ...args: readonly string[]): string {
  const { exit, printed } = start(folder, 'git', args);
  assert.is(exit, 0, printed);
  return printed.trim();
}

const release = (folder: string, ...args: readonly string[]) =>
  start(folder, process.execPath, ['scripts/release.mjs', ...args]);

/** Changes a file and commits it. */
async function change(folder: string, path: string, edit: (text: string) => string): Promise<void> {
  const text = await readFile(join(folder, path), 'utf8');
  assert.is.not(edit(text), text, path);
  await writeFile(join(folder, path), edit(text));
  git(folder, 'commit', '--quiet', '--all', '--message', 'a change');
}

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'rxtract-release-'));
  const { folder } = context;
  for (const path of ['package.json', 'package-lock.json', 'README.md', 'scripts']) {
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const passing = ['lint', 'typecheck', 'test', 'test:packaging'];
  for (const name of passing) manifest.scripts[name] = `node -e "fs.appendFileSync('.git/checked', '${name} ')"`;
  for (const name of passing) delete manifest.scripts[`pre${name}`];
  const text = JSON.stringify(manifest, null, 2).replaceAll('example.com', 'git.invalid');
  await writeFile(join(folder, 'package.json'), text);
  await writeFile(join(folder, 'CHANGELOG.md'), `# Changelog\n\n## Unreleased\n\n${notes}\n\n## 0.0.9 - 2026-01-01\n`);
  git(folder, 'init', '--quiet');
  git(folder, 'config', 'user.name', 'a test');
  git(folder, 'config', 'user.email', 'test@rxtract.invalid');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'all');
});
test.after.each(({ folder }) => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

test('checks, then commits and tags the version with its notes', async ({ folder }) => {
  const { exit, printed } = release(folder, 'minor');
  assert.is(exit, 0, printed);
  assert.match(printed, /v0\.2\.0 is tagged here/);
  assert.is(await readFile(join(folder, '.git', 'checked'), 'utf8'), 'lint typecheck test test:packaging ');
  assert.is(git(folder, 'status', '--porcelain'), '');
  assert.is(git(folder, 'log', '-1', '--format=%s'), 'release: 0.2.0');
  assert.is(git(folder, 'cat-file', '-t', 'v0.2.0'), 'tag');
  assert.is(git(folder, 'tag', '--list', '--format=%(contents)', 'v0.2.0'), `rxtract 0.2.0\n\n${notes}`);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
  assert.equal([manifest.version, lock.version, lock.packages[''].version], ['0.2.0', '0.2.0', '0.2.0']);
  assert.match(
    await readFile(join(folder, 'README.md'), 'utf8'),
    '![version 0.2.0](https://img.shields.io/badge/version-0.2.0-',
  );
  const changelog = await readFile(join(folder, 'CHANGELOG.md'), 'utf8');
  assert.match(changelog, /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n### Added\n/);
  const shown = start(folder, process.execPath, ['scripts/release-notes.mjs', 'v0.2.0']);
  assert.equal(shown, { exit: 0, printed: `${notes}\n` });
});

const versions = [
  ['patch', '0.1.1'],
  ['major', '1.0.0'],
  ['1.0.0-beta.1', '1.0.0-beta.1'],
] as const;
for (const [word, version] of versions) {
  test(`${word} after 0.1.0 is ${version}`, ({ folder }) => {
    const { exit, printed } = release(folder, word, '--dry-run');
    assert.is(exit, 0, printed);
    assert.match(printed, `${version} can be released. Its notes:\n\n${notes}`);
    assert.is(git(folder, 'tag', '--list'), '');
    assert.is(git(folder, 'status', '--porcelain'), '');
  });
}

/** Nothing was committed, tagged or changed. */
function refused(folder: string, words: readonly string[], reason: RegExp): void {
  const state = () =>
    [
      ['rev-parse', 'HEAD'],
      ['status', '--porcelain'],
      ['tag', '--list'],
    ].map((of) => git(folder, ...of));
  const before = state();
  const { exit, printed } = release(folder, ...words);
  assert.is(exit, 1, printed);
  assert.match(printed, reason);
  assert.equal(state(), before);
}

test('a tree with changes is refused', async ({ folder }) => {
  await writeFile(join(folder, 'new.txt'), '');
  refused(folder, ['minor'], /changes that are not committed/);
});

test('missing notes, and notes in another form, are refused', async ({ folder }) => {
  await change(folder, 'CHANGELOG.md', (text) => text.replace(notes, ''));
  refused(folder, ['minor'], /CHANGELOG\.md: there are no notes/);
  await change(folder, 'CHANGELOG.md', (text) => text.replace('## Unreleased\n', '## Unreleased\n\n### New\n\n- x'));
  refused(folder, ['minor'], /"New" is not one of Added, Changed, Fixed.*no kind or component is above "x"/);
  await change(folder, 'CHANGELOG.md', (text) => text.replace('Unreleased', 'Next'));
  refused(folder, ['minor'], /there is no "## Unreleased"/);
});

test('a check that fails is named, and ends the release', async ({ folder }) => {
  await change(folder, 'package.json', (text) => text.replace("'typecheck '", "'typecheck '); process.exit(3"));
  refused(folder, ['minor'], /npm run typecheck has failed/);
  assert.is(await readFile(join(folder, '.git', 'checked'), 'utf8'), 'lint typecheck ');
});

test('a tag that is there, placeholders of the manifest, and other words are refused', async ({ folder }) => {
  git(folder, 'tag', 'v0.2.0');
  refused(folder, ['minor'], /the tag v0\.2\.0 is there already/);
  await change(folder, 'package.json', (text) => text.replaceAll('git.invalid', 'example.com'));
  refused(folder, ['patch'], /repository, bugs and homepage are placeholders/);
  for (const words of [[], ['medium'], ['1.2'], ['minor', 'patch']]) refused(folder, words, /npm run release -- major/);
});

test.run();
