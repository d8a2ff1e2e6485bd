import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDuration } from '../../src/cli/run-options.js';

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

test.run();
