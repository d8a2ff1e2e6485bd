import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments, readFlags } from '../../src/cli/arguments.js';
import { runFlags } from '../../src/cli/run-flags.js';
import { defaultsOf } from '../../src/core/options/object-kinds.js';
import { flagRows } from '../../src/run/run-options.js';

const read = (...words: readonly string[]) => readFlags(parseArguments(words, runFlags), flagRows);

const prefetchOf = (text: string) => read('--prefetch', text).prefetch;

for (const [text, value] of [
  ['0', 0],
  ['8', 8],
  ['100', 100],
  ['auto', 'auto'],
] as const) {
  test(`--prefetch ${text} is ${value}`, () => assert.is(prefetchOf(text), value));
}

for (const text of ['101', '-1', '1.5', 'all', '']) {
  test(`--prefetch "${text}" is refused`, () =>
    assert.throws(
      () => prefetchOf(text),
      /--prefetch (?:needs a whole number from 0 to 100, or auto$|is a whole number from 0 to 100, or auto, found)/,
    ));
}

for (const [text, bytes] of [
  ['12', 12],
  ['3k', 3000],
  ['500M', 500e6],
  ['64MiB', 64 * 2 ** 20],
  ['2GB', 2e9],
] as const) {
  test(`a size of ${text} is ${bytes} bytes`, () => {
    assert.is(read('--max-body-bytes', text).maxBodyBytes, bytes);
    if (bytes < 2 ** 29) assert.is(read('--max-item-bytes', text).maxItemBytes, bytes);
    else assert.throws(() => read('--max-item-bytes', text), /--max-item-bytes is at most 512MiB, found "2GB"/);
  });
}

for (const text of ['', '0', '0G', '1T', '-1', '1.5M']) {
  test(`"${text}" is no size`, () =>
    assert.throws(
      () => read(`--max-body-bytes=${text}`),
      /--max-body-bytes (?:is|needs) a number of bytes, or one such as 500MB or 64MiB/,
    ));
}

for (const text of ['0s', 'x', '1h ']) {
  test(`"${text}" is no time`, () =>
    assert.throws(() => read('--max-duration', text), /--max-duration is a time such as 90s, 10m or 1h30m, found/));
}

test('a time is in ms, a number alone in seconds', () => {
  assert.is(read('--max-duration', '1h30m').maxDuration, 5_400_000);
  assert.is(read('--max-duration', '90').maxDuration, 90_000);
});

test('a value above its bound is refused, and shown if it is short', () => {
  assert.throws(() => read('--max-body-bytes', '9007200G'), /is at most 9007199254740991, found "9007200G"/);
  assert.throws(() => read('--max-duration', '36501d'), /--max-duration is at most 36500d, found "36501d"/);
  assert.throws(() => read('--max-pages', '9'.repeat(41)), /--max-pages is at most 9007199254740991, found a string$/);
});

test('--min-items is a number for all data types, and for those that are named; of two the last counts', () => {
  const { minItems } = read('--min-items', '1', '--min-items', 'users=9', '--min-items', 'a=b=0', '--min-items', '2');
  assert.equal(minItems, { '*': 2, users: 9, 'a=b': 0 });
  assert.equal(Object.entries(read('--min-items', '__proto__=3').minItems ?? {}), [['__proto__', 3]]);
  for (const text of ['', 'users', 'users=', '=5', '-1', '1.5', 'users=5x']) {
    const expected = 'a whole number, or one such as users=100';
    const message = text === '' ? `--min-items needs ${expected}` : `--min-items is ${expected}, found "${text}"`;
    assert.throws(
      () => read(`--min-items=${text}`),
      (thrown: Error) => thrown.message === message,
      text,
    );
  }
  assert.throws(
    () => read('--min-items', `users=${'9'.repeat(17)}`),
    /--min-items is a whole number, or one such as users=100, found "users=9{17}"/,
  );
});

const usual = defaultsOf(flagRows);

test('repeated options are lists, and absent ones have their defaults or are left out', () => {
  assert.equal(read(), usual);
  assert.equal(usual, {
    ...{ strict: false, concurrency: 1, onChangedPage: 'fail', maxItemBytes: 64 * 2 ** 20 },
    commands: true,
  });
  const words = ['--job', 'a', '--job', 'b', '--select', 'id', '--select', 'b: nr', '--allow', 'bound-reached'];
  assert.equal(read(...words, '--replace-empty', '--strict', '--on-changed-page', 'again'), {
    ...usual,
    strict: true,
    replaceEmpty: true,
    onChangedPage: 'again',
    jobs: ['a', 'b'],
    select: ['id', 'b: nr'],
    allow: ['bound-reached'],
  });
});

test.run();
