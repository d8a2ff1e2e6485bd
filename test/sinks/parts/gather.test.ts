/** What the last process gathers is byte for byte what one process writes. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { inFolder } from '../lib.js';
import { bytesIn, linesOf, type ManifestFile, manifestIn, partsAt, readParts, withStore } from './lib.js';
import { pagesOf, publish, randomFrom, runAlone, runMembers } from './shared-run.js';

const seed = Number(process.env.SEED ?? Date.now() % 100_000);

const linesIn = (sink: Sink): string => (sink.summary?.() ?? []).map((output) => JSON.stringify(output)).join('\n');

const encoded = (address: string) => address.replaceAll('&', '%26');

for (const [scheme, options] of [
  ['ndjson', ''],
  ['ndjson', '?compress=gzip'],
  ['ndjson', '?rotate=20000&compress=gzip'],
  ['ndjson', '?mode=append'],
  ['csv', '?nested=dot&bom=true'],
  ['csv', '?lists=tables&nested=dot'],
  ['parquet', ''],
  ['tables', ''],
] as const) {
  test(
    `gathers into ${scheme}:${options} what one process writes (SEED=${seed})`,
    inFolder(async (dir) => {
      const pages = pagesOf(randomFrom(seed));
      const [alone, shared] = [join(dir, 'alone'), join(dir, 'shared')];
      const one = await runAlone(sinkFromUri(`${scheme}:${alone}${options}`), pages);
      const make = () => sinkFromUri(`parts:${join(dir, 'parts')}?gather=${scheme}:${encoded(`${shared}${options}`)}`);
      const members = await runMembers(make, pages, randomFrom(seed + 1));
      const last = await publish(make(), members);
      assert.equal(bytesIn(shared), bytesIn(alone));
      const withoutFolder = (text: string) => text.replaceAll(shared, alone);
      assert.equal(withoutFolder(linesIn(last)).split('\n').sort(), linesIn(one).split('\n').sort());
    }),
  );
}

test(
  `gathers into DuckDB the rows of one process (SEED=${seed})`,
  inFolder(async (dir) => {
    const pages = pagesOf(randomFrom(seed));
    const [alone, shared] = [join(dir, 'alone.db'), join(dir, 'shared.db')];
    await runAlone(sinkFromUri(`duckdb:${alone}`), pages);
    const make = () => sinkFromUri(`parts:${join(dir, 'parts')}?gather=duckdb:${shared}`);
    await publish(make(), await runMembers(make, pages, randomFrom(seed + 1)));
    assert.equal(await rowsOf(shared), await rowsOf(alone));
  }),
);

test(
  `names parts whose items are those of one process (SEED=${seed})`,
  inFolder(async (dir) => {
    const pages = pagesOf(randomFrom(seed));
    const make = () => sinkFromUri(`parts:${dir}`);
    const members = await runMembers(make, pages, randomFrom(seed + 1));
    assert.is(manifestIn(dir), undefined);
    await publish(make(), members);
    for (const dataType of ['users', 'orders', 'lines', 'empty', 'logs']) {
      const own = pages.filter((page) => page.dataType === dataType);
      const expected = own.flatMap(({ items }) => items.map((item) => JSON.stringify(item)));
      assert.equal([...readParts(dir, dataType)].sort(), expected.sort());
    }
  }),
);

test(
  `gathers objects in order (SEED=${seed})`,
  withStore(async ({ store }) =>
    inFolder(async (dir) => {
      const pages = pagesOf(randomFrom(seed));
      await runAlone(sinkFromUri(`csv:${join(dir, 'alone')}`), pages);
      const make = () =>
        partsAt(`parts+s3://lake/raw?endpoint=${store.origin}&gather=csv:${join(dir, 'shared')}`, 20_000);
      await publish(make(), await runMembers(make, pages, randomFrom(seed + 1)));
      assert.equal(bytesIn(join(dir, 'shared')), bytesIn(join(dir, 'alone')));
      const manifest = JSON.parse(store.text('lake/raw/manifest.json') ?? '') as ManifestFile;
      const lines = manifest.dataTypes.flatMap((entry) =>
        linesOf(entry, (file) => Buffer.from(store.text(`lake/raw/${file}`) ?? '')),
      );
      assert.is(lines.length, pages.flatMap(({ items }) => items).length);
    })(),
  ),
);

/** The rows of all tables, in order. */
async function rowsOf(file: string): Promise<unknown> {
  const { openDatabase } = await import('../../../sinks/duckdb/duckdb-client.js');
  const database = await openDatabase(file);
  try {
    const tables = ['users', 'orders', 'lines', 'empty', 'logs'];
    return await Promise.all(tables.map((table) => database.rows(`SELECT * FROM "${table}" ORDER BY rowid`)));
  } finally {
    database.close();
  }
}

test.run();
