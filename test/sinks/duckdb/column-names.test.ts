/** Members that differ only in case have columns of their own, the same ones in each run. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createColumnNames } from '../../../sinks/duckdb/column-names.js';
import type { MemberColumn } from '../../../sinks/duckdb/member-columns.js';
import type { Exact } from '../../../src/core/json/exact.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { calm, earlierOf, rejection } from '../lib.js';
import { batchIn, inDatabase, put } from './lib.js';

/** Columns, `NAME` or `NAME=MEMBER`, the keys, the members in their order, and their columns. */
const cases: readonly (readonly [found: string, keys: string, members: string, names: string])[] = [
  ['', '', 'id ID Id', 'id ID_1 Id_2'],
  ['', '', 'ID ID_1 id id_1', 'ID ID_1 id_2 id_1_1'],
  ['', 'id', 'ID id', 'ID_1 id'],
  ['', 'id ID', 'ID id', 'ID_1 id'],
  ['Id', '', 'ID', 'Id'],
  ['Id', '', 'ID id', 'Id id_1'],
  ['id', '', 'ID id', 'ID_1 id'],
  ['id=id ID_1=ID', '', 'ID', 'ID_1'],
  ['id=id ID_1=ID', '', 'ID id', 'ID_1 id'],
  ['id_1=id ID=ID', '', 'id ID iD', 'id_1 ID iD_2'],
  ['id=id', '', 'ID', 'id'],
  ['id=id', '', 'ID id', 'ID_1 id'],
  ['id=id', '', 'iD ID id', 'iD_1 ID_2 id'],
  ['id ID_1', '', 'id ID', 'id ID_2'],
  ['id=ID', 'id', 'ID id', 'ID_1 id'],
  ['', '', 'É é', 'É é'],
];

const list = (text: string): readonly string[] => (text === '' ? [] : text.split(' '));

const columnOf = (text: string): MemberColumn => {
  const [name = '', member] = text.split('=');
  return member === undefined ? { name } : { name, member };
};

for (const [found, keys, members, names] of cases) {
  test(`in a table (${found}) with the key (${keys}) the members ${members} are the columns ${names}`, () => {
    const columns = createColumnNames(list(found).map(columnOf), list(keys));
    for (const round of [1, 2]) {
      for (const member of list(members)) columns.add(member);
      assert.is(list(members).map(columns.of).join(' '), names, `round ${round}`);
      columns.clear();
    }
  });
}

test(
  'id and ID of one item are two columns in each run, with a notice',
  inDatabase(async ({ pull, sql, types }) => {
    const notices: Notice[] = [];
    const given = { notify: (notice: Notice) => void notices.push(notice) };
    await pull(given, [[{ k: 1, id: 1 }], ['={"k":2,"ID":"x","o":{"Id":1,"iD":2},"id":2}']]);
    await pull({ ...given, mode: 'append' }, [['={"k":3,"ID":"y","id":3}'], [{ k: 4, ID: 'z' }]]);
    assert.is(await types(), 'k BIGINT, id BIGINT, ID_1 VARCHAR, o__Id BIGINT, o__iD_1 BIGINT');
    assert.equal(await sql('SELECT k::INT AS k, id::INT AS id, ID_1 FROM t'), [
      { k: 1, id: 1, ID_1: null },
      { k: 2, id: 2, ID_1: 'x' },
      { k: 3, id: 3, ID_1: 'y' },
      { k: 4, id: null, ID_1: 'z' },
    ]);
    const text = (shown: string) =>
      `"t": members differ only in case from others: ${shown}. The table ignores the case of names: rename or drop one with --select`;
    assert.equal(
      notices.map(({ level, code, message }) => [level, code, message]),
      [
        ['info', 'column-case', text('"ID" is the column "ID_1", "o__iD" is the column "o__iD_1"')],
        ['info', 'column-case', text('"ID" is the column "ID_1"')],
      ],
    );
  }),
);

test(
  'a key is found beside a member that differs in case, also in a table that a user made',
  inDatabase(async ({ pull, sql }) => {
    await sql('CREATE TABLE t (Id BIGINT PRIMARY KEY, note VARCHAR)');
    for (const [round, key] of ['id', 'id', 'ID'].entries()) {
      const merge = { mode: 'merge', key } as const;
      if (key === 'ID') await sql('DROP TABLE t');
      await pull(merge, [[`={"ID":${round},"id":1,"n":1}`, `={"id":2,"ID":${round},"n":2}`]]);
    }
    assert.equal(await sql('SELECT * FROM t'), [{ ID: 2n, id_1: 2n, n: 2n }]);
    await pull({ mode: 'merge', key: 'id,ID' }, [['={"id":2,"ID":2,"n":3}', '={"id":3,"ID":2}']]);
    assert.equal(await sql('SELECT id_1::INT AS id, n::INT AS n FROM t'), [
      { id: 2, n: 3 },
      { id: 3, n: null },
    ]);
  }),
);

test(
  'a resume continues with the same columns',
  inDatabase(async ({ sink, sql }) => {
    const first = sink({ mode: 'append' });
    await first.resume?.(earlierOf());
    await first.open?.('t', 't');
    const checkpoint = await put(first, 0, [{ id: 1 }, { ID: 2 }]);
    await first.write(batchIn(1, [{ Id: 9 }]), calm);
    await first.durable?.();
    await first.abort(undefined);
    const second = sink({ mode: 'append' });
    const checkpoints = new Map<string, Exact>([['t', checkpoint ?? null]]);
    await second.resume?.(earlierOf({ epoch: 2, checkpoints }));
    await second.open?.('t', 't');
    await put(second, 1, [{ iD: 3 }, { ID: 4 }]);
    await second.close();
    assert.equal(await sql('SELECT id::INT AS a, ID_1::INT AS b, iD_2::INT AS c FROM t'), [
      { a: 1, b: null, c: null },
      { a: null, b: 2, c: null },
      { a: null, b: null, c: 3 },
      { a: null, b: 4, c: null },
    ]);
  }),
);

test(
  'with create=false a member that needs a column of its own is refused at its page',
  inDatabase(async ({ pull, sql }) => {
    await sql('CREATE TABLE t (id BIGINT)');
    const fault = /^duckdb: the table "t" has no column "ID_1", and create=false \(item 1 of the page, from 0\)$/;
    await rejection(pull({ create: false }, [[{ ID: 1 }, '={"ID":1,"id":2}']]), 'ERR_SINK', fault);
    await pull({ create: false }, [[{ ID: 1 }]]);
    assert.equal(await sql('SELECT * FROM t'), [{ id: 1n }]);
  }),
);

test.run();
