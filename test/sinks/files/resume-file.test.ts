/**
 * Files of an interrupted run: a resume continues those that are as the run left them, and refuses others by name.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { type Earlier, guaranteeOf, type Sink } from '../../../sinks/contract.js';
import { all } from '../../../sinks/decorators/fan-out.js';
import { through } from '../../../sinks/decorators/through.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import { continueOutputFile } from '../../../sinks/files/output-file.js';
import { nullSink } from '../../../sinks/null.js';
import { stdout } from '../../../sinks/stdout.js';
import { type Exact, fromPlain } from '../../../src/core/json/exact.js';
import { posixMissing, testWhere } from '../../where.js';
import { diskFull, withWrite } from '../disk.js';
import { calm, filesIn, inFolder, pageEnd, rejection } from '../lib.js';

const known = { run: 'r', epoch: 1, isStored: true };

async function commit(sink: Sink, dataType = 'users'): Promise<Exact> {
  return (await sink.commit?.(pageEnd(dataType), calm)) ?? null;
}

const first = batchOf('users', [{ id: 1 }, { id: 2 }]);
const second = batchOf('users', [{ id: 3 }]);
const third = batchOf('users', [{ id: 4 }]);

const withFailingWrite = withWrite(() => () => Promise.reject(diskFull));

const earlier = (checkpoint: Exact, phase: Earlier['phase'] = 'writing'): Earlier => ({
  ...known,
  phase,
  checkpoints: new Map([['users', checkpoint]]),
});

/** Writes the first batch, takes the checkpoint, writes the second and ends as a run that failed. */
async function brokenOff(sink: Sink): Promise<Exact> {
  await sink.resume?.({ ...known, phase: 'writing', checkpoints: new Map() });
  await sink.open?.('users', 'job');
  await sink.write(first, calm);
  const checkpoint = await commit(sink);
  await sink.write(second, calm);
  await sink.abort(new Error('broken off'));
  return checkpoint;
}

test(
  'what came behind the checkpoint is cut off, a torn last line too, and the counts go on',
  inFolder(async (dir) => {
    const checkpoint = await brokenOff(ndjson(dir));
    appendFileSync(join(dir, 'users.ndjson.partial'), '{"id":');
    const sink = ndjson(dir);
    await sink.resume?.(earlier(checkpoint));
    await sink.open?.('users', 'job');
    await sink.write(third, calm);
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': '{"id":1}\n{"id":2}\n{"id":4}\n' });
    assert.equal(sink.summary?.(), [{ dataType: 'users', name: join(dir, 'users.ndjson'), items: 3, bytes: 27 }]);
  }),
);

test(
  'a page of a run that goes on can be taken back, and its checkpoint is that of the file',
  inFolder(async (dir) => {
    const checkpoint = await brokenOff(ndjson(dir));
    const sink = ndjson(dir);
    await sink.resume?.(earlier(checkpoint));
    await sink.write(second, calm);
    await sink.rollback?.('users');
    assert.equal(await commit(sink), checkpoint);
    await sink.abort(new Error('broken off again'));
    const again = ndjson(dir);
    await again.resume?.(earlier(checkpoint));
    await again.close();
    assert.equal(filesIn(dir), { 'users.ndjson': '{"id":1}\n{"id":2}\n' });
  }),
);

const changes = [
  { what: 'is missing', change: (path: string) => rmSync(path), says: /it is missing$/ },
  {
    what: 'is shorter',
    change: (path: string) => writeFileSync(path, '{"id":1}\n'),
    says: /it has 9 bytes, expected 18$/,
  },
  {
    what: 'differs',
    change: (path: string) => writeFileSync(path, '{"id":1}\n{"id":5}\n{"id":3}\n'),
    says: /its first 18 bytes were modified$/,
  },
];

for (const { what, change, says } of changes) {
  test(
    `a file that ${what} is refused by its name, and left as it is`,
    inFolder(async (dir) => {
      const checkpoint = await brokenOff(ndjson(dir));
      change(join(dir, 'users.ndjson.partial'));
      const before = filesIn(dir);
      const sink = ndjson(dir);
      const refusal = await rejection(() => sink.resume?.(earlier(checkpoint)), 'ERR_RESUME', says);
      assert.match(refusal.message, /^".*users\.ndjson\.partial" does not match the checkpoint/);
      await sink.abort(refusal);
      assert.equal(filesIn(dir), before);
    }),
  );
}

test(
  'an earlier checkpoint may be asked for when a later one did not hold',
  inFolder(async (dir) => {
    const sink = ndjson(dir);
    await sink.resume?.({ ...known, phase: 'writing', checkpoints: new Map() });
    await sink.write(first, calm);
    const one = await commit(sink);
    await sink.write(second, calm);
    const two = await commit(sink);
    await sink.abort(new Error('broken off'));
    const next = ndjson(dir);
    await next.resume?.(earlier(two));
    await next.resume?.(earlier(one));
    await next.write(third, calm);
    await next.close();
    assert.equal(filesIn(dir), { 'users.ndjson': '{"id":1}\n{"id":2}\n{"id":4}\n' });
  }),
);

test(
  'publishing goes on: what has its name already is left alone',
  inFolder(async (dir) => {
    const orders = batchOf('orders', [{ id: 9 }]);
    const sink = ndjson(dir);
    await sink.resume?.({ ...known, phase: 'writing', checkpoints: new Map() });
    for (const batch of [first, orders]) await sink.write(batch, calm);
    const checkpoints = new Map<string, Exact>();
    for (const dataType of ['users', 'orders']) checkpoints.set(dataType, await commit(sink, dataType));
    await sink.abort(new Error('killed between two renames'));
    renameSync(join(dir, 'users.ndjson.partial'), join(dir, 'users.ndjson'));

    await rejection(() => ndjson(dir).resume?.({ ...known, phase: 'writing', checkpoints }), 'ERR_RESUME', /missing/);
    const next = ndjson(dir);
    await next.resume?.({ ...known, phase: 'publishing', checkpoints });
    for (const dataType of ['users', 'orders']) await next.open?.(dataType, 'job');
    assert.equal(await commit(next), checkpoints.get('users'));
    await next.close();
    assert.equal(filesIn(dir), { 'orders.ndjson': '{"id":9}\n', 'users.ndjson': '{"id":1}\n{"id":2}\n' });
    assert.equal(
      next.summary?.().map(({ items, unfinished }) => [items, unfinished]),
      [
        [2, undefined],
        [1, undefined],
      ],
    );
  }),
);

test(
  'several sinks get each its own checkpoint back, and promise what the weakest does',
  inFolder(async (dir) => {
    const make = () => all([ndjson(join(dir, 'a')), nullSink()]);
    const checkpoint = await brokenOff(make());
    const sink = make();
    assert.is(guaranteeOf(sink), 'exactly once');
    await sink.resume?.(earlier(checkpoint));
    await sink.write(third, calm);
    await sink.close();
    assert.equal(filesIn(join(dir, 'a')), { 'users.ndjson': '{"id":1}\n{"id":2}\n{"id":4}\n' });
    assert.equal(
      sink.summary?.().map(({ items }) => items),
      [3, 3],
    );
    assert.is(guaranteeOf(all([ndjson(dir), stdout()])), 'at least once');
    assert.is(guaranteeOf(through(ndjson(dir))), 'exactly once');
    assert.is(through(stdout()).recovery, undefined);
  }),
);

test(
  'a checkpoint that is none is refused',
  inFolder(async (dir) => {
    for (const value of [null, fromPlain({ items: 1, bytes: -1, crc: 0 }), fromPlain({ items: 1 })]) {
      await rejection(
        () => ndjson(dir).resume?.(earlier(value)),
        'ERR_RESUME',
        /checkpoint is not that of an NDJSON file/,
      );
    }
  }),
);

test(
  'a checkpoint waits for what was taken before it, and tells of a write that failed',
  inFolder(async (dir) => {
    const sink = ndjson(dir, { openFile: withFailingWrite });
    await sink.resume?.({ ...known, phase: 'writing', checkpoints: new Map() });
    await sink.write(first, calm);
    await rejection(() => commit(sink), 'ERR_SINK', /no space left/);
    await rejection(() => sink.close(), 'ERR_SINK', /no space left/);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': '' });
  }),
);

testWhere(posixMissing)(
  'a pipe in place of the file is refused at once, though nobody is at its other end',
  inFolder(async (dir) => {
    const checkpoint = await brokenOff(ndjson(dir));
    const path = join(dir, 'users.ndjson.partial');
    rmSync(path);
    spawnSync('mkfifo', [path]);
    await rejection(
      ndjson(dir).resume?.(earlier(checkpoint)),
      'ERR_SINK',
      /^cannot read ".*partial": it is not a regular file$/,
    );
    await rejection(continueOutputFile(path, 0), 'ERR_SINK', /^cannot open ".*partial": it is not a regular file$/);
  }),
);

test.run();
