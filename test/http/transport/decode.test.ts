import { PassThrough } from 'node:stream';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { decodeBody } from '../../../src/http/transport/decode.js';
import { transportCode } from '../../../src/http/transport/transport.js';
import { bodyError } from '../../../src/http/transport/transport-error.js';
import { decodeZstd, zstdDecoder } from '../../../src/http/transport/zstd.js';
import { pieces } from '../../page/scanner-run.js';
import { testWhere } from '../../where.js';

const plain = Buffer.alloc(20_000, 'abcdefg1234');
const zstdMissing = zstdDecoder() === undefined ? 'this Node has no zstd' : undefined;
const zstdThere = zstdMissing === undefined ? 'this Node has zstd' : undefined;

/** `plain` in a frame with its size, and in one with a window and a checksum. */
const zstd = Buffer.from('KLUv/WAgTZ0AAFhhYmNkZWZnMTIzNAEAEo734gU=', 'base64');
const checked = Buffer.from('KLUv/QQonQAAWGFiY2RlZmcxMjM0AQASjvfiBSw8wJE=', 'base64');
/** A frame to be skipped, and one of a raw block, a run and an empty block: "hello!!!". */
const skippable = Buffer.from('502a4d1803000000aabbcc', 'hex');
const blocks = Buffer.from('28b52ffd2008280000' + '68656c6c6f' + '1a0000' + '21' + '010000', 'hex');

async function* inPieces(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  yield* pieces(body, size);
}

async function read(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The failure of a body, as its reader meets it. */
async function failure(work: () => Promise<unknown>): Promise<ExtractError> {
  try {
    await work();
  } catch (thrown) {
    return bodyError(thrown, 'GET x');
  }
  throw new Error('expected a failure');
}

const codings: readonly (readonly [coding: string, what: string, body: Buffer])[] = [
  ['gzip', 'gzip', gzipSync(plain)],
  ['deflate', 'deflate in its zlib form', deflateSync(plain)],
  ['deflate', 'deflate without a header', deflateRawSync(plain)],
  ['br', 'brotli', brotliCompressSync(plain)],
  ['br, gzip', 'brotli within gzip', gzipSync(brotliCompressSync(plain))],
  ['zstd', 'zstd', zstd],
  ['zstd', 'zstd with a checksum', checked],
];

for (const [coding, what, body] of codings) {
  const testIt = testWhere(coding === 'zstd' ? zstdMissing : undefined);

  testIt(`${what} is decoded, in any chunks`, async () => {
    for (const size of [1, 7, body.length]) {
      assert.ok((await read(decodeBody(inPieces(body, size), coding))).equals(plain), `pieces of ${size}`);
    }
  });

  testIt(`${what} cut anywhere is a cut body`, async () => {
    for (let length = 1; length < body.length; length++) {
      const error = await failure(() => read(decodeBody(inPieces(body.subarray(0, length), 1000), coding)));
      assert.equal([error.code, transportCode(error)], ['ERR_BODY_CUT', 18], `${length} of ${body.length} bytes`);
    }
  });

  testIt(`a body that is not the ${what} it claims is not a cut body`, async () => {
    const error = await failure(() => read(decodeBody(inPieces(Buffer.from('\x8b{"a": "some JSON"}'), 100), coding)));
    assert.equal([error.code, transportCode(error)], ['ERR_TRANSPORT', 61]);
  });

  testIt(`${what} of no bytes is an empty body`, async () => {
    assert.is((await read(decodeBody(inPieces(Buffer.alloc(0), 1), coding))).length, 0);
  });
}

const halves = [plain.subarray(0, 7000), plain.subarray(7000)] as const;

test('gzip of several members is one body', async () => {
  const members = Buffer.concat(halves.map((half) => gzipSync(half)));
  for (const size of [1, 50, members.length]) {
    assert.ok((await read(decodeBody(inPieces(members, size), 'gzip'))).equals(plain), `pieces of ${size}`);
  }
  const cut = members.subarray(0, -20);
  assert.is((await failure(() => read(decodeBody(inPieces(cut, 1000), 'gzip')))).code, 'ERR_BODY_CUT');
});

test('zeros after gzip are padding, other bytes are an error', async () => {
  const padded = Buffer.concat([gzipSync(plain), Buffer.alloc(9)]);
  assert.ok((await read(decodeBody(inPieces(padded, 1000), 'gzip'))).equals(plain));
  const spoilt = Buffer.concat([gzipSync(plain), Buffer.from('more')]);
  assert.is(transportCode(await failure(() => read(decodeBody(inPieces(spoilt, 1000), 'gzip')))), 61);
});

for (const coding of ['zip', 'gzip, constructor', '__proto__', 'gzip,gzip,gzip,gzip']) {
  test(`a body in "${coding}" is rejected`, () => {
    assert.throws(
      () => decodeBody(inPieces(plain, 100), coding),
      (error: unknown) => error instanceof ExtractError && transportCode(error) === 61,
    );
  });
}

testWhere(zstdThere)('zstd is refused by its name, with the versions of Node that have it', () => {
  assert.throws(
    () => decodeBody(inPieces(zstd, 100), 'zstd'),
    (error: unknown) =>
      error instanceof ExtractError &&
      transportCode(error) === 61 &&
      /encoding zstd, which requires Node 22\.15 or 23\.8 and later; this is Node \d/.test(error.message),
  );
});

testWhere(zstdMissing)('zstd of several frames is one body', async () => {
  const frames = Buffer.concat([skippable, zstd, checked, blocks, skippable]);
  const expected = Buffer.concat([plain, plain, Buffer.from('hello!!!')]);
  for (const size of [1, 20, frames.length]) {
    assert.ok((await read(decodeBody(inPieces(frames, size), 'zstd'))).equals(expected), `pieces of ${size}`);
  }
});

test('each frame of zstd gets its own decoder, in any chunks', async () => {
  const frames = [zstd, skippable, blocks, checked, zstd];
  const body = Buffer.concat(frames);
  for (let size = 1; size <= body.length; size++) {
    const seen: Buffer[][] = [];
    const createDecoder = () => {
      const parts: Buffer[] = [];
      seen.push(parts);
      return new PassThrough().on('data', (part: Buffer) => parts.push(part));
    };
    assert.ok((await read(decodeZstd(inPieces(body, size), createDecoder))).equals(body));
    assert.equal(
      seen.map((parts) => Buffer.concat(parts).toString('hex')),
      frames.map((frame) => frame.toString('hex')),
      `pieces of ${size}`,
    );
  }
});

test('zstd that ends within a frame is a cut body, and other data is no frame', async () => {
  const decode = (body: Buffer) => failure(() => read(decodeZstd(inPieces(body, 9), () => new PassThrough())));
  for (const frame of [zstd, checked, skippable, blocks]) {
    for (let length = 1; length < frame.length; length++) {
      for (const before of [Buffer.alloc(0), zstd]) {
        const error = await decode(Buffer.concat([before, frame.subarray(0, length)]));
        assert.equal([error.code, transportCode(error)], ['ERR_BODY_CUT', 18]);
      }
    }
  }
  assert.is(transportCode(await decode(Buffer.concat([zstd, Buffer.from('{"a":1}')]))), 61);
});

test('leaving a zstd body early leaves its source', async () => {
  let left = false;
  async function* source(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield zstd;
    } finally {
      left = true;
    }
  }
  for await (const _ of decodeZstd(source(), () => new PassThrough())) break;
  assert.ok(left);
});

test.run();
