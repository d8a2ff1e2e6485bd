import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBytes, parseDuration, writeDuration } from '../../../src/core/options/units.js';

const sizes: Readonly<Record<string, number>> = {
  '0': 0,
  '12': 12,
  '3k': 3000,
  '3kB': 3000,
  '3 KB': 3000,
  '500M': 500e6,
  '500MB': 500e6,
  '2G': 2e9,
  '2GB': 2e9,
  '3KiB': 3072,
  '64mib': 64 * 2 ** 20,
  '2GiB': 2 ** 31,
};
for (const [text, bytes] of Object.entries(sizes)) {
  test(`${text} is ${bytes} bytes`, () => assert.is(parseBytes(text), bytes));
}

for (const text of ['', 'M', '1T', '-1', '1.5M', '1Mi', '1iB', '1B', '1  MB']) {
  test(`"${text}" is no size`, () => assert.is(parseBytes(text), undefined));
}

const times: Readonly<Record<string, number>> = {
  '0': 0,
  '90': 90_000,
  '90s': 90_000,
  '500ms': 500,
  '10m': 600_000,
  '1h30m': 5_400_000,
  '7d': 604_800_000,
  '1d2h3m4s5ms': 93_784_005,
};
for (const [text, ms] of Object.entries(times)) {
  test(`${text} is ${ms} ms`, () => assert.is(parseDuration(text, 's'), ms));
}

test('a number alone has the given unit', () => {
  assert.is(parseDuration('90', 'ms'), 90);
  assert.is(parseDuration('2', 'm'), 120_000);
});

for (const text of ['', '10 m', '-5m', '5x', '5m1h', '1.5h', 's']) {
  test(`"${text}" is no time`, () => assert.is(parseDuration(text, 's'), undefined));
}

for (const [ms, text] of [
  [0, '0s'],
  [500, '500ms'],
  [90_000, '90s'],
  [5_400_000, '90m'],
  [604_800_000, '7d'],
] as const) {
  test(`${ms} ms is written ${text}`, () => assert.is(writeDuration(ms), text));
}

test.run();
