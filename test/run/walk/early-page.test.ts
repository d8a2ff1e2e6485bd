/** The next page during a commit: what is requested when, and the order in which sink and state get the pages. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageEnd, Sink } from '../../../sinks/contract.js';
import { deferred } from '../../../src/core/util/deferred.js';
import { run } from '../../../src/run/extract.js';
import { memoryStore } from '../../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene } from '../../checkpoint/scenes.js';
import { type Api, items, json } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';
import { destination, transactionLog } from '../../sinks/transaction-log.js';

/** Two pages with items, and an empty one. `seen` settles when the request of that page, from 1, has arrived. */
function watched() {
  const seen = [1, 2, 3].map(() => deferred());
  const scene: Scene = {
    what: 'two pages',
    api: { pagination: { method: 'pagenum' } },
    jobs: [{ endpoint: 'users' }],
    answer(url) {
      const page = Number(url.searchParams.get('page'));
      seen[page - 1]?.resolve();
      return json(page > 2 ? [] : items(page * 2, 2));
    },
  };
  return { scene, seen: (page: number) => seen[page - 1]?.promise };
}

type Watched = ReturnType<typeof watched>;

const pagesOf = ({ requests }: Api) => requests.map(({ target }) => target.replace(/.*page=/, ''));

/** A log whose commits wait until the API has the request of the next page. */
function waiting({ seen }: Watched, events: string[], fail?: (page: PageEnd) => void): Sink {
  const log = transactionLog(destination());
  return {
    ...log,
    write(batch, signal) {
      events.push(`write ${batch.page}`);
      return log.write(batch, signal);
    },
    async commit(page, signal) {
      await seen(page.page + 2);
      fail?.(page);
      events.push(`commit ${page.page}`);
      return log.commit?.(page, signal);
    },
  };
}

for (const concurrency of [1, 4]) {
  test(`the next page is requested during a commit, and written after it, with a concurrency of ${concurrency}`, () =>
    onApi(async (server, api) => {
      const events: string[] = [];
      const { jobs } = await run(configurationOf(api.scene, server.origin), {
        to: waiting(api, events),
        store: memoryStore(),
        concurrency,
      });
      assert.equal(events, ['write 0', 'commit 0', 'write 1', 'commit 1']);
      assert.equal(pagesOf(server), ['1', '2', '3']);
      assert.equal(
        jobs.map(({ requests, pages, items: count }) => [requests, pages, count]),
        [[3, 3, 4]],
      );
    }));
}

test('a commit that fails for good ends the run, and no page is written after it', () =>
  onApi(async (server, api) => {
    const events: string[] = [];
    const to = waiting(api, events, () => {
      throw new Error('the disk is full');
    });
    const work = () => run(configurationOf(api.scene, server.origin), { to });
    await rejection(work, 'ERR_SINK', /the disk is full/);
    assert.equal(events, ['write 0']);
    assert.equal(pagesOf(server), ['1', '2']);
  }));

test('another sink gets the next page only after its commit', () =>
  onApi(async (server, api) => {
    const { promise, resolve } = deferred();
    const log = transactionLog(destination(), {}, { recovery: 'none' });
    const to: Sink = {
      ...log,
      async commit(page, signal) {
        setImmediate(resolve);
        await promise;
        assert.is(server.requests.length, page.page + 1);
        return log.commit?.(page, signal);
      },
    };
    await run(configurationOf(api.scene, server.origin), { to });
    assert.equal(pagesOf(server), ['1', '2', '3']);
  }));

async function onApi(use: (server: Api, api: Watched) => Promise<void>): Promise<void> {
  const api = watched();
  await onServer(api.scene, (server) => use(server, api))();
}

test.run();
