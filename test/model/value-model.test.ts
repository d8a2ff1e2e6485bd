/** Value and data are one step, for each recovery; each rule that is left out is missed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Kind } from './setup.js';
import { exploreValue, type ValueRule } from './value-model.js';

const kinds: readonly Kind[] = ['cut', 'transaction', 'ids', 'none'];

for (const kind of kinds) {
  for (const fresh of [0, 1]) {
    test(`holds: ${kind}, two kills, ${fresh} fresh runs`, () => {
      const { fault, states } = exploreValue({ kind, kills: 2, fresh });
      assert.is(fault, undefined);
      assert.ok(states > 50, `${states} states`);
    });
  }
}

const failing: readonly (readonly [rule: ValueRule, kind: Kind, kills: number, fresh: number, fault: RegExp])[] = [
  ['the value counts when the items are published', 'cut', 1, 1, /missing for ever/],
  ['the value counts when the items are published', 'transaction', 1, 1, /missing for ever/],
  ['the value is on the disk before the items are published', 'cut', 0, 0, /there twice/],
  ['the value is on the disk before the items are published', 'ids', 0, 0, /there twice/],
  ['the value is on the disk before the items are published', 'none', 0, 0, /there twice/],
  ['a resume begins where its run began', 'cut', 1, 0, /missing for ever|twice/],
  ['a resume begins where its run began', 'transaction', 1, 0, /missing for ever|twice/],
  ['a publication is made once for a run', 'transaction', 1, 0, /there twice/],
];

for (const [rule, kind, kills, fresh, expected] of failing) {
  test(`fails without: ${rule}, ${kind}`, () => {
    assert.match(exploreValue({ kind, kills, fresh, without: rule }).fault ?? 'no fault', expected);
  });
}

test.run();
