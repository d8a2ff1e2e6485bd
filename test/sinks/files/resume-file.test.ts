/**
 * Files of an interrupted run: a resume continues those that are as the run left them, and refuses others by name.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { type Earlier, guaranteeOf, type Sink } from '../../../sinks/contract.js';
import { csv } from '../../../sinks/csv/csv.js';
import { all } from '../../../sinks/decorators/fan-out.js';
import { through } from '../../../sinks/decorators/through.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import { continueOutputFile, type OpenFile } from '../../../sinks/files/output-file.js';
import { nullSink } from '../../../sinks/null.js';
import { parquet } from '../../../sinks/parquet/parquet.js';
import { stdout } from '../../../sinks/stdout.js';
import { type Exact, fromPlain, isObject } from '../../../src/core/json/exact.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { digestOf } from '../../../src/core/util/digest.js';
import { posixMissing, testWhere } from '../../where.js';
import { diskFull, withWrite } from '../disk.js';
import { calm, filesIn, inFolder, pageEnd, rejection } from '../lib.js';
import { readParquet } from '../parquet/read.js';

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
async function interrupted(sink: Sink): Promise<Exact> {
  await sink.resume?.({ ...known, phase: 'writing', checkpoints: new Map() });
  await sink.open?.('users', 'job');
  await sink.write(first, calm);
  const checkpoint = await commit(sink);
  await sink.write(second, calm);
  await sink.abort(new Error('interrupted'));
  return checkpoint;
}

test(
  'what came behind the checkpoint is cut off, a torn last line too, and the counts go on',
  inFolder(async (dir) => {
    const checkpoint = await interrupted(ndjson(dir));
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
    const checkpoint = await interrupted(ndjson(dir));
    const sink = ndjson(dir);
    await sink.resume?.(earlier(checkpoint));
    await sink.write(second, calm);
    await sink.rollback?.('users');
    assert.equal(await commit(sink), checkpoint);
    await sink.abort(new Error('interrupted again'));
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
      const checkpoint = await interrupted(ndjson(dir));
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
    await sink.abort(new Error('interrupted'));
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
    const checkpoint = await interrupted(make());
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
  'a checkpoint waits for what was taken before it, and reports a write that failed',
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
  'a pipe in place of the file is refused at once, though no one is at its other end',
  inFolder(async (dir) => {
    const checkpoint = await interrupted(ndjson(dir));
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

/** Each data type has a member of its own, so that a file with another header shows. */
const itemOf = (dataType: string, id: number) => ({ [`of_${Buffer.from(dataType).toString('hex')}`]: id });

/** Begins a run with a page of each data type, and is interrupted. */
async function namedOff(sink: Sink, dataTypes: readonly string[]): Promise<ReadonlyMap<string, Exact>> {
  await sink.resume?.({ ...known, phase: 'writing', checkpoints: new Map() });
  const checkpoints = new Map<string, Exact>();
  for (const dataType of dataTypes) {
    await sink.open?.(dataType, 'job');
    await sink.write(batchOf(dataType, [itemOf(dataType, 1)]), calm);
    checkpoints.set(dataType, await commit(sink, dataType));
  }
  await sink.abort(new Error('interrupted'));
  return checkpoints;
}

/** Resumes, writes another page of each, and publishes. */
async function goOn(sink: Sink, checkpoints: ReadonlyMap<string, Exact>): Promise<void> {
  await sink.resume?.({ ...known, phase: 'writing', checkpoints });
  for (const dataType of checkpoints.keys()) {
    await sink.open?.(dataType, 'job');
    await sink.write(batchOf(dataType, [itemOf(dataType, 2)]), calm);
    await commit(sink, dataType);
  }
  await sink.close();
}

/** A checkpoint as earlier versions wrote it, also within that of another sink. */
const unnamed = (checkpoint: Exact): Exact =>
  isObject(checkpoint)
    ? new Map([...checkpoint].flatMap(([name, value]) => (name === 'name' ? [] : [[name, unnamed(value)] as const])))
    : checkpoint;

/** The sinks for files, and their readers: each item is one member with its text. */
const kinds = {
  ndjson: {
    create: (dir: string) => ndjson(dir),
    read: async (path: string) => readLines(path).map((line) => Object.entries(JSON.parse(line))),
  },
  csv: {
    create: (dir: string) => csv(dir),
    read: async (path: string) => {
      const [header, ...rows] = readLines(path);
      return rows.map((row) => [[header, row]]);
    },
  },
  parquet: {
    create: (dir: string) => parquet(dir),
    read: async (path: string) => (await readParquet(path)).rows.map((row) => Object.entries(row)),
  },
} as const;

const readLines = (path: string): readonly string[] => readFileSync(path, 'utf8').trimEnd().split(/\r?\n/);

for (const [kind, { create, read }] of Object.entries(kinds)) {
  const assertFiles = async (dir: string, names: Readonly<Record<string, string>>) => {
    assert.equal(Object.keys(filesIn(dir)).sort(), Object.values(names).sort());
    for (const [dataType, name] of Object.entries(names)) {
      const items = (await read(join(dir, name))).map((entries) => entries.map((each) => each.map(String)));
      const [member = ''] = Object.keys(itemOf(dataType, 1));
      assert.equal(items, [[[member, '1']], [[member, '2']]], name);
    }
  };

  test(
    `${kind}: each file keeps its name in a resume, in whatever order its data types come`,
    inFolder(async (dir) => {
      const checkpoints = await namedOff(create(dir), ['caf\u00e9', 'cafe\u0301', '顧客データ']);
      await goOn(create(dir), new Map([...checkpoints].reverse()));
      await assertFiles(dir, {
        'caf\u00e9': `caf\u00e9.${kind}`,
        'cafe\u0301': `caf\u00e9-${digestOf('cafe\u0301').slice(0, 8)}.${kind}`,
        顧客データ: `顧客データ.${kind}`,
      });
    }),
  );

  test(
    `${kind}: a run that an earlier version began goes on under its names: nothing is lost, twice or in another column`,
    inFolder(async (dir) => {
      const checkpoints = await namedOff(create(dir), ['顧客', 'users', '注文']);
      const second = `__-${digestOf('注文').slice(0, 8)}`;
      renameSync(join(dir, `顧客.${kind}.partial`), join(dir, `__.${kind}.partial`));
      renameSync(join(dir, `注文.${kind}.partial`), join(dir, `${second}.${kind}.partial`));
      await goOn(create(dir), new Map([...checkpoints].map(([dataType, at]) => [dataType, unnamed(at)])));
      await assertFiles(dir, { 顧客: `__.${kind}`, users: `users.${kind}`, 注文: `${second}.${kind}` });
    }),
  );
}

test(
  'a name in a checkpoint that leads elsewhere is refused',
  inFolder(async (dir) => {
    const checkpoints = await namedOff(ndjson(dir), ['users']);
    const at = unnamed(checkpoints.get('users') ?? null);
    for (const name of ['../users', 'a/b', 'a\\b', '.users', '', 7]) {
      const changed = new Map([['users', new Map([...(isObject(at) ? at : []), ['name', fromPlain(name)]])]]);
      const resume = () => ndjson(dir).resume?.({ ...known, phase: 'writing', checkpoints: changed });
      await rejection(() => resume(), 'ERR_RESUME', /no valid name of a file/);
    }
  }),
);

test(
  'where the file system refuses letters beyond ASCII, the name has none, with a notice, and a resume finds it',
  inFolder(async (dir) => {
    const notices: string[] = [];
    const refusing: OpenFile = async (path, flags) => {
      if (!/^[ -~]*$/.test(path)) throw Object.assign(new Error('illegal byte sequence'), { code: 'EILSEQ' });
      return open(path, flags);
    };
    const options = { openFile: refusing, notify: ({ message }: Notice) => void notices.push(message) };
    const checkpoints = await namedOff(ndjson(dir, options), ['顧客', 'users']);
    assert.match(notices.join(), /^"顧客" is written to ".*__\.ndjson", because the file system takes no letters/);
    await goOn(ndjson(dir, options), checkpoints);
    const linesIn = Object.entries(filesIn(dir)).map(([name, text]) => [name, text.split('\n').length - 1]);
    assert.equal(Object.fromEntries(linesIn), { '__.ndjson': 2, 'users.ndjson': 2 });
  }),
);

test.run();
