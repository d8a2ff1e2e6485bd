import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBodyPrefix } from '../../src/page/body-prefix.js';

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
  test(`${strange ? 'keeps' : 'does not keep'} the start of ${JSON.stringify(chunks)}`, () => {
    const beginning = createBodyPrefix();
    for (const chunk of chunks) beginning.add(Buffer.from(chunk));
    assert.is(beginning.strange, strange ? chunks.join('') : undefined);
  });
}

test('keeps no more than is shown', () => {
  const beginning = createBodyPrefix();
  for (const chunk of ['<', 'x'.repeat(5000)]) beginning.add(Buffer.from(chunk));
  assert.is(beginning.strange?.length, 1024);
});

test.run();
