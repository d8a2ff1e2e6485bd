import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBodyPrefix } from '../../src/page/body-prefix.js';

async function* inChunks(chunks: readonly string[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const bodies: readonly (readonly [chunks: readonly string[], strange: boolean])[] = [
  [['<ht', 'ml>'], true],
  [['Not', ' found'], true],
  [['forbidden'], true],
  [['\n \ufeff<?xml'], true],
  [[''], false],
  [[' \r\n', '{"a"'], false],
  [['\ufeff[1'], false],
  [['fal', 'se'], false],
  [['-1'], false],
];

for (const [chunks, strange] of bodies) {
  test(`${strange ? 'keeps' : 'does not keep'} the start of ${JSON.stringify(chunks)}, and passes it on`, async () => {
    const beginning = createBodyPrefix();
    const passed: Uint8Array[] = [];
    for await (const chunk of beginning.body(inChunks(chunks))) passed.push(chunk);
    assert.is(Buffer.concat(passed).toString(), chunks.join(''));
    assert.is(beginning.strange, strange ? chunks.join('') : undefined);
  });
}

test('keeps no more than is shown', async () => {
  const beginning = createBodyPrefix();
  for await (const _ of beginning.body(inChunks(['<', 'x'.repeat(5000)])));
  assert.is(beginning.strange?.length, 1024);
});

test.run();
