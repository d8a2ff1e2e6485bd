/** The rules of the conformance kit on refused items: sinks that keep them, and for each rule sinks that break it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { refusingRules } from '../../sinks/conformance/refusing.js';
import { type ConformanceCheck, checkRules, checkSink } from '../../sinks/conformance.js';
import type { Sink } from '../../sinks/contract.js';
import { delegate } from '../../sinks/delegate.js';
import { cutSink, idsSink, newStore, plainSink, type Store, transactionSink } from './kinds.js';
import { turns } from './lib.js';
import { picky } from './picky.js';

const tooLong = () => turns(50);
const refused = { bad: true };
const refuses = (item: unknown) => typeof item === 'object' && item !== null && 'bad' in item;
const reader = (store: Store) => async (dataType: string) => [...(store.lines.get(dataType) ?? [])];

function check(make: (store: Store) => Sink): Promise<readonly ConformanceCheck[]> {
  const store = newStore();
  return checkRules(refusingRules, () => make(store), reader(store), { tooLong, refused });
}

for (const make of [plainSink, idsSink, cutSink, transactionSink]) {
  for (const when of ['write', 'prepare'] as const) {
    test(`${make.name} that refuses items in ${when} keeps every rule`, async () => {
      const store = newStore();
      const checks = await checkSink(() => picky(make(store), { refuses, when }), reader(store), { tooLong, refused });
      assert.equal(
        checks.filter(({ outcome }) => outcome === 'fail'),
        [],
      );
      const names = new Set(refusingRules.map(({ name }) => name));
      assert.is(checks.filter(({ name, outcome }) => names.has(name) && outcome === 'pass').length, names.size);
    });
  }
}

test('without such an item the rules are skipped', async () => {
  const store = newStore();
  const checks = await checkRules(refusingRules, () => plainSink(store), reader(store), { tooLong });
  assert.equal(
    checks.map(({ outcome, reason }) => [outcome, reason]),
    refusingRules.map(() => ['skip', 'no item that the destination refuses was given: option "refused"']),
  );
});

const [leavesOut, ends] = refusingRules.map(({ name }) => name);

const mutants: readonly (readonly [what: string, make: (store: Store) => Sink, broken: string | undefined])[] = [
  ['takes it', plainSink, leavesOut],
  ['takes it, also without a handler', plainSink, ends],
  [
    'says nothing',
    (store) => {
      const sink = picky(plainSink(store), { refuses });
      return delegate(sink, {
        open: (dataType, job) => sink.open?.(dataType, job, { onItemError: () => {} }),
      });
    },
    leavesOut,
  ],
  [
    'goes on although the run is to end',
    (store) => {
      const sink = picky(plainSink(store), { refuses });
      return delegate(sink, {
        open: (dataType, job, opening) =>
          sink.open?.(dataType, job, {
            async onItemError(each) {
              await Promise.resolve(opening?.onItemError?.(each)).catch(() => {});
            },
          }),
      });
    },
    ends,
  ],
  [
    'drops the whole batch',
    (store) => {
      const inner = plainSink(store);
      const sink = picky({ ...inner, write() {} }, { refuses });
      return delegate(sink, {
        async write(batch, signal) {
          await sink.write(batch, signal);
          if (!batch.values().some(refuses)) await inner.write(batch, signal);
        },
      });
    },
    leavesOut,
  ],
  [
    'names another item',
    (store) => {
      const sink = picky(plainSink(store), { refuses });
      return delegate(sink, {
        open: (dataType, job, opening) =>
          sink.open?.(dataType, job, { onItemError: (each) => opening?.onItemError?.({ ...each, index: 0 }) }),
      });
    },
    leavesOut,
  ],
];

for (const [what, make, broken] of mutants) {
  test(`the kit finds a sink that ${what}`, async () => {
    const found = (await check(make)).find(({ name }) => name === broken);
    assert.is(found?.outcome, 'fail');
  });
}

test.run();
