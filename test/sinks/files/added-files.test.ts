/** `mode=append`: each run adds files of its own; each item is in them once, whatever is interrupted and resumed. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { checkSink } from '../../../sinks/conformance.js';
import type { Earlier, Sink } from '../../../sinks/contract.js';
import { csv } from '../../../sinks/csv/csv.js';
import { type NdjsonOptions, ndjson } from '../../../sinks/files/ndjson.js';
import { parquet } from '../../../sinks/parquet/parquet.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { systemError, withWrite } from '../disk.js';
import { aMinute, calm, earlierOf, filesIn, inFolder, pageEnd, rejection } from '../lib.js';
import { readParquet } from '../parquet/read.js';

const noon = Date.UTC(2026, 10, 26, 12);
const mark = '20261126T120000Z';

const begun = async (sink: Sink, part: Partial<Earlier> = {}): Promise<Sink> => {
  await sink.resume?.(earlierOf({ startedAt: noon, run: 'run-a', ...part }));
  await sink.open?.('users', 'job');
  return sink;
};

async function addPage(sink: Sink, items: readonly unknown[], dataType = 'users'): Promise<Exact> {
  await sink.write(batchOf(dataType, items), calm);
  return (await sink.commit?.(pageEnd(dataType, { count: items.length }), calm)) ?? null;
}

/** The files of a data type in order: published ones, else those that were not. */
function filesOf(dir: string, dataType: string): readonly string[] {
  const names = readdirSync(dir).filter((name) => name.startsWith(`${dataType}.`));
  const published = names.filter((name) => !name.endsWith('.partial'));
  return (published.length > 0 ? published : names).sort().map((name) => join(dir, name));
}

const textOf = (path: string): string =>
  (path.includes('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString();

const kinds: readonly (NdjsonOptions & { readonly name: string })[] = [
  { name: 'plain files' },
  { name: 'parts', rotateBytes: 300 },
  { name: 'compressed parts', compress: 'gzip', rotateBytes: 300 },
];

for (const { name, ...options } of kinds) {
  test(
    `${name}: keep every rule of the contract`,
    inFolder(async (dir) => {
      const openFile = withWrite(() => async () => {
        throw systemError('EIO', -5);
      });
      const checks = await checkSink(
        () => ndjson(dir, { mode: 'append', ...options }),
        async (dataType) => filesOf(dir, dataType).map(textOf).join('').split('\n').slice(0, -1),
        { tooLong: aMinute, failing: () => ndjson(join(dir, 'failing'), { mode: 'append', ...options, openFile }) },
      );
      assert.equal(
        checks.filter(({ outcome }) => outcome === 'fail'),
        [],
      );
    }),
  );
}

test(
  'parquet and csv: an interrupted run that continues adds each item once, beside the files of earlier runs',
  inFolder(async (dir) => {
    const makes = { csv: () => csv(dir, { mode: 'append' }), parquet: () => parquet(dir, { mode: 'append' }) };
    for (const make of Object.values(makes)) {
      const before = await begun(make());
      await addPage(before, [{ id: 1 }]);
      await before.close();
      const first = await begun(make(), { run: 'run-b', startedAt: noon + 1000 });
      const checkpoint = await addPage(first, [{ id: 2 }]);
      await addPage(first, [{ id: 3, late: true }]);
      await first.abort(undefined);
      const checkpoints = new Map([['users', checkpoint]]);
      const second = await begun(make(), { run: 'run-b', startedAt: noon + 1000, epoch: 2, checkpoints });
      await addPage(second, [{ id: 4 }]);
      await second.close();
    }
    const [csvA = '', csvB = '', parquetA = '', parquetB = ''] = [
      ...filesOf(dir, 'users').filter((path) => path.endsWith('.csv')),
      ...filesOf(dir, 'users').filter((path) => path.endsWith('.parquet')),
    ];
    assert.equal([textOf(csvA), textOf(csvB)], ['id\r\n1\r\n', 'id\r\n2\r\n4\r\n']);
    const rows = [...(await readParquet(parquetA)).rows, ...(await readParquet(parquetB)).rows];
    assert.equal(
      rows.map(({ id }) => Number(id)),
      [1, 2, 4],
    );
  }),
);

test(
  'the files of a run have its start and its name, and earlier ones stay as they are',
  inFolder(async (dir) => {
    for (const [run, at] of [
      ['z', noon],
      ['a', noon + 1000],
    ] as const) {
      const sink = await begun(ndjson(dir, { mode: 'append' }), { run, startedAt: at });
      assert.is(sink.published, undefined, 'it replaces nothing');
      await addPage(sink, [{ run }]);
      await sink.close();
    }
    assert.equal(filesIn(dir), {
      [`users.${mark}-z.000001.ndjson`]: '{"run":"z"}\n',
      'users.20261126T120001Z-a.000001.ndjson': '{"run":"a"}\n',
    });
  }),
);

test(
  'a data type without items has no file and no line in the summary',
  inFolder(async (dir) => {
    const sink = await begun(ndjson(dir, { mode: 'append' }));
    await sink.open?.('orders', 'job');
    await addPage(sink, [{ id: 1 }], 'orders');
    await sink.write(batchOf('users', [{ id: 2 }]), calm);
    await sink.rollback?.('users');
    await sink.close();
    assert.equal(Object.keys(filesIn(dir)), [`orders.${mark}-run-a.000001.ndjson`]);
    assert.equal(
      sink.summary?.().map(({ dataType, items, unfinished }) => ({ dataType, items, unfinished })),
      [{ dataType: 'orders', items: 1, unfinished: undefined }],
    );
  }),
);

test(
  'a publication that was interrupted between two files is completed, and published again changes nothing',
  inFolder(async (dir) => {
    const sink = await begun(ndjson(dir, { mode: 'append' }));
    await sink.open?.('orders', 'job');
    const checkpoints = new Map([
      ['users', await addPage(sink, [{ id: 1 }])],
      ['orders', await addPage(sink, [{ id: 2 }], 'orders')],
    ]);
    await sink.abort(undefined);
    const path = join(dir, `users.${mark}-run-a.000001.ndjson`);
    renameSync(`${path}.partial`, path);
    for (const epoch of [2, 3]) {
      const again = await begun(ndjson(dir, { mode: 'append' }), { epoch, phase: 'publishing', checkpoints });
      await again.open?.('orders', 'job');
      await again.close();
      assert.equal(filesIn(dir), {
        [`orders.${mark}-run-a.000001.ndjson`]: '{"id":2}\n',
        [`users.${mark}-run-a.000001.ndjson`]: '{"id":1}\n',
      });
      assert.equal(
        again.summary?.().map(({ items }) => items),
        [1, 1],
      );
    }
  }),
);

test(
  'a run removes the temporary files of those that it replaces, and of no others',
  inFolder(async (dir) => {
    for (const run of ['gone', 'other']) {
      const left = await begun(ndjson(dir, { mode: 'append', rotateBytes: 10 }), { run });
      await addPage(left, [{ id: 1 }, { id: 2 }]);
      await left.abort(undefined);
    }
    writeFileSync(join(dir, `users.${mark}-gone.000003.ndjson`), 'published\n');
    writeFileSync(join(dir, 'gone.partial'), 'of somebody else\n');
    const sink = await begun(ndjson(dir, { mode: 'append', rotateBytes: 10 }), {
      run: 'new',
      replaces: ['gone', 'older'],
    });
    await sink.close();
    assert.equal(Object.keys(filesIn(dir)), [
      'gone.partial',
      `users.${mark}-gone.000003.ndjson`,
      `users.${mark}-other.000001.ndjson.partial`,
      `users.${mark}-other.000002.ndjson.partial`,
    ]);
  }),
);

test(
  'a run whose folder is not there yet replaces others without an error, and one that is a file is refused',
  inFolder(async (dir) => {
    const sink = await begun(ndjson(join(dir, 'new'), { mode: 'append' }), { replaces: ['gone'] });
    await addPage(sink, [1]);
    await sink.close();
    writeFileSync(join(dir, 'file'), '');
    const refused = ndjson(join(dir, 'file'), { mode: 'append' });
    const resume = () => refused.resume?.(earlierOf({ replaces: ['gone'] }));
    await rejection(resume, 'ERR_SINK', /cannot read the directory/);
  }),
);

test(
  'a long data type, and a run without a known start, have names that file systems allow',
  inFolder(async (dir) => {
    const long = 'x'.repeat(300);
    const sink = ndjson(dir, { mode: 'append', compress: 'gzip' });
    await sink.resume?.(earlierOf({ run: 'a/b' }));
    await addPage(sink, [1], long);
    await sink.close();
    const [name = ''] = readdirSync(dir);
    assert.match(name, /^x{160}-[0-9a-f]{8}\.a_b\.000001\.ndjson\.gz$/);
    assert.ok(`${mark}-`.length + `${name}.partial`.length + 13 <= 255);
  }),
);

test('an address has the mode, and standard output has none', () => {
  assert.is(sinkFromUri('ndjson:out?mode=append').published, undefined);
  assert.type(sinkFromUri('csv:out').published, 'function');
  assert.throws(() => sinkFromUri('ndjson:-?mode=append'), /standard output cannot be/);
  assert.throws(() => sinkFromUri('parquet:out?mode=merge'), /mode/);
});

test.run();
