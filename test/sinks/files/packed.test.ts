/** Compressed and numbered files: the same items as without, whatever is rolled back, resumed or interrupted. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { checkSink } from '../../../sinks/conformance.js';
import type { Earlier, Sink } from '../../../sinks/contract.js';
import { codecOf } from '../../../sinks/files/codec.js';
import { createFileSink } from '../../../sinks/files/file-sink.js';
import { type NdjsonOptions, ndjson } from '../../../sinks/files/ndjson.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { sourceOf } from '../../../src/core/util/byte-source.js';
import { createDecoders } from '../../../src/http/transport/decode.js';
import { zstdCoding } from '../../../src/http/transport/zstd.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { testWhere } from '../../where.js';
import { diskFull, systemError, withWrite } from '../disk.js';
import { aMinute, calm, filesIn, inFolder, pageEnd, rejection } from '../lib.js';

const zstdMissing = zstdCoding() === undefined ? 'zstd of Node' : undefined;

/** The content of a file, also of one that was not ended. */
async function unpacked(path: string): Promise<string> {
  const bytes = readFileSync(path);
  if (path.includes('.gz')) {
    return bytes.length === 0 ? '' : gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  }
  if (!path.includes('.zst')) return bytes.toString();
  const pieces: Uint8Array[] = [];
  await createDecoders()
    .decode(sourceOf([bytes]), 'zstd')
    .read((piece) => void pieces.push(piece));
  return Buffer.concat(pieces).toString();
}

/** The files of a data type, in the order of their parts: published ones, else those that were not. */
function filesOf(dir: string, dataType: string): readonly string[] {
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir).filter((name) => name.startsWith(`${dataType}.`) || name.startsWith(`${dataType}-0`));
  const published = names.filter((name) => !name.endsWith('.partial'));
  return (published.length > 0 ? published : names).sort().map((name) => join(dir, name));
}

async function linesOf(dir: string, dataType: string): Promise<readonly string[]> {
  const texts = await Promise.all(filesOf(dir, dataType).map(unpacked));
  return texts.join('').split('\n').slice(0, -1);
}

const kinds: readonly (NdjsonOptions & { readonly name: string; readonly missing?: string | undefined })[] = [
  { name: 'gzip', compress: 'gzip' },
  { name: 'zstd', compress: 'zstd', missing: zstdMissing },
  { name: 'parts', rotateBytes: 300 },
  { name: 'parts of gzip', compress: 'gzip', rotateBytes: 300 },
  { name: 'parts of zstd', compress: 'zstd', rotateBytes: 300, missing: zstdMissing },
];

for (const { name, missing, ...options } of kinds) {
  testWhere(missing)(
    `${name}: keeps every rule of the contract`,
    inFolder(async (dir) => {
      const openFile = withWrite(() => async () => {
        throw systemError('EIO', -5);
      });
      const checks = await checkSink(
        () => ndjson(dir, options),
        (dataType) => linesOf(dir, dataType),
        { tooLong: aMinute, failing: () => ndjson(join(dir, 'failing'), { ...options, openFile }) },
      );
      assert.equal(
        checks.filter(({ outcome }) => outcome === 'fail'),
        [],
      );
    }),
  );

  for (const seed of [1, 2, 3]) {
    testWhere(missing)(
      `${name}: random pages, rollbacks, interruptions and resumes leave every item once (seed ${seed})`,
      inFolder((dir) => randomRuns(dir, options, seed)),
    );
  }
}

/** A generator of numbers in [0, 1). */
function random(seed: number): () => number {
  const next = mulberry32(seed);
  return () => next() / 2 ** 32;
}

/** Writes 60 pages; a process may end after any of them. Compares the published content with what was committed. */
async function randomRuns(dir: string, options: NdjsonOptions, seed: number): Promise<void> {
  const next = random(seed);
  const isStored = seed % 3 !== 0;
  const sizes = { ...options, ...(options.rotateBytes === undefined ? {} : { rotateBytes: 40_000 }) };
  const run = { run: 'r', isStored, phase: 'writing' as const };
  const committed: string[] = [];
  let checkpoints = new Map<string, Exact>();
  let epoch = 1;
  let sink = ndjson(dir, sizes);
  await sink.resume?.({ ...run, epoch, checkpoints });
  for (let page = 0; page < 60; page++) {
    const items = Array.from({ length: Math.floor(next() * 12) + 1 }, (_, index) => ({
      page,
      index,
      text: 'x'.repeat(Math.floor(next() ** 4 * 60_000)) + next(),
    }));
    const half = Math.ceil(items.length / 2);
    await sink.write(batchOf('users', items.slice(0, half)), calm);
    const fate = next();
    if (fate < 0.2) await sink.rollback?.('users');
    else if (fate < 0.4 && isStored) {
      await sink.abort(new Error('interrupted'));
      sink = ndjson(dir, sizes);
      await sink.resume?.({ ...run, epoch: ++epoch, checkpoints });
    } else {
      if (half < items.length) await sink.write(batchOf('users', items.slice(half), { offset: half }), calm);
      const checkpoint = await sink.commit?.(pageEnd('users'), calm);
      if (checkpoint !== undefined) checkpoints = new Map([['users', checkpoint]]);
      committed.push(...items.map((item) => JSON.stringify(item)));
    }
  }
  await sink.close();
  assert.equal(await linesOf(dir, 'users'), committed);
  const onDisk = filesOf(dir, 'users').reduce((sum, path) => sum + statSync(path).size, 0);
  assert.is(sink.summary?.()[0]?.size, onDisk);
  assert.is(sink.summary?.()[0]?.items, committed.length);
  if (sizes.rotateBytes === undefined) return;
  for (const path of filesOf(dir, 'users')) {
    const text = await unpacked(path);
    assert.ok(text.length <= sizes.rotateBytes || text.indexOf('\n') === text.length - 1, `${path} is too large`);
  }
}

const first = batchOf('users', [{ id: 1 }, { id: 2 }]);
const second = batchOf('users', [{ id: 3 }]);

test(
  'without a state a gzip file of small pages is one stream, as small as one that was compressed at once',
  inFolder(async (dir) => {
    const small = (isStored: boolean) => writeSmallPages(ndjson(dir, { compress: 'gzip' }), isStored);
    await small(false);
    const stream = statSync(join(dir, 'users.ndjson.gz')).size;
    await small(true);
    const flushed = statSync(join(dir, 'users.ndjson.gz')).size;
    await writeSmallPages(ndjson(dir, {}), false);
    const ideal = gzipSync(readFileSync(join(dir, 'users.ndjson'))).length;
    assert.ok(stream < ideal * 1.02, `${stream} bytes, ${ideal} at once`);
    assert.ok(flushed < ideal * 2, `${flushed} bytes with a state, ${ideal} at once`);
  }),
);

async function writeSmallPages(sink: Sink, isStored: boolean): Promise<void> {
  const next = random(7);
  await sink.resume?.({ run: 'r', epoch: 1, isStored, phase: 'writing', checkpoints: new Map() });
  for (let page = 0; page < 500; page++) {
    const items = Array.from({ length: 10 }, (_, index) => ({
      id: page * 10 + index,
      name: `n${next()}`,
      on: next() < 0.5,
    }));
    await sink.write(batchOf('users', items), calm);
    await sink.commit?.(pageEnd('users', { page }), calm);
  }
  await sink.close();
}

test(
  'an empty output is a valid file, and does not count as earlier items',
  inFolder(async (dir) => {
    const sink = ndjson(dir, { compress: 'gzip' });
    await sink.open?.('users', 'job');
    await sink.close();
    const bytes = readFileSync(join(dir, 'users.ndjson.gz'));
    assert.is(gunzipSync(bytes).length, 0);
    assert.equal(await ndjson(dir, { compress: 'gzip' }).published?.('users'), []);
    const filled = ndjson(dir, { compress: 'gzip' });
    await filled.write(first, calm);
    await filled.close();
    assert.equal(await ndjson(dir, { compress: 'gzip' }).published?.('users'), [join(dir, 'users.ndjson.gz')]);
  }),
);

test(
  'parts of an earlier run are removed, published or not, and other files stay',
  inFolder(async (dir) => {
    const before = ndjson(dir, { rotateBytes: 9 });
    for (const batch of [first, first, second]) await before.write(batch, calm);
    await before.close();
    writeFileSync(join(dir, 'users-000009.ndjson.partial'), 'stale');
    writeFileSync(join(dir, 'users-x.ndjson'), 'other');
    const sink = ndjson(dir, { rotateBytes: 9 });
    assert.equal(await sink.published?.('users'), [join(dir, 'users-*.ndjson')]);
    await sink.write(first, calm);
    await sink.close();
    assert.equal(filesIn(dir), {
      'users-000001.ndjson': '{"id":1}\n',
      'users-000002.ndjson': '{"id":2}\n',
      'users-x.ndjson': 'other',
    });
    assert.equal(sink.summary?.(), [
      { dataType: 'users', name: join(dir, 'users-*.ndjson'), items: 2, bytes: 18, size: 18 },
    ]);
  }),
);

test(
  'an item that is larger than a part has a part of its own',
  inFolder(async (dir) => {
    const sink = ndjson(dir, { rotateBytes: 10 });
    await sink.write(batchOf('users', [1, 'a long text, longer than a part', 2, 3]), calm);
    await sink.close();
    assert.equal(Object.values(filesIn(dir)), ['1\n', '"a long text, longer than a part"\n', '2\n3\n']);
  }),
);

test(
  'batches that may not be divided end a part, and one that is larger has a part of its own',
  inFolder(async (dir) => {
    const packing = { codec: codecOf(undefined), rotateBytes: 12, keepsBatches: true };
    const { sink, partsOf } = createFileSink({ name: dir, dir, extension: '.rows', notify() {}, packing });
    const batches = [[1, 2], [3, 4, 5], [6], ['a text, longer than a part', 7], [8]];
    for (const items of batches) await sink.write(batchOf('users', items), calm);
    assert.is((await partsOf('users')).length, 3);
    await sink.close();
    const texts = ['1\n2\n3\n4\n5\n6\n', '"a text, longer than a part"\n7\n', '8\n'];
    assert.equal(Object.values(filesIn(dir)), texts);
    const paths = texts.map((_, index) => join(dir, `users-00000${index + 1}.rows`));
    assert.equal(await partsOf('users'), paths);
  }),
);

test(
  'keeps the parts of an earlier run for a data type without a place for items',
  inFolder(async (dir) => {
    const before = ndjson(dir, { rotateBytes: 9 });
    await before.write(first, calm);
    await before.close();
    const sink = ndjson(dir, { rotateBytes: 9 });
    await sink.open?.('users', 'job');
    await sink.close({ keep: new Set(['users']) });
    assert.equal(filesIn(dir), { 'users-000001.ndjson': '{"id":1}\n', 'users-000002.ndjson': '{"id":2}\n' });
  }),
);

const stored = (checkpoint: Exact, phase: Earlier['phase']): Earlier => ({
  ...{ run: 'r', epoch: 2, isStored: true, phase },
  checkpoints: new Map([['users', checkpoint]]),
});

async function interrupted(dir: string, options: NdjsonOptions): Promise<Exact> {
  const sink = ndjson(dir, options);
  await sink.resume?.({ run: 'r', epoch: 1, isStored: true, phase: 'writing', checkpoints: new Map() });
  for (const batch of [first, second]) await sink.write(batch, calm);
  const checkpoint = (await sink.commit?.(pageEnd('users'), calm)) ?? null;
  await sink.abort(new Error('interrupted'));
  return checkpoint;
}

test(
  'a run that was interrupted while it published parts publishes the rest',
  inFolder(async (dir) => {
    const checkpoint = await interrupted(dir, { rotateBytes: 9 });
    const name = (part: number) => join(dir, `users-00000${part}.ndjson`);
    renameSync(`${name(1)}.partial`, name(1));
    const sink = ndjson(dir, { rotateBytes: 9 });
    await sink.resume?.(stored(checkpoint, 'publishing'));
    await sink.close();
    assert.equal(
      Object.keys(filesIn(dir)),
      [1, 2, 3].map((part) => `users-00000${part}.ndjson`),
    );
    const again = ndjson(dir, { rotateBytes: 9 });
    await again.resume?.(stored(checkpoint, 'publishing'));
    await again.close();
    assert.equal(await linesOf(dir, 'users'), ['{"id":1}', '{"id":2}', '{"id":3}']);
    assert.is(again.summary?.()[0]?.size, 27);
  }),
);

test(
  'refuses to resume a changed part, a missing part, and files with other options',
  inFolder(async (dir) => {
    const checkpoint = await interrupted(dir, { rotateBytes: 9 });
    const part = join(dir, 'users-000001.ndjson.partial');
    const resume = (options: NdjsonOptions) => ndjson(dir, options).resume?.(stored(checkpoint, 'writing'));
    await rejection(() => resume({}), 'ERR_RESUME', /with other options: resume with the same address/);
    writeFileSync(part, '{"id":7}\n');
    await rejection(() => resume({ rotateBytes: 9 }), 'ERR_RESUME', /were modified/);
    writeFileSync(part, '{"id":1}\n{}\n');
    await rejection(() => resume({ rotateBytes: 9 }), 'ERR_RESUME', /the parts before it have 21 bytes, expected 18/);
    rmSync(part);
    await rejection(() => resume({ rotateBytes: 9 }), 'ERR_RESUME', /users-000001\.ndjson\.partial" is missing/);
  }),
);

test(
  'two runs in one directory: only the later one publishes its parts',
  inFolder(async (dir) => {
    const earlier = ndjson(dir, { rotateBytes: 9 });
    await earlier.write(first, calm);
    const later = ndjson(dir, { rotateBytes: 9 });
    await later.write(second, calm);
    await rejection(() => earlier.close(), 'ERR_SINK', /cannot publish ".*\.partial": another run has replaced it/);
    await later.close();
    assert.equal(filesIn(dir), { 'users-000001.ndjson': '{"id":3}\n' });
  }),
);

test(
  'a full disk fails the run and publishes nothing',
  inFolder(async (dir) => {
    const reported: unknown[] = [];
    const openFile = withWrite(() => () => Promise.reject(diskFull));
    const sink = ndjson(dir, { compress: 'gzip', openFile });
    await sink.open?.('users', 'job', { onFailure: (thrown) => reported.push(thrown) });
    await sink.write(first, calm);
    await rejection(() => sink.close(), 'ERR_SINK', /users\.ndjson\.gz\.partial": no space left/);
    assert.equal(Object.keys(filesIn(dir)), ['users.ndjson.gz.partial']);
    assert.is(reported.length, 1);
  }),
);

const faults: readonly [uri: string, message: RegExp][] = [
  ['ndjson:out?compress=gzp', /^ndjson: compress: expected gzip or zstd, found "gzp"; did you mean "gzip"\?$/],
  ['ndjson:out?rotate=ten', /^ndjson: rotate: expected a number of bytes, or one such as 500MB or 64MiB, found "ten"$/],
  ['ndjson:out?rotate=0', /rotate: expected a number of bytes, .* found "0"$/],
  ['ndjson:-?compress=gzip', /standard output cannot be compressed/],
];

for (const [uri, message] of faults) {
  test(`explains what is wrong with ${uri}`, () => rejection(() => sinkFromUri(uri), 'ERR_USAGE', message).then());
}

test('zstd without a Node that has it is an error that names the versions', () => {
  if (zstdMissing === undefined) return assert.type(sinkFromUri('ndjson:out?compress=zstd').write, 'function');
  return rejection(() => sinkFromUri('ndjson:out?compress=zstd'), 'ERR_USAGE', /has no zstd.*22\.15, 23\.8/).then();
});

for (const [text, bytes] of [
  ['9', 9],
  ['1KB', 1000],
  ['1kib', 1024],
  ['2MB', 2e6],
  ['1MiB', 1024 ** 2],
  ['1GB', 1e9],
] as const) {
  test(
    `rotate=${text} is ${bytes} bytes`,
    inFolder(async (dir) => {
      const sink = sinkFromUri(`ndjson:${dir}?rotate=${text}`);
      await sink.write(batchOf('users', ['x'.repeat(Math.min(bytes - 3, 1e5))]), calm);
      await sink.close();
      assert.equal(Object.keys(filesIn(dir)), ['users-000001.ndjson']);
    }),
  );
}

test.run();
