import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ByteSource, sourceOf } from '../../../src/core/util/byte-source.js';
import { limitBytes, limitGrowth } from '../../../src/http/transport/size-limit.js';
import { failure } from '../../support/failure.js';

const MiB = 2 ** 20;
const block = new Uint8Array(MiB);
const blocks = (count: number) => sourceOf(Array.from({ length: count }, () => block));

async function lengthOf(body: ByteSource): Promise<number> {
  let length = 0;
  await body.read((chunk) => {
    length += chunk.length;
  });
  return length;
}

/** A body whose one chunk of `compressed` bytes decodes to so many blocks. */
const growing = (compressed: number, mebibytes: number): ByteSource => ({
  async read(take) {
    const { compressed: wire, decoded } = limitGrowth(sourceOf([new Uint8Array(compressed)]), take);
    await wire.read(async () => {
      for (let at = 0; at < mebibytes; at += 1) await decoded(block);
    });
  },
});

for (const [what, mebibytes, used, isAllowed] of [
  ['64 MiB of next to nothing', 64, 1, true],
  ['more than that of a thousandth', 65, 70_000, true],
  ['more than that of less than a thousandth', 65, 60_000, false],
] as const) {
  test(`${what} ${isAllowed ? 'may be read' : 'is ERR_BODY_SIZE'}`, async () => {
    const body = growing(used, mebibytes);
    if (isAllowed) assert.is(await lengthOf(body), mebibytes * MiB);
    else assert.is((await failure(lengthOf(body))).code, 'ERR_BODY_SIZE');
  });
}

test('the compressed bytes of all chunks count', async () => {
  const { compressed, decoded } = limitGrowth(
    sourceOf(Array.from({ length: 70 }, () => new Uint8Array(2000))),
    () => {},
  );
  await compressed.read(() => decoded(block));
});

test('a body of exactly the cap is let through, one byte more is not', async () => {
  assert.is(await lengthOf(limitBytes(blocks(2), 2 * MiB)), 2 * MiB);
  const error = await failure(lengthOf(limitBytes(blocks(2), 2 * MiB - 1)));
  assert.equal(
    [error.code, error.message],
    ['ERR_BODY_SIZE', 'the body is larger than 2097151 bytes (`maxBodyBytes`)'],
  );
});

test.run();
