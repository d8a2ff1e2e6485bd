/** CSV files: values, columns that come later, rollbacks, resumes, and readers that are not ours. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { checkSink } from '../../../sinks/conformance.js';
import type { Sink } from '../../../sinks/contract.js';
import { csv } from '../../../sinks/csv/csv.js';
import type { CsvOptions } from '../../../sinks/csv/csv-options.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { type Exact, isObject } from '../../../src/core/json/exact.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { testWhere } from '../../where.js';
import { systemError, withWrite } from '../disk.js';
import { aMinute, calm, filesIn, inFolder, pageEnd, rejection } from '../lib.js';
import { batchOfTexts, pulled, stored } from '../table-runs.js';

/** The file of batches, each of them a page. */
async function written(dir: string, options: CsvOptions, ...pages: readonly (readonly string[])[]): Promise<string> {
  const sink = csv(dir, options);
  await sink.open?.('users', 'job');
  for (const texts of pages) {
    await sink.write(batchOfTexts(texts), calm);
    await sink.commit?.(pageEnd('users'), calm);
  }
  await sink.close();
  return readFileSync(join(dir, 'users.csv'), 'utf8');
}

const cases: readonly [what: string, options: CsvOptions, items: readonly string[], rows: readonly string[]][] = [
  [
    'numbers keep every digit',
    {},
    ['{"id":12345678901234567890,"x":-1.50e+10}'],
    ['id,x', '12345678901234567890,-1.50e+10'],
  ],
  [
    'texts are quoted where they must be',
    {},
    ['{"a":"x,y","b":"q\\"q","c":"l\\nl","d":"é"}'],
    ['a,b,c,d', '"x,y","q""q","l\nl",é'],
  ],
  [
    'null is empty, an empty text is quoted',
    {},
    ['{"a":null,"b":"","c":true,"d":false}'],
    ['a,b,c,d', ',"",true,false'],
  ],
  ['nested values are JSON', {}, ['{"a":{"b":"c"},"d":[1,"x"],"e":{}}'], ['a,d,e', '"{""b"":""c""}","[1,""x""]","{}"']],
  [
    'nested=dot makes columns',
    { nested: 'dot' },
    ['{"a":{"b":1,"c":{"d":2}},"e":{}}', '{"a":{"c":{"d":3}}}'],
    ['a.b,a.c.d,e', '1,2,"{}"', ',3,'],
  ],
  ['an item that is no object', {}, ['7', '"x"', '[1]'], ['data', '7', 'x', '"[1]"']],
  ['another delimiter', { delimiter: ';' }, ['{"a":"x,y","b;":"x;y"}'], ['a;"b;"', 'x,y;"x;y"']],
  ['a byte order mark', { bom: true }, ['{"a":1}'], ['\ufeffa', '1']],
  [
    'formulas',
    { escape: 'formulas' },
    ['{"=a":"=1+1","b":"-x","c":-1,"d":"\'q","e":"a=b","f":"@\\n"}'],
    ["'=a,b,c,d,e,f", "'=1+1,'-x,-1,''q,a=b,\"'@\n\""],
  ],
  ['members in another order', {}, ['{"a":1,"b":2}', '{"b":3,"a":4}', '{"b":5}'], ['a,b', '1,2', '4,3', ',5']],
  ['one column with nothing in it', {}, ['{"a":1}', '{"a":null}', '{}'], ['a', '1', '""', '""']],
  ['a name with an escape is the same name', {}, ['{"n\\u0061":1}', '{"na":2}'], ['na', '1', '2']],
  ['a member that comes twice: the last', {}, ['{"a":1,"a":2}'], ['a', '2']],
  ['control characters', {}, ['{"a":"\\u0000\\t"}'], ['a', '\u0000\t']],
];

for (const [what, options, items, rows] of cases) {
  test(
    what,
    inFolder(async (dir) => {
      const expected = rows.map((row) => `${row}\r\n`).join('');
      assert.is(await written(dir, options, items), expected);
      const twice = await written(dir, options, items, items);
      assert.is(twice, [...rows, ...rows.slice(1)].map((row) => `${row}\r\n`).join(''), 'the same rows again');
      const single = items.map((item) => [item]);
      assert.is(await written(dir, options, ...single), expected, 'the same, page by page');
    }),
  );
}

test(
  'columns that come later: earlier rows are filled, and the summary has the size of the final file',
  inFolder(async (dir) => {
    const sink = csv(dir);
    for (const text of ['{"a":"x\\r\\ny"}', '{}', '{"b":1}', '{"a":2,"c":3}'])
      await sink.write(batchOfTexts([text]), calm);
    await sink.close();
    assert.equal(filesIn(dir), { 'users.csv': 'a,b,c\r\n"x\r\ny",,\r\n,,\r\n,1,\r\n2,,3\r\n' });
    const size = statSync(join(dir, 'users.csv')).size;
    assert.equal(sink.summary?.(), [
      { dataType: 'users', name: join(dir, 'users.csv'), items: 4, bytes: 40, columns: 3, size },
    ]);
  }),
);

test(
  'members that are missing, in another order, repeated or new: each value is in its column',
  inFolder(async (dir) => {
    const items = [
      ...['{"a":1,"b":"2","c":[3]}', '{"b":2}', '{"a":1,"c":3}', '{}', '{"c":3,"a":1}', '{"a":1,"a":2}'],
      ...['{"b":1,"d":4}', '{"d":null,"a":"\\u0061,"}'],
    ];
    const expected = ['a,b,c,d', '1,2,"[3]",', ',2,,', '1,,3,', ',,,', '1,,3,', '2,,,', ',1,,4', '"a,",,,'];
    assert.is(await written(dir, {}, items), `${expected.join('\r\n')}\r\n`);
    assert.is(await written(dir, {}, ...items.map((item) => [item])), `${expected.join('\r\n')}\r\n`);
  }),
);

test(
  'without items a file is empty',
  inFolder(async (dir) => assert.is(await written(dir, { bom: true }), '')),
);

test(
  'a rollback removes rows and columns',
  inFolder(async (dir) => {
    const sink = csv(dir);
    await sink.write(batchOfTexts(['{"a":1}']), calm);
    await sink.commit?.(pageEnd('users'), calm);
    await sink.write(batchOfTexts(['{"b":2}']), calm);
    await sink.rollback?.('users');
    await sink.write(batchOfTexts(['{"c":3}']), calm);
    await sink.close();
    assert.is(readFileSync(join(dir, 'users.csv'), 'utf8'), 'a,c\r\n1,\r\n,3\r\n');
  }),
);

test(
  'two members that would be one column are an error that names both',
  inFolder(async (dir) => {
    const sink = csv(dir, { nested: 'dot' });
    const write = async () => sink.write(batchOfTexts(['{"a.b":1,"a":{"b":2}}']), calm);
    const message =
      /two members of "users" would be the column "a\.b": "a\.b" and "a" > "b"\. Rename one with --select/;
    await rejection(write, 'ERR_SINK', message);
    await sink.abort(new Error('a failure'));
  }),
);

test(
  'half of a surrogate pair becomes U+FFFD, with one warning',
  inFolder(async (dir) => {
    const notices: Notice[] = [];
    const notify = (notice: Notice) => void notices.push(notice);
    const text = await written(dir, { notify }, ['{"a":"x\\ud800y","b":"\\ud83d\\ude00"}', '{"a":"\\udc00"}']);
    assert.is(text, 'a,b\r\nx\ufffdy,😀\r\n\ufffd,\r\n');
    assert.equal(
      notices.map(({ level, code }) => `${level} ${code}`),
      ['warning lone-surrogate'],
    );
  }),
);

const faults: readonly [uri: string, message: RegExp][] = [
  ['csv:out?delimiter=;;', /delimiter: expected one character such as , ; \| or a tab, found ";;"/],
  ['csv:out?delimiter=a', /delimiter: expected one character/],
  ['csv:out?bom=yes', /^csv: bom: expected true or false, found "yes"$/],
  ['csv:out?nested=dots', /nested: expected json or dot, found "dots"; did you mean "dot"\?/],
  ['csv:out?escape=formula', /escape: expected formulas, found "formula"; did you mean "formulas"\?/],
  ['csv:out?quote=x', /unknown option "quote"/],
];

for (const [uri, message] of faults) {
  test(`explains what is wrong with ${uri}`, () => rejection(() => sinkFromUri(uri), 'ERR_USAGE', message).then());
}

test(
  'an address has the options',
  inFolder(async (dir) => {
    const sink = sinkFromUri(`csv:${dir}?delimiter=%09&bom=true&nested=dot&escape=formulas`);
    await sink.write(batchOf('users', [{ a: { b: '=1' }, c: 2 }]), calm);
    await sink.close();
    assert.is(readFileSync(join(dir, 'users.csv'), 'utf8'), "\ufeffa.b\tc\r\n'=1\t2\r\n");
  }),
);

test(
  'keeps every rule of the contract',
  inFolder(async (dir) => {
    const openFile = withWrite(() => async () => {
      throw systemError('EIO', -5);
    });
    const read = async (dataType: string) => {
      const path = [`${dataType}.csv`, `${dataType}.csv.partial`].map((name) => join(dir, name)).find(existsSync);
      const rows = path === undefined ? [] : rowsIn(readFileSync(path, 'utf8'));
      return rows.slice(1).map((cells) => asItem(rows[0] ?? [], cells));
    };
    const checks = await checkSink(() => csv(dir), read, {
      tooLong: aMinute,
      failing: () => csv(join(dir, 'failing'), { openFile }),
    });
    assert.equal(
      checks.filter(({ outcome, name }) => outcome === 'fail' && name !== noNull),
      [],
    );
  }),
);

/** A cell cannot say whether a member was null or missing. */
const noNull = 'keeps every character of an item';

/** The rows of a file, by a reader of its own: an unquoted empty cell is null. */
function rowsIn(text: string): readonly (readonly (string | null)[])[] {
  const rows: (string | null)[][] = [];
  for (let at = 0; at < text.length; ) {
    const row: (string | null)[] = [];
    for (let isMore = true; isMore; ) {
      const [whole = '', quoted, plain = ''] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))/.exec(text.slice(at)) ?? [];
      row.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
      at += whole.length;
      isMore = text[at] === ',';
      at += isMore ? 1 : 2;
    }
    rows.push(row);
  }
  return rows;
}

/** The item of the kit that a row came from. */
function asItem(names: readonly (string | null)[], cells: readonly (string | null)[]): string {
  if (names.length === 1 && names[0] === 'data') return cells[0] ?? 'null';
  const textOf = (cell: string) => (/^(?:[-\d[{]|true$|false$)/.test(cell) ? cell : JSON.stringify(cell));
  const members = cells.flatMap((cell, index) =>
    cell === null ? [] : [`${JSON.stringify(names[index])}:${textOf(cell)}`],
  );
  return `{${members.join(',')}}`;
}

type Shape = Record<string, unknown>;

/** Random items: sparse members, every kind of value. */
function randomItems(seed: number, count: number): readonly Shape[] {
  const next = mulberry32(seed);
  const below = (most: number) => next() % most;
  const texts = [
    '',
    'x',
    'a,b',
    'q"q',
    'l\nl',
    '\r\n',
    '=1',
    "'",
    ' s ',
    '\u0000',
    'é😀',
    '12345678901234567890',
    '\ufeffx',
  ];
  const value = (): unknown => {
    const kind = below(8);
    if (kind === 0) return null;
    if (kind === 1) return below(2) === 0;
    if (kind === 2) return 12345678901234567890n + BigInt(below(1000));
    if (kind === 3) return below(1000) / 8;
    if (kind === 4) return { x: texts[below(texts.length)] };
    if (kind === 5) return [below(9), texts[below(texts.length)]];
    return texts[below(texts.length)];
  };
  const names = Array.from(
    { length: 3 + below(12) },
    (_, index) => ['n', 'a b', 'x,y', 'é', '"q"'][index % 5] + String(index),
  );
  return Array.from({ length: count }, (_, index) => {
    const known = names.slice(0, 2 + Math.floor((index * names.length) / count));
    const given = known.filter(() => below(3) > 0).sort(() => (below(2) === 0 ? 1 : -1));
    return Object.fromEntries(given.map((name) => [name, value()]));
  });
}

/** The cells that an item should have. */
const cellOf = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const firstSeed = Number(process.env.CSV_SEED ?? 20261122);

test(
  'random items, rollbacks, interruptions and resumes give the file of one page',
  inFolder(async (dir) => {
    console.log(`seed ${firstSeed} (set CSV_SEED for another)`);
    for (let seed = firstSeed; seed < firstSeed + 12; seed++) {
      const items = randomItems(seed, 60);
      const out = join(dir, String(seed));
      await pulled(() => csv(out), items, seed);
      const sink = csv(join(out, 'whole'));
      await sink.write(batchOf('users', items), calm);
      await sink.close();
      const text = readFileSync(join(out, 'users.csv'), 'utf8');
      assert.is(text, readFileSync(join(out, 'whole', 'users.csv'), 'utf8'), `seed ${seed}`);
      const [names = [], ...rows] = rowsIn(text);
      const expected = items.map((item) => names.map((name) => cellOf(item[name ?? ''])));
      const only = names.length === 1;
      assert.equal(rows, only ? expected.map(([cell]) => [cell ?? '']) : expected, `seed ${seed}`);
    }
  }),
);

const pythonMissing = spawnSync('python3', ['-c', 'import csv']).status === 0 ? undefined : 'python3';
const duckdbMissing =
  spawnSync('python3', ['-c', 'import duckdb']).status === 0 ? undefined : 'the package duckdb of python3';

const readWithCsv = `
import csv, json, sys
csv.field_size_limit(10**9)
print(json.dumps([[row for row in csv.reader(open(path, newline='', encoding='utf-8'))] for path in sys.argv[1:]]))
`;
const readWithDuckdb = `
import duckdb, json, sys
read = "select * from read_csv(?, header=true, delim=',', quote='\\"', escape='\\"', allow_quoted_nulls=false, auto_detect=false, columns=%s)"
found = []
for path in sys.argv[1:]:
    import csv
    names = next(csv.reader(open(path, newline='', encoding='utf-8')))
    columns = '{' + ','.join("'%s':'VARCHAR'" % name.replace("'", "''") for name in names) + '}'
    cursor = duckdb.execute(read % columns, [path])
    found.append([names] + [list(row) for row in cursor.fetchall()])
print(json.dumps(found))
`;

/** Writes files of random items, and reads them with a program: rows of texts, the first with the names. */
async function readBy(program: string, dir: string, keep: (item: Shape) => Shape, nullText: string | null) {
  const seeds = Array.from({ length: 40 }, (_, index) => firstSeed + index);
  const all = seeds.map((seed) => randomItems(seed, 25).map(keep));
  const paths = await Promise.all(
    all.map(async (items, index) => {
      const sink = csv(join(dir, String(index)));
      for (const item of items) await sink.write(batchOf('users', [item]), calm);
      await sink.close();
      return join(dir, String(index), 'users.csv');
    }),
  );
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program, ...paths], { maxBuffer: 1e9 });
  assert.is(status, 0, stderr.toString());
  const found: readonly (readonly (readonly (string | null)[])[])[] = JSON.parse(stdout.toString());
  for (const [index, [names = [], ...rows]] of found.entries()) {
    const expected = all[index]?.map((item) => names.map((name) => cellOf(item[name ?? '']) ?? nullText));
    assert.equal(rows, expected, `seed ${seeds[index]}`);
  }
}

testWhere(pythonMissing)(
  "Python's csv reads every value of 1,000 random items back",
  inFolder((dir) => readBy(readWithCsv, dir, (item) => item, '')),
);

/** DuckDB ends a text at U+0000. */
const withoutNul = (item: Shape): Shape =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => !JSON.stringify(cellOf(value)).includes('u0000')));

testWhere(duckdbMissing)(
  'DuckDB reads every value of 1,000 random items back, null and empty texts apart',
  inFolder((dir) => readBy(readWithDuckdb, dir, withoutNul, null)),
);

async function interrupted(sink: Sink): Promise<Exact> {
  await sink.resume?.({ ...stored(null, 'writing', 1), checkpoints: new Map() });
  await sink.write(batchOfTexts(['{"a":1}']), calm);
  await sink.write(batchOfTexts(['{"b":2}'], { offset: 1 }), calm);
  const checkpoint = (await sink.commit?.(pageEnd('users'), calm)) ?? null;
  await sink.abort(new Error('interrupted'));
  return checkpoint;
}

test(
  'a run that was interrupted while it published publishes the same file again, or finds it',
  inFolder(async (dir) => {
    const path = join(dir, 'users.csv');
    const checkpoint = await interrupted(csv(dir));
    const partial = readFileSync(`${path}.partial`);
    for (let round = 0; round < 2; round++) {
      const sink = csv(dir);
      await sink.resume?.(stored(checkpoint, 'publishing'));
      await sink.close();
      assert.equal(filesIn(dir), { 'users.csv': 'a,b\r\n1,\r\n,2\r\n' });
      assert.equal(sink.summary?.()[0], { dataType: 'users', name: path, items: 2, bytes: 16, columns: 2, size: 13 });
    }
    writeFileSync(`${path}.partial`, partial); // killed before it removed the file of the run
    const sink = csv(dir);
    await sink.resume?.(stored(checkpoint, 'publishing'));
    await sink.close();
    assert.equal(filesIn(dir), { 'users.csv': 'a,b\r\n1,\r\n,2\r\n' });
  }),
);

test(
  'refuses to resume with other options, another header, and another file',
  inFolder(async (dir) => {
    const path = join(dir, 'users.csv.partial');
    const checkpoint = await interrupted(csv(dir));
    const resume = (options: CsvOptions = {}) => csv(dir, options).resume?.(stored(checkpoint, 'publishing'));
    await rejection(() => resume({ bom: true }), 'ERR_RESUME', /with other options: resume with the same address/);
    renameSync(path, join(dir, 'users.csv'));
    writeFileSync(path, 'a,b\r\n1\r\n,2\r\n');
    await rejection(() => resume(), 'ERR_RESUME', /were modified|has \d+ bytes/);
    writeFileSync(path, '');
    await rejection(() => resume(), 'ERR_RESUME', /first line|does not match/);
  }),
);

test(
  'ten thousand columns, a new one in each item',
  inFolder(async (dir) => {
    const sink = csv(dir);
    const names = Array.from({ length: 10_000 }, (_, index) => `c${index}`);
    await sink.write(batchOf('users', [Object.fromEntries(names.slice(0, 9_900).map((name) => [name, 1]))]), calm);
    for (const name of names.slice(9_900)) await sink.write(batchOf('users', [{ [name]: 2 }]), calm);
    await sink.close();
    const [header = [], ...rows] = rowsIn(readFileSync(join(dir, 'users.csv'), 'utf8'));
    assert.equal(header, names);
    assert.ok(rows.every(({ length }) => length === 10_000));
    assert.is(rows.at(-1)?.at(-1), '2');
  }),
);

const sizes: readonly [what: string, options: CsvOptions, pages: readonly (readonly string[])[]][] = [
  ['no item', { bom: true }, []],
  ['one batch', {}, [['{"a":1,"b":2}', '{"a":3}']]],
  ['one column with nothing in it', {}, [['{"a":null}', '{"a":1}'], ['{}']]],
  ['items without members before the first column', {}, [['{}', '{}'], ['{"a":1}'], ['{"a":null}']]],
  ['items without members before two columns', { bom: true }, [['{}'], ['{"a":1,"b":"x\\r\\n"}'], ['{"c":1}']]],
];

for (const [what, options, batches] of sizes) {
  test(
    `the summary has the size of the final file: ${what}`,
    inFolder(async (dir) => {
      const sink = csv(dir, options);
      await sink.open?.('users', 'job');
      for (const texts of batches) await sink.write(batchOfTexts(texts), calm);
      await sink.close();
      const [found] = sink.summary?.() ?? [];
      assert.is(found?.size, statSync(join(dir, 'users.csv')).size);
    }),
  );
}

test(
  'the summary of a run that has failed has the size of the unfinished file',
  inFolder(async (dir) => {
    const sink = csv(dir);
    await sink.resume?.({ ...stored(null, 'writing', 1), checkpoints: new Map() });
    for (const text of ['{"a":1}', '{"b":2}']) await sink.write(batchOfTexts([text]), calm);
    await sink.commit?.(pageEnd('users'), calm);
    await sink.abort(new Error('interrupted'));
    const [found] = sink.summary?.() ?? [];
    assert.is(found?.unfinished, true);
    assert.is(found?.size, statSync(join(dir, 'users.csv.partial')).size);
  }),
);

/** Commits the first texts, is interrupted, and writes the others in another process. */
async function resumed(dir: string, options: CsvOptions, first: readonly string[], rest: readonly string[]) {
  const before = csv(dir, options);
  await before.resume?.({ ...stored(null, 'writing', 1), checkpoints: new Map() });
  await before.open?.('users', 'job');
  if (first.length > 0) await before.write(batchOfTexts(first), calm);
  const checkpoint = (await before.commit?.(pageEnd('users'), calm)) ?? null;
  await before.abort(new Error('interrupted'));
  const after = csv(dir, options);
  await after.resume?.(stored(checkpoint, 'writing'));
  await after.open?.('users', 'job');
  await after.write(batchOfTexts(rest, { offset: first.length }), calm);
  await after.close();
  return readFileSync(join(dir, 'users.csv'), 'utf8');
}

const resumes: readonly [what: string, options: CsvOptions, items: readonly string[], rows: readonly string[]][] = [
  ['names in quotes', {}, ['{"a,\\"b":1,"c":2}', '{"a,\\"b":3,"d":4}'], ['"a,""b",c,d', '1,2,', '3,,4']],
  [
    'names that look like formulas, with a byte order mark',
    { escape: 'formulas', bom: true },
    ['{"=a":1,"b":2}', '{"=a":3,"b":4}'],
    ["\ufeff'=a,b", '1,2', '3,4'],
  ],
  ['members of objects', { nested: 'dot' }, ['{"a":{"b":1}}', '{"a":{"b":2,"c":3}}'], ['a.b,a.c', '1,', '2,3']],
  ['another delimiter', { delimiter: '\t' }, ['{"a":1,"b\\t":2}', '{"b\\t":3}'], ['a\t"b\t"', '1\t2', '\t3']],
];

for (const [what, options, [first = '', second = ''], rows] of resumes) {
  test(
    `a resume reads the header: ${what}`,
    inFolder(async (dir) => {
      const expected = rows.map((row) => `${row}\r\n`).join('');
      assert.is(await resumed(dir, options, [first], [second]), expected);
    }),
  );
}

test(
  'a resume after a page without items begins the table',
  inFolder(async (dir) => assert.is(await resumed(dir, { bom: true }, [], ['{"a":1}']), '\ufeffa\r\n1\r\n')),
);

test(
  'refuses a checkpoint whose members are missing or of another kind, and a header with an open quote',
  inFolder(async (dir) => {
    const checkpoint = await interrupted(csv(dir));
    if (!isObject(checkpoint)) throw new Error('expected the members of a checkpoint');
    const resume = (given: Exact) => csv(dir).resume?.(stored(given, 'publishing'));
    const changed = (name: string, value: Exact) => new Map<string, Exact>([...checkpoint, [name, value]]);
    for (const [name, value] of [
      ['counts', 'x'],
      ['counts', []],
      ['segments', 'x'],
      ['segments', ['x']],
      ['later', 'x'],
    ] as const)
      await rejection(() => resume(changed(name, value)), 'ERR_RESUME', /the first line of .* does not match/);
    await rejection(() => resume('x'), 'ERR_RESUME', /with other options/);
    await rejection(() => resume(changed('file', 'x')), 'ERR_RESUME');
    writeFileSync(join(dir, 'users.csv.partial'), '"a\r\n1\r\n,2\r\n');
    await rejection(() => resume(checkpoint), 'ERR_RESUME', /were modified|has \d+ bytes/);
  }),
);

test(
  'a file that became shorter than the run has written is an error, and not a shorter table',
  inFolder(async (dir) => {
    const sink = csv(dir);
    for (const text of ['{"a":1}', '{"b":2}']) await sink.write(batchOfTexts([text]), calm);
    await sink.commit?.(pageEnd('users'), calm);
    await sink.durable?.();
    truncateSync(join(dir, 'users.csv.partial'), 5);
    await rejection(() => sink.close(), 'ERR_SINK', /write ".*users\.csv"/);
    assert.not(existsSync(join(dir, 'users.csv')));
  }),
);

test(
  'a resume reads a header of more than 64 KiB',
  inFolder(async (dir) => {
    const names = Array.from({ length: 10_000 }, (_, index) => `column${index}`);
    const item = (names: readonly string[]) => JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const [header = [], ...rows] = rowsIn(await resumed(dir, {}, [item(names)], [item([...names, 'last'])]));
    assert.equal(header, [...names, 'last']);
    assert.equal(
      rows.map((cells) => [cells.length, cells.at(-1)]),
      [
        [10_001, null],
        [10_001, '1'],
      ],
    );
  }),
);

test(
  'refuses to resume without its file, and with a checkpoint that does not say where it ends',
  inFolder(async (dir) => {
    const checkpoint = await interrupted(csv(dir));
    if (!isObject(checkpoint)) throw new Error('expected the members of a checkpoint');
    const resume = (given: Exact) => csv(dir).resume?.(stored(given, 'writing'));
    const without = new Map([...checkpoint].filter(([name]) => name !== 'file'));
    await rejection(() => resume(without), 'ERR_RESUME');
    rmSync(join(dir, 'users.csv.partial'));
    await rejection(() => resume(checkpoint), 'ERR_RESUME', /users\.csv\.partial/);
  }),
);

test(
  'a commit before the first batch is a checkpoint too, also of a data type that was not opened',
  inFolder(async (dir) => {
    const before = csv(dir);
    await before.resume?.({ ...stored(null, 'writing', 1), checkpoints: new Map() });
    const checkpoint = (await before.commit?.(pageEnd('users'), calm)) ?? null;
    await before.abort(new Error('interrupted'));
    const after = csv(dir);
    await after.resume?.(stored(checkpoint, 'writing'));
    await after.write(batchOfTexts(['{"a":1}']), calm);
    await after.close();
    assert.equal(filesIn(dir), { 'users.csv': 'a\r\n1\r\n' });
  }),
);

test(
  'a sink that has ended says so by its own name',
  inFolder(async (dir) => {
    const sink = csv(dir);
    await sink.close();
    await rejection(sink.open?.('users', 'job'), 'ERR_SINK', /^the csv sink is closed/);
  }),
);

test.run();
