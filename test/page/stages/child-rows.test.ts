import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ResponseFilter } from '../../../src/config/children/response-filter.js';
import { createRow, type Row } from '../../../src/config/children/row.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { fromPlain, stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { instancesOf, noBindings } from '../../../src/job/instances.js';
import { createRows, type RowBuffer, type Rows } from '../../../src/page/row-buffer.js';
import { childRows } from '../../../src/page/stages/child-rows.js';
import { attemptOf, slabOf, stageOf, withTemporaryFiles } from '../lib.js';

const rowsOf = (paths: readonly string[], memoryBytes?: number, responseFilter: ResponseFilter = []): RowBuffer =>
  createRows({ paths, responseFilter, ...(memoryBytes === undefined ? {} : { memoryBytes }) });

/** The values at a path in order; `undefined` where there is none. */
async function valuesAt(rows: Rows, path: string): Promise<readonly (string | undefined)[]> {
  const values: (string | undefined)[] = [];
  for await (const row of rows.all()) values.push(show(row, path));
  return values;
}

function show(row: Row, path: string): string | undefined {
  const value = row.at(path);
  return value === undefined ? undefined : stringifyExact(value);
}

const slabs = [slabOf({ id: 1 }, { id: 'two' }), slabOf({ id: [3] }), slabOf({ x: 4 }), slabOf({ id: null })];
const ids = ['1', '"two"', '[3]', undefined, 'null'];

for (const [memoryBytes, files] of [
  [1000, 0],
  [20, 1],
  [0, 1],
] as const) {
  test(
    `returns the rows in order, any number of times, with ${memoryBytes} bytes in memory`,
    withTemporaryFiles(async (list) => {
      const rows = rowsOf(['id'], memoryBytes);
      for (const slab of slabs) await rows.add(slab);
      assert.is(list().filter((name) => name.endsWith('held')).length, files);
      assert.is(rows.count, 5);
      assert.equal(await valuesAt(rows, 'id'), ids);
      assert.equal(await Promise.all([valuesAt(rows, 'id'), valuesAt(rows, 'id')]), [ids, ids]);
      await rows.clear();
      assert.equal(list(), [], 'cleared, the file is gone');
      assert.is(rows.count, 0);
      assert.equal(await valuesAt(rows, 'id'), []);
    }),
  );
}

test('keeps the requested values and nothing else', async () => {
  const rows = rowsOf(['a.b', '.', 'none']);
  await rows.add(slabOf({ a: { b: 1, c: 2 }, d: 3 }));
  for await (const row of rows.all()) {
    assert.equal(
      ['a.b', '.', 'none', 'd', 'a'].map((path) => show(row, path)),
      ['1', '{"a":{"b":1,"c":2},"d":3}', undefined, undefined, undefined],
    );
  }
});

test(
  'dropped values need no space',
  withTemporaryFiles(async (list) => {
    const rows = rowsOf(['id'], 100);
    for (let id = 0; id < 10; id++) await rows.add(slabOf({ id, text: 'x'.repeat(10_000) }));
    assert.equal(list(), []);
    await rows.clear();
  }),
);

test('numbers keep their text', async () => {
  const rows = rowsOf(['id', 'f']);
  const bytes = Buffer.from('{"id":12345678901234567890,"f":1.00}\n');
  await rows.add({ bytes, offsets: Uint32Array.of(0, bytes.length), count: 1 });
  assert.equal([await valuesAt(rows, 'id'), await valuesAt(rows, 'f')], [['12345678901234567890'], ['1.00']]);
});

test('an absent value still knows the nearest path', async () => {
  const rows = rowsOf(['ID']);
  await rows.add(slabOf({ id: 1 }));
  for await (const row of rows.all()) {
    const placeholder = { name: 'p', level: 1, path: 'ID' };
    assert.throws(
      () => instancesOf([placeholder], [row], noBindings, { secrets: { add: () => undefined, isSecret: () => false } }),
      /no value at "ID"; did you mean "id"\?/,
    );
  }
});

const filtered: ResponseFilter = [{ text: 'a', segments: [{ name: 'a', each: false }] }];
const perElement: ResponseFilter = [{ text: 'a[]', segments: [{ name: 'a', each: true }] }];

test('rows are seen after the response filter', async () => {
  const rows = rowsOf(['a', 'a.b'], undefined, filtered);
  await rows.add(slabOf({ a: { b: 1 } }));
  assert.equal(await valuesAt(rows, 'a'), ['"{\\"b\\":1}"']);
  assert.equal(await valuesAt(rows, 'a.b'), [undefined]);
});

test('a row that does not fit the filter is not handed to the sink', async () => {
  const { calls, write } = stageOf(childRows({ paths: ['id'], responseFilter: perElement }));
  try {
    await write(slabOf({ a: 1 }));
    assert.unreachable();
  } catch (thrown) {
    assert.is(thrown instanceof ExtractError && thrown.code, 'ERR_FILTER');
  }
  assert.equal(calls, []);
});

test(
  'rows are forgotten when their page is rolled back, and can be added anew',
  withTemporaryFiles(async (list) => {
    const stage = childRows({ paths: ['id'], responseFilter: [], memoryBytes: 0 });
    const { calls, write, rollback, report } = stageOf(stage);
    await write(slabOf({ id: 1 }, { id: 2 }));
    await rollback();
    assert.equal([list(), report().rows?.count], [[], 0]);
    await write(slabOf({ id: 3 }));
    const { rows } = report();
    assert.equal(rows && (await valuesAt(rows, 'id')), ['3']);
    assert.equal(calls, ['write 2', 'rollback', 'write 1']);
    await rows?.clear();
  }),
);

test(
  'each page has its own rows, and a failed attempt leaves none',
  withTemporaryFiles(async (list) => {
    const { begin, write, report, discard } = stageOf(childRows({ paths: ['id'], responseFilter: [], memoryBytes: 0 }));
    await write(slabOf({ id: 1 }));
    const { rows: first } = report();
    begin(attemptOf());
    await write(slabOf({ id: 2 }));
    assert.equal(first && (await valuesAt(first, 'id')), ['1']);
    await first?.clear();
    assert.is(list().filter((name) => name.endsWith('held')).length, 1);
    await discard();
    assert.equal(list(), []);
  }),
);

test(
  'can be cleared while rows are read, which then end',
  withTemporaryFiles(async (list) => {
    const rows = rowsOf(['id'], 0);
    for (const slab of slabs) await rows.add(slab);
    const seen: unknown[] = [];
    for await (const row of rows.all()) {
      seen.push(show(row, 'id'));
      await rows.clear();
    }
    assert.equal(seen, ['1', '"two"'], 'what had been read from the file');
    assert.equal(list(), []);
  }),
);

test(
  'keeps its file to its owner',
  withTemporaryFiles(async (list) => {
    const rows = rowsOf(['id'], 0);
    await rows.add(slabOf({ id: 1 }));
    for (const name of list()) assert.is(statSync(join(tmpdir(), name)).mode & 0o077, 0, name);
    await rows.clear();
  }),
);

test('a kept row answers like the complete row at its paths', async () => {
  const word = fc.constantFrom('a', 'b', 'aa', '0', '1', '');
  const path = fc.array(word, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('.'));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 1.5, 'é\n', ''),
      fc.array(tie('tree'), { maxLength: 2 }),
      fc.dictionary(word, tie('tree'), { maxKeys: 3 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(tree, { maxLength: 3 }), fc.uniqueArray(path, { maxLength: 4 }), async (items, paths) => {
      const rows = rowsOf(paths);
      await rows.add(slabOf(...items));
      const whole = items.map((item) => createRow(parseExact(stringifyExact(fromPlain(item)))));
      let at = 0;
      for await (const row of rows.all()) {
        for (const each of paths) {
          assert.is(show(row, each), show(whole[at] ?? createRow(null), each));
          assert.is(row.nearest(each), whole[at]?.nearest(each));
        }
        at++;
      }
      assert.is(at, items.length);
    }),
    { numRuns: 300 },
  );
});

test.run();
