import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { GivenOptions, OptionRows, OptionsOf } from '../../../src/core/options/kind.js';
import { flag, text, whole, word } from '../../../src/core/options/kinds.js';
import { listOf, withDefaults, writtenDefault } from '../../../src/core/options/object-kinds.js';
import { readOptions } from '../../../src/core/options/read-options.js';

const rows = {
  server: { kind: text, required: true, summary: 'the server' },
  linger: { kind: whole(0, 60_000), default: 20, summary: 'how long a batch waits, in ms' },
  mode: { kind: word('append', 'merge'), default: 'append', summary: 'what becomes of rows' },
  key: { kind: listOf(text, 'paths'), summary: 'the members of the key' },
  log: { kind: flag, otherwise: 'as the server says', excludes: ['key'], summary: 'pages at once' },
} satisfies OptionRows;

test('options have the types of their rows, with defaults filled in', () => {
  const complete: OptionsOf<typeof rows> = withDefaults(rows, { server: 'a', log: undefined });
  const linger: number = complete.linger;
  const log: boolean | undefined = complete.log;
  const given: GivenOptions<typeof rows> = { server: 'b' };
  assert.equal({ ...complete }, { server: 'a', linger: 20, mode: 'append' });
  assert.equal([linger, log, given], [20, undefined, { server: 'b' }]);
});

test('a text is read by its kind, and a repeated option is a list where its kind is one', () => {
  const given = [
    ['server', 'a'],
    ['server', 'b'],
    ['key', 'id'],
    ['key', 'org'],
  ] as const;
  const { options } = readOptions(rows, given, 'text') as { options: unknown };
  assert.equal(options, { server: 'b', linger: 20, mode: 'append', key: ['id', 'org'] });
});

test('everything that is wrong is said at once', () => {
  const given = [
    ['lingr', '5'],
    ['mode', 'merg'],
    ['key', 'id'],
    ['log', 'true'],
  ] as const;
  const { problems = [] } = readOptions(rows, given, 'text');
  assert.equal(
    problems.map(({ name, message }) => ({ name, message })),
    [
      { name: 'lingr', message: 'unknown; did you mean "linger"?' },
      { name: 'mode', message: 'expected append or merge, found "merg"; did you mean "merge"?' },
      { name: 'server', message: 'required: expected a string' },
      { name: 'log', message: 'cannot be used with key: remove one of them' },
    ],
  );
});

test('an unknown name that resembles none is answered with all names', () => {
  const { problems } = readOptions(
    rows,
    [
      ['zz', 1],
      ['server', 'a'],
    ],
    'code',
  );
  assert.equal(problems, [{ name: 'zz', message: 'unknown: expected server, linger, mode, key, log' }]);
});

test('what is undefined counts as absent, in a document null too', () => {
  assert.ok(readOptions(rows, [['server', undefined]], 'code').problems);
  assert.ok(readOptions(rows, [['server', null]], 'document').problems);
  assert.equal(readOptions(rows, [['server', null]], 'code').problems?.[0]?.message, 'expected a string, found null');
});

test('names that every object has are unknown', () => {
  const { problems = [] } = readOptions(
    rows,
    [
      ['toString', 'x'],
      ['server', 'a'],
    ],
    'text',
  );
  assert.is(problems[0]?.name, 'toString');
});

test('a default is written as in a configuration, unless words say it', () => {
  const row = { kind: text, summary: '' };
  assert.is(writtenDefault({ ...row, default: 'a' }), 'a');
  assert.is(writtenDefault({ ...row, default: false }), 'false');
  assert.is(writtenDefault({ ...row, default: [401, 'x'] }), '[401, "x"]');
  assert.is(writtenDefault({ ...row, default: new Map() }), undefined);
  assert.is(writtenDefault({ ...row, default: 0, otherwise: 'no limit' }), undefined);
  assert.is(writtenDefault(row), undefined);
});

test.run();
