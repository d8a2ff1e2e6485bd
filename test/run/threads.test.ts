/** Whole runs with scans in other threads, against the same runs without: output, resume, failures, cancelling. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory, ndjson, type Sink } from '../../sinks/index.js';
import type { Notice } from '../../src/core/model/notice.js';
import { createScanThreads, type ScanThreads } from '../../src/page/threads/scan-threads.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { createRandom } from '../fuzz/random.js';
import { type Api, json, type Reply, startApi } from '../loopback/api.js';
import { filesIn, inFolder, rejection } from '../sinks/lib.js';
import { failure } from '../support/failure.js';
import { unchecked } from '../unchecked.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

const threads = createScanThreads({ threads: 3, fromBytes: 0 });
test.after(() => threads.close());

/** The items of one page: the same for the same target and seed. Only pages of children may be empty. */
function pageOf(target: string, own: number): readonly object[] {
  const random = createRandom([...target].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), own) >>> 0);
  const count = random.pick([target.startsWith('/b/') ? 0 : 1, 1, 30, 30, 3000]);
  return Array.from({ length: count }, (_, at) => ({
    id: `${target}-${at}`.replace(/\W/g, '-'),
    text: random.pick(['ž', 'x', '\n', '😀']).repeat(random.int(count > 100 ? 300 : 60)),
  }));
}

const configuration = (origin: string) =>
  unchecked({
    api: {
      baseUrl: `${origin}/`,
      pagination: { method: 'pagenum' },
      retryConfig: { maxRetries: 0 },
    },
    config: {
      jobs: [
        { endpoint: 'a', dataField: 'rows', dataType: 'a' },
        {
          endpoint: 'b',
          dataField: 'rows',
          dataType: 'b',
          children: [{ endpoint: 'b/{id}', dataField: 'rows', dataType: 'c', placeholders: { id: 'id' } }],
        },
      ],
    },
  });

/** Four pages of each job, then an empty one; children have one small page. */
function answer(target: string, own: number): Reply {
  const url = new URL(target, 'http://x');
  const page = Number(url.searchParams.get('page'));
  const isChild = /^\/b\//.test(url.pathname);
  const rows = page > (isChild ? 1 : 4) ? [] : pageOf(target, own);
  const most = isChild ? 3 : url.pathname === '/b' ? 4 : 5000;
  return json({ rows: rows.slice(0, most), total: page });
}

const onApi = (own: number, work: (api: Api, dir: string) => Promise<void>) =>
  inFolder(async (dir) => {
    const api = await startApi(({ target }) => answer(target, own));
    try {
      await work(api, dir);
    } finally {
      await api.close();
    }
  });

async function files(api: Api, dir: string, options: Omit<RunOptions, 'to'>): Promise<Record<string, string>> {
  mkdirSync(dir);
  await run(configuration(api.origin), { to: ndjson(dir), ...options });
  return filesIn(dir);
}

for (let number = 0; number < 4; number += 1) {
  const own = seed + number;
  test(`runs give the same files, also side by side and with a state (FC_SEED=${own})`, async () => {
    await onApi(own, async (api, dir) => {
      const expected = await files(api, join(dir, 'plain'), { threads: 1 });
      assert.equal(await files(api, join(dir, 'threads'), { threads }), expected);
      assert.equal(await files(api, join(dir, 'at-once'), { threads, concurrency: 4 }), expected);
      assert.equal(await files(api, join(dir, 'state'), { threads, store: memoryStore() }), expected);
    })();
  });
}

const failing = (sink: Sink, after: number): Sink => {
  let writes = 0;
  return {
    ...sink,
    write(batch, signal) {
      writes += 1;
      if (writes > after) throw new Error('disk full');
      return sink.write(batch, signal);
    },
  };
};

for (const after of [0, 1, 3]) {
  test(
    `a run whose sink fails after ${after} batches is resumed in another manner, with the same files`,
    onApi(seed, async (api, dir) => {
      const expected = await files(api, join(dir, 'plain'), { threads: 1 });
      const out = join(dir, 'out');
      mkdirSync(out);
      const store = memoryStore();
      const first = failing(ndjson(out), after);
      await rejection(run(configuration(api.origin), { to: first, store, threads }), 'ERR_SINK');
      await run(configuration(api.origin), { to: ndjson(out), store, resume: true, threads: 1 });
      assert.equal(filesIn(out), expected);
    }),
  );
}

const row = JSON.stringify({ id: 1, text: 'x'.repeat(200) });

/** A body that never ends. */
const endless: Reply = {
  headers: { 'content-type': 'application/json' },
  body: (response) => {
    response.write('{"rows":[');
    const more = () => {
      if (!response.destroyed) response.write(`${`${row},`.repeat(1000)}`, () => setImmediate(more));
    };
    more();
  },
};

test('an interrupted run ends, with a page in a thread', async () => {
  const api = await startApi(() => endless);
  const leaving = new AbortController();
  let batches = 0;
  const to: Sink = {
    ...memory(),
    async write() {
      batches += 1;
      if (batches === 3) leaving.abort();
    },
  };
  try {
    const { code } = await failure(run(configuration(api.origin), { to, threads, signal: leaving.signal }));
    assert.is(code, 'ERR_ABORTED');
  } finally {
    await api.close();
  }
});

test('a body that is not JSON ends its request, with code, offset and beginning', async () => {
  const bad: Reply = { headers: { 'content-type': 'text/html' }, body: '<html>'.repeat(100) };
  const api = await startApi(() => bad);
  try {
    const [here, there] = await Promise.all(
      [1, threads].map((each) => failure(run(configuration(api.origin), { to: memory(), threads: each }))),
    );
    assert.equal([there?.code, there?.message, there?.where], [here?.code, here?.message, here?.where]);
    assert.match(there?.message ?? '', /the body begins "<html>/);
  } finally {
    await api.close();
  }
});

test('threads that were closed take nothing, and the run uses its own', () =>
  onApi(seed, async (api, dir) => {
    const notices: Notice[] = [];
    const dead: ScanThreads = createScanThreads({ fromBytes: 0 });
    await dead.close();
    const given = await files(api, join(dir, 'dead'), { threads: dead, notify: (notice) => notices.push(notice) });
    assert.equal(given, await files(api, join(dir, 'plain'), { threads: 1 }));
  })());

test.run();
