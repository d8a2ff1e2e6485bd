/** Secrets from files and commands: where they are read, what is left alone, and how they fail. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fillSecrets, standInSecret, withoutSecrets } from '../../src/config/secret-sources.js';
import { stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import { extract, parseConfiguration, run } from '../../src/index.js';
import { objectOf } from '../auth/auth-context.js';
import { commandHere } from '../blackbox/command.js';
import { inFolder, rejection } from '../sinks/lib.js';
import { assertHidden, json, onNetwork } from '../support/mock-network.js';
import { unchecked } from '../unchecked.js';
import { posixMissing, testWhere } from '../where.js';

const opened = (document: object) => fillSecrets(objectOf(document), { sources: 'open' });
const printing = (script: string) => ({ command: [process.execPath, '-e', script] });
const faultOf = (source: object) =>
  opened({ config: { '#a': source } })
    .problems.map(({ message }) => message)
    .join();

test(
  'a file and the output of a command are inserted as secrets, without the line break at their end',
  inFolder(async (dir) => {
    const file = join(dir, 'token');
    for (const [content, value] of [
      ['t\n', 't'],
      ['t\r\n', 't'],
      ['t\n\n', 't\n'],
      [' t ', ' t '],
      ['', ''],
    ] as const) {
      writeFileSync(file, content);
      const sources = { '#a': { file }, '#b': printing(`process.stdout.write(${JSON.stringify(content)})`) };
      const { document, values, problems } = opened({ config: sources });
      assert.is(stringifyExact(document), JSON.stringify({ config: { '#a': value, '#b': value } }));
      assert.equal(values, [value]);
      assert.equal(problems, []);
    }
  }),
);

test('an empty one is a warning', () => {
  const { notices } = opened({ config: { '#a': printing('') } });
  assert.equal(notices, [{ level: 'warning', code: 'empty-secret', message: 'config.#a: the secret is empty' }]);
});

test('below `parameters` they have the same meaning', () => {
  const { document } = opened({ parameters: { config: { '#a': printing('console.log(1)') } }, config: { '#a': 1 } });
  assert.is(stringifyExact(document), '{"parameters":{"config":{"#a":"1"}},"config":{"#a":1}}');
});

const source = { file: '/nothing/here' };
const program = { command: ['/nothing/here'] };
for (const document of [
  { api: { '#a': source }, iterations: [{ '#a': program }], '#a': source },
  { config: { a: source, b: program, http: { '#a': source }, jobs: [{ params: { '#a': program } }] } },
  { config: { '#a': [source], '#b': { c: program }, '#d': { ...source, more: 1 } } },
  { config: { '#a': { file: 1 }, '#b': { file: '' }, '#c': { command: 'ls' }, '#d': { command: [] } } },
  { config: { '#a': { command: ['ls', 1] }, '#b': { command: [''] }, '#c': { files: 'x' } } },
  { parameters: { '#a': source }, config: { '#a': program } },
  [source],
]) {
  const text = JSON.stringify(document);
  test(`${text} stays data`, () => {
    const { document: filled, problems, values } = fillSecrets(parseExact(text), { sources: 'open' });
    assert.is(stringifyExact(filled), text);
    assert.equal([problems, values], [[], []]);
  });
}

test(
  'a command runs once, however many keys name it, and its words are no text for a shell',
  inFolder(async (dir) => {
    const log = join(dir, 'log');
    const script = "require('fs').appendFileSync(process.argv[1], process.argv[2]); console.log('x')";
    const command = [process.execPath, '-e', script, log, '$(echo no); `echo no` > no'];
    opened({ config: { '#a': { command }, '#b': { command } } });
    assert.is(readFileSync(log, 'utf8'), '$(echo no); `echo no` > no');
  }),
);

test('faults name the source, and quote nothing of what it has printed', () => {
  assert.match(faultOf(printing("console.log('secret-1'); process.exit(3)")), /ended with exit code 3; run it by hand/);
  assert.match(faultOf(printing('process.stdout.write(Buffer.from([255]))')), /the output of .+ is not valid UTF-8/);
  assert.match(faultOf(printing("console.log('secret-1'.repeat(10000))")), /has written more than 65536 bytes/);
  assert.match(faultOf({ command: ['rxtract-no-such-program'] }), /"rxtract-no-such-program" cannot be run: .+ENOENT/);
  assert.match(faultOf({ file: '/nothing/here' }), /"\/nothing\/here" cannot be read: .+ENOENT/);
  for (const source of [{ command: ['a', 'b\0'] }, { command: ['a\0'] }, { file: 'a\0' }]) {
    assert.match(faultOf(source), /paths and arguments have no NUL character/);
  }
});

testWhere(posixMissing)(
  'a folder, a device and a file that is too large are no secrets',
  inFolder(async (dir) => {
    mkdirSync(join(dir, 'folder'));
    writeFileSync(join(dir, 'large'), Buffer.alloc(70_000));
    assert.match(faultOf({ file: join(dir, 'folder') }), /is not a regular file/);
    assert.match(faultOf({ file: '/dev/zero' }), /is not a regular file/);
    assert.match(faultOf({ file: join(dir, 'large') }), /is larger than 65536 bytes/);
  }),
);

test('refused, each is a problem, and nothing runs', () => {
  const document = objectOf({ config: { '#a': source, '#b': program } });
  const { problems, values } = fillSecrets(document, { sources: 'refuse' });
  assert.equal(
    problems.map(({ path }) => path),
    ['config.#a', 'config.#b'],
  );
  assert.match(problems[0]?.message ?? '', /refused \(`--no-commands`, in code `commands: false`\)/);
  assert.equal(values, []);
});

test('stand-ins need neither', () => {
  assert.is(
    stringifyExact(withoutSecrets(objectOf({ config: { '#a': source } }))),
    `{"config":{"#a":"${standInSecret}"}}`,
  );
});

const configOf = (token: object) =>
  unchecked({
    api: { baseUrl: 'https://api.example/', authentication: { type: 'bearer', token: { attr: '#token' } } },
    config: { '#token': token, jobs: [{ endpoint: 'users' }] },
  });

test(
  'a run sends the secret, and masks it where the API repeats it',
  onNetwork({ 'GET /users': json({ error: 'secret-word-1 is wrong' }, { status: 400 }) }, async ({ dispatcher }) => {
    const config = configOf(printing("console.log('secret-word-1')"));
    const error = await rejection(run(config, { dispatcher }), 'ERR_STATUS');
    assertHidden('secret-word-1', [error.stack]);
  }),
);

test('in code and in a data folder they can be refused; a check of an imported file opens none', async () => {
  const config = configOf(program);
  await rejection(() => extract(config, { commands: false }), 'ERR_CONFIG', /config\.#token: files and commands are/);
  await rejection(() => extract(config, { dataFolder: true }), 'ERR_CONFIG', /config\.#token: files and commands are/);
  assert.is(parseConfiguration(config), config);
});

test(
  'the command line refuses them with --no-commands',
  inFolder(async (dir) => {
    const path = join(dir, 'config.json');
    writeFileSync(path, JSON.stringify(configOf(printing("console.log('secret-word-1')"))));
    for (const name of ['validate', 'plan']) {
      const free = await commandHere([name, path]);
      assert.is(free.exit, 0, free.stderr);
      assertHidden('secret-word-1', [free.stdout, free.stderr]);
      const { exit, stderr } = await commandHere([name, path, '--no-commands']);
      assert.is(exit, 1);
      assert.match(stderr, /config\.#token: files and commands are refused/);
    }
    const set = await commandHere(['validate', path, '--set', 'config.#token={"file":"/nothing/here"}']);
    assert.match(set.stderr, /"\/nothing\/here" cannot be read/);
  }),
);

test('a command that a signal has ended is a problem that names the signal', () => {
  const { problems } = opened({ config: { '#a': printing("process.kill(process.pid, 'SIGKILL')") } });
  assert.match(problems[0]?.message ?? '', /was ended by SIGKILL; run it by hand/);
});

test.run();
