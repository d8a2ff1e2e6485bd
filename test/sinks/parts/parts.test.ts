/** Parts in a folder: the rules of the kit, the manifest, and what a killed or suspended process leaves. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { checkSink } from '../../../sinks/conformance.js';
import type { Earlier, Sink } from '../../../sinks/contract.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import { parts, partsInS3 } from '../../../sinks/parts/parts-sink.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { systemError, withWrite } from '../disk.js';
import { aMinute, calm, earlierOf, inFolder, pageEnd, rejection } from '../lib.js';
import { manifestIn, readParts } from './lib.js';

const failures = (checks: Awaited<ReturnType<typeof checkSink>>) =>
  checks.filter(({ outcome }) => outcome === 'fail').map(({ name, reason }) => `${name}: ${reason}`);

test(
  'keeps every rule',
  inFolder(async (dir) => {
    const openFile = withWrite(() => async () => {
      throw systemError('EIO', -5);
    });
    const failing = () => parts(join(dir, 'failing'), { openFile });
    const checks = await checkSink(
      () => parts(dir),
      async (dataType) => readParts(dir, dataType),
      {
        tooLong: aMinute,
        failing,
      },
    );
    assert.equal(failures(checks), []);
  }),
);

test(
  'keeps every rule while it gathers',
  inFolder(async (dir) => {
    const read = async (dataType: string) => {
      const path = join(dir, `${dataType}.ndjson`);
      return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    };
    const make = () => parts(join(dir, 'parts'), { gather: ndjson(dir) });
    const checks = await checkSink(make, read, { tooLong: aMinute });
    assert.equal(failures(checks), []);
  }),
);

const run = 'run-0000-0000-00';

async function begin(sink: Sink, part: Partial<Earlier> = {}): Promise<Sink> {
  await sink.resume?.(earlierOf({ run, ...part }));
  for (const dataType of ['users', 'orders']) await sink.open?.(dataType, 'job');
  return sink;
}

/** Writes and commits a page. Resolves to the checkpoint. */
async function addPage(sink: Sink, dataType: string, page: number, items: readonly unknown[]): Promise<Exact> {
  await sink.write(batchOf(dataType, items, { run, page, job: 'job' }), calm);
  return (await sink.commit?.(pageEnd(dataType, { run, page }), calm)) ?? null;
}

async function pull(sink: Sink, items: readonly unknown[], part: Partial<Earlier> = {}): Promise<Sink> {
  await begin(sink, part);
  if (items.length > 0) await addPage(sink, 'users', 0, items);
  await sink.close();
  return sink;
}

test(
  'a run without a state writes parts and a manifest, and replaces those of the run before',
  inFolder(async (dir) => {
    const first = await pull(parts(dir), [1, 2], { isStored: false });
    assert.equal(readParts(dir, 'users'), ['1', '2']);
    assert.equal(first.summary?.(), [
      { dataType: 'users', name: join(dir, 'manifest.json'), items: 2, bytes: 4 },
      { dataType: 'orders', name: join(dir, 'manifest.json'), items: 0, bytes: 0 },
    ]);
    assert.equal(readdirSync(dir).sort(), ['manifest.json', run]);
    await pull(parts(dir), [3], { run: 'second' });
    assert.equal(readParts(dir, 'users'), ['3']);
    assert.equal(readdirSync(dir).sort(), ['manifest.json', 'second']);
    assert.equal(readdirSync(join(dir, 'second', 'all')).sort(), ['1.users.ndjson', '1.users.pages']);
  }),
);

test(
  'a data type that a run does not have, or keeps, stays in the manifest',
  inFolder(async (dir) => {
    await pull(parts(dir), [1]);
    const other = parts(dir);
    await other.resume?.(earlierOf({ run: 'other' }));
    await other.open?.('logs', 'logs');
    await addPage(other, 'logs', 0, ['a']);
    await other.close();
    assert.equal([readParts(dir, 'users'), readParts(dir, 'logs')], [['1'], ['"a"']]);
    const empty = await begin(parts(dir), { run: 'empty' });
    assert.equal(await empty.published?.('users'), [`"users" in ${join(dir, 'manifest.json')}`]);
    assert.equal(await empty.published?.('orders'), []);
    await empty.close({ keep: new Set(['users']) });
    assert.equal(readParts(dir, 'users'), ['1']);
    assert.ok(empty.summary?.().some(({ dataType, kept }) => dataType === 'users' && kept === true));
    await pull(parts(dir), [], { run: 'last' });
    assert.equal(readParts(dir, 'users'), []);
    assert.equal(readdirSync(dir).sort(), ['manifest.json', 'other']);
  }),
);

test(
  'a run that fails publishes nothing: without a state its parts are removed, with one they stay',
  inFolder(async (dir) => {
    for (const [isStored, left] of [
      [false, []],
      [true, [run]],
    ] as const) {
      const sink = await begin(parts(dir), { isStored });
      await addPage(sink, 'users', 0, [1]);
      assert.equal(sink.summary?.()[0], {
        dataType: 'users',
        name: join(dir, run),
        items: 1,
        bytes: 2,
        unfinished: true,
      });
      await sink.abort(new Error('failed'));
      assert.equal(readdirSync(dir), left);
    }
    await pull(parts(dir), [2], { run: 'next', replaces: [run] });
    assert.equal(readdirSync(dir).sort(), ['manifest.json', 'next']);
    await parts(dir).abort(new Error('never begun'));
    await rejection(() => parts(dir).durable?.(), 'ERR_SINK', /the parts sink is closed/);
    assert.equal(parts(dir).summary?.(), []);
  }),
);

test(
  'a publisher that was suspended replaces nothing that another one has published',
  inFolder(async (dir) => {
    await pull(parts(dir), [1], { run: 'before' });
    const old = await begin(parts(dir));
    await addPage(old, 'users', 0, ['old']);
    await pull(parts(dir), [2], { run: 'later' });
    await rejection(() => old.close(), 'ERR_RESUME', /manifest.json" was replaced by another process meanwhile/);
    assert.equal(readParts(dir, 'users'), ['2']);
    const [one, two] = [await begin(parts(dir), { run: 'same' }), await begin(parts(dir), { run: 'same', epoch: 2 })];
    await addPage(two, 'users', 0, [3]);
    await two.close();
    await rejection(() => one.close(), 'ERR_RESUME', /was replaced by another process/);
    assert.equal(readParts(dir, 'users'), ['3']);
  }),
);

test(
  'a part of a process that may still write, or has left more than counts, is copied',
  inFolder(async (dir) => {
    const first = await begin(parts(dir), { member: 'J0' });
    const at = await addPage(first, 'users', 0, [1]);
    const second = await begin(parts(dir), { member: 'J0', epoch: 2, checkpoints: new Map([['users', at]]) });
    const checkpoint = await addPage(second, 'users', 1, [2]);
    await addPage(first, 'users', 1, ['not in the journal']);
    await second.leave?.();
    const members = new Map([['J0', new Map([['users', checkpoint]])]]);
    const last = await begin(parts(dir), { members, phase: 'publishing' });
    await last.close();
    assert.equal(readParts(dir, 'users'), ['1', '2']);
    const files = manifestIn(dir)?.dataTypes.flatMap(({ parts: all }) => all.flatMap((part) => part.files));
    assert.equal(files, [`${run}/publish/1.J0.1.users.ndjson`, `${run}/J0/2.users.ndjson`]);
    await first.abort(new Error('it wakes up'));
    assert.equal(readParts(dir, 'users'), ['1', '2']);
    const again = await begin(parts(dir), { members, phase: 'publishing', epoch: 2 });
    assert.equal(again.summary?.()[0]?.items, 2);
    await again.close();
    assert.is(manifestIn(dir)?.run, run);
  }),
);

test(
  'parts that have changed, or are not there, are published by nothing',
  inFolder(async (dir) => {
    const begun = async () => {
      const sink = await begin(parts(dir, { gather: ndjson(join(dir, 'out')) }), { isStored: false });
      await addPage(sink, 'users', 0, ['a'.repeat(600_000), 1]);
      await sink.durable?.();
      return sink;
    };
    const file = join(dir, run, 'all', '1.users.ndjson');
    const changes: readonly (readonly [RegExp, () => void])[] = [
      [
        /has changed since it was written: its digest is another one/,
        () => writeFileSync(file, readFileSync(file, 'utf8').replace('aa', 'ab')),
      ],
      [/it has 3 bytes of 600005/, () => writeFileSync(file, '12\n')],
      [/it is missing. All processes of a run need the same folder/, () => rmSync(file)],
      [/cannot read ".*1.users.pages": no such file/, () => rmSync(file.replace('.ndjson', '.pages'))],
    ];
    for (const [message, change] of changes) {
      const sink = await begun();
      change();
      const error = await rejection(() => sink.close(), 'ERR_SINK', message);
      await sink.abort(error);
      rmSync(join(dir, run), { recursive: true, force: true });
      assert.is(manifestIn(dir), undefined);
    }
  }),
);

test(
  'a resume needs parts that are whole, and the checkpoint of this sink',
  inFolder(async (dir) => {
    const first = await begin(parts(dir));
    const at = await addPage(first, 'users', 0, [1]);
    await first.abort(new Error('killed'));
    const resume = (checkpoint: Exact, part: Partial<Earlier> = {}) =>
      begin(parts(dir), { epoch: 2, checkpoints: new Map([['users', checkpoint]]), ...part });
    for (const other of ['{', '[{}]', '[{"path":"../x/y"}]', null, [null]]) {
      await rejection(resume(other), 'ERR_RESUME', /not one of parts: give the --to of the first run/);
    }
    writeFileSync(join(dir, run, 'all', '1.orders.ndjson'), 'of a page that does not count\n');
    await (await resume(at)).abort(new Error('killed'));
    assert.equal(readdirSync(join(dir, run, 'all')).sort(), ['1.users.ndjson', '1.users.pages']);
    const twice = await resume(at);
    await twice.resume?.(earlierOf({ run, epoch: 2, checkpoints: new Map([['users', at]]) }));
    await addPage(twice, 'users', 1, [2]);
    await twice.close();
    assert.equal(readParts(dir, 'users'), ['1', '2']);
    const third = await begin(parts(dir), { member: 'J0' });
    await addPage(third, 'users', 0, [1]);
    for (const [name, message] of [
      [join('J0', '2.users.ndjson'), /2.users.ndjson"/],
      [join('J0', '3.users.pages'), /3.users.pages"/],
    ] as const) {
      mkdirSync(join(dir, run, name));
      const sink = await begin(parts(dir), { member: 'J0', epoch: Number(name.charAt(3)) });
      await rejection(() => addPage(sink, 'users', 0, [1]), 'ERR_SINK', message);
      await sink.abort(new Error('failed'));
    }
    mkdirSync(join(dir, run, 'publish', '1.J0.1.users.ndjson'), { recursive: true });
    writeFileSync(join(dir, run, 'J0', '1.users.ndjson'), '1\n2\n');
    const members = new Map([['J0', new Map([['users', String(at).replace('/all/', '/J0/')]])]]);
    const last = await begin(parts(dir), { members });
    await rejection(() => last.close(), 'ERR_SINK', /cannot copy ".*1.users.ndjson"/);
    await last.abort(new Error('failed'));
    await third.abort(new Error('failed'));
    writeFileSync(join(dir, run, 'all', '1.users.ndjson'), '');
    await rejection(resume(at), 'ERR_RESUME', /does not match the checkpoint: it has 0 bytes, expected 2/);
    rmSync(join(dir, run), { recursive: true });
    await rejection(resume(at), 'ERR_RESUME', /does not match the checkpoint: it is missing/);
    writeFileSync(join(dir, run), 'no folder');
    await rejection(resume(at), 'ERR_SINK', /cannot read ".*1.users.ndjson": .*\(ENOTDIR\)/);
    await rejection(begin(parts(dir), { epoch: 2 }), 'ERR_SINK', /cannot read the directory ".*": .*\(ENOTDIR\)/);
  }),
);

test(
  'another file than a manifest is not replaced',
  inFolder(async (dir) => {
    const manifest = { format: 'rxtract-parts', version: 1 };
    for (const [text, message] of [
      ['{"name":"app"}', /cannot replace ".*manifest.json": it is not a manifest of parts/],
      ['3', /it is not a manifest/],
      ['null', /it is not a manifest/],
      ['no JSON', /it is not a manifest/],
      [JSON.stringify({ ...manifest, version: 2 }), /another version of rxtract has written it/],
      [JSON.stringify({ ...manifest, dataTypes: [null] }), /it has been changed/],
      [
        JSON.stringify({ ...manifest, dataTypes: [{ dataType: 'a', run, parts: [{ path: '/etc/x' }] }] }),
        /been changed/,
      ],
    ] as const) {
      writeFileSync(join(dir, 'manifest.json'), text);
      await rejection(begin(parts(dir)), 'ERR_SINK', message);
    }
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
    await pull(parts(dir), [1], { startedAt: 0 });
    await pull(parts(join(dir, 'x'), { gather: ndjson(dir) }), [1], { startedAt: 0 });
    const again = await begin(parts(join(dir, 'x'), { gather: ndjson(dir) }), { phase: 'publishing', epoch: 2 });
    assert.equal(again.summary?.()[0], { dataType: 'users', name: join(dir, 'users.ndjson'), items: 1, bytes: 2 });
    await again.close();
    assert.equal(readParts(dir, 'users'), ['1']);
    rmSync(join(dir, 'manifest.json'));
    mkdirSync(join(dir, 'manifest.json'));
    await rejection(begin(parts(dir)), 'ERR_SINK', /cannot read ".*manifest.json"/);
  }),
);

test(
  'file names are those of all systems, with a notice',
  inFolder(async (dir) => {
    const notices: string[] = [];
    const sink = parts(dir, { notify: ({ code, message }) => void notices.push(`${code}: ${message}`) });
    await sink.resume?.(earlierOf({ run: 'a/b' }));
    await addPage(sink, 'nul', 0, [1]);
    await addPage(sink, 'a/b', 0, [2]);
    await sink.close();
    assert.match(notices.join(), /^file-name: the parts of "nul" are named "nul-\w{8}": Windows reserves its name$/);
    assert.equal(
      readdirSync(join(dir, 'a_b', 'all')).filter((name) => name.startsWith('1.a')),
      ['1.a_b.ndjson', '1.a_b.pages'],
    );
  }),
);

test('options are checked before anything is opened', async () => {
  const bad = (uri: string, message: RegExp) => rejection(async () => sinkFromUri(uri), 'ERR_USAGE', message);
  await bad('parts:s3://lake/raw', /an object store is parts\+s3:\/\/, as in parts\+s3:\/\/lake\/parts/);
  await bad('parts:out?gather=null:', /gather: "null:" is not gathered into: expected ndjson:, csv:/);
  await bad('parts:out?gather=stdout:', /gather: "stdout:" is not gathered into/);
  await bad('parts:out?gather=parts:x', /is not gathered into/);
  await bad('parts:out?gather=cvs:x', /unknown sink "cvs:x".*did you mean "csv"/);
  await bad('parts:out?gather=csv:x%3Fdelimeter=;', /delimeter.*did you mean "delimiter"/);
  await bad('parts:out?gather=', /gather/);
  assert.is(sinkFromUri('parts:out?gather=csv:x').name, 'parts:out?gather=csv:x');
  assert.is(sinkFromUri('parts:out?gather=csv:x%3Fmode=append').published, undefined);
  assert.equal(
    ['parts:out', 'parts:out?gather=csv:x'].map((uri) => sinkFromUri(uri).replacesOutput?.('users')),
    [true, true],
  );
  const env = { SECRET: 'S3cr3t-value' };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of an address.
  const hidden = sinkFromUri('parts:out?gather=s3://KEY:${SECRET}@lake/raw', { env });
  assert.ok(hidden.secrets?.includes('S3cr3t-value'));
  assert.ok(sinkFromUri('parts:out?gather=s3://KEY:plain-S3cr3t@lake/raw').secrets?.includes('plain-S3cr3t'));
  assert.type(hidden.check, 'function');
  const text = 'csv:out' as unknown as Sink; // a caller in JavaScript
  await rejection(
    async () => partsInS3({ bucket: 'lake', gather: text }),
    'ERR_USAGE',
    /expected a sink in code, such/,
  );
  await rejection(async () => partsInS3({ bucket: 'lake', gather: 3 as unknown as Sink }), 'ERR_USAGE', /a sink/);
  const inCode = partsInS3({ bucket: 'lake', prefix: 'a', gather: ndjson('out') });
  assert.is(inCode.name, 'parts+s3://lake/a/?gather=ndjson:out');
});

test.run();
