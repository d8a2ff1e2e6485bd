/** A run that asks only for what is new warns of each sink that replaces the output of the run before. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { csv } from '../../../sinks/csv/csv.js';
import { all, duckdb, memory, ndjson, postgres, routes, type Sink, s3, tables } from '../../../sinks/index.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { memoryStore } from '../../checkpoint/memory-store.js';
import { inFolder } from '../../sinks/lib.js';
import { failure } from '../../support/failure.js';
import { type RowsApi, rowsApi, rowsConfiguration } from '../rows-api.js';

const onRows = (use: (api: RowsApi, dir: string) => Promise<void>) =>
  inFolder(async (dir) => {
    const api = await rowsApi();
    api.rows = [{ id: 1, updated: '2026-01-01' }];
    try {
      await use(api, dir);
    } finally {
      await api.close();
    }
  });

/** The sinks that a run warns of. */
async function warned(
  origin: string,
  to: Sink,
  more: RunOptions = { store: memoryStore() },
): Promise<readonly unknown[]> {
  const notices: Notice[] = [];
  const notify = (notice: Notice) => void notices.push(notice);
  await run(rowsConfiguration(origin, {}), { to, notify, ...more });
  return notices.filter(({ code }) => code === 'only-new').map(({ message }) => /^"([^"]*)"/.exec(message)?.[1]);
}

test(
  'files that are replaced are named, and files that are added are not',
  onRows(async ({ origin }, dir) => {
    const out = join(dir, 'out');
    assert.equal(await warned(origin, ndjson(out)), [`ndjson:${out}`]);
    assert.equal(await warned(origin, tables(out)), [`tables:${out}`]);
    assert.equal(await warned(origin, ndjson(out, { mode: 'append' })), []);
    assert.equal(await warned(origin, memory()), []);
    assert.equal(await warned(origin, all([csv(out), memory(), csv(join(out, 'b'))])), [`csv:${out}`, `csv:${out}/b`]);
  }),
);

test(
  'a run without a state, and one that asks for everything, give no warning; strict makes it an error before a request',
  onRows(async (api, dir) => {
    const to = () => ndjson(join(dir, 'out'));
    assert.equal(await warned(api.origin, to(), {}), []);
    assert.equal(await warned(api.origin, to(), { store: memoryStore(), full: true }), []);
    api.takeTargets();
    const strict = run(rowsConfiguration(api.origin, {}), { to: to(), store: memoryStore(), strict: true });
    const { code, message } = await failure(strict);
    assert.is(code, 'ERR_STRICT');
    assert.match(message, 'mode=append');
    assert.equal(api.takeTargets(), []);
  }),
);

test(
  'a sink that does not get the data type of the job is not named',
  onRows(async ({ origin }, dir) => {
    const [rows, others] = [ndjson(join(dir, 'rows')), ndjson(join(dir, 'others'))];
    const to = routes([{ to: rows, dataTypes: ['rows'] }, { to: others }]);
    assert.equal(await warned(origin, to), [`ndjson:${join(dir, 'rows')}`]);
  }),
);

test('of tables and objects only those with mode=replace replace their output', () => {
  const modes = ['replace', 'append', 'merge', 'mirror', 'history'] as const;
  const keyOf = (mode: (typeof modes)[number]) => (mode === 'replace' || mode === 'append' ? {} : { key: 'id' });
  for (const mode of modes) {
    const isReplacing = mode === 'append' || mode === 'merge' ? undefined : mode === 'replace';
    assert.is(duckdb({ file: 'x.db', mode, ...keyOf(mode) }).replacesOutput?.('users'), isReplacing, mode);
    assert.is(
      postgres({ server: 'x', database: 'y', mode, ...keyOf(mode) }).replacesOutput?.('users'),
      isReplacing,
      mode,
    );
  }
  const keys = { accessKeyId: 'a', secretAccessKey: 'secret-b' };
  assert.is(s3({ bucket: 'lake', ...keys }).replacesOutput?.('users'), true);
  assert.is(s3({ bucket: 'lake', ...keys, mode: 'append' }).replacesOutput, undefined);
});

test.run();
