/** What `rxtract completion candidates` prints for the words of a command line. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, inTemporary } from '../../blackbox/command.js';

const config = `{
  "api": { "baseUrl": { "env": "BASE" }, "http": { "headers": { "X-Key": { "env": "NO_SUCH_KEY" } } } },
  "config": { "jobs": [{ "endpoint": "users", "children": [{ "endpoint": "users/{id}", "dataType": "profiles", "placeholders": { "id": "id" } }] }] }
}`;

async function ask(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { exit, stdout, stderr } = await commandHere(['completion', 'candidates', '--', ...words], { env });
  assert.equal([exit, stderr], [0, '']);
  return stdout.trimEnd().split('\n');
}

/** The kind and the words, without their meanings. */
const wordsFor = async (...words: readonly string[]): Promise<string> =>
  (await ask(words)).map((line) => line.replace(/\t.*/, '')).join(' ');

const cases: readonly (readonly [line: string, candidates: string])[] = [
  ['ru', 'words run'],
  ['--v', 'words --version'],
  ['hel', 'words help'],
  ['nothing x', 'words'],
  ['run ', 'files'],
  ['test ', 'folders'],
  ['test a ', 'folders'],
  ['test a --up', 'words --update'],
  ['doctor ', 'files'],
  ['run c --qu', 'words --quiet'],
  ['run c --max-p', 'words --max-pages'],
  ['run c --quiet --qu', 'words'],
  ['run c --to null: --to', 'words --to'],
  ['run c --log ', 'words text json'],
  ['run c --log=j', 'words --log=json'],
  ['run c --max-items ', 'words'],
  ['run c --no-such-option --qu', 'words --quiet'],
  ['run c --prefetch ', 'words auto'],
  ['run c --proxy so', 'words socks5://'],
  ['doctor c --proxy so', 'words socks5://'],
  ['init u --proxy so', 'words socks5://'],
  ['run c --on-item-error d', 'words dead-letter='],
  ['run c --on-item-error dead-letter=nd', 'words dead-letter=ndjson:'],
  ['run c --to nul', 'words null:'],
  ['run c --to users=pos', 'words users=postgres:// users=postgresql://'],
  ['run c --to=users=nul', 'words --to=users=null:'],
  ['run c --to ndjson:o?com', 'words ndjson:o?compress='],
  ['run c --to ndjson:o?compress=', 'words ndjson:o?compress=gzip ndjson:o?compress=zstd'],
  ['run c --to ndjson:o?nothing=', 'words'],
  ['run c --to null:o', 'words'],
  ['run c --allow no-ty', 'words no-type'],
  ['run c --state ', 'folders'],
  ['run c --record ', 'files'],
  ['run c --job ', 'words'],
  ['run --job ', 'words'],
  ['run c -- ', 'files'],
  ['sinks ', 'words --help'],
  ['completion ', 'words bash zsh fish'],
  ['completion bash ', 'words --help'],
  ['help ERR_US', 'words ERR_USAGE'],
  ['help pagi', 'words pagination'],
  ['help pagination x', 'words'],
];

for (const [line, candidates] of cases) {
  test(`${line}: ${candidates}`, async () => {
    assert.is(await wordsFor(...line.split(' ')), candidates);
  });
}

test('each candidate has its meaning', async () => {
  assert.equal(await ask(['pla']), [
    'words',
    'plan\tshow each request and where its values come from, without sending one',
  ]);
  assert.match((await ask(['help', 'keyset']))[1] ?? '', /^keyset\trequests the items after the key/);
});

test('jobs are those of the configuration, whose variables need no value', () =>
  inTemporary(async (folder) => {
    const path = join(folder, 'config.json');
    await writeFile(path, config.replace('{ "env": "BASE" }', '"https://api.example/"'));
    assert.equal(await ask(['run', '--quiet', path, '--job', '']), ['words', 'users', 'profiles']);
    assert.equal(await ask(['run', '~/config.json', '--job', 'pr'], { HOME: folder }), ['words', 'profiles']);
    await writeFile(path, '{ "api": ');
    assert.equal(await ask(['run', path, '--job', '']), ['words']);
  }));

test('paths follow the scheme of a folder and the = of an option', () =>
  inTemporary(async (folder) => {
    for (const name of ['out', '.hidden']) await mkdir(join(folder, name));
    await writeFile(join(folder, 'old.jsonl'), '');
    const at = `${folder}/`;
    assert.equal(await ask(['run', 'c', '--to', `ndjson:${at}o`]), ['words', `ndjson:${at}out/`]);
    assert.equal(await ask(['run', 'c', '--to', `a=ndjson:${at}.`]), ['words', `a=ndjson:${at}.hidden/`]);
    assert.equal(await ask(['run', 'c', `--state=${at}o`]), ['words', `--state=${at}out/`]);
    const files = await ask(['run', 'c', `--record=${at}o`]);
    assert.equal([...files].sort(), [`--record=${at}old.jsonl`, `--record=${at}out/`, 'words']);
    assert.equal(await ask(['run', 'c', '--to', `ndjson:${at}missing/`]), ['words']);
    assert.is((await ask(['run', 'c', '--to', 'ndjson:pack']))[0], 'words');
  }));

const wrong: readonly (readonly [words: readonly string[], message: string])[] = [
  [[], 'a shell is expected: bash, zsh, fish'],
  [['bush'], 'no script for "bush"; did you mean "bash"?; there are bash, zsh, fish'],
  [['bash', 'zsh'], 'unexpected argument "zsh" after "bash"'],
];

for (const [words, message] of wrong) {
  test(`completion ${words.join(' ')} is refused`, async () => {
    const { exit, stdout, stderr } = await commandHere(['completion', ...words]);
    assert.equal([exit, stdout], [1, '']);
    assert.ok(stderr.includes(message), stderr);
  });
}

for (const shell of ['bash', 'zsh', 'fish']) {
  test(`the script for ${shell} goes to standard output`, async () => {
    const { exit, stdout, stderr } = await commandHere(['completion', shell]);
    assert.equal([exit, stderr], [0, '']);
    assert.match(stdout, 'completion candidates --');
  });
}

test.run();
