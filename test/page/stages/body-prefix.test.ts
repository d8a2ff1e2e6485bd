import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lend } from '../../../src/core/util/lent-memory.js';
import { type BodyPrefix, bodyPrefix } from '../../../src/page/stages/body-prefix.js';
import { attemptOf, draftOf } from '../lib.js';

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

function seeing(chunks: readonly string[]): BodyPrefix {
  const prefix = bodyPrefix();
  prefix.begin?.(attemptOf());
  for (const chunk of chunks) prefix.see?.(Buffer.from(chunk));
  return prefix;
}

for (const [chunks, strange] of bodies) {
  test(`${strange ? 'keeps' : 'does not keep'} the start of ${JSON.stringify(chunks)}`, () => {
    assert.is(seeing(chunks).strange(), strange ? chunks.join('') : undefined);
  });
}

test('keeps no more than is shown', () => {
  assert.is(seeing(['<', 'x'.repeat(5000)]).strange()?.length, 1024);
});

test('keeps what a lent chunk had when it was seen', () => {
  const prefix = bodyPrefix();
  prefix.begin?.(attemptOf());
  const memory = Buffer.allocUnsafeSlow(32 * 1024).fill('<');
  const end = lend(memory, () => {});
  prefix.see?.(memory);
  end();
  memory.fill('{');
  assert.is(prefix.strange(), '<'.repeat(1024));
});

test('names the lists of a page without items at their place, and starts each attempt anew', () => {
  const prefix = bodyPrefix();
  const listsOf = (found: 'none' | 'empty' | 'list') => {
    prefix.begin?.(attemptOf());
    for (const chunk of ['{"a":{"b":', '[1]}}']) prefix.see?.(Buffer.from(chunk));
    const result = { ...draftOf(), found };
    prefix.report?.(result);
    return result.lists;
  };
  assert.equal([listsOf('none'), listsOf('empty'), listsOf('list')], [['a.b'], ['a.b'], []]);
  prefix.see?.(Buffer.from('<html>'));
  prefix.begin?.(attemptOf());
  assert.is(prefix.strange(), undefined);
});

test.run();
