/** Files with columns whose names differ only in case. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { csv } from '../../../sinks/csv/csv.js';
import { parquet } from '../../../sinks/parquet/parquet.js';
import { noticeOfCase } from '../../../sinks/tables/column-case.js';
import type { Notice, Notify } from '../../../src/core/model/notice.js';
import { calm, inFolder } from '../lib.js';
import { batchOfTexts } from '../table-runs.js';

const makers: readonly (readonly [name: string, make: (dir: string, notify: Notify) => Sink])[] = [
  ['csv', (dir, notify) => csv(dir, { notify })],
  ['parquet', (dir, notify) => parquet(dir, { notify })],
];

for (const [name, make] of makers) {
  test(
    `${name}: columns that differ only in case give one notice`,
    inFolder(async (dir) => {
      const notices: Notice[] = [];
      const sink = make(dir, (notice) => void notices.push(notice));
      for (const dataType of ['users', 'other']) {
        const items = dataType === 'users' ? ['{"id":1}', '{"ID":2}', '{"Id":2}'] : ['{"id":1,"name":2}'];
        for (const item of items) await sink.write(batchOfTexts([item], { dataType }), calm);
      }
      await sink.close();
      assert.equal(
        notices.map(({ level, code }) => [level, code]),
        [['info', 'column-case']],
      );
      assert.match(notices[0]?.message ?? '', '"users": columns differ only in case: "id" and "ID", "id" and "Id". ');
    }),
  );
}

test('of many pairs the first ones are shown', () => {
  const messages: string[] = [];
  noticeOfCase('t', [...'abcdeABCDE'], ({ message }) => void messages.push(message));
  assert.match(messages.join(), '"a" and "A", "b" and "B", "c" and "C", and 2 more. ');
});

test.run();
