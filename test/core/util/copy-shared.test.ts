import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyShared } from '../../../src/core/util/copy-shared.js';
import { createRandom } from '../../fuzz/random.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

const size = 200_000;
const memories = { plain: () => new ArrayBuffer(size), shared: () => new SharedArrayBuffer(size) };

for (const [from, source] of Object.entries(memories)) {
  for (const [to, target] of Object.entries(memories)) {
    test(`from ${from} to ${to} memory: the bytes, at any alignment, and no others`, () => {
      const random = createRandom(seed);
      const bytes = new Uint8Array(source());
      for (let at = 0; at < size; at += 1) bytes[at] = 1 + ((at * 7) % 251);
      for (let turn = 0; turn < 60; turn += 1) {
        const length = random.int(turn % 2 === 0 ? 40 : 150_000);
        const begin = random.int(size - length);
        const [offset, at] = [random.int(20), random.int(size - length - 40)];
        const copy = new Uint8Array(target(), offset);
        const expected = new Uint8Array(copy.length);
        const part = bytes.subarray(begin, begin + length);
        expected.set(part, at);
        copyShared(copy, at, part);
        assert.ok(Buffer.from(copy).equals(expected), `${length} bytes from ${begin} to ${offset} + ${at}`);
      }
    });
  }
}

test('bytes that do not fit are a RangeError', () => {
  const target = new Uint8Array(new SharedArrayBuffer(16));
  assert.throws(() => copyShared(target, 9, new Uint8Array(8)), RangeError);
});

test.run();
