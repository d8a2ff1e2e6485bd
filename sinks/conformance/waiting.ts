/** Rules on signals and backpressure: the engine waits for a sink, and can stop it. */
import { batchOf } from '../batch.js';
import type { Bench, Rule } from './bench.js';
import { linesOf, mustEqual } from './items.js';
import { pair } from './samples.js';
import type { Watched } from './watched.js';

const noStuck = 'no sink with a stuck destination was given: option "stuck"';

export const waitingRules: readonly Rule[] = [
  {
    name: 'takes nothing once the signal has aborted',
    async run({ dataType, make, read, mustRefuse }) {
      const [first, second] = pair(dataType);
      const sink = await make();
      await sink.write(first);
      await mustRefuse(sink, second, AbortSignal.abort());
      await sink.close();
      mustEqual(await read(dataType), linesOf(first));
      return undefined;
    },
  },
  {
    name: 'holds back while its destination takes nothing',
    async run(bench) {
      const stuck = await bench.makeStuck();
      if (stuck === undefined) return noStuck;
      const controller = new AbortController();
      await mustStayPending(bench, flood(bench, stuck, controller.signal));
      controller.abort();
      return undefined;
    },
  },
  {
    name: 'ends a stuck write when its signal aborts',
    async run(bench) {
      const stuck = await bench.makeStuck();
      if (stuck === undefined) return noStuck;
      const controller = new AbortController();
      const writing = flood(bench, stuck, controller.signal);
      await mustStayPending(bench, writing);
      controller.abort();
      if (!(await bench.settles(writing.catch(() => {})))) throw new Error('write did not settle');
      return undefined;
    },
  },
];

/** Writes more than any buffer should hold: 64 batches of 256 KB in a row. */
async function flood({ dataType }: Bench, { sink }: Watched, signal: AbortSignal): Promise<void> {
  const batch = batchOf(dataType, ['x'.repeat(256 * 1024)]);
  for (let n = 0; n < 64; n++) await sink.write(batch, signal);
}

async function mustStayPending({ settles }: Bench, writing: Promise<void>): Promise<void> {
  writing.catch(() => {}); // the caller ends it
  if (await settles(writing)) throw new Error('it took 16 MB that its destination had not taken');
}
