/** Bodies in random chunks: what the decoders make of them, beside `node:zlib`, which gets each member as a whole. */
import * as assert from 'uvu/assert';
import type { Decoders } from '../../../src/http/transport/decode.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { type CodedBody, decoded } from './coded-bodies.js';

/** Fails where a body of this seed decodes to other bytes than by `node:zlib`, in chunks of random lengths. */
export async function checkBorders(coded: CodedBody, seed: number, decoders: Decoders): Promise<void> {
  const draw = mulberry32(seed);
  const original = randomBytes(draw);
  const members = randomMembers(coded, original, draw);
  const body = Buffer.concat(members);
  const chunks = randomChunks(body, draw);
  const borders = chunks.map(({ length }) => length).join(' ');
  const found = await decoded(chunks, coded.coding, decoders);
  // One by one: of several frames of zstd `node:zlib` decodes the first alone.
  const expected = Buffer.concat(members.map((member) => coded.decode(member)));
  assert.ok(found.equals(expected), `seed ${seed}: other bytes than by node:zlib, chunks ${borders}`);
  assert.ok(found.equals(original), `seed ${seed}: other bytes than were encoded, chunks ${borders}`);
}

/** From no byte to some 76 kB, from one letter to noise: one or more outputs of a decoder. */
function randomBytes(draw: () => number): Buffer {
  const length = (draw() % 60) * 6 ** (draw() % 5);
  const letters = 1 + (draw() % 256);
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) bytes[at] = draw() % letters;
  return bytes;
}

function randomMembers({ encode, hasMembers }: CodedBody, original: Buffer, draw: () => number): readonly Buffer[] {
  if (!hasMembers || draw() % 2 === 0) return [encode(original, draw)];
  const at = draw() % (original.length + 1);
  return [original.subarray(0, at), original.subarray(at)].map((part) => encode(part, draw));
}

/** Some bodies in single bytes, if they are small, some in a few pieces. */
function randomChunks(body: Buffer, draw: () => number): readonly Buffer[] {
  const most = Math.max([1, 30, 3000, body.length][draw() % 4] ?? 1, body.length >> 11);
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += chunks.at(-1)?.length ?? 0) {
    chunks.push(body.subarray(at, at + 1 + (draw() % most)));
  }
  return chunks;
}
