/** Bodies whose first bytes say what they are, read from memory that is used again. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { borrowingChunks, sourceOf } from '../../../src/core/util/byte-source.js';
import { guessedBody } from '../../../src/http/decoding/guessed-body.js';
import { createDecoders } from '../../../src/http/transport/decode.js';
import { pieces } from '../../page/scanner-run.js';

/** Hardly compresses: a decoder needs several outputs for it, inside and outside. */
const text = Buffer.from(randomBytes(300_000).toString('base64'));

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

test.run();
