import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createNoteReader } from '../../../sinks/duckdb/row-notes.js';

const rows = '"{""path"":[""a\\n""]}"\n,1,"x\n""\n"\n,\n"{""slot"":0}"\n,"{""path"":1}"\n"{""rowBytes"":9}"\n"{""torn';

for (const size of [1, 2, 7, 1000]) {
  test(`notes are found in pieces of ${size} bytes, and what looks like one in a value is none`, () => {
    const reader = createNoteReader();
    const bytes = Buffer.from(rows);
    for (let at = 0; at < bytes.length; at += size) reader.read(Buffer.from(bytes.subarray(at, at + size)));
    assert.equal(reader.notes, [{ path: ['a\n'] }, { slot: 0 }, { rowBytes: 9 }]);
  });
}

test.run();
