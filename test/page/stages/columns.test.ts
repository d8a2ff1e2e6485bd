/** The columns of a job, as a page streams by. What becomes of an item is told in append-members.test.ts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExactObject, emptyObject, fromPlain, isObject } from '../../../src/core/json/exact.js';
import type { PageWriter } from '../../../src/page/page-writer.js';
import { createColumns } from '../../../src/page/stages/columns.js';
import { itemsOf } from '../../pagination/walk.js';

function columns(value: object): ExactObject {
  const made = fromPlain(value);
  return isObject(made) ? made : emptyObject;
}

/** A page that writes down what reaches it; it may refuse to be taken back. */
function recorder(rollback = async () => {}) {
  const written: string[] = [];
  const page: PageWriter = {
    async write({ bytes }) {
      written.push(Buffer.from(bytes).toString());
    },
    rollback,
    complete: () => {},
    end: () => {},
  };
  return { written, page };
}

test('items reach the sink with the columns, and the bytes that this took are added up', async () => {
  const { written, page } = recorder();
  const widening = createColumns(columns({ run: 7 }));
  const inner = widening.transaction(page);
  await inner.write(itemsOf([{ a: 1 }, { a: 2 }]));
  await inner.write(itemsOf([{ a: 3 }]));
  assert.equal(written, ['{"a":1,"run":7}\n{"a":2,"run":7}\n', '{"a":3,"run":7}\n']);
  assert.is(widening.added, 3 * ',"run":7'.length);
});

test('a page that is taken back has taken no bytes', async () => {
  const widening = createColumns(columns({ run: 7 }));
  const inner = widening.transaction(recorder().page);
  await inner.write(itemsOf([{ a: 1 }]));
  await inner.rollback();
  assert.is(widening.added, 0);
});

test('what cannot be taken back stays counted', async () => {
  const widening = createColumns(columns({ run: 7 }));
  const inner = widening.transaction(recorder(() => Promise.reject(new Error('no'))).page);
  await inner.write(itemsOf([{ a: 1 }]));
  await inner.rollback().catch(() => {});
  assert.is(widening.added, ',"run":7'.length);
});

test('without columns a page stays as it is', () => {
  const { page } = recorder();
  assert.is(createColumns(emptyObject).transaction(page), page);
});

test.run();
