import { getEventListeners } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { checkSink } from '../../sinks/conformance.js';
import { createRendezvous } from '../../sinks/rendezvous.js';
import { calm, rejection, turns } from './lib.js';

const [one, two, three] = [1, 2, 3].map((id) => batchOf('users', [{ id }]));
assert.ok(one !== undefined && two !== undefined && three !== undefined);

/** Whether the work has settled by now. */
async function isSettled(work: unknown): Promise<boolean> {
  let settled = false;
  Promise.resolve(work).then(
    () => {
      settled = true;
    },
    () => {},
  );
  await turns();
  return settled;
}

test('a write settles when the consumer asks for what follows', async () => {
  const { sink, take } = createRendezvous();
  const writing = sink.write(one, calm);
  assert.is(await isSettled(writing), false);
  assert.is(await take(), one);
  assert.is(await isSettled(writing), false);
  const taking = take();
  assert.is(await isSettled(writing), true);
  assert.is(await isSettled(taking), false);
  void sink.write(two, calm);
  assert.is(await taking, two);
});

test('hands over writes side by side in their order, one at a time', async () => {
  const { sink, take } = createRendezvous();
  const writes = [one, two, three].map((batch) => sink.write(batch, calm));
  assert.is(await take(), one);
  assert.is(await take(), two);
  assert.equal(await Promise.all(writes.map(isSettled)), [true, false, false]);
});

test('a write that is interrupted is not handed over, and leaves no listener', async () => {
  const { sink, take } = createRendezvous();
  const controller = new AbortController();
  const writing = sink.write(one, controller.signal);
  controller.abort();
  await rejection(writing, 'ERR_ABORTED');
  void sink.write(two, calm);
  assert.is(await take(), two);
  assert.is(getEventListeners(controller.signal, 'abort').length, 0);
});

test('a write whose batch is in the hands of the consumer can be interrupted too', async () => {
  const { sink, take } = createRendezvous();
  const controller = new AbortController();
  const writing = sink.write(one, controller.signal);
  assert.is(await take(), one);
  controller.abort();
  await rejection(writing, 'ERR_ABORTED');
});

test('releases what waits when there is no more', async () => {
  const { take, end } = createRendezvous();
  const taking = take();
  end();
  assert.is(await taking, undefined);
  assert.is(await take(), undefined);
});

test('keeps the rules of a sink, its consumer taking all or nothing', async () => {
  const store = new Map<string, string[]>();
  const make = () => {
    const { sink, take } = createRendezvous();
    void (async () => {
      for (let batch = await take(); batch !== undefined; batch = await take()) {
        const lines = Buffer.from(batch.bytes).toString().split('\n').slice(0, -1);
        store.set(batch.dataType, [...(store.get(batch.dataType) ?? []), ...lines]);
      }
    })();
    return sink;
  };
  const checks = await checkSink(make, async (dataType) => store.get(dataType) ?? [], {
    stuck: () => createRendezvous().sink,
    tooLong: () => turns(200),
  });
  assert.equal(
    checks.filter(({ outcome }) => outcome === 'fail'),
    [],
  );
});

test.run();
