/** Rules on suspended processes: one that wakes up after another one has ended its run stores nothing twice. */
import type { Sink } from '../contract.js';
import type { Bench, Rule } from './bench.js';
import { mustEqual } from './items.js';
import { commitPage, open, resume, writePage } from './process.js';
import { ruleFor, type Scene } from './scene.js';
import { allLines, pagesIn, type ScriptJournal } from './script.js';
import { mustReject } from './watched.js';

export const wakingRules: readonly Rule[] = [
  ruleFor('transaction', 'stores nothing of a process that wakes up before its first write', async (scene) => {
    const {
      bench,
      lanes: [lane],
    } = scene;
    const old = await begin(scene);
    await finish(scene);
    const late = async () => {
      await writePage(bench, old.sink, { journal: old.journal, lane, page: 0 });
      await commitPage(bench, old.sink, { journal: old.journal, lane, page: 0 });
    };
    await mustReject(late(), 'a page was accepted after another process had ended the run');
    await closeLate(bench, old.sink);
    mustEqual(await bench.read(lane.dataType), allLines(lane));
  }),
  ruleFor('transaction', 'stores a page once that is committed while another process takes over', async (scene) => {
    const {
      bench,
      lanes: [lane],
    } = scene;
    const old = await begin(scene);
    await writePage(bench, old.sink, { journal: old.journal, lane, page: 0 });
    // It may be refused.
    const late = commitPage(bench, old.sink, { journal: old.journal, lane, page: 0 }).catch(() => {});
    await finish(scene);
    await late;
    await closeLate(bench, old.sink);
    mustEqual(await bench.read(lane.dataType), allLines(lane));
  }),
  ruleFor('ids', 'drops a page that is sent while another process ends the run', async (scene) => {
    const {
      bench,
      lanes: [lane],
    } = scene;
    const old = await begin(scene);
    // It may be refused.
    const late = writePage(bench, old.sink, { journal: old.journal, lane, page: 0 }).catch(() => {});
    await finish(scene);
    await late;
    await writePage(bench, old.sink, { journal: old.journal, lane, page: 0 }).catch(() => {});
    await closeLate(bench, old.sink);
    mustEqual([...(await bench.read(lane.dataType))].sort(), [...allLines(lane)].sort());
  }),
];

/** A process that has begun, with the journal as it was. */
async function begin({
  bench,
  journal,
  lanes,
}: Scene): Promise<{ readonly sink: Sink; readonly journal: ScriptJournal }> {
  const sink = await bench.makeSink();
  await resume(bench, sink, journal);
  await open(bench, sink, lanes);
  return { sink, journal: { ...journal } };
}

/** Another process stores what is not there of the first lane, and ends the run. */
async function finish(scene: Scene): Promise<void> {
  const {
    bench,
    lanes: [lane],
  } = scene;
  const { sink, journal } = await begin(scene);
  const positions = await bench.inTime('positions', () => sink.positions?.());
  for (let page = pagesIn(positions?.get(lane.lane)); page < lane.pages.length; page += 1) {
    await writePage(bench, sink, { journal, lane, page });
    await commitPage(bench, sink, { journal, lane, page });
  }
  await bench.inTime('close', () => sink.close());
}

const closeLate = (bench: Bench, sink: Sink): Promise<unknown> =>
  bench.inTime('close', () => sink.close()).catch(() => {});
