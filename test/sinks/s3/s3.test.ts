/** Objects of an object store: parts while the run goes, resumes, interrupted ends, and lost uploads. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { checkSink } from '../../../sinks/conformance.js';
import { s3 } from '../../../sinks/s3/s3.js';
import type { S3Call, S3Fault } from '../../support/fake-s3.js';
import { aMinute, calm, earlierOf, pageEnd, rejection, turns } from '../lib.js';
import { addPage, begun, itemsOf, linesOf, type Place, sinkAt, withStore } from './lib.js';

test(
  'keeps every rule of the kit',
  withStore(async ({ store, sink }) => {
    const read = async (dataType: string) => (store.text(`lake/raw/${dataType}.ndjson`) ?? '').split('\n').slice(0, -1);
    const files = async (dataType: string) => filesWith(store, `lake/raw/${dataType}.ndjson.files/`);
    const checks = await checkSink(() => sink('', { partBytes: 64 * 1024 }), read, { tooLong: aMinute, files });
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail'),
      [],
    );
    assert.is(store.uploads.size, 0, 'no upload is left');
  }),
);

test(
  'with mode=append keeps every rule of the kit',
  withStore(async ({ store, sink }) => {
    const read = async (dataType: string) =>
      [...store.objects.keys()]
        .filter((key) => key.startsWith(`lake/raw/${dataType}.`))
        .sort()
        .flatMap((key) => (store.text(key) ?? '').split('\n').slice(0, -1));
    const make = () => sink('&mode=append', { partBytes: 64 * 1024 });
    const files = async (dataType: string) => filesWith(store, `lake/raw/${dataType}.`, '.files/');
    const checks = await checkSink(make, read, { tooLong: aMinute, files });
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail'),
      [],
    );
    assert.is(store.uploads.size, 0, 'no upload is left');
  }),
);

/** The texts of objects whose keys begin so, by the last part of their keys. */
function filesWith(
  store: { readonly objects: ReadonlyMap<string, unknown>; text(key: string): string | undefined },
  start: string,
  within = '',
) {
  const keys = [...store.objects.keys()].filter((key) => key.startsWith(start) && key.includes(within));
  return new Map(keys.map((key) => [key.split('/').at(-1) ?? '', store.text(key) ?? ''] as const));
}

test(
  'a large file of an item is sent in parts, with a type of its own, before the object with the items',
  withStore(async ({ store, sink }) => {
    const order: string[] = [];
    const run = sink('&format=parquet', { partBytes: 64 * 1024 });
    await run.resume?.(earlierOf());
    await run.open?.('users', 'users', { hasFiles: true });
    const draft = await run.file?.({ ...pageEnd('users'), name: 'big.bin' });
    await draft?.begin(0);
    const content = Buffer.alloc(200_000, 'abc');
    await draft?.write(content);
    await draft?.end();
    await draft?.leave();
    const { run: of, walk } = pageEnd('users');
    await run.write(batchOf('users', [{ name: 'big.bin' }], { run: of, walk, page: 0, job: 'users', offset: 0 }), calm);
    await run.commit?.(pageEnd('users'), calm);
    store.fault = ({ path, method }) => {
      order.push(`${method} ${path}`);
      return undefined;
    };
    await run.close();
    const object = store.objects.get('lake/raw/users.parquet.files/big.bin');
    assert.is(object?.bytes.equals(content), true);
    assert.is(object?.headers['content-type'], 'application/octet-stream');
    assert.equal([...store.objects.keys()].sort(), ['lake/raw/users.parquet', 'lake/raw/users.parquet.files/big.bin']);
    assert.match(order.at(-1) ?? '', /users\.parquet/);
    assert.ok(order.filter((each) => each.includes('big.bin')).length > 4);
    assert.is(store.uploads.size, 0);
  }),
);

test(
  'with mode=append each run adds objects, an interrupted end continues, and a run without items adds none',
  withStore(async ({ store, sink }) => {
    const startedAt = Date.UTC(2026, 10, 26, 12);
    const [a, b] = ['a', 'b'].map((run) => `lake/raw/users.20261126T120000Z-${run}.000001.csv`);
    const first = await begun(sink('&mode=append&format=csv'), { run: 'a', startedAt });
    assert.is(first.published, undefined, 'it replaces nothing');
    await addPage(first, [{ id: 1 }]);
    await first.close();
    const second = await begun(sink('&mode=append&format=csv'), { run: 'b', startedAt });
    const checkpoints = new Map([['users', await addPage(second, [{ id: 2 }])]]);
    store.fault = ({ method }) => (method === 'PUT' ? { status: 403 } : undefined);
    await rejection(() => second.close(), 'ERR_SINK', /access to the bucket "lake" is denied/);
    await second.abort(undefined);
    store.fault = () => undefined;
    for (const epoch of [2, 3]) {
      const left = { run: 'b', startedAt, epoch, phase: 'publishing', checkpoints } as const;
      const again = await begun(sink('&mode=append&format=csv'), left);
      await again.close();
      assert.equal([again.summary?.()[0]?.name, again.summary?.()[0]?.items], [`s3://${b}`, 1]);
    }
    const third = await begun(sink('&mode=append&format=csv'), { run: 'c', startedAt });
    await third.close();
    assert.equal(third.summary?.(), []);
    assert.equal([...store.objects.keys()].sort(), [a, b]);
    assert.equal([store.text(a ?? ''), store.text(b ?? '')], ['id\r\n1\r\n', 'id\r\n2\r\n']);
  }),
);

test(
  'a compressed object is one member, whatever is cut off',
  withStore(async ({ store, sink }) => {
    const first = await begun(sink('&compress=gzip'));
    const at = await addPage(first, itemsOf(0, 50));
    await addPage(first, itemsOf(90, 5));
    await first.abort(undefined);
    const second = await begun(sink('&compress=gzip'), { epoch: 2, checkpoints: new Map([['users', at]]) });
    await addPage(second, itemsOf(50, 50));
    await second.close();
    const object = store.objects.get('lake/raw/users.ndjson.gz');
    assert.is(gunzipSync(object?.bytes ?? '').toString(), linesOf(itemsOf(0, 100)));
    assert.is(object?.headers['content-type'], 'application/gzip');
    assert.is(second.summary?.()[0]?.size, object?.bytes.length);
  }),
);

test(
  'lists are objects of their own, after an interruption too',
  withStore(async ({ store, sink }) => {
    const options = '&format=csv&lists=tables&key=id';
    const first = await begun(sink(options));
    const at = await addPage(first, [{ id: 1, tags: ['a', 'b'] }]);
    await addPage(first, [{ id: 9, tags: ['lost'], lost: [1] }]);
    await first.abort(undefined);
    const second = await begun(sink(options), { epoch: 2, checkpoints: new Map([['users', at]]) });
    await addPage(second, [{ id: 2, tags: ['c'] }]);
    await second.close();
    assert.equal([...store.objects.keys()].sort(), ['lake/raw/users.csv', 'lake/raw/users__tags.csv']);
    assert.is(store.text('lake/raw/users.csv'), 'id\r\n1\r\n2\r\n');
    const rows = ['users__id,tags__position,value', '1,0,a', '1,1,b', '2,0,c', ''].join('\r\n');
    assert.is(store.text('lake/raw/users__tags.csv'), rows);
    assert.equal(
      second.summary?.().map(({ dataType, items }) => [dataType, items]),
      [
        ['users', 2],
        ['users__tags', 3],
      ],
    );
  }),
);

test(
  'sends whole parts of committed pages meanwhile, and shows nothing before the end',
  withStore(async ({ store, sink, dir }) => {
    const to = await begun(sink());
    await to.write(batchOf('users', itemsOf(0, 5)), calm);
    await turns();
    assert.is(store.uploads.size, 0, 'pages that are not committed stay here');
    await to.rollback?.('users');
    await addPage(to, itemsOf(0, 5));
    await until(() => partsIn(store) === 2);
    assert.equal([...store.objects.keys()], []);
    await addPage(to, itemsOf(5, 2));
    await to.durable?.();
    await to.close();
    await to.durable?.();
    assert.is(store.text('lake/raw/users.ndjson'), linesOf(itemsOf(0, 7)));
    assert.equal(readdirSync(dir), [], 'the staged files are removed');
    const object = store.objects.get('lake/raw/users.ndjson');
    assert.is(object?.headers['content-type'], 'application/x-ndjson');
    assert.is(object?.headers['x-amz-meta-rxtract-run'], 'run-0000-0000-00');
    assert.equal([to.summary?.()].flat(), [
      { dataType: 'users', name: 's3://lake/raw/users.ndjson', items: 7, bytes: 350 },
    ]);
  }),
);

test(
  'an object of one part is one request, also an empty one',
  withStore(async ({ store, sink }) => {
    const to = await begun(sink(), { isStored: false });
    await to.open?.('none', 'job');
    await addPage(to, [1]);
    await to.close();
    assert.equal([store.text('lake/raw/users.ndjson'), store.text('lake/raw/none.ndjson')], ['1\n', '']);
    assert.equal(store.calls.filter((call) => call.startsWith('PUT')).sort(), [
      'PUT lake/raw/none.ndjson',
      'PUT lake/raw/users.ndjson',
    ]);
  }),
);

test(
  'csv is made here, with the columns that came late, and sent at the end',
  withStore(async ({ store, sink }) => {
    const to = await begun(sink('&format=csv&delimiter=;'));
    await addPage(to, [{ a: 1 }]);
    await addPage(to, [{ a: 2, b: 'x'.repeat(100) }]);
    await to.close();
    assert.is(store.text('lake/raw/users.csv'), `a;b\r\n1;\r\n2;${'x'.repeat(100)}\r\n`);
    assert.is(store.objects.get('lake/raw/users.csv')?.headers['content-type'], 'text/csv; charset=utf-8');
  }),
);

test(
  'parquet is made here and sent at the end; a file without items is no earlier output',
  withStore(async ({ store, sink }) => {
    for (const [run, count] of [
      ['first', 0],
      ['second', 5],
      ['third', 0],
    ] as const) {
      const to = await begun(sink('&format=parquet&compression=gzip&rowGroup=2'), { run });
      assert.equal(await to.published?.('users'), run === 'third' ? ['s3://lake/raw/users.parquet'] : []);
      if (count > 0) await addPage(to, itemsOf(0, count));
      await to.close();
      const object = store.objects.get('lake/raw/users.parquet');
      assert.is(object?.bytes.toString('latin1', 0, 4), 'PAR1');
      assert.is(object?.headers['content-type'], 'application/vnd.apache.parquet');
      assert.equal([to.summary?.()[0]?.items, to.summary?.()[0]?.size], [count, object?.bytes.length]);
    }
  }),
);

test(
  'a resume continues at the checkpoint, and does not send parts again that the store has',
  withStore(async ({ store, sink }) => {
    const first = await begun(sink());
    const kept = await addPage(first, itemsOf(0, 14));
    await until(() => partsIn(store) === 7);
    await addPage(first, itemsOf(100, 4));
    await until(() => partsIn(store) === 9);
    await first.abort(undefined);
    assert.match(first.summary?.()[0]?.name ?? '', /users\.ndjson\.partial$/);

    const from = store.calls.length;
    const second = await begun(sink(), { epoch: 2, checkpoints: new Map([['users', kept]]) });
    await addPage(second, itemsOf(14, 3));
    await second.close();
    assert.is(store.text('lake/raw/users.ndjson'), linesOf(itemsOf(0, 17)));
    const sent = store.calls.slice(from).filter((call) => call.includes('partNumber'));
    assert.equal(sent.map((call) => /partNumber=(\d+)/.exec(call)?.[1]).sort(), ['8', '9']);
    assert.is(second.summary?.()[0]?.items, 17);
  }),
);

test(
  'a part that was changed in the store is sent again',
  withStore(async ({ store, sink }) => {
    const first = await begun(sink());
    const kept = await addPage(first, itemsOf(0, 5));
    await until(() => partsIn(store) === 2);
    await first.abort(undefined);
    for (const { parts } of store.uploads.values()) parts.set(2, Buffer.alloc(100, 'x'));
    const second = await begun(sink(), { epoch: 2, checkpoints: new Map([['users', kept]]) });
    for (const { parts } of store.uploads.values()) parts.set(1, Buffer.alloc(100, 'y'));
    await second.close();
    assert.is(store.text('lake/raw/users.ndjson'), linesOf(itemsOf(0, 5)), 'also one that changes later');
  }),
);

test(
  'an end that was interrupted continues, and objects of the run are not sent again',
  withStore(async ({ store, sink }) => {
    const write = async (to: ReturnType<Place['sink']>) => {
      await to.resume?.(earlierOf());
      for (const dataType of ['a', 'b', 'none']) await to.open?.(dataType, 'job');
      return new Map([
        ['a', await addPage(to, itemsOf(0, 5), 'a')],
        ['b', await addPage(to, [1], 'b')],
      ]);
    };
    const first = sink();
    const checkpoints = await write(first);
    store.fault = ({ method, path }) => (method === 'PUT' && path.endsWith('b.ndjson') ? { status: 403 } : undefined);
    await rejection(() => first.close(), 'ERR_SINK', /access to the bucket "lake" is denied/);
    await first.abort(undefined);
    assert.equal(
      [store.text('lake/raw/a.ndjson'), store.text('lake/raw/b.ndjson')],
      [linesOf(itemsOf(0, 5)), undefined],
    );

    store.fault = () => undefined;
    for (const epoch of [2, 3]) {
      const from = store.calls.length;
      const next = sink();
      await next.resume?.(earlierOf({ epoch, phase: 'publishing', checkpoints }));
      for (const dataType of ['a', 'b', 'none']) await next.open?.(dataType, 'job');
      await next.durable?.();
      await next.close();
      assert.is(store.text('lake/raw/b.ndjson'), '1\n');
      const sent = store.calls.slice(from).filter((call) => /^PUT/.test(call));
      assert.equal(sent.includes('PUT lake/raw/b.ndjson'), epoch === 2);
      assert.not.ok(
        sent.some((call) => call.includes('a.ndjson')),
        'a was published',
      );
      const lines = (next.summary?.() ?? []).map(({ dataType, items, unfinished }) => [dataType, items, unfinished]);
      assert.equal(lines.sort(), [
        ['a', 5, undefined],
        ['b', 1, undefined],
        ['none', 0, undefined],
      ]);
    }
  }),
);

const atCompletion = (fault: S3Fault) => {
  let count = 0;
  return (call: S3Call): S3Fault | undefined => {
    if (call.method !== 'POST' || !call.query.has('uploadId')) return undefined;
    count += 1;
    return count === 1 ? fault : undefined;
  };
};

for (const [what, fault] of [
  ['a completion whose answer is lost counts', { hangUp: true, late: true }],
  ['a completion that failed with the status 200 is sent again', { status: 200, code: 'InternalError' }],
  ['a completion that the store is too busy for is sent again', { status: 503, code: 'SlowDown' }],
  ['a completion without a part begins again', { status: 400, code: 'InvalidPart' }],
] satisfies readonly [string, S3Fault][]) {
  test(
    what,
    withStore(async ({ store, sink }) => {
      const to = await begun(sink());
      await addPage(to, itemsOf(0, 9));
      store.fault = atCompletion(fault);
      await to.close();
      assert.is(store.text('lake/raw/users.ndjson'), linesOf(itemsOf(0, 9)));
      assert.is(store.uploads.size, 0);
    }),
  );
}

test(
  'an upload that the store has lost is begun again, and no item is missing',
  withStore(async ({ store, sink }) => {
    const to = await begun(sink());
    await addPage(to, itemsOf(0, 5));
    await until(() => partsIn(store) === 2);
    store.uploads.clear();
    await addPage(to, itemsOf(5, 5));
    let count = 10;
    for (; partsIn(store) === 0; count += 2) {
      await addPage(to, itemsOf(count, 2));
      await turns();
    }
    store.uploads.clear();
    await to.close();
    assert.is(store.text('lake/raw/users.ndjson'), linesOf(itemsOf(0, count)));
  }),
);

test(
  'an upload that is lost again and again ends the run',
  withStore(async ({ store, sink }) => {
    const to = await begun(sink());
    await addPage(to, itemsOf(0, 5));
    store.fault = ({ method, query }) => {
      if (method === 'POST' && query.has('uploadId')) return { status: 404, code: 'NoSuchUpload' };
      return undefined;
    };
    await rejection(() => to.close(), 'ERR_SINK', /cannot complete "raw\/users.ndjson": status 404, NoSuchUpload/);
    await to.abort(undefined);
  }),
);

test(
  'a store that does not answer for a while costs nothing: its parts are sent at the end',
  withStore(async ({ store, sink }) => {
    const to = sink();
    const failures: unknown[] = [];
    await to.resume?.(earlierOf());
    await to.open?.('users', 'job', { onFailure: (thrown) => failures.push(thrown) });
    store.fault = ({ query }) => (query.has('partNumber') ? { hangUp: true } : undefined);
    await addPage(to, itemsOf(0, 5));
    await until(() => store.calls.filter((call) => call.includes('partNumber')).length >= 70);
    store.fault = () => undefined;
    await to.close();
    assert.is(store.text('lake/raw/users.ndjson'), linesOf(itemsOf(0, 5)));
    assert.equal(failures, []);
  }),
);

test(
  'a part that is refused ends the run at once',
  withStore(async ({ store, sink }) => {
    const to = sink();
    await to.resume?.(earlierOf());
    let fail: (thrown: unknown) => void = () => {};
    const failed = new Promise((resolve) => {
      fail = resolve;
    });
    await to.open?.('users', 'job', { onFailure: (thrown) => fail(thrown) });
    store.fault = ({ query }) => (query.has('partNumber') ? { status: 403, code: 'AccessDenied' } : undefined);
    await addPage(to, itemsOf(0, 5));
    assert.match(
      String(await failed),
      /cannot upload part \d of "raw\/users.ndjson": access to the bucket "lake" is denied/,
    );
    await rejection(() => addPage(to, itemsOf(5, 5)), 'ERR_SINK', /is denied/);
    await rejection(() => to.close(), 'ERR_SINK', /is denied/);
    await to.abort(undefined);
  }),
);

test(
  'a run that fails without a state leaves nothing, here and there',
  withStore(async ({ store, sink, dir }) => {
    const to = await begun(sink(), { isStored: false });
    await addPage(to, itemsOf(0, 5));
    await until(() => partsIn(store) === 2);
    assert.is(readdirSync(dir).length, 1);
    await to.abort(new Error('stopped'));
    assert.equal([readdirSync(dir), store.uploads.size, store.objects.size], [[], 0, 0]);
    assert.equal([to.summary?.()[0]?.name, to.summary?.()[0]?.unfinished], ['s3://lake/raw/users.ndjson', true]);
    await rejection(async () => to.write(batchOf('users', [1]), calm), 'ERR_SINK', /the s3 sink is closed/);
  }),
);

test(
  'a run that begins anew removes what the run before it has left',
  withStore(async ({ store, sink, dir }) => {
    const first = await begun(sink(), { run: 'run-before' });
    await addPage(first, itemsOf(0, 5));
    await until(() => partsIn(store) === 2);
    await first.abort(undefined);
    assert.is(store.uploads.size, 1);
    const second = sink();
    await second.resume?.(earlierOf({ replaces: ['run-before'] }));
    assert.equal([store.uploads.size, readdirSync(dir).filter((name) => name.includes('before'))], [0, []]);
    await second.open?.('users', 'job');
    await second.close();
    assert.is(store.text('lake/raw/users.ndjson'), '');
  }),
);

test(
  'uploads of other runs that are a week old are removed, younger ones and those of other keys stay',
  withStore(async ({ store, sink }) => {
    const startedAt = Date.UTC(2026, 0, 10);
    for (const [id, key, day] of [
      ['old', 'lake/raw/users.ndjson', 2],
      ['young', 'lake/raw/users.ndjson', 4],
      ['other', 'lake/raw/users.ndjson.old', 1],
    ] as const) {
      store.uploads.set(id, { key, headers: {}, parts: new Map(), initiated: `2026-01-0${day}T00:00:00.000Z` });
    }
    const to = await begun(sink(), { startedAt });
    await to.open?.('users', 'another');
    assert.equal([...store.uploads.keys()], ['young', 'other']);
    store.fault = ({ method, query }) => (method === 'GET' && query.has('uploads') ? { status: 403 } : undefined);
    await to.open?.('more', 'job');
    await to.abort(undefined);
  }),
);

test(
  'an earlier output is named, and kept on request; without the right to see it too',
  withStore(async ({ store, sink }) => {
    const first = await begun(sink());
    await addPage(first, [1]);
    assert.equal(await first.published?.('users'), []);
    assert.equal(await first.published?.('unknown'), []);
    await first.close();
    const second = await begun(sink(), { run: 'second' });
    store.fault = ({ method }) => (method === 'HEAD' ? { status: 403 } : undefined);
    assert.equal(await second.published?.('users'), ['s3://lake/raw/users.ndjson']);
    store.fault = ({ method }) => (method === 'HEAD' ? { status: 400 } : undefined);
    await rejection(async () => second.published?.('users'), 'ERR_SINK', /status 400/);
    store.fault = () => undefined;
    assert.equal(await second.published?.('users'), ['s3://lake/raw/users.ndjson']);
    await second.close({ keep: new Set(['users']) });
    assert.equal(store.text('lake/raw/users.ndjson'), '1\n');
    assert.equal(
      second.summary?.().map(({ name, kept }) => [name, kept]),
      [['s3://lake/raw/users.ndjson', true]],
    );
  }),
);

test(
  'files that were changed since the checkpoint are refused',
  withStore(async ({ sink, dir }) => {
    const first = await begun(sink());
    const at = await addPage(first, [1]);
    await first.abort(undefined);
    const other = sink('&compress=gzip');
    const given = earlierOf({ epoch: 2, checkpoints: new Map([['users', at]]) });
    await rejection(async () => other.resume?.(given), 'ERR_RESUME', /other options/);
    const lost = sinkAt(`s3://lake/raw?endpoint=http://127.0.0.1:1&staging=${join(dir, 'else')}`);
    await rejection(async () => lost.resume?.(given), 'ERR_SINK', /no answer from http:\/\/127.0.0.1:1/);
    await lost.abort(undefined);
  }),
);

test(
  'a state without a folder needs the option staging',
  withStore(async ({ store, dir }) => {
    const uri = `s3://lake/raw?endpoint=${store.origin}`;
    await rejection(async () => sinkAt(uri).resume?.(earlierOf()), 'ERR_USAGE', /has no folder: choose one/);
    const to = sinkAt(uri);
    await to.resume?.(earlierOf({ folder: join(dir, 'sinks') }));
    await to.open?.('users', 'job');
    await addPage(to, [1]);
    assert.is(existsSync(join(dir, 'sinks')), true);
    await to.close();
    assert.is(store.text('lake/raw/users.ndjson'), '1\n');
  }),
);

test(
  'in code it has the same options',
  withStore(async ({ store, dir }) => {
    const credentials = { accessKeyId: 'KEY', secretAccessKey: 'SECRET', sessionToken: 'TOKEN' };
    const to = s3({ bucket: 'lake', prefix: 'a b/ü', endpoint: store.origin, staging: dir, ...credentials });
    assert.equal(to.secrets?.includes('SECRET'), true);
    await to.resume?.(earlierOf({ isStored: false }));
    await to.open?.('users', 'job');
    await addPage(to, [1]);
    await to.close();
    assert.is(store.text('lake/a b/ü/users.ndjson'), '1\n');
    assert.is(store.requests.at(-1)?.headers['x-amz-security-token'], 'TOKEN');
    const fromEnvironment = s3({ bucket: 'lake', endpoint: store.origin });
    assert.is(fromEnvironment.name, `s3://lake?endpoint=${encodeURIComponent(store.origin)}`);
    assert.throws(() => s3({ bucket: 'lake', ...{ prefx: 'x' } }), /unknown option "prefx".*did you mean "prefix"/);
  }),
);

const partsIn = ({ uploads }: Place['store']): number =>
  [...uploads.values()].reduce((sum, { parts }) => sum + parts.size, 0);

/** Waits until the store has something. The runner ends a test that waits for ever. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turns(1);
}

test(
  'an object keeps the letters of its data type, also in a resume',
  withStore(async ({ store, sink }) => {
    const first = sink();
    await first.resume?.(earlierOf({}));
    await first.open?.('顧客データ', 'job');
    const at = await addPage(first, itemsOf(0, 5), '顧客データ');
    await first.abort(undefined);
    const second = sink();
    await second.resume?.(earlierOf({ epoch: 2, checkpoints: new Map([['顧客データ', at]]) }));
    await second.open?.('顧客データ', 'job');
    await addPage(second, itemsOf(5, 5), '顧客データ');
    await second.close();
    assert.equal([...store.objects.keys()], ['lake/raw/顧客データ.ndjson']);
    assert.is(store.text('lake/raw/顧客データ.ndjson'), linesOf(itemsOf(0, 10)));
    assert.is(second.summary?.()[0]?.name, 's3://lake/raw/顧客データ.ndjson');
  }),
);

test.run();
