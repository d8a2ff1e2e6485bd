import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSink } from '../../../sinks/conformance.js';
import { tables } from '../../../sinks/related-tables/tables.js';
import type { Batch } from '../../../src/core/model/batch.js';
import type { Notice } from '../../../src/core/model/notice.js';
import type { JobTables } from '../../../src/core/tables/job-tables.js';
import type { TableMapping } from '../../../src/core/tables/mapping.js';
import { md5 } from '../../../src/core/tables/safe-names.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { withWrite } from '../disk.js';
import { aMinute, calm, earlierOf, filesIn, inFolder, pageEnd, rejection } from '../lib.js';
import { batchOfTexts, pulled, stored } from '../table-runs.js';

const settings = (part: Partial<JobTables> = {}): JobTables => ({
  dataType: 'users',
  mappings: new Map(),
  isIncremental: false,
  level: 3,
  ...part,
});

/** What a run without a state writes of these items. */
async function written(dir: string, items: readonly string[], part: Partial<JobTables> = {}) {
  const sink = tables(dir);
  await sink.open?.('users', 'users', { tables: settings(part) });
  if (items.length > 0) await sink.write(batchOfTexts(items), calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.close();
  return filesIn(dir);
}

/** A batch with columns that the job adds; they are the last members of the items. */
const withColumns = (columns: readonly string[], ...texts: readonly string[]): Batch => ({
  ...batchOfTexts(texts),
  columns,
});

test(
  'keeps every rule of the contract',
  inFolder(async (dir) => {
    const openFile = withWrite(() => async () => {
      throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO', errno: -5, syscall: 'write' });
    });
    const read = async (dataType: string) => {
      const path = join(dir, dataType);
      const spool = `${dir}.spool`;
      if (existsSync(path)) return rowsIn(readFileSync(path, 'utf8'));
      const left = existsSync(spool) ? readdirSync(spool).filter((file) => file.startsWith(`${dataType}.spool`)) : [];
      const text = left[0] === undefined ? '' : readFileSync(join(spool, left[0]), 'utf8');
      return text.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(line.indexOf('\t') + 1)]));
    };
    const checks = await checkSink(() => tables(dir), read, {
      tooLong: aMinute,
      failing: () => tables(join(dir, 'failing'), { openFile }),
    });
    assert.equal(
      checks.filter(({ outcome, name }) => outcome === 'fail' && name !== typed),
      [],
    );
  }),
);

/** A cell does not say which type its value had. */
const typed = 'keeps every character of an item';

/** The items of the kit in a table: numbers and texts without line breaks. */
function rowsIn(text: string): readonly string[] {
  const [header = [], ...rows] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = '']) => cell.replaceAll('""', '"')));
  const jsonOf = (name: string, cell: string) => {
    if (name === 'after' || name === 'other') return 'true';
    return /^-?\d+$/.test(cell) ? cell : JSON.stringify(cell);
  };
  return rows.map((cells) => {
    const members = cells.flatMap((cell, index) =>
      cell === '' ? [] : [`${JSON.stringify(header[index])}:${jsonOf(header[index] ?? '', cell)}`],
    );
    return `{${members.join(',')}}`;
  });
}

test(
  'a list whose name leaves nothing for that of a table has a table of its own',
  inFolder(async (dir) => {
    const inner = '{"a":[{"x":1,"":[{"x":2}]}]}';
    const cases: readonly (readonly [item: string, tables: readonly string[]])[] = [
      ['{"id":1,"":["a","b"]}', ['users', `users_${md5('___')}`]],
      ['{"id":1,"_":[1],"":{"":[3]}}', ['users', `users_${md5('____')}`, `users_${md5('____')}_u0`]],
      [inner, ['users', 'users_a', `users_a_${md5('___')}`]],
      ['{"é":[1],"č":[2]}', ['users', `users_${md5('_____')}`, `users_${md5('_____')}_u0`]],
    ];
    for (const [index, [item, expected]] of cases.entries()) {
      const files = await written(join(dir, String(index)), [item]);
      assert.equal(
        Object.keys(files)
          .filter((name) => !name.endsWith('.manifest'))
          .sort(),
        [...expected].sort(),
      );
      assert.is(files.users?.split('\n').length, 3, 'one item');
    }
  }),
);

test(
  'a run that was interrupted and rolled back writes the tables of one that was not',
  inFolder(async (dir) => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const next = mulberry32(seed);
      const items = Array.from({ length: 60 }, (_, id) => ({
        id,
        ...(next() % 3 === 0 ? { tags: Array.from({ length: next() % 4 }, (_, n) => ({ n, of: id })) } : {}),
        ...(id > 40 ? { late: { at: id } } : {}),
      }));
      await written(
        join(dir, `whole-${seed}`),
        items.map((item) => JSON.stringify(item)),
      );
      await pulled(() => tables(join(dir, `parts-${seed}`)), items, seed);
      assert.equal(filesIn(join(dir, `parts-${seed}`)), filesIn(join(dir, `whole-${seed}`)), `seed ${seed}`);
    }
  }),
);

test(
  'a publication that was interrupted is completed, and once it is complete there is nothing to do',
  inFolder(async (dir) => {
    const out = join(dir, 'out');
    const first = tables(out);
    await first.resume?.(earlierOf());
    await first.write(batchOfTexts(['{"id":1}']), calm);
    const checkpoint = (await first.commit?.(pageEnd('users'), calm)) ?? null;
    await first.abort(new Error('killed'));
    assert.equal(readdirSync(dir), ['out.spool']);

    const second = tables(out);
    await second.resume?.(stored(checkpoint, 'publishing'));
    await second.close();
    assert.equal(Object.keys(filesIn(out)), ['users', 'users.manifest']);
    const third = tables(out);
    await third.resume?.(stored(checkpoint, 'publishing', 3));
    await third.open?.('users', 'users', { tables: settings() });
    await third.close();
    assert.is(filesIn(out).users, '"id"\n"1"\n');
    assert.equal(readdirSync(dir), ['out']);
  }),
);

test(
  'columns that jobs add are united, and are apart from members of their names',
  inFolder(async (dir) => {
    const sink = tables(dir);
    await sink.write(withColumns(['tag'], '{"tag":"own","tag_u0":"added"}'), calm);
    await sink.write(withColumns(['tag', 'parent_id'], '{"id":1,"tag":"b","parent_id":7}'), calm);
    await sink.close();
    assert.is(filesIn(dir).users, '"tag","id","tag_u0","parent_id"\n"own","","added",""\n"","1","b","7"\n');
  }),
);

test(
  'a filter applies to the item alone',
  inFolder(async (dir) => {
    const sink = tables(dir);
    const filter = () => new Map([['kept', 'x']]);
    await sink.open?.('users', 'users', { tables: settings({ filter }) });
    await sink.write(withColumns(['parent_id'], '{"list":[1],"parent_id":7}'), calm);
    await sink.close();
    assert.is(filesIn(dir).users, '"kept","parent_id"\n"x","7"\n');
  }),
);

test(
  'two data types with one table name share a file with the columns of both',
  inFolder(async (dir) => {
    const sink = tables(dir);
    await sink.write(batchOfTexts(['{"a":1}'], { dataType: 'x.y' }), calm);
    await sink.write(batchOfTexts(['{"b":2}'], { dataType: 'x y' }), calm);
    await sink.close();
    assert.is(filesIn(dir).x_y, '"a","b"\n"1",""\n"","2"\n');
  }),
);

const column = (name: string, column = name, isKey = false) =>
  ({ type: 'column', path: [name], column, isKey, isText: false }) as const;
const mappingOf = (...entries: TableMapping['entries']): Partial<JobTables> => ({
  mappings: new Map([['users', { name: 'users', entries }]]),
});

test(
  'a mapping needs single values: an object is an error that names the column, and nothing is published',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users'), 'earlier');
    const run = () => written(dir, ['{"a":{"b":1}}'], mappingOf(column('a', 'A')));
    await rejection(run, 'ERR_TABLE', /"a" is an object, and column "A" of table "users" needs a single value/);
    assert.equal(filesIn(dir), { users: 'earlier' });
  }),
);

test(
  'a list of rows of the enclosing table comes before its row',
  inFolder(async (dir) => {
    const list = { type: 'table', path: ['children'], table: 'itself' } as const;
    const files = await written(dir, ['{"id":1,"children":[{"id":2},{"id":3}]}'], mappingOf(column('id'), list));
    assert.is(files.users, '"id"\n"2"\n"3"\n"1"\n');
  }),
);

test(
  'a table that two mappings describe in two ways is an error',
  inFolder(async (dir) => {
    const inner = (name: string) =>
      ({ type: 'table', path: [name], table: { name: 'part', entries: [column(name)] } }) as const;
    const run = () => written(dir, ['{"a":[{"a":1}],"b":[{"b":1}]}'], mappingOf(inner('a'), inner('b')));
    await rejection(run, 'ERR_TABLE', /table "part" would have two layouts, \(a\) and \(b\)/);
  }),
);

test(
  'a list in a list is its JSON text, with one warning',
  inFolder(async (dir) => {
    const notices: Notice[] = [];
    const sink = tables(dir, { notify: (notice) => notices.push(notice) });
    await sink.write(batchOfTexts(['[1]', '[2]']), calm);
    await sink.close();
    assert.is(filesIn(dir).users, '"data"\n"[1]"\n"[2]"\n');
    assert.equal(
      notices.map(({ code }) => code),
      ['list-as-text'],
    );
  }),
);

test(
  'a data type without items has no table, and that of an earlier run goes unless it is kept',
  inFolder(async (dir) => {
    await written(dir, ['{"id":1}']);
    const sink = tables(dir);
    await sink.open?.('users', 'users', { tables: settings() });
    assert.equal(await sink.published?.('users'), [join(dir, 'users')]);
    await sink.close({ keep: new Set(['users']) });
    assert.is(filesIn(dir).users, '"id"\n"1"\n');
    assert.equal(await written(dir, []), {});
  }),
);

test(
  'a large table is written into a folder that is not there yet',
  inFolder(async (dir) => {
    const items = Array.from({ length: 3 }, (_, id) => JSON.stringify({ id, text: 'x'.repeat(100_000) }));
    const files = await written(join(dir, 'a', 'b'), items);
    assert.equal(Object.keys(files), ['users', 'users.manifest']);
    assert.is(files.users?.length, 300_000 + '"id","text"\n'.length + 3 * '"0",""\n'.length);
  }),
);

test(
  'items without members are no table',
  inFolder(async (dir) => assert.equal(await written(dir, ['{}', '{}']), {})),
);

for (const bucket of ['../out', 'a/b', 'a\\b']) {
  test(
    `a bucket "${bucket}" leads to no other folder`,
    inFolder(async (dir) => {
      const files = await written(join(dir, 'out'), ['{"id":1}'], { bucket });
      const name = `${bucket.replace(/[/\\]/g, '_')}.users`;
      assert.equal(Object.keys(files), [name, `${name}.manifest`]);
    }),
  );
}

test(
  'an aborted run without a state leaves nothing',
  inFolder(async (dir) => {
    const sink = tables(join(dir, 'out'));
    await sink.write(batchOfTexts(['{"id":1}']), calm);
    await sink.abort(new Error('so'));
    assert.equal(readdirSync(dir), []);
  }),
);

test(
  'texts with every line end of Unicode, and items longer than a piece that is read at once',
  inFolder(async (dir) => {
    const text = 'a\u2028b\u2029c\u0085d\v\f';
    const long = 'x'.repeat(1_200_000);
    const files = await written(dir, [
      JSON.stringify({ id: 1, text }),
      JSON.stringify({ id: 2, text: long }),
      JSON.stringify({ id: 3, text: 'z' }),
    ]);
    assert.equal(files.users, `"id","text"\n"1","${text}"\n"2","${long}"\n"3","z"\n`);
  }),
);

test.run();
