/** The digest of a page: of what the sink has got in the end. */
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { digestItems } from '../../../src/page/stages/digest-items.js';
import { attemptOf, draftOf } from '../lib.js';

const slab = (text: string) => ({ bytes: Buffer.from(text), count: 1, ends: [text.length] }) as never;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function digestOf(write: (stage: ReturnType<typeof digestItems>) => void, count: number): string | undefined {
  const stage = digestItems();
  stage.begin?.(attemptOf({}));
  write(stage);
  const result = draftOf(count);
  stage.report?.(result);
  return result.sha256;
}

test('digests all slabs of a page, and passes them on', () => {
  const passed: unknown[] = [];
  const digest = digestOf((stage) => {
    for (const text of ['{"id":1}\n', '{"id":2}\n']) stage.write?.(slab(text), (each) => void passed.push(each));
  }, 2);
  assert.equal([digest, passed.length], [sha256('{"id":1}\n{"id":2}\n'), 2]);
});

test('what was rolled back, and what an earlier attempt has written, does not count', () => {
  const next = () => undefined;
  const digest = digestOf((stage) => {
    stage.write?.(slab('a\n'), next);
    stage.rollback?.();
    stage.write?.(slab('b\n'), next);
    stage.begin?.(attemptOf({}));
    stage.write?.(slab('c\n'), next);
  }, 1);
  assert.is(digest, sha256('c\n'));
});

test('a page without items has no digest', () => {
  assert.is(
    digestOf(() => {}, 0),
    undefined,
  );
  assert.is(
    digestOf((stage) => void stage.write?.(slab('a\n'), () => undefined), 0),
    undefined,
  );
});

test.run();
