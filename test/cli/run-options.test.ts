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

test.run();
