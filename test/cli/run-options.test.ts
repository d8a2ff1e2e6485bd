import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../src/cli/arguments.js';
import { parseDuration, readRunOptions, runOptions } from '../../src/cli/run-options.js';

const times: Readonly<Record<string, number>> = {
  '90': 90_000,
  '90s': 90_000,
  '9999999999': 9_999_999_999_000,
  '500ms': 500,
  '10m': 600_000,
  '1h30m': 5_400_000,
  '1d2h3m4s5ms': 93_784_005,
};

for (const [text, ms] of Object.entries(times)) {
  test(`${text} is ${ms} ms`, () => assert.is(parseDuration(text), ms));
}

for (const text of ['', '0', '0s', '10 m', '-5m', '5x', '5m1h', '1.5h', 's']) {
  test(`"${text}" is no time`, () => assert.is(parseDuration(text), undefined));
}

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
  ['3k', 3072],
  ['500M', 500 * 2 ** 20],
  ['2G', 2 ** 31],
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
      /--max-body-bytes is a number of bytes, or one such as 500M/,
    ));
}

test('a value above its bound is refused, and shown if it is short', () => {
  assert.throws(() => read('--max-body-bytes', '9000000G'), /is at most 8388607G, found "9000000G"/);
  assert.throws(() => read('--max-duration', '36501d'), /--max-duration is at most 36500d, found "36501d"/);
  assert.throws(() => read('--max-pages', '9'.repeat(41)), /--max-pages is at most 999999999$/);
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
