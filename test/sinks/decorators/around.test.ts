/** Decorators keep the contract of the sink they are around: the conformance kit on each, over each recovery. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSink } from '../../../sinks/conformance.js';
import type { Sink } from '../../../sinks/contract.js';
import { batchBy } from '../../../sinks/decorators/batch-by.js';
import { tee } from '../../../sinks/decorators/tee.js';
import { ahead } from '../../../sinks/decorators/write-ahead.js';
import { memory } from '../../../sinks/memory.js';
import { cutSink, idsSink, newStore, plainSink, type Store, transactionSink, unansweredSink } from '../kinds.js';
import { turns } from '../lib.js';
import { picky } from '../picky.js';

const tooLong = () => turns(100);
const kinds = { plain: plainSink, ids: idsSink, cut: cutSink, transaction: transactionSink };
const decorators: Readonly<Record<string, (sink: Sink) => Sink>> = {
  'ahead(3)': (sink) => ahead(sink, 3),
  'batchBy bytes': (sink) => batchBy(sink, { bytes: 20 }),
  'batchBy ms': (sink) => batchBy(sink, { count: 100, ms: 1 }),
  tee: (sink) => tee(sink, memory()),
  'tee of a failing copy': (sink) =>
    tee(sink, () => {
      throw new Error('the copy is full');
    }),
  'all of them': (sink) => tee(ahead(batchBy(sink, { count: 3 }), 2), memory()),
};
const refused = { bad: true };
const refuses = (item: unknown) => typeof item === 'object' && item !== null && 'bad' in item;
const reader = (store: Store) => async (dataType: string) => [...(store.lines.get(dataType) ?? [])];

/** A sink whose destination takes nothing. */
const stuck = (): Sink => ({
  ...plainSink(newStore()),
  write: (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
});

/** A sink whose destination refuses every write. */
const failing = (): Sink => ({
  ...plainSink(newStore()),
  async write() {
    throw new Error('full');
  },
});

for (const [name, around] of Object.entries(decorators)) {
  for (const [kind, make] of Object.entries(kinds)) {
    test(`${name} around the ${kind} sink keeps every rule`, async () => {
      const store = newStore();
      const checks = await checkSink(() => around(picky(make(store), { refuses })), reader(store), {
        ...{ tooLong, refused },
        stuck: () => around(stuck()),
        // What waits for a full batch fails with the page.
        ...(/batchBy|all/.test(name) ? {} : { failing: () => around(failing()) }),
        ...(kind === 'transaction' ? { unanswered: () => around(unansweredSink(store)) } : {}),
      });
      assert.equal(
        checks.filter(({ outcome }) => outcome === 'fail'),
        [],
      );
      const own: Sink = make(store);
      assert.is(around(own).recovery, own.recovery);
      assert.is(around(own).leave === undefined, own.leave === undefined);
    });
  }
}

test.run();
