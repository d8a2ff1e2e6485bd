/** Random pages in a real thread, many of them, against the scan in place: eight at once, at the pace of each. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startScanThread } from '../../src/page/threads/scan-thread.js';
import { randomPage, type Seen, seenHere, seenIn } from '../page/threads/lib.js';
import { createRandom } from './random.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
const cases = Number(process.env.FC_CASES ?? 1000);
console.log(`seed ${seed} (set FC_SEED and FC_CASES to repeat)`);

/**
 * What does not depend on how the body is cut into chunks: with an error not the items, and after a restart beyond
 * 64 KiB not the fingerprint.
 */
function comparable({ items, end }: Seen, body: Buffer): unknown {
  if ('code' in Object(end)) return end;
  return [items, body.includes('"da\\u0074a"') ? { ...Object(end), chain: [] } : end];
}

test(`${cases} pages are scanned in a thread as in place`, async () => {
  const thread = startScanThread((reason) => {
    throw new Error(reason);
  });
  await thread.started;
  let next = 0;
  const lane = async (turns: number) => {
    for (let number = next++; number < cases; number = next++) {
      const random = createRandom(seed + number);
      const { body, chunks, options } = randomPage(random, random.int(10) === 0 ? 6000 : 60);
      const page = { chunks, options: { ...options, maxItemBytes: 1 << 24, maxCaptureBytes: 1 << 24 } };
      const early = random.int(2) === 0 ? options.captures.length : undefined;
      const there = await seenIn(thread, page, { turns, early });
      assert.equal(comparable(there, body), comparable(seenHere(page), body), `FC_SEED=${seed + number} FC_CASES=1`);
    }
  };
  await Promise.all([0, 0, 0, 1, 2, 3, 5, 13].map(lane));
  assert.is(thread.active(), 0);
  await thread.close();
});

test.run();
