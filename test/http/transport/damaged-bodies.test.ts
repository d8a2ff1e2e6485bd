/** What follows a body, what is wrong in it and what it lacks, in every coding: a named error, or the right data. */
import { randomFillSync } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceOf } from '../../../src/core/util/byte-source.js';
import { transportCode } from '../../../src/http/transport/transport.js';
import { pieces } from '../../page/scanner-run.js';
import { testWhere } from '../../where.js';
import { codedBodies, decoded, driven, failureOf, ways } from './coded-bodies.js';

const MiB = 2 ** 20;
const first = Buffer.from(`[{"id":1,"name":"${'Ada'.repeat(40)}"}]`);
const second = Buffer.from('[{"id":2}]');
/** Random bytes do not compress: each coding needs several blocks for them. */
const large = randomFillSync(Buffer.alloc(200_000));
const sizes = [1, 7, 1000];

const isInvalid = ['ERR_TRANSPORT', 61];
const isCut = ['ERR_BODY_CUT', 18];

for (const [way, decoders, hasZstd] of ways) {
  for (const coded of codedBodies.filter(({ coding }) => hasZstd || coding !== 'zstd')) {
    const { coding, encode, hasMembers, hasPadding, checksumAt } = coded;
    const testIt = testWhere(coded.missing);
    const what = `${coded.what}${way}`;
    const read = (body: Uint8Array, size: number) => decoded(pieces(body, size), coding, decoders);
    const verdict = async (body: Uint8Array, size: number) => {
      const error = await failureOf(read(body, size));
      return [error.code, transportCode(error)];
    };

    testIt(`two members of ${what} are ${hasMembers ? 'one body' : 'an error, not half of the data'}`, async () => {
      const start = encode(first);
      const body = Buffer.concat([start, encode(second)]);
      for (const size of [...sizes, start.length]) {
        if (hasMembers) assert.equal(await read(body, size), Buffer.concat([first, second]), `pieces of ${size}`);
        else assert.equal(await verdict(body, size), isInvalid, `pieces of ${size}`);
      }
    });

    testIt(`zeros after ${what} are ${hasPadding ? 'padding' : 'an error'}`, async () => {
      const start = encode(first);
      const body = Buffer.concat([start, Buffer.alloc(20)]);
      for (const size of [...sizes, start.length]) {
        if (hasPadding) assert.equal(await read(body, size), first, `pieces of ${size}`);
        else assert.equal(await verdict(body, size), isInvalid, `pieces of ${size}`);
      }
      assert.equal(await read(start, 1000), first, 'the next body');
    });

    testIt(`other bytes after ${what}, with and without zeros before them, are an error`, async () => {
      // zlib reads two bytes before it judges a member.
      const one = Buffer.concat([encode(first), Buffer.from('\n')]);
      for (const size of sizes) assert.equal(await verdict(one, size), coding === 'gzip' ? isCut : isInvalid);
      for (const rest of ['\n\n\n\n', 'more', '\0more', `\0${encode(second).toString('latin1')}`]) {
        const start = encode(first);
        const body = Buffer.concat([start, Buffer.from(rest, 'latin1')]);
        for (const size of [...sizes, start.length, start.length + 1]) {
          assert.equal(await verdict(body, size), isInvalid, `${JSON.stringify(rest)} in pieces of ${size}`);
        }
      }
    });

    if (checksumAt !== undefined) {
      testIt(`${what} with a wrong checksum is not the body that was sent`, async () => {
        for (const size of sizes) {
          const body = encode(size < 1000 ? first : large);
          const at = body.length + checksumAt;
          body[at] = (body[at] ?? 0) ^ 1;
          assert.equal(await verdict(body, size), isInvalid, `pieces of ${size}`);
        }
      });
    }

    testIt(`${what} of several blocks that is cut within one is a cut body`, async () => {
      const body = encode(large);
      for (let part = 1; part < 20; part++) {
        const cut = body.subarray(0, Math.floor((body.length * part) / 20));
        assert.equal(await verdict(cut, 16_384), isCut, `${cut.length} of ${body.length} bytes`);
      }
      assert.equal(await verdict(body.subarray(0, -1), 16_384), isCut);
      assert.equal(await read(body, 16_384), large);
    });

    testIt(`a small body of ${what} that is cut after any byte is a cut body`, async () => {
      const body = encode(second);
      for (let length = 1; length < body.length; length++) {
        for (const size of [1, length]) assert.equal(await verdict(body.subarray(0, length), size), isCut);
      }
    });

    testIt(`${what} of an empty body is empty`, async () => {
      const body = encode(Buffer.alloc(0));
      for (const size of sizes) assert.is((await read(body, size)).length, 0);
    });
  }
}

for (const { coding, what, encode, missing } of codedBodies) {
  testWhere(missing)(`a bomb of ${what} is ERR_BODY_SIZE before it is decoded to its end`, async () => {
    const body = encode(Buffer.alloc(80 * MiB, ' '), () => 9);
    assert.ok(body.length < MiB / 8, `${body.length} bytes`);
    let length = 0;
    const reading = driven.decode(sourceOf(pieces(body, 16_384)), coding).read((chunk) => {
      length += chunk.length;
    });
    assert.is((await failureOf(reading)).code, 'ERR_BODY_SIZE');
    assert.ok(length > 0 && length <= 64 * MiB, `${length} bytes`);
  });
}

test('gzip of which the length is wrong is not the body that was sent', async () => {
  const [gzip] = codedBodies;
  const body = gzip?.encode(first) ?? Buffer.alloc(0);
  const at = body.length - 4;
  body[at] = (body[at] ?? 0) ^ 1;
  for (const [, decoders] of ways) {
    const error = await failureOf(decoded([body], 'gzip', decoders));
    assert.equal([error.code, transportCode(error)], isInvalid);
  }
});

test('an unknown coding is an error that decodes nothing, whatever is within it', async () => {
  for (const coding of ['compress', 'gzip, compress', 'compress, gzip', 'gzip;q=1']) {
    const [gzip] = codedBodies;
    const body = gzip?.encode(first) ?? Buffer.alloc(0);
    let count = 0;
    const reading = driven.decode(sourceOf([body]), coding).read(() => {
      count += 1;
    });
    const error = await failureOf(reading);
    assert.equal([error.code, transportCode(error), count], [...isInvalid, 0], coding);
    assert.match(error.message, 'an unknown content encoding');
  }
});

test.run();
