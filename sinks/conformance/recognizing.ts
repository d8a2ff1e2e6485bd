/** Rules on sinks with ids: an item that arrives again is dropped, any other is kept. */
import type { Batch } from '../../src/core/model/batch.js';
import type { BatchPlace } from '../../src/core/model/batch-place.js';
import { batchOf } from '../batch.js';
import type { Bench, Rule } from './bench.js';
import { linesOf, mustEqual } from './items.js';
import { resume } from './process.js';
import { ruleFor } from './scene.js';
import { newJournal, type ScriptJournal } from './script.js';

export const recognizingRules: readonly Rule[] = [
  ruleFor('ids', 'drops an item that arrives again from its place', async ({ bench }) => {
    const page = [{ n: 1 }, { n: 2 }, { n: 3 }];
    const whole = batchAt(bench, page);
    await writeAll(bench, [whole]);
    await writeAll(bench, [batchAt(bench, page.slice(0, 1)), batchAt(bench, page.slice(1), { offset: 1 })]);
    mustEqual(await bench.read(bench.dataType), linesOf(whole));
  }),
  ruleFor('ids', 'drops what an older process sends after the end of the run', async ({ bench, journal }) => {
    const batch = batchAt(bench, [{ n: 1 }, { n: 2 }]);
    const late = { ...journal };
    journal.epoch += 1;
    await writeAll(bench, [batch], journal);
    await writeAll(bench, [batch], late).catch(() => {}); // It may be refused.
    mustEqual(await bench.read(bench.dataType), linesOf(batch));
  }),
  ruleFor('ids', 'keeps equal items of other places', async ({ bench }) => {
    const item = [{ n: 1 }];
    const { run } = newJournal(`${bench.dataType}-another`);
    const places = [{}, { offset: 1 }, { page: 1 }, { walk: '1' }, { run }];
    const batches = places.map((place) => batchAt(bench, item, place));
    await writeAll(bench, batches);
    mustEqual(await bench.read(bench.dataType), linesOf(...batches));
  }),
  ruleFor('ids', 'keeps an item that has changed at its place', async ({ bench }) => {
    const batches = [{ n: 1 }, { n: 2 }].map((item) => batchAt(bench, [item]));
    for (const batch of batches) await writeAll(bench, [batch]);
    mustEqual(await bench.read(bench.dataType), linesOf(...batches));
  }),
];

/** A batch of a run that belongs to the rule alone. */
const batchAt = ({ dataType }: Bench, items: readonly unknown[], place: Partial<BatchPlace> = {}): Batch =>
  batchOf(dataType, items, { run: newJournal(dataType).run, ...place });

/** In a process of their own, at the places that they name. */
async function writeAll(bench: Bench, batches: readonly Batch[], journal?: ScriptJournal): Promise<void> {
  const sink = await bench.makeSink();
  const { inTime, dataType } = bench;
  if (journal !== undefined) await resume(bench, sink, journal);
  await inTime('open', () => sink.open?.(dataType, dataType));
  for (const batch of batches) await inTime('write', () => sink.write(batch, new AbortController().signal));
  await inTime('close', () => sink.close());
}
