/** `--to` with names, passwords and options, `rxtract sinks`, and `validate --connect`. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { guaranteeText, type SinkEntry } from '../../sinks/entry.js';
import { sinks } from '../../sinks/registry.js';
import { parseArguments } from '../../src/cli/arguments.js';
import { checkSinks, openSinks } from '../../src/cli/open-sinks.js';
import { runFlags } from '../../src/cli/run-flags.js';
import { commandHere } from '../blackbox/command.js';
import { json, startApi } from '../loopback/api.js';
import { filesIn, inFolder } from '../sinks/lib.js';
import { fakeShell } from './fake-shell.js';

/** Starts an API with users and orders. */
async function withApi(work: (document: string, asked: () => number) => Promise<void>): Promise<void> {
  let requests = 0;
  const api = await startApi(({ target }) => {
    requests += 1;
    return json(target.includes('users') ? [{ u: 1 }] : [{ o: 1 }]);
  });
  try {
    const config = { jobs: [{ endpoint: 'users' }, { endpoint: 'orders' }] };
    await work(JSON.stringify({ api: { baseUrl: `${api.origin}/` }, config }), () => requests);
  } finally {
    await api.close();
  }
}

const run = (stdin: string, ...to: readonly string[]) =>
  commandHere(['run', '-', ...to.flatMap((uri) => ['--to', uri])], { stdin, env: { PASSWORD: 'open-sesame' } });

test(
  'a data type with a name goes to its sink, the others to the one without',
  inFolder((dir) =>
    withApi(async (document) => {
      const { exit, stdout } = await run(document, `users=ndjson:${dir}`, 'stdout:');
      assert.equal([exit, stdout], [0, '{"o":1}\n']);
      assert.equal(filesIn(dir), { 'users.ndjson': '{"u":1}\n' });
    }),
  ),
);

test('two names may have one address', () =>
  withApi(async (document) => {
    const { exit, stdout } = await run(document, 'users=stdout:', 'orders=stdout:');
    assert.equal([exit, stdout], [0, '{"u":1}\n{"o":1}\n']);
  }));

test('a sink that fails ends the run, and is named', () =>
  withApi(async (document) => {
    const { exit, stderr } = await run(document, 'users=ndjson:/dev/null/x', 'stdout:');
    assert.is(exit, 1);
    assert.match(stderr, '/dev/null/x');
  }));

test('a sink with a client gets a larger space for young objects', () => {
  const flagsFor = (uri: string) => {
    const flags: string[] = [];
    const shell = { ...fakeShell(), setFlags: (...given: readonly string[]) => void flags.push(...given) };
    openSinks(parseArguments(['--to', uri], runFlags), shell, { notice: () => {}, secretsIn: (create) => create() });
    return flags;
  };
  assert.equal(flagsFor('redis://localhost/0?stream=items'), ['--semi-space-growth-factor=2']);
  assert.equal(flagsFor('null:'), []);
});

const faults: readonly [to: readonly string[], message: string][] = [
  [
    ['user=stdout:', 'null:'],
    'no job has the data type "user" of --to user=...: the data types are users, orders; did you mean "users"?',
  ],
  [['users=stdout:'], 'no sink for the data type "orders": add --to orders=URI'],
  [['=stdout:'], 'expected a data type before the "="'],
  [['users='], '--to users=: expected an address after the "="'],
  [['users=stdout:', 'users=stdout:'], '--to users=stdout: is given twice'],
  [['null:', 'null:'], '--to null: is given twice'],
  [['csv:out', 'csv:./out/?delimiter=;'], '--to csv:./out/?delimiter=; and csv:out would write the same output'],
  [['duckdb:a.db', 'duckdb:./a.db?mode=append&schema=s'], 'would write the same output'],
  [['users=duckdb:a.db', 'duckdb:./a.db?mode=append'], 'one sink of a run can write to it'],
  [['csv:-'], 'csv:- would be standard output, which only ndjson:- can be. A directory of that name is csv:./-'],
  [['users=stdout:', 'stdout:'], 'has the address of a --to without a name'],
  [['ndjson:out?compres=gzip'], 'unknown option "compres"'],
];
for (const [to, message] of faults) {
  test(`explains --to ${to.join(' --to ')}, and sends nothing`, () =>
    withApi(async (document, asked) => {
      const { exit, stderr } = await run(document, ...to);
      assert.equal([exit, asked()], [1, 0]);
      assert.match(stderr, message);
      assert.match(stderr, 'ERR_USAGE');
    }));
}

test('a colon in a data type is written %3A', async () => {
  const document = JSON.stringify({
    api: { baseUrl: 'http://localhost:1/' },
    config: { jobs: [{ endpoint: 'a', dataType: 'a:b=c' }] },
  });
  const { exit, stderr } = await commandHere(['validate', '-', '--to', 'a%3Ab%3Dc=null:'], { stdin: document });
  assert.is(exit, 0, stderr);
});

test('the list of sinks has each with its guarantee', async () => {
  const { exit, stdout } = await commandHere(['sinks']);
  assert.is(exit, 0);
  for (const entry of Object.values<SinkEntry>(sinks)) {
    assert.ok(stdout.includes(`${entry.address.form}\n`), entry.address.form);
    assert.ok(stdout.includes(guaranteeText(entry)), guaranteeText(entry));
  }
  const extra = await commandHere(['sinks', 'x']);
  assert.match(extra.stderr, 'unexpected argument "x" after "sinks"');
});

test('each sink has a page of the reference', () => {
  for (const name of Object.keys(sinks)) {
    const page = readFileSync(join('docs/reference/sinks', `${name}.md`), 'utf8');
    assert.match(page, `# ${name}\n`);
  }
});

test('validate connects on request, and needs a sink for it', () =>
  withApi(async (document, asked) => {
    const words = ['validate', '-', '--to', 'null:', '--connect'];
    const { exit, stderr } = await commandHere(words, { stdin: document });
    assert.equal([exit, asked()], [0, 0]);
    assert.match(stderr, 'there is no connection to check: null:');
    const both = await commandHere([...words, '--to', 'ndjson:out'], { stdin: document });
    assert.match(both.stderr, 'there is no connection to check: null:, ndjson:out');
    const alone = await commandHere(['validate', '-', '--connect'], { stdin: document });
    assert.match(alone.stderr, '--connect needs --to URI');
    const letters = await commandHere([...words, '--on-item-error', 'dead-letter=ndjson:letters'], { stdin: document });
    assert.equal([letters.exit, asked()], [0, 0]);
    assert.match(
      letters.stderr,
      /there is no connection to check: null:.*\n.*there is no connection to check: ndjson:/,
    );
    const wrong = await commandHere(['validate', '-', '--to', 'nul:'], { stdin: document });
    assert.match(wrong.stderr, 'did you mean "null"?');
  }));

test('a check that fails is the failure of the command', async () => {
  const refused: Sink = { write() {}, close() {}, abort() {}, check: () => Promise.reject(new Error('refused')) };
  await checkSinks(refused, { notice: () => assert.unreachable() }).then(
    () => assert.unreachable(),
    ({ message }) => assert.is(message, 'refused'),
  );
  const notices: string[] = [];
  const notice = ({ message }: { message: string }) => void notices.push(message);
  await checkSinks({ write() {}, close() {}, abort() {} }, { notice });
  await checkSinks({ write() {}, close() {}, abort() {}, check: async () => {}, name: 'queue' }, { notice });
  assert.equal(notices, ['there is no connection to check: a sink', 'the destinations accept connections: queue']);
});

test.run();
