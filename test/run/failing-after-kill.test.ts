/** A request that fails after a kill, whose page a sink has already: no other page is taken for it, and lost. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Recovery, Sink } from '../../sinks/contract.js';
import { asExtractError } from '../../src/core/errors/errors.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { items, json, startApi } from '../loopback/api.js';
import { cutSink, linesIn, newStore, plainSink, type Store, transactionSink } from '../sinks/kinds.js';
import { idOf } from '../sinks/picky.js';
import { unchecked } from '../unchecked.js';
import { createLife } from './life.js';

const kinds: Readonly<Record<'none' | 'cut' | 'transaction', (store: Store) => Sink>> = {
  none: plainSink,
  cut: cutSink,
  transaction: transactionSink,
};

/** Four parents, each with one detail of one page. */
const configOf = (origin: string) =>
  unchecked({
    api: { baseUrl: `${origin}/`, retryConfig: { maxRetries: 0 } },
    config: {
      jobs: [
        {
          endpoint: 'parents',
          dataType: 'parents',
          children: [
            { endpoint: 'details/{id}', dataType: 'details', placeholders: { id: 'id' }, onError: { 404: 'skip' } },
          ],
        },
      ],
    },
  });

const ids = [1, 2, 3, 4];

const idsIn = (store: Store): readonly number[] =>
  linesIn(store, 'details')
    .map((line) => idOf(JSON.parse(line)))
    .sort();

for (const beside of ['none', 'cut', 'transaction'] as const satisfies readonly Recovery[]) {
  for (const gone of ids) {
    test(`transaction beside ${beside}: after a kill at any step detail ${gone} is gone, and no other is lost`, async () => {
      let isGone = false;
      const api = await startApi(({ target }) => {
        if (target === '/parents') return json(items(1, ids.length));
        const id = Number(/\d+$/.exec(target)?.[0]);
        return isGone && id === gone ? { status: 404, body: 'no' } : json(items(id, 1));
      });
      try {
        for (let steps = 0; ; steps++) {
          isGone = false;
          const stores = [newStore(), newStore()] as const;
          const life = createLife(steps);
          let state = memoryStore();
          const begin = (mortal: (sink: Sink) => Sink, rest: Pick<RunOptions, 'store' | 'resume' | 'onChangedPage'>) =>
            run(configOf(api.origin), {
              to: [mortal(transactionSink(stores[0])), mortal(kinds[beside](stores[1]))],
              ...rest,
            });
          await begin(life.sink, { store: life.store(state) }).catch(() => {});
          if (!life.isOver()) break;
          isGone = true;
          const resume = (rest: Pick<RunOptions, 'onChangedPage'> = {}) =>
            begin((sink) => sink, { store: state, resume: true, ...rest });
          state = memoryStore(state.held);
          const refused = await resume().then(
            () => undefined,
            (thrown) => asExtractError(thrown).code,
          );
          if (refused !== undefined) {
            assert.is(refused, 'ERR_PAGE_CHANGED', `killed at step ${steps}`);
            state = memoryStore(state.held);
            await resume({ onChangedPage: 'again' });
          }
          for (const store of stores) {
            const found = [...new Set(idsIn(store))].filter((id) => id !== gone);
            assert.equal(
              found,
              ids.filter((id) => id !== gone),
              `killed at step ${steps}`,
            );
          }
        }
      } finally {
        await api.close();
      }
    });
  }
}

test.run();
