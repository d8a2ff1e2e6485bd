import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLine, linesOf, recordsIn } from '../../../src/checkpoint/store/journal-lines.js';

const records = ['{"a":1}', '{"b":"č 語 \\n"}', '{}'];
const bytes = Buffer.from(linesOf(records));

test('what was written is read again', () => {
  assert.equal(recordsIn(bytes), records);
  assert.equal(recordsIn(Buffer.alloc(0)), []);
});

test('of a journal that was cut anywhere the whole lines count', () => {
  const ends = records.map((_, index) => Buffer.byteLength(linesOf(records.slice(0, index + 1))));
  for (let length = 0; length <= bytes.length; length++) {
    const whole = ends.filter((end) => end <= length).length;
    assert.equal(recordsIn(bytes.subarray(0, length)), records.slice(0, whole), `cut at ${length}`);
  }
});

test('behind a byte that was changed nothing counts', () => {
  const firstEnd = Buffer.byteLength(linesOf(records.slice(0, 1)));
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const read = recordsIn(changed);
    assert.ok(read.length < records.length, `byte ${at}`);
    assert.equal(read, records.slice(0, read.length));
    if (at < firstEnd) assert.equal(read, []);
  }
});

test('zeros that a power cut left in the place of the end do not count', () => {
  const torn = Buffer.concat([bytes.subarray(0, bytes.length - 5), Buffer.alloc(4096)]);
  assert.equal(recordsIn(torn), records.slice(0, 2));
});

test('one line as bytes is the same line, and none may be longer than 64 KiB', () => {
  const lineOf = createLine();
  for (const text of [...records, `{"long":"${'语'.repeat(21_000)}"}`]) {
    assert.is(Buffer.from(lineOf(text) ?? []).toString(), linesOf([text]));
  }
  assert.is(lineOf('x'.repeat(64 * 1024)), undefined);
});

test.run();
