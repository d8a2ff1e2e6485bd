/** Our own sink, tested by the conformance kit and then used: items as lines of text, by data type. */
import { run } from 'rxtract';
import { type Batch, checkSink, type Sink } from 'rxtract/sinks';
import { events } from './sample.js';

const linesOf = ({ bytes }: Batch) => Buffer.from(bytes).toString().split('\n').slice(0, -1);

function lists(store: Map<string, readonly string[]>): Sink {
  const listOf = (dataType: string) => store.get(dataType) ?? [];
  const committed = new Map<string, number>();
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  return {
    async write(batch, signal) {
      if (hasEnded) throw new Error('the lists are closed');
      signal.throwIfAborted();
      store.set(batch.dataType, [...listOf(batch.dataType), ...linesOf(batch)]);
    },
    commit: ({ dataType }) => void committed.set(dataType, listOf(dataType).length),
    rollback: (dataType) => void store.set(dataType, listOf(dataType).slice(0, committed.get(dataType) ?? 0)),
    close: end,
    abort: end,
  };
}

const store = new Map<string, readonly string[]>();
const checks = await checkSink(
  () => lists(store),
  async (dataType) => store.get(dataType) ?? [],
);
console.log('broken rules:', checks.filter(({ outcome }) => outcome === 'fail').length);

store.clear();
await run(events, { to: lists(store) });
for (const [dataType, lines] of store) console.log(dataType, lines.length);
