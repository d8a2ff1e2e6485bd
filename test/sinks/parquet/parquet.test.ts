/** Parquet files: types, nested values, late changes, rollbacks and resumes; read by hyparquet, pyarrow and DuckDB. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { checkSink } from '../../../sinks/conformance.js';
import type { Earlier, Sink } from '../../../sinks/contract.js';
import { createBytes } from '../../../sinks/growing-bytes.js';
import { pageCodecOf } from '../../../sinks/parquet/compression.js';
import { convert } from '../../../sinks/parquet/convert-file.js';
import { Dictionary, hashOf } from '../../../sinks/parquet/dictionary.js';
import { writeHybrid } from '../../../sinks/parquet/hybrid.js';
import { parquet } from '../../../sinks/parquet/parquet.js';
import { NumberReader } from '../../../sinks/parquet/parquet-numbers.js';
import type { ParquetOptions } from '../../../sinks/parquet/parquet-options.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { parseLines } from '../../../src/core/json/exact-parse.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { testWhere } from '../../where.js';
import { systemError, withWrite } from '../disk.js';
import { aMinute, calm, inFolder, pageEnd, rejection } from '../lib.js';
import { batchOfTexts, pulled, stored } from '../table-runs.js';
import { mustAgree } from './agree.js';
import { pythonMissing, readBackByPython } from './python.js';
import { itemsOf } from './random-tables.js';
import { readParquet } from './read.js';

/** The table of items that were written in one page. */
async function tableOf(dir: string, options: ParquetOptions, texts: readonly string[]) {
  const sink = parquet(dir, options);
  await sink.open?.('users', 'job');
  if (texts.length > 0) await sink.write(batchOfTexts(texts), calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.close();
  const [summary] = sink.summary?.() ?? [];
  return { ...(await readParquet(join(dir, 'users.parquet'))), summary };
}

type Case = readonly [
  what: string,
  options: ParquetOptions,
  items: readonly string[],
  types: Readonly<Record<string, string>>,
  rows: readonly Record<string, unknown>[],
];

const cases: readonly Case[] = [
  [
    'whole numbers of 64 bits',
    {},
    ['{"id":9223372036854775807}', '{"id":-9223372036854775808}', '{"id":0}', '{"id":1234567890123456}', '{"id":-7}'],
    { id: 'INT64' },
    [{ id: 9223372036854775807n }, { id: -9223372036854775808n }, { id: 0n }, { id: 1234567890123456n }, { id: -7n }],
  ],
  [
    'whole numbers beyond 64 bits are decimals',
    {},
    ['{"id":9223372036854775808}', '{"id":-12345678901234567890123}', '{"id":1}'],
    { id: 'FIXED_LEN_BYTE_ARRAY DECIMAL(38,0)' },
    [{ id: '9223372036854775808' }, { id: '-12345678901234567890123' }, { id: '1' }],
  ],
  [
    'decimals of up to 18 digits, and of up to 38',
    {},
    ['{"a":1.50,"b":-0.000000000000000001}', '{"a":-12345678901234.5,"b":12345678901234567890}', '{"a":2e3,"b":1E-3}'],
    { a: 'INT64 DECIMAL(18,2)', b: 'FIXED_LEN_BYTE_ARRAY DECIMAL(38,18)' },
    [
      { a: '1.50', b: '-0.000000000000000001' },
      { a: '-12345678901234.50', b: '12345678901234567890.000000000000000000' },
      { a: '2000.00', b: '0.001000000000000000' },
    ],
  ],
  [
    'numbers that no decimal holds are doubles, if doubles hold them all',
    {},
    ['{"a":1e300,"b":1e400,"c":1e300}', '{"a":-1.5e-300,"b":0.10,"c":0.1000000000000000055}', '{"a":0,"b":2,"c":3}'],
    { a: 'DOUBLE', b: 'UTF8', c: 'UTF8' },
    [
      { a: 1e300, b: '1e400', c: '1e300' },
      { a: -1.5e-300, b: '0.10', c: '0.1000000000000000055' },
      { a: 0, b: '2', c: '3' },
    ],
  ],
  [
    'booleans and texts',
    {},
    ['{"a":true,"b":"","c":"\\u0000\\n\\"é😀"}', '{"a":false,"b":"x","c":null}', '{"b":null}'],
    { a: 'BOOLEAN', b: 'UTF8', c: 'UTF8' },
    [
      { a: true, b: '', c: '\u0000\n"é😀' },
      { a: false, b: 'x', c: null },
      { a: null, b: null, c: null },
    ],
  ],
  [
    'scalars of several kinds are texts, each as it was sent',
    {},
    ['{"a":1.50}', '{"a":"x"}', '{"a":true}', '{"a":12345678901234567890}', '{"a":null}'],
    { a: 'UTF8' },
    [{ a: '1.50' }, { a: 'x' }, { a: 'true' }, { a: '12345678901234567890' }, { a: null }],
  ],
  [
    'objects or lists among other values are JSON',
    {},
    ['{"a":1.50,"b":[1]}', '{"a":{"x":[1.10]},"b":{"c":1}}', '{"a":"x","b":"\\ud800 \\\\ud800 \\uD83D\\uDE00"}'],
    { a: 'JSON', b: 'JSON' },
    [
      { a: '1.50', b: '[1]' },
      { a: '{"x":[1.10]}', b: '{"c":1}' },
      { a: '"x"', b: '"\\ufffd \\\\ud800 \\uD83D\\uDE00"' },
    ],
  ],
  [
    'objects are structs: absent, null, empty and filled ones differ',
    {},
    ['{"a":{"b":1,"c":{"d":"x"}}}', '{"a":null}', '{"a":{}}', '{}', '{"a":{"c":{}}}'],
    { 'a.b': 'INT64', 'a.c.d': 'UTF8' },
    [
      { a: { b: 1n, c: { d: 'x' } } },
      { a: null },
      { a: { b: null, c: null } },
      { a: null },
      { a: { b: null, c: { d: null } } },
    ],
  ],
  [
    'lists, empty ones, with nulls, of lists and of structs',
    {},
    [
      '{"a":[1,null,3],"b":[[1],[],[2,3]],"c":[{"x":[true]},{},null]}',
      '{"a":[],"b":[],"c":[]}',
      '{"a":null}',
      '{"a":[4.5],"b":[null,[null]],"c":[{"x":[]}]}',
    ],
    {
      'a.list.element': 'INT64 DECIMAL(18,1)',
      'b.list.element.list.element': 'INT64',
      'c.list.element.x.list.element': 'BOOLEAN',
    },
    [
      { a: ['1.0', null, '3.0'], b: [[1n], [], [2n, 3n]], c: [{ x: [true] }, { x: null }, null] },
      { a: [], b: [], c: [] },
      { a: null, b: null, c: null },
      { a: ['4.5'], b: [null, [null]], c: [{ x: [] }] },
    ],
  ],
  [
    'only null, only empty lists, and only empty objects',
    {},
    ['{"a":null,"b":[],"c":{},"d":[[]]}', '{}'],
    { a: 'UTF8', 'b.list.element': 'UTF8', c: 'JSON', 'd.list.element.list.element': 'UTF8' },
    [
      { a: null, b: [], c: '{}', d: [[]] },
      { a: null, b: null, c: null, d: null },
    ],
  ],
  [
    'nested=json',
    { nested: 'json' },
    ['{"a":{"b":1.10},"c":[1,"x"],"d":{}}', '{"a":{"e":[]},"c":[],"d":{"f":1}}', '{"a":[2]}'],
    { a: 'JSON', c: 'JSON', d: 'JSON' },
    [
      { a: '{"b":1.10}', c: '[1,"x"]', d: '{}' },
      { a: '{"e":[]}', c: '[]', d: '{"f":1}' },
      { a: '[2]', c: null, d: null },
    ],
  ],
  [
    'items that are no objects, alone and among others',
    {},
    ['7', 'null', '{"id":1}', '8', '{"data":9}'],
    { data: 'INT64', id: 'INT64' },
    [
      { data: 7n, id: null },
      { data: null, id: null },
      { data: null, id: 1n },
      { data: 8n, id: null },
      { data: 9n, id: null },
    ],
  ],
  [
    'names that differ in case only are two columns',
    {},
    ['{"n":1,"N":"x","a":{"B":1,"b":2}}'],
    { n: 'INT64', N: 'UTF8', 'a.B': 'INT64', 'a.b': 'INT64' },
    [{ n: 1n, N: 'x', a: { B: 1n, b: 2n } }],
  ],
  ['items without members', {}, ['{}', '{}'], { data: 'UTF8' }, [{ data: null }, { data: null }]],
  ['no item', {}, [], { data: 'UTF8' }, []],
  [
    'of members with one name the last one counts, also in objects and lists',
    {},
    ['{"a":1,"n\\u0061":{"x":1,"x":2},"na":{"x":3,"x":4},"a":2}', '{"a":[{"b":1,"b":2},3]}'],
    { a: 'JSON', 'na.x': 'INT64' },
    [
      { a: '2', na: { x: 4n } },
      { a: '[{"b":2},3]', na: null },
    ],
  ],
  [
    'names: with escapes, empty, beyond ASCII, with dots',
    {},
    ['{"":1,"n\\u0061":2,"č.x":{"a.b":3},"\\ud800":4}', '{"na":5,"":6}'],
    { '': 'INT64', na: 'INT64', 'č.x.a.b': 'INT64', '\ufffd': 'INT64' },
    [
      { '': 1n, na: 2n, 'č.x': { 'a.b': 3n }, '\ufffd': 4n },
      { '': 6n, na: 5n, 'č.x': null, '\ufffd': null },
    ],
  ],
];

for (const [what, options, items, types, rows] of cases) {
  test(
    what,
    inFolder(async (dir) => {
      const found = await tableOf(dir, options, items);
      assert.equal(found.types, types);
      assert.equal(found.rows, rows);
      assert.is(found.summary?.columns, Object.keys(rows[0] ?? types).length);
      assert.is(found.summary?.size, statSync(join(dir, 'users.parquet')).size);
      assert.equal(readdirSync(dir), ['users.parquet']);
    }),
  );
}

test(
  'half of a surrogate pair becomes U+FFFD, with one warning',
  inFolder(async (dir) => {
    const notices: Notice[] = [];
    const notify = (notice: Notice) => void notices.push(notice);
    const { rows } = await tableOf(dir, { notify }, ['{"a":"x\\ud800y","b":"\\ud83d\\ude00"}', '{"a":"\\udc00"}']);
    assert.equal(rows, [
      { a: 'x\ufffdy', b: '😀' },
      { a: '\ufffd', b: null },
    ]);
    assert.equal(
      notices.map(({ level, code }) => `${level} ${code}`),
      ['warning lone-surrogate'],
    );
  }),
);

test(
  'two names that would be one column are an error that names both, and leaves the earlier file',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'users.parquet'), 'earlier');
    const message =
      /item 2 of "users": two members would be the column "\ufffd": "\\ud800" and "\ufffd"\. Rename one with --select/;
    await rejection(tableOf(dir, {}, ['{"\\ud800":1}', '{"\ufffd":2}']), 'ERR_SINK', message);
    assert.equal(readdirSync(dir), ['users.parquet', 'users.parquet.partial']);
    assert.is(readFileSync(join(dir, 'users.parquet'), 'utf8'), 'earlier');
    assert.is(readFileSync(join(dir, 'users.parquet.partial'), 'utf8'), '{"\\ud800":1}\n{"\ufffd":2}\n');
  }),
);

test(
  'an error of one data type publishes none, and leaves no file that was made for another',
  inFolder(async (dir) => {
    const sink = parquet(dir);
    await sink.write(batchOfTexts(['{"a":1}'], { dataType: 'a' }), calm);
    await sink.write(batchOfTexts(['{"\\ud800":1,"\\ud801":2}'], { dataType: 'b' }), calm);
    await rejection(Promise.resolve(sink.close()), 'ERR_SINK', /item 1 of "b": two members/);
    await sink.abort(new Error('it failed'));
    assert.equal(readdirSync(dir), ['a.parquet.partial', 'b.parquet.partial']);
    assert.equal(
      sink.summary?.().map(({ name, unfinished }) => [name, unfinished]),
      [
        [join(dir, 'a.parquet.partial'), true],
        [join(dir, 'b.parquet.partial'), true],
      ],
    );
  }),
);

test(
  'a file that cannot be written is an error that names it, and leaves the staged items',
  inFolder(async (dir) => {
    mkdirSync(join(dir, 'users.parquet.made'));
    await rejection(tableOf(dir, {}, ['{"a":1}']), 'ERR_SINK', /cannot write ".*users\.parquet": /);
    assert.equal(readdirSync(dir), ['users.parquet.made', 'users.parquet.partial']);
  }),
);

/** Makes a file whose columns are taken from the first item alone. */
async function changed(dir: string, first: string, late: string) {
  const [from, to] = [join(dir, 'items'), join(dir, 'users.parquet')];
  mkdirSync(dir, { recursive: true });
  writeFileSync(from, `${first}\n{}\n${late}\n`);
  const form = { dataType: 'users', codec: pageCodecOf('snappy'), groupRows: 2, nestedAsJson: false, findsForms: true };
  await convert(from, to, { ...form, sampleBytes: first.length + 1, onLoneSurrogate: () => {} });
  return readParquet(to);
}

const changes: readonly [what: string, before: string, late: string, type: string, values: readonly unknown[]][] = [
  ['a whole number, then a text', '{"a":12345678901234567890}', '{"a":"x"}', 'UTF8', ['12345678901234567890', 'x']],
  ['a whole number, then a fraction', '{"a":1}', '{"a":1.25}', 'INT64 DECIMAL(18,2)', ['1.00', '1.25']],
  [
    'a fraction, then more digits',
    '{"a":0.5}',
    '{"a":1234567890123456789}',
    'FIXED_LEN_BYTE_ARRAY DECIMAL(38,1)',
    ['0.5', '1234567890123456789.0'],
  ],
  [
    'a whole number, then one beyond 64 bits',
    '{"a":1}',
    '{"a":9223372036854775808}',
    'FIXED_LEN_BYTE_ARRAY DECIMAL(38,0)',
    ['1', '9223372036854775808'],
  ],
  ['a whole number, then one with an exponent', '{"a":1}', '{"a":1e2}', 'INT64 DECIMAL(18,0)', ['1', '100']],
  [
    'a double, then a number that is none',
    '{"a":1e300}',
    '{"a":0.1000000000000000055}',
    'UTF8',
    ['1e300', '0.1000000000000000055'],
  ],
  ['a boolean, then a number', '{"a":true}', '{"a":0}', 'UTF8', ['true', '0']],
  ['null, then a number', '{"a":null}', '{"a":7}', 'INT64', [null, 7n]],
  ['null, then a text', '{"a":null}', '{"a":"x"}', 'UTF8', [null, 'x']],
  ['nothing, then a member', '{"b":1}', '{"a":7}', 'INT64', [null, 7n]],
  ['nothing, then null', '{"b":1}', '{"a":null}', 'UTF8', [null, null]],
  ['an empty object, then an empty object', '{"a":{}}', '{"a":{}}', 'JSON', ['{}', '{}']],
  ['a text, then a list', '{"a":"x"}', '{"a":["y"]}', 'JSON', ['"x"', '["y"]']],
  ['a struct, then a list', '{"a":{"b":1}}', '{"a":[1]}', 'JSON', ['{"b":1}', '[1]']],
  ['a list, then a struct', '{"a":[1]}', '{"a":{"b":1}}', 'JSON', ['[1]', '{"b":1}']],
];

for (const [what, before, late, type, values] of changes) {
  test(
    `a change after the first row group: ${what}`,
    inFolder(async (dir) => {
      const { rows, types } = await changed(dir, before, late);
      assert.is(types.a, type);
      assert.equal([rows[0]?.a, rows[2]?.a], values);
    }),
  );
}

const lateShapes: readonly [first: string, late: string, row: Record<string, unknown>][] = [
  ['{"a":{"b":1}}', '{"a":{"b":2,"c":3}}', { a: { b: 2n, c: 3n } }],
  ['{"a":[1]}', '{"a":[2,"x"]}', { a: ['2', 'x'] }],
  ['{"a":{"b":1}}', '{"a":{"b":2,"b":3}}', { a: { b: 3n } }],
  ['{"a":{}}', '{"a":{"b":2}}', { a: { b: 2n } }],
  ['{"a":1}', '5', { a: null, data: 5n }],
  ['{"a":1}', '{"a":1,"a":2}', { a: 2n }],
];

test(
  'deep members, elements, scalars and repeated members that the first items lack',
  inFolder(async (dir) => {
    for (const [index, [first, late, row]] of lateShapes.entries()) {
      const { rows } = await changed(join(dir, String(index)), first, late);
      assert.equal(rows[2], row);
    }
  }),
);

test(
  'the summary lists columns whose type is not that of their first value',
  inFolder(async (dir) => {
    const { summary } = await tableOf(dir, {}, [
      '{"a":1,"b":{"c":true},"d":[1],"e":1.5,"f":"x","g":{"h":1}}',
      '{"a":1.5,"b":{"c":1},"d":["x"],"e":1.25,"f":null,"g":[1]}',
    ]);
    assert.equal(summary?.changed, [
      { column: 'a', from: 'INT64', to: 'DECIMAL(18, 1)' },
      { column: 'b.c', from: 'BOOLEAN', to: 'STRING' },
      { column: 'd.list.element', from: 'INT64', to: 'STRING' },
      { column: 'g', from: 'STRUCT', to: 'JSON' },
    ]);
    assert.is((await tableOf(join(dir, 'b'), { nested: 'json' }, ['{"a":[1]}'])).summary?.changed, undefined);
  }),
);

const zstdMissing = 'zstdCompress' in zlib ? undefined : 'zstd of Node';

for (const compression of ['snappy', 'gzip', 'none', 'zstd'] as const) {
  testWhere(compression === 'zstd' ? zstdMissing : undefined)(
    `compression=${compression}, in several row groups and pages`,
    inFolder(async (dir) => {
      const items = Array.from({ length: 9000 }, (_, index) => ({
        ...{
          id: index,
          name: `name ${index % 7}`,
          text: `text ${index} ${'z'.repeat(index % 400)}`,
          big: 10n ** 20n + BigInt(index),
        },
        ...(index % 5 > 0 && { part: { flag: index % 3 === 0, list: Array.from({ length: index % 4 }, (_, n) => n) } }),
      }));
      const sink = parquet(dir, { compression, rowGroup: 5000 });
      await sink.write(batchOf('users', items), calm);
      await sink.close();
      const { rows, metadata } = await readParquet(join(dir, 'users.parquet'));
      assert.equal(
        metadata.row_groups.map(({ num_rows: rows }) => Number(rows)),
        [5000, 4000],
      );
      const codec = metadata.row_groups[0]?.columns[0]?.meta_data?.codec;
      assert.is(codec, compression === 'none' ? 'UNCOMPRESSED' : compression.toUpperCase());
      for (const [index, item] of [...parseLines(batchOf('users', items).bytes)].entries())
        mustAgree(rows[index], item);
      const name = metadata.row_groups[0]?.columns[1]?.meta_data;
      assert.ok(name?.encodings.includes('RLE_DICTIONARY'), 'few different values are stored once');
    }),
  );
}

test(
  'snappy finds numbers that are repeated far from each other',
  inFolder(async (dir) => {
    const sink = parquet(dir);
    const items = Array.from({ length: 20_000 }, (_, index) => ({ id: 1_001_000 + (index % 3000) }));
    await sink.write(batchOf('users', items), calm);
    await sink.close();
    const { size } = statSync(join(dir, 'users.parquet'));
    assert.ok(size < 25_000, `${size} bytes for 160,000`);
  }),
);

test(
  'row groups have the bounds of their values and the number of nulls',
  inFolder(async (dir) => {
    const items = [
      '{"id":-5,"t":"b","d":1.5,"x":1e300,"w":1e20}',
      `{"id":12345678901234567,"t":"ab","d":-2.25,"x":-2,"w":null,"long":"${'l'.repeat(65)}"}`,
      '{"id":3,"t":"é","n":null}',
    ];
    const { metadata } = await tableOf(dir, {}, items);
    const found = metadata.row_groups[0]?.columns.map(({ meta_data: each }) => {
      const { min_value: min, max_value: max, null_count: nulls } = each?.statistics ?? {};
      return [each?.path_in_schema[0], min, max, nulls];
    });
    assert.equal(found, [
      ['id', -5n, 12345678901234567n, 0n],
      ['t', 'ab', 'é', 0n],
      ['d', -2.25, 1.5, 1n],
      ['x', -2, 1e300, 1n],
      ['w', 1e20, 1e20, 2n],
      ['long', undefined, undefined, 2n],
      ['n', undefined, undefined, 3n],
    ]);
  }),
);

test(
  'objects that are JSON: with more than 1,000 different members, with an empty name, below 32 levels',
  inFolder(async (dir) => {
    const byId = Array.from({ length: 1001 }, (_, index) => `{"prices":{"p${index}":{"x":1}},"id":${index}}`);
    const many = await tableOf(dir, {}, byId);
    assert.equal(many.types, { prices: 'JSON', id: 'INT64' });
    assert.is(many.rows[1000]?.prices, '{"p1000":{"x":1}}');
    const nameless = await tableOf(join(dir, 'nameless'), {}, ['{"a":{"":1},"b":[{"c":{"x":1}},{"c":{"":2}}]}']);
    assert.equal(nameless.types, { a: 'JSON', 'b.list.element.c': 'JSON' });
    assert.equal(nameless.rows, [{ a: '{"":1}', b: [{ c: '{"x":1}' }, { c: '{"":2}' }] }]);
    const deep = (levels: number) => `${'{"a":['.repeat(levels)}1${']}'.repeat(levels)}`;
    const { types } = await tableOf(join(dir, 'deep'), {}, [deep(30)]);
    assert.equal(Object.values(types), ['JSON']);
    assert.is(
      Object.keys(types)[0]
        ?.split('.')
        .filter((name) => name === 'a').length,
      17,
    );
  }),
);

test(
  'too many columns are an error that says what to do',
  inFolder(async (dir) => {
    const items = Array.from({ length: 21 }, (_, item) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`c${item}_${index}`, 1]))),
    );
    const message = /"users" has more than 20000 columns\. Use nested=json, or choose members with --select/;
    await rejection(tableOf(dir, {}, items), 'ERR_SINK', message);
  }),
);

const faults: readonly [uri: string, message: RegExp][] = [
  [
    'parquet:out?compression=zip',
    /compression: expected snappy, zstd, gzip or none, found "zip"; did you mean "gzip"\?/,
  ],
  ['parquet:out?rowGroup=0', /rowGroup: expected a whole number from 1 up, found "0"$/],
  ['parquet:out?rowGroup=1e3', /rowGroup: expected a whole number from 1 up, found "1e3"$/],
  ['parquet:out?nested=struct', /nested: expected structs or json, found "struct"; did you mean "structs"\?/],
  ['parquet:out?compress=zstd', /unknown option "compress"/],
  ...(zstdMissing === undefined
    ? []
    : [['parquet:out?compression=zstd', /has no zstd: use compression=gzip/] satisfies [string, RegExp]]),
];

for (const [uri, message] of faults) {
  test(`explains what is wrong with ${uri}`, () => rejection(() => sinkFromUri(uri), 'ERR_USAGE', message).then());
}

test(
  'an address has the options',
  inFolder(async (dir) => {
    const sink = sinkFromUri(`parquet:${dir}?compression=gzip&rowGroup=2&nested=json`);
    await sink.write(batchOfTexts(['{"a":[1]}', '{"a":[2]}', '{"a":[3]}']), calm);
    await sink.close();
    const { types, metadata } = await readParquet(join(dir, 'users.parquet'));
    assert.equal(types, { a: 'JSON' });
    assert.is(metadata.row_groups.length, 2);
  }),
);

test(
  'keeps every rule of the contract',
  inFolder(async (dir) => {
    const openFile = withWrite(() => async () => {
      throw systemError('EIO', -5);
    });
    const read = async (dataType: string): Promise<readonly string[]> => {
      const path = join(dir, `${dataType}.parquet`);
      if (existsSync(`${path}.partial`)) return readFileSync(`${path}.partial`, 'utf8').split('\n').slice(0, -1);
      return existsSync(path) ? (await readParquet(path)).rows.map(asItem) : [];
    };
    const checks = await checkSink(() => parquet(dir), read, {
      tooLong: aMinute,
      failing: () => parquet(join(dir, 'failing'), { openFile }),
    });
    assert.equal(
      checks.filter(({ outcome, name }) => outcome === 'fail' && name !== everyCharacter),
      [],
    );
  }),
);

/** A row has all columns, so an item of its values has other members. */
const everyCharacter = 'keeps every character of an item';

/** The item of the kit that a row came from. */
function asItem(row: Record<string, unknown>): string {
  const members = Object.entries(row).filter(([, value]) => value !== null);
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`)}}`;
}

const firstSeed = Number(process.env.PARQUET_SEED ?? 20261122);

/** The options of a process that resumes may be others. */
function optionsOf(below?: (most: number) => number): ParquetOptions {
  if (below === undefined) return {};
  return below(2) === 0 ? { compression: 'gzip' } : { rowGroup: 7 };
}

test(
  'random items, rollbacks, interruptions and resumes: every value is read back',
  inFolder(async (dir) => {
    console.log(`seed ${firstSeed} (set PARQUET_SEED for another)`);
    for (let seed = firstSeed; seed < firstSeed + 50; seed++) {
      const items = itemsOf(seed, 40);
      const out = join(dir, String(seed));
      await pulled((below) => parquet(out, optionsOf(below)), items, seed);
      const { rows } = await readParquet(join(dir, String(seed), 'users.parquet'));
      assert.is(rows.length, items.length, `seed ${seed}`);
      for (const [index, item] of items.entries()) mustAgree(rows[index], item, `seed ${seed}, item ${index}: `);
    }
  }),
);

async function interrupted(sink: Sink): Promise<Exact> {
  await sink.resume?.({ ...stored(null, 'writing', 1), checkpoints: new Map() });
  await sink.write(batchOfTexts(['{"a":1}', '{"b":2}']), calm);
  const checkpoint = (await sink.commit?.(pageEnd('users'), calm)) ?? null;
  await sink.abort(new Error('interrupted'));
  return checkpoint;
}

test(
  'a run that was interrupted while it published publishes the same file again, or finds it',
  inFolder(async (dir) => {
    const path = join(dir, 'users.parquet');
    const checkpoint = await interrupted(parquet(dir));
    const partial = readFileSync(`${path}.partial`);
    let made = Buffer.alloc(0);
    for (let round = 0; round < 2; round++) {
      const sink = parquet(dir);
      await sink.resume?.(stored(checkpoint, 'publishing'));
      await sink.close();
      assert.equal(readdirSync(dir), ['users.parquet']);
      if (round === 0) made = readFileSync(path);
      assert.equal(readFileSync(path), made);
      const size = made.length;
      assert.equal(sink.summary?.()[0], { dataType: 'users', name: path, items: 2, bytes: 16, columns: 2, size });
    }
    writeFileSync(`${path}.partial`, partial); // killed before it removed the file of the run
    const sink = parquet(dir);
    await sink.resume?.(stored(checkpoint, 'publishing'));
    await sink.close();
    assert.equal(readdirSync(dir), ['users.parquet']);
    assert.equal(readFileSync(path), made);
  }),
);

test(
  'refuses to resume without its items, and beside a file of another run',
  inFolder(async (dir) => {
    const path = join(dir, 'users.parquet');
    const checkpoint = await interrupted(parquet(dir));
    await rejection(() => parquet(dir).resume?.(stored('x', 'writing')), 'ERR_RESUME');
    renameSync(`${path}.partial`, join(dir, 'moved'));
    const resume = (phase: Earlier['phase']) => parquet(dir).resume?.(stored(checkpoint, phase));
    await rejection(() => resume('publishing'), 'ERR_RESUME', /it is missing/);
    for (const content of ['', 'PAR1', 'no Parquet file at all']) {
      writeFileSync(path, content);
      await rejection(() => resume('publishing'), 'ERR_RESUME', /it is missing/);
    }
    rmSync(path);
    const other = parquet(dir);
    await other.write(batchOfTexts(['{"a":1}']), calm);
    await other.close();
    await rejection(() => resume('publishing'), 'ERR_RESUME', /it is missing/);
    await rejection(() => resume('writing'), 'ERR_RESUME', /it is missing/);
  }),
);

test(
  'an earlier file counts as output if it has rows',
  inFolder(async (dir) => {
    const path = join(dir, 'users.parquet');
    const published = async () => parquet(dir).published?.('users');
    assert.equal(await published(), []);
    await tableOf(dir, {}, []);
    assert.equal(await published(), []);
    await tableOf(dir, {}, ['{}']);
    assert.equal(await published(), [path]);
    for (const [content, expected] of [
      ['', []],
      ['x', [path]],
      ['another file', [path]],
    ] as const) {
      writeFileSync(path, content);
      assert.equal(await published(), expected);
    }
    rmSync(path);
    mkdirSync(path);
    await rejection(published, 'ERR_SINK', /cannot inspect/);
  }),
);

test(
  'a sink that has ended says so by its own name',
  inFolder(async (dir) => {
    const sink = parquet(dir);
    await sink.close();
    await rejection(sink.open?.('users', 'job'), 'ERR_SINK', /^the parquet sink is closed/);
  }),
);

testWhere(pythonMissing)(
  'pyarrow and DuckDB read every value of random items back',
  inFolder((dir) => readBackByPython(dir, firstSeed + 1000, 20)),
);

test(
  'the largest and smallest numbers of each digit count are exact',
  inFolder(async (dir) => {
    const texts = Array.from({ length: 38 }, (_, index) => '9'.repeat(index + 1)).flatMap((nines) => [
      nines,
      `-${nines}`,
    ]);
    const { rows } = await tableOf(
      dir,
      {},
      texts.map((text) => `{"a":${text}}`),
    );
    assert.equal(
      rows.map(({ a }) => a),
      texts,
    );
  }),
);

type NumberCase = readonly [text: string, digits: number, scale: number, isInt64: boolean, unscaled: number | bigint];

/** The last column: the number times 10 to the power of 3. */
const numberCases: readonly NumberCase[] = [
  ['0', 0, 0, true, 0],
  ['-0.50', 2, 2, false, -500],
  ['007', 1, 0, true, 7000],
  ['1.5', 2, 1, false, 1500],
  ['1E+5', 6, 0, false, 100000000n],
  ['-12e-1', 2, 1, false, -1200n],
  ['0e7', 0, 0, false, 0n],
  ['0e-7', 0, 0, false, 0n],
  ['123456789012345678.5', 19, 1, false, 123456789012345678500n],
  ['-1234567890123456', 16, 0, true, -1234567890123456000n],
  ['-9223372036854775808', 19, 0, true, -9223372036854775808000n],
  ['9223372036854775808', 19, 0, false, 9223372036854775808000n],
  ['1234567890123456789012345678901', 31, 0, false, 1234567890123456789012345678901000n],
];

for (const [text, digits, scale, isInt64, unscaled] of numberCases) {
  test(`the digits of ${text}, also at the end of the bytes`, () => {
    const number = new NumberReader();
    const source = Buffer.from(text);
    assert.is(number.read(source, 0), text.length);
    assert.equal([number.digits, number.scale], [digits, scale]);
    assert.is(number.isInt64(source, 0, text.length), isInt64);
    assert.is(number.unscaled(3, source, 0, text.length), unscaled);
  });
}

test('values with one hash are distinguished by their bytes and lengths', () => {
  const dictionary = new Dictionary(4);
  const source = Buffer.from('abcabdab');
  assert.equal(
    [
      dictionary.place(source, 0, 3, 7),
      dictionary.place(source, 3, 6, 7),
      dictionary.place(source, 6, 8, 7),
      dictionary.place(source, 0, 3, 7),
      dictionary.place(source, 3, 6, 7),
    ],
    [0, 1, 2, 0, 1],
  );
  assert.is(dictionary.take().toString('latin1'), '\x03\0\0\0abc\x03\0\0\0abd\x02\0\0\0ab');
  assert.is(new Dictionary(0).length(), 0);
  assert.is(hashOf(source, 0, 2), hashOf(source, 6, 8));
});

test('a run of places beyond 8 bits has two bytes for its value', () => {
  const written = (value: number, bits: number) => {
    const out = createBytes(16);
    writeHybrid(new Int32Array(20).fill(value), 20, bits, out);
    return [...out.take().subarray(0, out.length)];
  };
  assert.equal(written(300, 9), [40, 300 & 0xff, 1]);
  assert.equal(written(200, 8), [40, 200]);
});

test.run();
