import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRingMemory, createRingReader, createRingWriter, phases } from '../../../src/page/threads/byte-ring.js';
import { createRandom } from '../../fuzz/random.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

const open = () => {
  const memory = createRingMemory();
  return { writer: createRingWriter(memory), reader: createRingReader(memory) };
};
const ringBytes = createRingMemory().byteLength - 64;

test('bytes come out as they went in, around the end of the ring', () => {
  const random = createRandom(seed);
  const { writer, reader } = open();
  let [written, read] = [0, 0];
  for (let turn = 0; turn < 400; turn += 1) {
    const chunk = Uint8Array.from({ length: random.int(20_000) }, (_, at) => (written + at) % 251);
    written += chunk.length - writer.write(chunk).length;
    for (let parts = random.int(4); parts > 0; parts -= 1) {
      const part = reader.next().subarray(0, 1 + random.int(1 << 16));
      assert.ok(part.every((byte, at) => byte === (read + at) % 251));
      read += part.length;
      reader.free(part.length);
    }
  }
  assert.ok(read > ringBytes, 'the ring was used up');
});

test('a full ring returns the rest, and reports room when half of it is free', () => {
  const { writer, reader } = open();
  assert.is(writer.write(new Uint8Array(ringBytes + 7)).length, 7);
  assert.is(writer.write(new Uint8Array(1)).length, 1);
  assert.is(writer.wantRoom(), true);
  const reports: boolean[] = [];
  for (let part = reader.next(); part.length > 0; part = reader.next()) reports.push(reader.free(part.length));
  assert.is(reports.indexOf(true), reports.length / 2 - 1);
  assert.is(reports.filter(Boolean).length, 1);
});

test('a writer does not wait for room that is there', () => {
  const { writer, reader } = open();
  writer.write(new Uint8Array(10));
  assert.is(writer.wantRoom(), false);
  assert.is(reader.free(10), false);
});

test('phases and accepted slabs are seen, until a reset', () => {
  const { writer, reader } = open();
  writer.end(phases.cut);
  assert.is(writer.accept(), false);
  assert.equal([reader.phase(), reader.accepted()], [phases.cut, 1]);
  reader.hold();
  assert.equal([writer.accept(), writer.accept()], [true, false]);
  writer.reset();
  assert.equal([reader.phase(), reader.accepted()], [phases.open, 0]);
});

test.run();
