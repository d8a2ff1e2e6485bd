/** A sink with transactions stores where the rows of a page are: they must survive a power cut before its commit. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Store } from '../../src/checkpoint/store/store.js';
import { run } from '../../src/run/extract.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene } from '../checkpoint/scenes.js';
import { items, json } from '../loopback/api.js';
import { destination, transactionLog } from '../sinks/transaction-log.js';

const family: Scene = {
  what: 'children',
  api: {},
  jobs: [
    {
      endpoint: 'groups',
      children: [{ endpoint: 'groups/{id}/users', dataType: 'users', placeholders: { id: 'id' } }],
    },
  ],
  answer: ({ pathname }) => json(pathname === '/groups' ? items(1, 3) : [{ user: pathname }]),
};

/** A store in memory, and which of its parts have bytes that would not survive a power cut. */
function tracked() {
  const unsynced = new Set<string>();
  const inner = memoryStore();
  const store: Store = {
    async open() {
      const opened = await inner.open();
      return {
        ...opened,
        async createPart() {
          const part = await opened.createPart();
          return {
            ...part,
            write(bytes) {
              unsynced.add(part.name);
              return part.write(bytes);
            },
          };
        },
        async sync(records) {
          unsynced.clear();
          await opened.sync(records);
        },
      };
    },
  };
  return { store, unsynced };
}

test(
  'the rows of a page survive a power cut before a sink with transactions commits it',
  onServer(family, async ({ origin }) => {
    const { store, unsynced } = tracked();
    const kept: boolean[] = [];
    const before = ({ dataType, keep = '' }: { readonly dataType: string; readonly keep?: string }) => {
      if (dataType === 'users') return;
      assert.match(keep, /part-1/);
      kept.push(unsynced.size === 0);
    };
    await run(configurationOf(family, origin), { to: transactionLog(destination(), { before }), store });
    assert.equal(kept, [true]);
  }),
);

test.run();
