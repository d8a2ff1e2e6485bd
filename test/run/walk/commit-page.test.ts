/** The commit of a page: its turn, what a sink is to store, and what comes before it. */
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageEnd, Sink } from '../../../sinks/contract.js';
import { all } from '../../../sinks/decorators/fan-out.js';
import { openCheckpoint } from '../../../src/checkpoint/checkpoint.js';
import type { LaneMark, PageDraft } from '../../../src/checkpoint/records.js';
import { type Journal, noJournal } from '../../../src/checkpoint/run-journal.js';
import { extract, run } from '../../../src/run/extract.js';
import { laneOutput } from '../../../src/run/walk/commit-page.js';
import { failingAfter, type MemoryStore, memoryStore } from '../../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene } from '../../checkpoint/scenes.js';
import { json, type Reply } from '../../loopback/api.js';
import { calm, pageEnd, rejection, turns } from '../../sinks/lib.js';
import { destination, transactionLog } from '../../sinks/transaction-log.js';

/** A page with items, which leads to another one. */
const draft: PageDraft = {
  ...{ type: 'page', time: 1, job: 0, at: [], begun: 1, page: 0, print: 'ab' },
  took: { job: 0, requests: 1, retries: 0, count: 1, bytes: 1, delivered: true },
};

/** A journal without pages. */
function journalOf(keep: string, ahead = new Map<number, LaneMark>()): Journal {
  return {
    ...noJournal,
    isKept: true,
    aheadOf: () => ahead,
    laneOf: () => '0',
    keepOf: () => keep,
    mark: (sink, _, mark) => void (mark === undefined ? ahead.delete(sink) : ahead.set(sink, mark)),
  };
}

const plain: Sink = { write() {}, close() {}, abort() {} };

/** The output of a lane, and the calls of its turns and sinks. */
function laneOf(sinks: readonly Sink[], journal: Journal) {
  const calls: string[] = [];
  const acquire = async () => {
    calls.push('acquire');
    return () => void calls.push('release');
  };
  const options = { sink: all(sinks), sinks, acquire, journal, job: 'a', notify() {}, onChangedPage: 'again' } as const;
  const output = laneOutput(options);
  const send = async (page: PageEnd = pageEnd('t'), of: PageDraft = draft) => {
    const target = await firstValueFrom(output.page());
    const release = await target.acquire(page.dataType, calm);
    const outcome = await target.commit(page, of, calm);
    release();
    return outcome;
  };
  return { calls, send };
}

/** A log without items, which fails at its first commits. */
function failingLog(failures: number, more: Partial<Sink> = {}) {
  const kept: (string | undefined)[] = [];
  let left = failures;
  const log: Sink = {
    ...plain,
    recovery: 'transaction',
    resume() {},
    positions: () => new Map(),
    rollback() {},
    commit({ keep }) {
      left -= 1;
      if (left >= 0) throw new Error('no answer');
      kept.push(keep);
    },
    ...more,
  };
  return { log, kept };
}

test('a page that is read again keeps its turn until it is committed', async () => {
  const { log } = failingLog(2);
  const { calls, send } = laneOf([log], journalOf('{}'));
  assert.equal([await send(), await send(), calls], ['again', 'again', ['acquire']]);
  assert.equal([await send(), calls], ['done', ['acquire', 'release']]);
  assert.equal([await send(), calls.length], ['done', 4]);
});

const long = JSON.stringify({ m: 1, print: 'ab', progress: 'é'.repeat(100) });

for (const [most, expected] of [
  [Buffer.byteLength(long), long],
  [long.length, '{"m":1,"print":"ab"}'],
] as const) {
  test(`the longest keep that a sink stores is in bytes: ${most}`, async () => {
    const { log, kept } = failingLog(0, { keepBytes: most });
    await laneOf([log], journalOf(long)).send();
    assert.equal(kept, [expected]);
  });
}

test('a sink that cannot roll back has the page that is read again for another one, and is compared by it', async () => {
  const written: string[] = [];
  const queue: Sink = { ...plain, name: 'queue', commit: ({ page }) => void written.push(`commit ${page}`) };
  const { log } = failingLog(0);
  const ahead = new Map([[1, { m: 1, print: 'old', next: 'x' }]]);
  const { send } = laneOf([queue, log], journalOf('{}', ahead));
  assert.is(await send(), 'again');
  assert.equal([...ahead], [[0, { m: 1, print: 'ab', next: null, isEnd: true, place: '0' }]]);
  assert.equal([await send(), written], ['done', ['commit 0']]);
});

/** Two sinks without a journal: the first commits late, the second fails at once. */
for (const outcome of ['commits', 'fails too'] as const) {
  test(`a failed commit waits for that of another sink, which ${outcome}`, async () => {
    const calls: string[] = [];
    const late: Sink = {
      ...plain,
      async commit() {
        await turns(5);
        calls.push('committed');
        if (outcome === 'fails too') throw new Error('late');
      },
    };
    const failing: Sink = {
      ...plain,
      commit() {
        throw new Error('no answer');
      },
    };
    const unhandled: unknown[] = [];
    const listen = (thrown: unknown) => void unhandled.push(thrown);
    process.on('unhandledRejection', listen);
    try {
      const { send } = laneOf([late, failing], noJournal);
      await rejection(send(), 'ERR_SINK', outcome === 'commits' ? /no answer/ : /late/);
      assert.equal(calls, ['committed']);
      await turns(20);
      assert.equal(unhandled, []);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });
}

test('a commit may return any thenable', async () => {
  const calls: string[] = [];
  const thenable = {
    // biome-ignore lint/suspicious/noThenProperty: promises of other libraries are of no class of Node
    then(resolve: (value: undefined) => void) {
      setImmediate(() => {
        calls.push('committed');
        resolve(undefined);
      });
    },
  };
  const commit = () => thenable as Promise<undefined>;
  const { send } = laneOf([{ ...plain, commit }], noJournal);
  assert.equal([await send(), calls], ['done', ['committed']]);
});

/** A parent page, whose rows are in a part. */
const family: Scene = {
  what: '',
  api: {},
  jobs: [
    { endpoint: 'groups', children: [{ endpoint: 'groups/{id}', dataType: 'users', placeholders: { id: 'id' } }] },
  ],
  answer: () => json([{ id: 1 }]),
};

/** The store, which records what is synced besides records. */
function watched(store: MemoryStore, calls: string[]): MemoryStore {
  return {
    ...store,
    async open() {
      const opened = await store.open();
      const sync = async (records: readonly string[]) => {
        if (records.length === 0) calls.push('sync');
        await opened.sync(records);
      };
      return { ...opened, sync };
    },
  };
}

test(
  'rows are on the disk before a log says that the run continues with them',
  onServer(family, async (server) => {
    const calls: string[] = [];
    const before = ({ job }: PageEnd) => void calls.push(job);
    const to = transactionLog(destination(), { before });
    await run(configurationOf(family, server.origin), { to, store: watched(memoryStore(), calls) });
    assert.equal(calls.slice(0, 2), ['sync', 'groups']);
    assert.is(calls.length, 3);
  }),
);

test('a job that ends before the pages that a log has fails the run also while it is stopped', () => {
  const api = { pages: 3 };
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const scene: Scene = {
    what: '',
    api: { pagination: { method: 'pagenum' } },
    jobs: [{ endpoint: 'users' }],
    answer(url): Reply {
      const page = Number(url.searchParams.get('page'));
      if (page <= api.pages) return json([{ page }]);
      if (api.pages === 3) return json([]);
      const body: Reply['body'] = async (response) => {
        isAsked();
        await answered;
        response.end('[]');
      };
      return json([], { body });
    },
  };
  return onServer(scene, async (server) => {
    const configuration = configurationOf(scene, server.origin);
    const to = destination();
    const store = failingAfter(2);
    const both = () => all([plain, transactionLog(to)]);
    await rejection(() => run(configuration, { to: both(), store }), 'ERR_STATE');
    api.pages = 2;
    const checkpoint = await openCheckpoint(memoryStore(store.held), { resume: true });
    const { receipts, stop } = extract(configuration, { to: both(), checkpoint });
    const ended = rejection(lastValueFrom(receipts, { defaultValue: undefined }), 'ERR_PAGE_CHANGED');
    await asked;
    const stopped = stop();
    answer();
    await Promise.all([ended, stopped]);
  })();
});

test.run();
