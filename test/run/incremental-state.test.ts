/** What a run leaves for the next: docs/01-configuration.md#since-the-last-run. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../src/core/errors/errors.js';
import { fromPlain, stringifyExact } from '../../src/core/json/exact.js';
import { createIncrementalState } from '../../src/run/incremental-state.js';

const now = 1_492_606_006_789;

const cases: readonly (readonly [title: string, state: object, time: string, next: string])[] = [
  [
    'the first run has no previous start',
    {},
    '{"previousStart":0,"currentStart":1492606006}',
    '{"time":{"previousStart":1492606006}}',
  ],
  [
    'the start of a run is the previous start of the next',
    { time: { previousStart: 1_400_000_000 } },
    '{"previousStart":1400000000,"currentStart":1492606006}',
    '{"time":{"previousStart":1492606006}}',
  ],
  [
    'a current start of the former state counts for nothing, all else is kept',
    { a: [1], time: { currentStart: 5, zone: 'UTC' }, b: null },
    '{"zone":"UTC","previousStart":0,"currentStart":1492606006}',
    '{"a":[1],"time":{"zone":"UTC","previousStart":1492606006},"b":null}',
  ],
  [
    'an empty previous start, and a time that is no object, count as none',
    { time: { previousStart: '' } },
    '{"previousStart":0,"currentStart":1492606006}',
    '{"time":{"previousStart":1492606006}}',
  ],
];

for (const [title, state, time, next] of cases) {
  test(title, () => {
    const begun = createIncrementalState(fromPlain(state), now);
    assert.is(stringifyExact(begun.time), time);
    assert.is(stringifyExact(begun.next), next);
  });
}

test('a state that is no object is rejected', () => {
  assert.throws(
    () => createIncrementalState([], now),
    (thrown: unknown) => thrown instanceof ExtractError && thrown.code === 'ERR_USAGE',
  );
});

test.run();
