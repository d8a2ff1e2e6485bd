import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSink } from '../../../sinks/conformance.js';
import type { Sink } from '../../../sinks/contract.js';
import { csv } from '../../../sinks/csv/csv.js';
import { parquet } from '../../../sinks/parquet/parquet.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { withLists } from '../../../sinks/related-tables/with-lists.js';
import type { Notice } from '../../../src/core/model/notice.js';
import type { ListForm } from '../../../src/core/tables/list-rules.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { aMinute, calm, earlierOf, filesIn, inFolder, pageEnd, rejection } from '../lib.js';
import { batchOfTexts, pulled } from '../table-runs.js';

const lists = { lists: 'tables', key: 'id' } as const;

/** Writes a page of items of the data type `users`, as JSON texts, and ends the run. */
async function run(sink: Sink, texts: readonly string[], forms?: ReadonlyMap<string, ListForm>): Promise<void> {
  await sink.resume?.(earlierOf({ isStored: false }));
  const tables = {
    dataType: 'users',
    mappings: new Map(),
    isIncremental: false,
    level: 3,
    ...(forms && { lists: forms }),
  };
  await sink.open?.('users', 'users', { tables });
  await sink.write(batchOfTexts(texts), calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.close();
}

test(
  'CSV has a file for each list, and the summary a line',
  inFolder(async (dir) => {
    const sink = csv(dir, lists);
    await run(sink, ['{"id":1,"tags":["a","b"],"at":{"l":[{"x":1}]}}', '{"id":2,"tags":[]}']);
    assert.equal(filesIn(dir), {
      'users.csv': 'id\r\n1\r\n2\r\n',
      'users__tags.csv': 'users__id,tags__position,value\r\n1,0,a\r\n1,1,b\r\n',
      'users__at__l.csv': 'users__id,at__l__position,x\r\n1,0,1\r\n',
    });
    assert.equal(
      sink.summary?.().map(({ dataType, items, columns }) => [dataType, items, columns]),
      [
        ['users', 2, 1],
        ['users__tags', 2, 3],
        ['users__at__l', 1, 3],
      ],
    );
  }),
);

test(
  'jobs name lists that are tables, or are not; items without such lists are as they were',
  inFolder(async (dir) => {
    const texts = ['{"id":1,"a":[1],"b":[2]}'];
    await run(csv(join(dir, 'one')), texts, new Map([['a', 'table']]));
    const [id] = /[0-9a-f]{32}/.exec(filesIn(join(dir, 'one'))['users.csv'] ?? '') ?? [];
    assert.equal(filesIn(join(dir, 'one')), {
      'users.csv': `row_id,id,b\r\n${id},1,"[2]"\r\n`,
      'users__a.csv': `users__row_id,a__position,value\r\n${id},0,1\r\n`,
    });
    await run(csv(join(dir, 'two'), lists), texts, new Map([['a', 'json']]));
    assert.equal(Object.keys(filesIn(join(dir, 'two'))), ['users.csv', 'users__b.csv']);
    await run(csv(join(dir, 'three')), texts, new Map([['a', 'json']]));
    assert.equal(filesIn(join(dir, 'three')), { 'users.csv': 'id,a,b\r\n1,"[1]","[2]"\r\n' });
  }),
);

test(
  'a list that a job names and no item has is a notice, unless there are no items',
  inFolder(async (dir) => {
    const notices: Notice[] = [];
    const create = (name: string) => csv(join(dir, name), { notify: (notice) => void notices.push(notice) });
    const forms = new Map<string, ListForm>([
      ['lines[].tag', 'table'],
      ['tags', 'table'],
      ['none', 'json'],
    ]);
    await run(create('some'), ['{"lines":[{"tags":[1]}],"tags":[]}'], forms);
    assert.equal(
      notices.map(({ code, message }) => [code, message]),
      [
        [
          'list-not-found',
          '"users": no item has a list at "lines[].tag", which `lists` names. Paths are written as in "lines[].tags"',
        ],
      ],
    );
    await run(create('none'), [], forms);
    assert.is(notices.length, 1);
  }),
);

test(
  'an interrupted run has the rows of one without interruption, in each table',
  inFolder(async (dir) => {
    const random = mulberry32(7);
    const below = (most: number) => random() % most;
    const items = Array.from({ length: 60 }, (_, id) => ({
      id,
      tags: Array.from({ length: below(4) }, (_each, at) => ({
        at,
        in: Array.from({ length: below(3) }, () => below(9)),
      })),
      ...(id % 20 === 19 && { late: [id] }),
    }));
    for (const [name, create] of [
      ['csv', csv],
      ['parquet', parquet],
    ] as const) {
      await pulled(() => opened(create(join(dir, name), lists)), items, 1);
      const expected = filesIn(join(dir, name));
      assert.is(Object.keys(expected).length, 4);
      for (let seed = 2; seed < 12; seed++) {
        const other = join(dir, `${name}-${seed}`);
        await pulled(() => opened(create(other, lists)), items, seed);
        assert.equal(filesIn(other), expected, `${name}, seed ${seed}`);
      }
    }
  }),
);

/** Announces the data type when the run begins. */
const opened = (sink: Sink): Sink => ({
  ...sink,
  async resume(earlier) {
    await sink.resume?.(earlier);
    await sink.open?.('users', 'users');
  },
});

test(
  'a sink with lists keeps the rules of the kit for its items, but that on their lists',
  inFolder(async (dir) => {
    const read = async (dataType: string) => {
      const all = readdirSync(dir).filter((name) => name.startsWith(`${dataType}.`));
      return all.flatMap((name) => rowsOf(filesIn(dir)[name] ?? ''));
    };
    const checks = await checkSink(
      () => withLists(ndjsonIn(dir), { kind: 'ndjson', depth: 9, keys: [['key']] }),
      read,
      {
        tooLong: aMinute,
      },
    );
    const failed = checks.filter(({ outcome }) => outcome === 'fail').map(({ name }) => name);
    assert.equal(failed, ['keeps every character of an item']);
  }),
);

/** NDJSON is no table, but its items can be read as they are. */
const ndjsonIn = (dir: string) => sinkFromUri(`ndjson:${dir}`) as Parameters<typeof withLists>[0]; // it has all calls

const rowsOf = (text: string) => text.split('\n').filter((line) => line !== '');

test('a key needs tables, and the options are those of tables only', async () => {
  const cases: readonly (readonly [uri: string, message: RegExp])[] = [
    ['csv:out?key=id', /csv: key needs lists=tables/],
    ['parquet:out?lists=table', /lists: expected json, tables, or tables:2/],
    ['s3://lake/raw?lists=tables', /s3: lists needs format=csv or parquet/],
    ['s3://lake/raw?format=csv&key=id', /s3: key needs lists=tables/],
    ['csv:out?lists=tables&key=a..b', /key: expected paths of members/],
  ];
  for (const [uri, message] of cases) await rejection(async () => sinkFromUri(uri), 'ERR_USAGE', message);
  assert.is(
    sinkFromUri('s3://lake/raw?format=csv&lists=tables:2&key=id').name,
    's3://lake/raw?format=csv&lists=tables:2&key=id',
  );
});

test(
  'checkpoints of other lists, and broken ones, are no place to resume',
  inFolder(async (dir) => {
    const at = (form: string, part: unknown) =>
      new Map([
        [
          'users',
          new Map<string, never>([
            ['items', 'x'],
            ['listForm', form],
            ['lists', part],
          ] as never),
        ],
      ]);
    const form = '["all",[["id"]]]';
    const broken = [new Map(), 'x', new Map([['l', 'x']]), new Map([['l', new Map([['place', [['a', 1]]]])]])];
    for (const part of broken.slice(1)) {
      const checkpoints = at(form, part) as never; // of any shape
      await rejection(async () => csv(dir, lists).resume?.(earlierOf({ checkpoints })), 'ERR_RESUME', /other options/);
    }
    const checkpoints = at('[1,[]]', broken[0]) as never;
    await rejection(async () => csv(dir, lists).resume?.(earlierOf({ checkpoints })), 'ERR_RESUME', /other options/);
  }),
);

test.run();
