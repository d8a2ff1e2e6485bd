/** The steps of `response.decode`: in order, wherever chunks end; what cannot be decoded is an error. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { DecodeStep } from '../../../src/core/model/response-format.js';
import { sourceOf } from '../../../src/core/util/byte-source.js';
import { decodedBody } from '../../../src/http/decoding/decode-body.js';
import { pieces } from '../../page/scanner-run.js';

async function decode(body: Uint8Array, steps: readonly DecodeStep[], size = 1000): Promise<Buffer> {
  const made: Uint8Array[] = [];
  await decodedBody(sourceOf(pieces(body, size)), { decode: steps }).read((chunk) => void made.push(chunk));
  return Buffer.concat(made);
}

async function failure(body: Uint8Array, steps: readonly DecodeStep[], size?: number): Promise<string> {
  const thrown = await decode(body, steps, size).then(
    () => undefined,
    (error: unknown) => error,
  );
  return thrown instanceof ExtractError ? `${thrown.code} ${thrown.message}` : String(thrown);
}

const text = Buffer.from('a,b\n1,2\n'.repeat(50));

const bodies: readonly (readonly [string, Buffer, readonly DecodeStep[]])[] = [
  ['gzip', gzipSync(text), ['gunzip']],
  [
    'two files of gzip in one',
    Buffer.concat([gzipSync(text.subarray(0, 40)), gzipSync(text.subarray(40))]),
    ['gunzip'],
  ],
  ['brotli', brotliCompressSync(text), ['brotli']],
  ['base64 of gzip', Buffer.from(gzipSync(text).toString('base64')), ['base64', 'gunzip']],
  ['base64 in lines', Buffer.from(text.toString('base64').replace(/(.{20})/g, '$1\r\n')), ['base64']],
  ['base64 of the other alphabet, without padding', Buffer.from(text.toString('base64url')), ['base64']],
  ['no steps', text, []],
];

for (const [what, body, steps] of bodies) {
  test(`decodes ${what}, in chunks of every size`, async () => {
    for (const size of [1, 2, 3, 5, 1000]) assert.is((await decode(body, steps, size)).toString(), text.toString());
  });
}

test('an empty body stays empty', async () => {
  for (const step of ['gunzip', 'brotli', 'base64'] as const)
    assert.is((await decode(Buffer.alloc(0), [step])).length, 0);
});

const faults: readonly (readonly [string, Buffer, readonly DecodeStep[], RegExp])[] = [
  [
    'gzip that is cut',
    gzipSync(text).subarray(0, 30),
    ['gunzip'],
    /^ERR_DECODE the gzip data ends before it is complete/,
  ],
  [
    'what follows brotli',
    Buffer.concat([brotliCompressSync(text), Buffer.from('\0more')]),
    ['brotli'],
    /^ERR_DECODE the brotli data is not valid .* data after its end$/,
  ],
  ['no gzip', text, ['gunzip'], /^ERR_DECODE the gzip data is not valid/],
  ['brotli that is cut', brotliCompressSync(text).subarray(0, 10), ['brotli'], /^ERR_DECODE the brotli data/],
  ['no brotli', Buffer.alloc(100, 0xff), ['brotli'], /^ERR_DECODE the brotli data/],
  ['other characters than base64', Buffer.from('QUJD!'), ['base64'], /^ERR_DECODE the body is not base64 near byte/],
  ['padding before the end', Buffer.from('QQ==QUJDQUJDQUJD'), ['base64'], /^ERR_DECODE the body is not base64/],
  ['a lone character', Buffer.from('QUJDQ'), ['base64'], /^ERR_DECODE the body is not base64/],
];

for (const [what, body, steps, expected] of faults) {
  test(`${what} is an error`, async () => {
    for (const size of [1, 4, 1000]) assert.match(await failure(body, steps, size), expected);
  });
}

test('a decompression bomb is refused by its ratio', async () => {
  const bomb = brotliCompressSync(Buffer.alloc(80 << 20));
  assert.match(await failure(bomb, ['brotli'], 64), /^ERR_BODY_SIZE .*more than 1000 times/);
});

test('the error of the reader stays what it is', async () => {
  const source = decodedBody(sourceOf([gzipSync(text)]), { decode: ['gunzip'] });
  const thrown = await source
    .read(() => {
      throw new RangeError('mine');
    })
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  assert.instance(thrown, RangeError);
});

test.run();
