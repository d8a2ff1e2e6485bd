/** Parts in an object store: the rules of the kit over a store in memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { checkSink } from '../../../sinks/conformance.js';
import type { Earlier, Sink } from '../../../sinks/contract.js';
import type { Exact } from '../../../src/core/json/exact.js';
import type { FakeS3 } from '../../support/fake-s3.js';
import { aMinute, calm, earlierOf, inFolder, pageEnd, rejection } from '../lib.js';
import { linesOf, type ManifestFile, partsAt, withStore } from './lib.js';

test(
  'keeps every rule',
  withStore(async ({ store, sink }) => {
    const read = async (dataType: string) => {
      const manifest = JSON.parse(store.text('lake/raw/manifest.json') ?? '{"dataTypes":[]}') as ManifestFile;
      const entry = manifest.dataTypes.find((each) => each.dataType === dataType);
      return linesOf(entry, (file) => Buffer.from(store.text(`lake/raw/${file}`) ?? ''));
    };
    const checks = await checkSink(() => sink(), read, { tooLong: aMinute });
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail').map(({ name, reason }) => `${name}: ${reason}`),
      [],
    );
  }),
);

const run = 'run-0000-0000-00';

async function begin(sink: Sink, part: Partial<Earlier> = {}): Promise<Sink> {
  await sink.resume?.(earlierOf({ run, ...part }));
  await sink.open?.('users', 'job');
  return sink;
}

const write = async (sink: Sink, page: number, items: readonly unknown[]): Promise<void> => {
  for (const [offset, item] of items.entries()) {
    await sink.write(batchOf('users', [item], { run, page, offset, job: 'job' }), calm);
  }
};

async function addPage(sink: Sink, page: number, items: readonly unknown[]): Promise<Exact> {
  await write(sink, page, items);
  return (await sink.commit?.(pageEnd('users', { run, page }), calm)) ?? null;
}

const filesIn = ({ objects }: FakeS3) => [...objects.keys()].map((key) => key.slice('lake/raw/'.length)).sort();
const long = 'x'.repeat(60);

test(
  'a page is in as many objects as it needs, and one that was rolled back in none that counts',
  withStore(async ({ store, sink }) =>
    inFolder(async (dir) => {
      const to = sink(`&gather=ndjson:${dir}`);
      await begin(to);
      await write(to, 0, ['lost', long, long]);
      await to.rollback?.('users');
      await addPage(to, 0, [1, long, long]);
      await addPage(to, 1, []);
      await addPage(to, 1, [2]);
      await to.durable?.();
      await to.close();
      await to.durable?.();
      assert.is(readFileSync(join(dir, 'users.ndjson'), 'utf8'), `1\n"${long}"\n"${long}"\n2\n`);
      const manifest = JSON.parse(store.text('lake/raw/manifest.json') ?? '') as ManifestFile;
      const numbers = manifest.dataTypes[0]?.parts[0]?.files.map((file) => file.split('.')[2]);
      assert.equal(numbers, ['000002', '000003', '000004']);
      await rejection(() => to.write(batchOf('users', [3]), calm), 'ERR_SINK', /closed/);
    })(),
  ),
);

test(
  'a resume removes what follows the checkpoint, and a run what it replaces',
  withStore(async ({ store, sink }) => {
    const first = await begin(sink());
    const at = await addPage(first, 0, [1]);
    await addPage(first, 1, [2]);
    const checkpoints = new Map([['users', at]]);
    const second = await begin(sink(), { epoch: 2, checkpoints });
    assert.equal(filesIn(store), [`${run}/all/1.users.000001.ndjson`]);
    await addPage(second, 1, [3]);
    await second.close();
    assert.equal(filesIn(store).length, 3);
    await (await begin(sink(), { run: 'next', replaces: [run] })).close();
    assert.equal(filesIn(store), ['manifest.json']);
    await rejection(begin(sink(), { epoch: 3, checkpoints }), 'ERR_RESUME', /000001.ndjson" is missing: the parts do/);
    await rejection(begin(sink(), { epoch: 3, checkpoints: new Map([['users', withoutObjects(at)]]) }), 'ERR_RESUME');
  }),
);

const withoutObjects = (at: Exact): string => String(at).replace(/"objects":\[.*?\]\]/, '"objects":[]');

test(
  'a manifest that was replaced between reading and writing is not replaced again',
  withStore(async ({ store, sink }) => {
    const other = { bytes: Buffer.from('{"format":"rxtract-parts","version":1}'), headers: {} };
    const racing = async (before: boolean) => {
      store.objects.delete('lake/raw/manifest.json');
      if (before) await (await begin(sink(), { run: 'before' })).close();
      const late = await begin(sink());
      await addPage(late, 0, [1]);
      store.fault = ({ method, path }) => {
        if (method === 'PUT' && path.endsWith('manifest.json')) store.objects.set(path, other);
        return undefined;
      };
      await rejection(() => late.close(), 'ERR_RESUME', /manifest.json" was replaced by another process meanwhile/);
      store.fault = () => undefined;
      await late.abort(new Error('refused'));
    };
    await racing(false);
    await racing(true);
  }),
);

test(
  'a manifest whose answer was lost is written once',
  withStore(async ({ store }) => {
    const to = await begin(partsAt(`parts+s3://lake/raw?endpoint=${store.origin}`));
    await addPage(to, 0, [1]);
    let isLost = false;
    store.fault = ({ method, path }) => {
      if (isLost || method !== 'PUT' || !path.endsWith('manifest.json')) return undefined;
      isLost = true;
      return { hangUp: true, late: true };
    };
    await to.close();
    assert.ok(isLost);
    assert.match(store.text('lake/raw/manifest.json') ?? '', /"items":1/);
  }),
);

test(
  'objects that have changed, or are not there, are gathered by nothing',
  withStore(async ({ store, sink }) =>
    inFolder(async (dir) => {
      const file = `lake/raw/${run}/all/1.users.000001.ndjson`;
      for (const [message, change] of [
        [/000001.ndjson" has changed since it was written: it is missing/, () => void store.objects.delete(file)],
        [
          /has changed since it was written: its digest is another one/,
          () => void Object.assign(store.objects.get(file) ?? {}, { bytes: Buffer.from('2\n') }),
        ],
      ] as const) {
        const to = await begin(sink(`&gather=ndjson:${dir}`));
        await addPage(to, 0, [1]);
        change();
        await rejection(() => to.close(), 'ERR_SINK', message);
        await to.abort(new Error('refused'));
      }
    })(),
  ),
);

test(
  'objects are gathered into objects, without a folder of the state',
  withStore(async ({ store, sink }) => {
    const to = await begin(sink(`&gather=s3://lake/out%3Fendpoint=${store.origin}`));
    await addPage(to, 0, [1, 2]);
    await to.close();
    assert.is(store.text('lake/out/users.ndjson'), '1\n2\n');
    assert.match(store.text('lake/raw/manifest.json') ?? '', /"gathered":"s3:\/\/lake\/out\/users.ndjson"/);
  }),
);

test(
  'a store that cannot be written to ends the run before its first request, and a failure its page',
  withStore(async ({ store, sink }) => {
    store.fault = () => ({ status: 403, code: 'AccessDenied', message: 'no' });
    await rejection(begin(sink()), 'ERR_SINK', /the access key may not|denied|refuse/i);
    await rejection(async () => sink().check?.(), 'ERR_SINK', /the access key may not|denied|refuse/i);
    store.fault = () => undefined;
    await sink(`&gather=s3://lake/out%3Fendpoint=${store.origin}`).check?.();
    store.fault = ({ path }) => (path.includes('/out/') ? { status: 403, code: 'AccessDenied' } : undefined);
    const gathering = `&gather=s3://lake/out%3Fendpoint=${store.origin}`;
    await rejection(begin(sink(gathering)), 'ERR_SINK', /denied/);
    store.fault = () => undefined;
    const to = await begin(sink());
    store.fault = ({ method }) => (method === 'PUT' ? { status: 403, code: 'AccessDenied' } : undefined);
    await rejection(addPage(to, 0, [1]), 'ERR_SINK', /the access key may not|denied|refuse/i);
    store.fault = ({ path }) => (path.endsWith('manifest.json') ? { status: 403, code: 'AccessDenied' } : undefined);
    await rejection(() => to.close(), 'ERR_SINK', /the access key may not|denied|refuse/i);
    await to.abort(new Error('refused'));
  }),
);

test.run();
