/** Objects of a real object store: the conformance kit, restarts, and a run that is killed and resumed. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressSecrets } from '../../sinks/addresses/address-secrets.js';
import { checkSink } from '../../sinks/conformance.js';
import type { Sink } from '../../sinks/contract.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { createS3Client, type S3Client } from '../../sinks/s3/s3-client.js';
import { aMinute, inFolder, rejection } from '../sinks/lib.js';
import { bytesIn, linesOf as linesIn, type ManifestFile } from '../sinks/parts/lib.js';
import { pagesOf, publish, randomFrom, runAlone, runMembers } from '../sinks/parts/shared-run.js';
import { addPage, begun, itemsOf, keys, linesOf, sinkAt } from '../sinks/s3/lib.js';
import { s3Missing, startS3, type TestServer } from '../support/servers.js';
import { testWhere } from '../where.js';
import { restarting } from './lib.js';

const test = testWhere(s3Missing);

interface Place {
  readonly server: TestServer;
  readonly dir: string;
  readonly client: S3Client;
  sink(options?: string, partBytes?: number): Sink;
  read(key: string): Promise<Buffer>;
}

/** Parts of a store have 5 MiB at least. */
const partBytes = 5 * 1024 * 1024;

const withS3 = (work: (place: Place) => Promise<void>): (() => Promise<void>) =>
  inFolder(async (dir) => {
    const server = await startS3();
    const origin = `http://127.0.0.1:${server.port}`;
    const credentials = { accessKeyId: 'KEY', secretAccessKey: 'SECRET' };
    const { excerpt } = createAddressSecrets();
    const place = { bucket: 'lake', origin, region: 'us-east-1', basePath: '/lake' };
    const client = createS3Client({ ...place, credentials, excerpt });
    try {
      await work({
        ...{ server, dir, client },
        sink: (options = '', bytes = partBytes) =>
          sinkAt(`s3://lake/raw?endpoint=${origin}&staging=${dir}${options}`, { partBytes: bytes, wait: undefined }),
        async read(key) {
          const response = await fetch(`${origin}/lake/${key}`);
          const bytes = Buffer.from(await response.arrayBuffer());
          return response.ok ? bytes : Buffer.alloc(0);
        },
      });
    } finally {
      client.close();
      await server.close();
    }
  });

for (const options of ['', '&compress=gzip']) {
  test(
    `keeps every rule of the kit${options}`,
    withS3(async ({ sink, read, server }) => {
      const lines = async (dataType: string) => {
        const bytes = await read(`raw/${dataType}.ndjson${options === '' ? '' : '.gz'}`);
        const text = (options === '' || bytes.length === 0 ? bytes : gunzipSync(bytes)).toString();
        return text.split('\n').slice(0, -1);
      };
      // The store loses uploads, of which so few items have none.
      const checks = await checkSink(() => sink(options), lines, { ...restarting(server), tooLong: aMinute });
      assert.equal(
        checks.filter(({ outcome }) => outcome === 'fail'),
        [],
      );
    }),
  );
}

test(
  'parts keep every rule of the kit',
  withS3(async ({ read, server }) => {
    const make = () => sinkFromUri(`parts+s3://lake/raw?endpoint=http://127.0.0.1:${server.port}`, { env: keys });
    const lines = async (dataType: string) => {
      const text = (await read('raw/manifest.json')).toString();
      const manifest = JSON.parse(text === '' ? '{"dataTypes":[]}' : text) as ManifestFile;
      const entry = manifest.dataTypes.find((each) => each.dataType === dataType);
      const files = (entry?.parts ?? []).flatMap((part) => part.files);
      const contents = new Map<string, Buffer>();
      for (const file of files) contents.set(file, await read(`raw/${file}`));
      return linesIn(entry, (file) => contents.get(file) ?? Buffer.alloc(0));
    };
    const checks = await checkSink(make, lines, { ...restarting(server), tooLong: aMinute });
    assert.equal(
      checks.filter(({ outcome }) => outcome === 'fail'),
      [],
    );
  }),
);

test(
  'parts of members that are killed are gathered in the order of one process',
  withS3(async ({ server, dir }) => {
    const seed = Number(process.env.SEED ?? Date.now() % 100_000);
    console.log(`SEED=${seed}`);
    const pages = pagesOf(randomFrom(seed));
    await runAlone(sinkFromUri(`parquet:${join(dir, 'alone')}`), pages);
    const address = `parts+s3://lake/raw?endpoint=http://127.0.0.1:${server.port}&gather=parquet:${join(dir, 'shared')}`;
    const make = () => sinkFromUri(address, { env: keys });
    await publish(make(), await runMembers(make, pages, randomFrom(seed + 1)));
    assert.equal(bytesIn(join(dir, 'shared')), bytesIn(join(dir, 'alone')));
  }),
);

const uploads = async (client: S3Client): Promise<number> => {
  const { text } = await client.send({ action: 'list', method: 'GET', query: { uploads: '' } });
  return text.split('<Upload>').length - 1;
};

test(
  'objects of several parts are whole through restarts of the store, which loses their uploads',
  withS3(async ({ server, sink, read, client, dir }) => {
    const to = await begun(sink('', 1024 * 1024));
    for (let page = 0; page < 30; page++) {
      if (page % 10 === 5) {
        await server.kill();
        await server.start();
      }
      await addPage(to, itemsOf(page * 5000, 5000));
    }
    await to.close();
    assert.ok((await read('raw/users.ndjson')).equals(Buffer.from(linesOf(itemsOf(0, 150_000)))));
    assert.equal([await uploads(client), readdirSync(dir)], [0, []]);
  }),
);

test(
  'a resume continues the upload of an earlier process',
  withS3(async ({ sink, read, client }) => {
    const first = await begun(sink('', 1024 * 1024));
    const at = await addPage(first, itemsOf(0, 60_000));
    await addPage(first, itemsOf(90_000, 60_000));
    await first.abort(undefined);
    const second = await begun(sink('', 1024 * 1024), { epoch: 2, checkpoints: new Map([['users', at]]) });
    await addPage(second, itemsOf(60_000, 40_000));
    await second.close();
    assert.ok((await read('raw/users.ndjson')).equals(Buffer.from(linesOf(itemsOf(0, 100_000)))));
    assert.is(await uploads(client), 0);
    const again = await begun(sink(), { epoch: 3, phase: 'publishing', checkpoints: new Map([['users', at]]) });
    await again.close();
    assert.is(again.summary?.()[0]?.name, 's3://lake/raw/users.ndjson', 'it was published');
  }),
);

test(
  'a bucket that is missing, and a server that does not answer, end a run before its first request',
  withS3(async ({ server, dir }) => {
    const at = (bucket: string) => sinkAt(`s3://${bucket}?endpoint=http://127.0.0.1:${server.port}&staging=${dir}`);
    await at('lake').check?.();
    await rejection(async () => at('other').check?.(), 'ERR_SINK', /the bucket "other" does not exist/);
    await server.kill();
    await rejection(async () => at('lake').check?.(), 'ERR_SINK', /no answer from .*connection refused/);
  }),
);

run.run();
