/** A scan through ring, messages and slots against a scan in place: the same events, facts and errors. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRandom } from '../../fuzz/random.js';
import { defaults } from '../scanner-run.js';
import { createNotes, errorOf, factsOf, localThread, type RandomPage, randomPage, type Seen, seenHere } from './lib.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

/** Scans with the other thread doing `pace()` steps after each chunk. */
async function seenThere({ chunks, options }: Omit<RandomPage, 'body'>, pace: () => number): Promise<Seen> {
  const thread = localThread();
  const notes = createNotes();
  const scan = thread.start(options);
  let hasLeft = false;
  scan.connect(notes.take, () => {
    hasLeft = true;
  });
  try {
    for (const chunk of chunks) {
      const waiting = hasLeft ? undefined : scan.feed(chunk);
      for (let step = pace(); step > 0; step -= 1) thread.step();
      while (waiting !== undefined && thread.step() === 'busy');
      await waiting;
    }
    const ending = scan.end();
    while (thread.step() === 'busy');
    await ending;
    return notes.seen(factsOf(scan, options));
  } catch (thrown) {
    return notes.seen(errorOf(thrown));
  } finally {
    scan.dispose();
    thread.step();
    assert.equal(thread.ended, [0]);
    assert.equal([...thread.words], [0, 0, 0, 0]);
  }
}

test('scans chunk by chunk with the same events', async () => {
  for (let number = 0; number < 150; number += 1) {
    const page = randomPage(createRandom(seed + number));
    assert.equal(await seenThere(page, () => 10), seenHere(page), `FC_SEED=${seed + number}`);
  }
});

test('scans at any pace with the same items, facts and errors', async () => {
  for (let number = 0; number < 150; number += 1) {
    const random = createRandom(seed + number);
    const { chunks, options } = randomPage(random);
    // With or without threads, the chunks decide where a value is found to be too large.
    const page = { chunks, options: { ...options, maxItemBytes: 1 << 20, maxCaptureBytes: 1 << 16 } };
    const [here, there] = [seenHere(page), await seenThere(page, () => random.int(3))];
    assert.equal(there.end, here.end, `FC_SEED=${seed + number}`);
    if (!('code' in Object(here.end))) assert.is(there.items, here.items, `FC_SEED=${seed + number}`);
  }
});

test('a body larger than the ring passes through it', async () => {
  const body = Buffer.from(
    JSON.stringify(Array.from({ length: 30_000 }, (_, id) => ({ id, name: 'a name of an item' }))),
  );
  const options = { ...defaults, fingerprint: true };
  const there = await seenThere({ chunks: [body], options }, () => 0);
  const here = seenHere({ chunks: [body], options });
  assert.is(there.items, here.items);
  assert.equal(there.end, here.end);
});

for (const [how, handle] of [
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
] as const) {
  test(`a handler that ${how} gets nothing more, and the memory of all slabs is free`, async () => {
    const thread = localThread();
    const scan = thread.start({ ...defaults, batchBytes: 1 });
    const seen = { events: 0, left: 0 };
    scan.connect(
      () => {
        seen.events += 1;
        return handle();
      },
      () => {
        seen.left += 1;
      },
    );
    for (const part of ['["a",', '"b",', '"c",', '"d"]']) {
      if (seen.left === 0) scan.feed(Buffer.from(part));
      thread.step();
    }
    await new Promise(setImmediate);
    thread.step();
    assert.equal(seen, { events: 1, left: 1 });
    assert.throws(() => scan.feed(Buffer.from(' ')), /disk full/);
    for (const end of [scan.end, scan.cut]) await rejection(end.call(scan));
    scan.dispose();
    assert.equal([thread.ended, [...thread.words]], [[0], [0, 0, 0, 0]]);
    assert.throws(() => scan.count, /a scan was asked before its end/);
  });
}

async function rejection(work: Promise<void>): Promise<void> {
  const thrown = await work.then(
    () => undefined,
    (error: Error) => error.message,
  );
  assert.is(thrown, 'disk full');
}

test('a slab larger than a slot has memory of its own', async () => {
  const body = Buffer.from(JSON.stringify(['x'.repeat(3 << 20), 'y']));
  const page = { chunks: [body], options: defaults };
  assert.is((await seenThere(page, () => 0)).items, seenHere(page).items);
});

test.run();
