import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../src/cli/arguments.js';
import { readRunOptions } from '../../src/cli/read-run-options.js';
import { runOptions } from '../../src/cli/run-options.js';

const prefetchOf = (text: string) => readRunOptions(parseArguments(['--prefetch', text], runOptions)).prefetch;

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
    assert.throws(() => prefetchOf(text), /--prefetch is a whole number from 0 to 100, or auto, found/));
}

const read = (...words: readonly string[]) => readRunOptions(parseArguments(words, runOptions));

for (const [text, bytes] of [
  ['12', 12],
  ['3k', 3000],
  ['500M', 500e6],
  ['64MiB', 64 * 2 ** 20],
  ['2GB', 2e9],
] as const) {
  test(`a size of ${text} is ${bytes} bytes`, () => {
    assert.is(read('--max-body-bytes', text).maxBodyBytes, bytes);
    assert.is(read('--max-item-bytes', text).maxItemBytes, bytes);
  });
}

for (const text of ['', '0', '0G', '1T', '-1', '1.5M']) {
  test(`"${text}" is no size`, () =>
    assert.throws(
      () => read(`--max-body-bytes=${text}`),
      /--max-body-bytes is a number of bytes, or one such as 500MB or 64MiB/,
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
  assert.throws(() => read('--max-pages', '9'.repeat(41)), /--max-pages is at most 999999999$/);
});

test('--min-items is a number for all data types, and for those that are named; of two the last counts', () => {
  const { minItems } = read('--min-items', '1', '--min-items', 'users=9', '--min-items', 'a=b=0', '--min-items', '2');
  assert.equal(minItems, { '*': 2, users: 9, 'a=b': 0 });
  for (const text of ['', 'users', 'users=', '=5', '-1', '1.5', 'users=5x']) {
    const message = `--min-items is a whole number, or one such as users=100, found "${text}"`;
    assert.throws(
      () => read(`--min-items=${text}`),
      (thrown: Error) => thrown.message === message,
      text,
    );
  }
  assert.throws(
    () => read('--min-items', 'users=1000000000'),
    /--min-items is at most 999999999, found "users=1000000000"/,
  );
});

test('repeated options are lists, and absent ones are left out', () => {
  assert.equal(read(), { strict: false, concurrency: 1 });
  const words = ['--job', 'a', '--job', 'b', '--select', 'id', '--select', 'b: nr', '--allow', 'bound-reached'];
  assert.equal(read(...words, '--replace-empty', '--strict', '--on-changed-page', 'again'), {
    strict: true,
    concurrency: 1,
    replaceEmpty: true,
    onChangedPage: 'again',
    jobs: ['a', 'b'],
    select: ['id', 'b: nr'],
    allow: ['bound-reached'],
  });
});

test.run();
