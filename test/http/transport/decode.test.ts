import { randomFillSync } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { borrowingChunks, sourceOf } from '../../../src/core/util/byte-source.js';
import { owned } from '../../../src/core/util/lent-memory.js';
import { createDecoders } from '../../../src/http/transport/decode.js';
import { transportCode } from '../../../src/http/transport/transport.js';
import { zlibDecoder } from '../../../src/http/transport/zlib-decoder.js';
import { withFrames } from '../../../src/http/transport/zstd.js';
import { pieces } from '../../page/scanner-run.js';
import { testWhere } from '../../where.js';
import { decoded, failureOf, ways, zstdMissing } from './coded-bodies.js';

const plain = Buffer.alloc(20_000, 'abcdefg1234');
const zstdThere = zstdMissing === undefined ? 'this Node has zstd' : undefined;

/** `plain` in a frame with its size, and in one with a window and a checksum. */
const zstd = Buffer.from('KLUv/WAgTZ0AAFhhYmNkZWZnMTIzNAEAEo734gU=', 'base64');
const checked = Buffer.from('KLUv/QQonQAAWGFiY2RlZmcxMjM0AQASjvfiBSw8wJE=', 'base64');
/** A frame to be skipped, and one of a raw block, a run and an empty block: "hello!!!". */
const skippable = Buffer.from('502a4d1803000000aabbcc', 'hex');
const blocks = Buffer.from('28b52ffd2008280000' + '68656c6c6f' + '1a0000' + '21' + '010000', 'hex');

const codings: readonly (readonly [coding: string, what: string, body: Buffer])[] = [
  ['gzip', 'gzip', gzipSync(plain)],
  ['deflate', 'deflate in its zlib form', deflateSync(plain)],
  ['deflate', 'deflate without a header', deflateRawSync(plain)],
  ['br', 'brotli', brotliCompressSync(plain)],
  ['br, gzip', 'brotli within gzip', gzipSync(brotliCompressSync(plain))],
  ['zstd', 'zstd', zstd],
  ['zstd', 'zstd with a checksum', checked],
];

const halves = [plain.subarray(0, 7000), plain.subarray(7000)] as const;

for (const [way, decoders, hasZstd] of ways) {
  for (const [coding, kind, body] of codings.filter(([coding]) => hasZstd || coding !== 'zstd')) {
    const testIt = testWhere(coding === 'zstd' ? zstdMissing : undefined);
    const what = `${kind}${way}`;

    testIt(`${what} is decoded, in any chunks`, async () => {
      for (const size of [1, 7, body.length]) {
        assert.ok((await decoded(pieces(body, size), coding, decoders)).equals(plain), `pieces of ${size}`);
      }
    });

    testIt(`${what} cut anywhere is a cut body, and the next one is decoded`, async () => {
      for (let length = 1; length < body.length; length++) {
        const error = await failureOf(decoded(pieces(body.subarray(0, length), 1000), coding, decoders));
        assert.equal([error.code, transportCode(error)], ['ERR_BODY_CUT', 18], `${length} of ${body.length} bytes`);
      }
      assert.ok((await decoded([body], coding, decoders)).equals(plain));
    });

    testIt(`a body that is not the ${what} it claims is not a cut body`, async () => {
      const error = await failureOf(decoded(pieces(Buffer.from('\x8b{"a": "some JSON"}'), 100), coding, decoders));
      assert.equal([error.code, transportCode(error)], ['ERR_TRANSPORT', 61]);
    });

    testIt(`${what} of no bytes is an empty body`, async () => {
      assert.is((await decoded([], coding, decoders)).length, 0);
    });

    testIt(`${what} waits for its reader, piece by piece`, async () => {
      let isBusy = false;
      const found: Uint8Array[] = [];
      await decoders.decode(sourceOf(pieces(body, 9)), coding).read(async (chunk) => {
        assert.not(isBusy);
        isBusy = true;
        await new Promise(setImmediate);
        isBusy = false;
        found.push(chunk);
      });
      assert.ok(Buffer.concat(found).equals(plain));
    });

    testIt(`an error of the reader of ${what} is its own`, async () => {
      const reading = decoders.decode(sourceOf([body]), coding).read(() => {
        throw new RangeError('full');
      });
      assert.instance(await reading.catch((thrown) => thrown), RangeError);
    });
  }

  test(`gzip of several members${way} is one body`, async () => {
    const members = Buffer.concat(halves.map((half) => gzipSync(half)));
    for (const size of [1, 50, members.length]) {
      assert.ok((await decoded(pieces(members, size), 'gzip', decoders)).equals(plain), `pieces of ${size}`);
    }
    const cut = members.subarray(0, -20);
    assert.is((await failureOf(decoded(pieces(cut, 1000), 'gzip', decoders))).code, 'ERR_BODY_CUT');
  });
}

/** What a marked reader gets of a body that is larger than the output of a decoder. */
async function lentPieces(keep: (piece: Uint8Array) => Uint8Array, wait?: () => Promise<void>) {
  const body = randomFillSync(Buffer.alloc(300_000));
  const kept: Uint8Array[] = [];
  const memory = new Set<ArrayBufferLike>();
  const take = borrowingChunks((piece) => {
    memory.add(piece.buffer);
    kept.push(keep(piece));
    return wait?.();
  });
  await createDecoders()
    .decode(sourceOf(pieces(gzipSync(body), 100_000)), 'gzip')
    .read(take);
  return { isWhole: Buffer.concat(kept).equals(body), memory: memory.size };
}

test('a reader that gives memory back gets it again; what it keeps it has for itself', async () => {
  const copied = await lentPieces((piece) => new Uint8Array(piece));
  assert.equal(copied, { isWhole: true, memory: 1 });
  const waiting = await lentPieces(
    (piece) => new Uint8Array(piece),
    () => new Promise(setImmediate),
  );
  assert.equal(waiting, { isWhole: true, memory: 1 });
  const owning = await lentPieces(owned);
  assert.is(owning.isWhole, true);
  assert.ok(owning.memory > 1);
});

test('decoders are used again, at most four of a coding', async () => {
  let made = 0;
  let closed = 0;
  const decoders = createDecoders((coding) => {
    made += 1;
    const decoder = zlibDecoder(coding);
    return {
      ...decoder,
      close() {
        closed += 1;
        decoder.close();
      },
    };
  });
  const body = gzipSync(plain);
  for (let round = 0; round < 5; round++) await decoded([body], 'gzip', decoders);
  assert.equal([made, closed], [1, 0]);
  await Promise.all(Array.from({ length: 6 }, () => decoded([body], 'gzip', decoders)));
  assert.equal([made, closed], [6, 2]);
  await failureOf(decoded([body.subarray(0, 20)], 'gzip', decoders));
  assert.equal([made, closed], [6, 3]);
  decoders.close();
  assert.is(closed, 6);
});

for (const coding of ['zip', 'gzip, constructor', '__proto__', 'gzip,gzip,gzip,gzip', 'deflate-raw']) {
  test(`a body in "${coding}" is rejected`, async () => {
    const error = await failureOf(decoded(pieces(plain, 100), coding));
    assert.is(transportCode(error), 61);
  });
}

testWhere(zstdThere)('zstd is refused by its name, with the versions of Node that have it', async () => {
  const error = await failureOf(decoded([zstd], 'zstd'));
  assert.is(transportCode(error), 61);
  assert.match(error.message, /encoding zstd, which requires Node 22\.15 or 23\.8 and later; this is Node \d/);
});

testWhere(zstdMissing)('zstd of several frames is one body', async () => {
  const frames = Buffer.concat([skippable, zstd, checked, blocks, skippable]);
  const expected = Buffer.concat([plain, plain, Buffer.from('hello!!!')]);
  for (const size of [1, 20, frames.length]) {
    assert.ok((await decoded(pieces(frames, size), 'zstd')).equals(expected), `pieces of ${size}`);
  }
});

/** The frames of zstd as they are followed on each Node: what decodes them is not looked at. */
const followed = createDecoders(() =>
  withFrames({
    write: (chunk, take) => take(chunk),
    end: () => {},
    unread: () => 0,
    reset: () => false,
    close: () => {},
  }),
);

test('zstd that ends within a frame is a cut body, and other data is no frame', async () => {
  const following = (body: Buffer) => decoded(pieces(body, 9), 'gzip', followed);
  for (const frame of [zstd, checked, skippable, blocks]) {
    for (const before of [Buffer.alloc(0), zstd]) {
      for (let length = 1; length < frame.length; length++) {
        const error = await failureOf(following(Buffer.concat([before, frame.subarray(0, length)])));
        assert.equal([error.code, transportCode(error)], ['ERR_BODY_CUT', 18]);
      }
      const whole = Buffer.concat([before, frame]);
      assert.ok((await following(whole)).equals(whole));
    }
  }
  assert.is(transportCode(await failureOf(following(Buffer.concat([zstd, Buffer.from('{"a":1}')])))), 61);
});

test.run();
