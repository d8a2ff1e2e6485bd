import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createGrowth, limitBytes } from '../../../src/http/transport/size-limit.js';
import { failure } from '../../support/failure.js';

const MiB = 2 ** 20;
const block = new Uint8Array(MiB);

async function* blocks(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1) yield block;
}

async function lengthOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const chunk of body) length += chunk.length;
  return length;
}

for (const [what, mebibytes, used, isLet] of [
  ['64 MiB of next to nothing', 64, 1, true],
  ['more than that of a thousandth', 65, 70_000, true],
  ['more than that of less than a thousandth', 65, 60_000, false],
] as const) {
  test(`${what} ${isLet ? 'may be read' : 'is ERR_BODY_SIZE'}`, async () => {
    const growth = createGrowth();
    growth.used(used);
    const body = growth.watch(blocks(mebibytes));
    if (isLet) assert.is(await lengthOf(body), mebibytes * MiB);
    else assert.is((await failure(lengthOf(body))).code, 'ERR_BODY_SIZE');
  });
}

test('bytes used before count too', async () => {
  const growth = createGrowth();
  async function* telling(): AsyncGenerator<Uint8Array> {
    let used = 0;
    for await (const chunk of blocks(70)) {
      used += 2000;
      growth.used(used);
      yield chunk;
    }
  }
  assert.is(await lengthOf(growth.watch(telling())), 70 * MiB);
});

test('a body of exactly the cap is let through, one byte more is not', async () => {
  assert.is(await lengthOf(limitBytes(blocks(2), 2 * MiB)), 2 * MiB);
  const error = await failure(lengthOf(limitBytes(blocks(2), 2 * MiB - 1)));
  assert.equal(
    [error.code, error.message],
    ['ERR_BODY_SIZE', 'the body is larger than 2097151 bytes (`maxBodyBytes`)'],
  );
});

for (const [what, watch] of [
  ['growth', (body: AsyncIterable<Uint8Array>) => createGrowth().watch(body)],
  ['a cap', (body: AsyncIterable<Uint8Array>) => limitBytes(body, MiB)],
] as const) {
  test(`${what} closes a body that is left early`, async () => {
    let isLeft = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield* blocks(5);
      } finally {
        isLeft = true;
      }
    }
    for await (const _ of watch(body())) break;
    assert.ok(isLeft);
  });
}

test.run();
