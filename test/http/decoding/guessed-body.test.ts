/** Bodies whose first bytes say what they are, read from memory that is used again. */
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { borrowingChunks, sourceOf } from '../../../src/core/util/byte-source.js';
import { guessedBody } from '../../../src/http/decoding/guessed-body.js';
import { createDecoders } from '../../../src/http/transport/decode.js';
import { pieces } from '../../page/scanner-run.js';
import { mulberry32 } from '../../support/mulberry32.js';

/** Hardly compresses: a decoder needs several outputs for it, inside and outside. */
const random = mulberry32(20261127);
const text = Buffer.from(Array.from({ length: 40_000 }, () => random().toString(36).slice(2)).join(''));

/** What a reader gets that gives memory back. */
async function readBack(body: Uint8Array, wait?: () => Promise<void>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  const take = borrowingChunks((chunk) => {
    found.push(new Uint8Array(chunk));
    return wait?.();
  });
  await guessedBody(createDecoders().decode(sourceOf(pieces(gzipSync(body), 50_000)), 'gzip')).read(take);
  return Buffer.concat(found);
}

for (const [what, body] of [
  ['a text', text],
  ['a gzip file', gzipSync(text)],
] as const) {
  test(`${what} in a compressed body is read to its end`, async () => {
    assert.ok((await readBack(body)).equals(text));
    assert.ok((await readBack(body, () => new Promise(setImmediate))).equals(text), 'by a reader that waits');
  });
}

const readCut = async (body: Uint8Array, size: number): Promise<string> => {
  const found: Uint8Array[] = [];
  const take = borrowingChunks((chunk) => void found.push(new Uint8Array(chunk)));
  await guessedBody(sourceOf(pieces(body, size))).read(take);
  return Buffer.concat(found).toString('latin1');
};

test('a file is known by its first bytes, however they are cut', async () => {
  const plain = 'id,name\n1,Ada\n';
  for (const size of [1, 2, 3, 4, 5]) {
    assert.is(await readCut(gzipSync(plain), size), plain, `gzip in chunks of ${size}`);
    for (const body of ['', 'P', 'PK', 'PK\x03x', '\x1f', '\x1f\x8b', '\x1f\x8b\x07', plain])
      assert.is(await readCut(Buffer.from(body, 'latin1'), size), body, `${JSON.stringify(body)} in chunks of ${size}`);
  }
});

test.run();
