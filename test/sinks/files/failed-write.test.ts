/** A write that fails ends the run at once: no further request goes out, neither below the page nor in a resume. */
import { lastValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Opening, Sink } from '../../../sinks/contract.js';
import { all } from '../../../sinks/decorators/fan-out.js';
import { through } from '../../../sinks/decorators/through.js';
import { filterItems } from '../../../sinks/decorators/transforms.js';
import { ndjson } from '../../../sinks/files/ndjson.js';
import { fromFunction } from '../../../sinks/from-function.js';
import { memory } from '../../../sinks/memory.js';
import { recordIn } from '../../../src/checkpoint/records.js';
import { extract, run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { type MemoryStore, memoryStore } from '../../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene } from '../../checkpoint/scenes.js';
import { items, json, type Reply } from '../../loopback/api.js';
import { heldDisk, systemError, withWrite } from '../disk.js';
import { rejection, turns } from '../lib.js';

const ioError = systemError('EIO', -5);
const never: Reply = { body: () => {} };
const cannotWrite = /^cannot write ".*groups\.ndjson\.partial": .*EIO/;

/** A page of 60 items with a child request for each. */
const family = (child: Reply): Scene => ({
  what: '',
  api: {},
  jobs: [
    {
      endpoint: 'groups',
      dataType: 'groups',
      children: [{ endpoint: 'groups/{id}', dataType: 'users', placeholders: { id: 'id' } }],
    },
  ],
  answer: ({ pathname }) => (pathname === '/groups' ? json(items(1, 60)) : child),
});

/** A disk that takes nothing for the parent's items. */
const broken = withWrite(() => async () => {
  throw ioError;
});

const answering = family(json([{ id: 1 }]));

const wrappings: Readonly<Record<string, (dir: string) => Sink>> = {
  ndjson: (dir) => ndjson(dir, { openFile: broken }),
  all: (dir) => all([memory(), ndjson(dir, { openFile: broken })]),
  through: (dir) =>
    through(
      ndjson(dir, { openFile: broken }),
      filterItems(() => true),
    ),
};

for (const [name, make] of Object.entries(wrappings)) {
  for (const outputNames of ['dataType', 'bucket.dataType'] as const) {
    test(
      `no child is requested after the file of the parent has failed: ${name}, ${outputNames}`,
      onServer(answering, async ({ origin, requests }, dir) => {
        const options = { to: make(dir), outputNames };
        await rejection(run(configurationOf(answering, origin), options), 'ERR_SINK', cannotWrite);
        assert.equal(
          requests.map(({ target }) => target),
          ['/groups'],
        );
      }),
    );
  }
}

test(
  'nor is one with a state, and again in a resume while the disk still fails',
  onServer(answering, async ({ origin, requests }, dir) => {
    const store = memoryStore();
    const start = (options: RunOptions) => run(configurationOf(answering, origin), options);
    const failing = () => ndjson(dir, { openFile: broken });
    await rejection(start({ to: failing(), store }), 'ERR_SINK', cannotWrite);
    const again = () => start({ to: failing(), store: memoryStore(store.held), resume: true });
    await rejection(again(), 'ERR_SINK', cannotWrite);
    assert.equal(
      requests.map(({ target }) => target),
      ['/groups', '/groups'],
    );
    const { jobs } = await start({ to: ndjson(dir), store: memoryStore(store.held), resume: true });
    assert.equal(
      jobs.map(({ items: count }) => count),
      [60, 60],
    );
  }),
);

test(
  'a request in flight is aborted, however long the API would take',
  onServer(family(never), async ({ origin, requests }, dir) => {
    const disk = heldDisk();
    const running = run(configurationOf(family(never), origin), { to: ndjson(dir, { openFile: disk.openFile }) });
    const { fail } = await disk.next();
    while (requests.length < 2) await turns(1);
    fail(ioError);
    await rejection(running, 'ERR_SINK', cannotWrite);
    assert.is(requests.length, 2);
  }),
);

test(
  'a sink of one’s own reports what it likes; the run fails with ERR_SINK and its message, secrets masked',
  onServer(family(never), async ({ origin, requests }) => {
    let report: Opening['onFailure'];
    const calls: string[] = [];
    const sink: Sink = {
      open: (_, __, opening) => {
        report = opening?.onFailure;
      },
      write: () => {},
      close: () => void calls.push('close'),
      abort: () => void calls.push('abort'),
    };
    const scene = { ...family(never), config: { '#key': 'a secret value' } };
    const { receipts, closed, summary } = extract(configurationOf(scene, origin), { to: sink });
    const running = lastValueFrom(receipts);
    while (requests.length < 2) await turns(1);
    report?.(new Error('no more room for a secret value'));
    report?.(new Error('a second failure'));
    await rejection(running, 'ERR_SINK', /^no more room for \*\*\*$/);
    await closed;
    assert.equal(calls, ['abort']);
    assert.equal(
      summary().jobs.map(({ stop }) => stop),
      ['the run failed', 'the run failed'],
    );
  }),
);

test(
  'a failure while the sink is being opened fails the run before any request',
  onServer(answering, async ({ origin, requests }) => {
    const sink: Sink = {
      ...fromFunction(() => {}),
      open: (_, __, opening) => opening?.onFailure?.(ioError),
    };
    await rejection(run(configurationOf(answering, origin), { to: sink }), 'ERR_SINK', /EIO/);
    assert.is(requests.length, 0);
  }),
);

const pagesIn = ({ held }: MemoryStore) => held.records.filter((text) => recordIn(text).type === 'page');

const commits: Readonly<Record<string, () => Promise<void>>> = {
  rejects: () => Promise.reject(ioError),
  throws() {
    throw ioError;
  },
};

for (const [how, commit] of Object.entries(commits)) {
  test(
    `with a state, a commit that ${how} ends the run at once too`,
    onServer(answering, async ({ origin, requests }) => {
      const sink: Sink = { ...memory(), recovery: 'cut', resume: () => {}, commit };
      const store = memoryStore();
      await rejection(run(configurationOf(answering, origin), { to: sink, store }), 'ERR_SINK', /EIO/);
      assert.equal(
        requests.map(({ target }) => target),
        ['/groups'],
      );
      assert.equal(pagesIn(store), []);
    }),
  );
}

test(
  'of two sinks, one that commits later and one that throws, the record waits for none',
  onServer(answering, async ({ origin }) => {
    const log: string[] = [];
    const later: Sink = {
      ...memory(),
      recovery: 'cut',
      resume: () => {},
      commit: () => turns().then(() => void log.push('committed')),
    };
    const throws: Sink = {
      ...later,
      commit() {
        throw ioError;
      },
    };
    const store = memoryStore();
    await rejection(run(configurationOf(answering, origin), { to: all([later, throws]), store }), 'ERR_SINK', /EIO/);
    assert.equal(log, ['committed']);
    assert.equal(pagesIn(store), []);
  }),
);

test.run();
