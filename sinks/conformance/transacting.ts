/** Rules on sinks with transactions: a page counts with its commit, and the sink remembers it. */
import type { Sink } from '../contract.js';
import type { Bench, Rule } from './bench.js';
import { linesOf, mustEqual } from './items.js';
import { commitPage, open, resume, writePage } from './process.js';
import { ruleFor } from './scene.js';
import { allLines, batchesOf, earlierOf, endOf, lanesOf, newJournal, type ScriptJournal } from './script.js';
import { mustReject } from './watched.js';

export const transactingRules: readonly Rule[] = [
  ruleFor('transaction', 'shows a page once it is committed, not before', async ({ bench, journal, lanes: [lane] }) => {
    const first = await begin(bench, journal);
    await writePage(bench, first, { journal, lane, page: 0 });
    mustEqual(await bench.read(lane.dataType), []);
    await commitPage(bench, first, { journal, lane, page: 0 });
    const expected = batchesOf(journal, lane, 0);
    await closed(bench, journal);
    mustEqual(await bench.read(lane.dataType), linesOf(...expected));
  }),
  ruleFor('transaction', 'commits each page alone', async ({ bench, journal, lanes: [one, two] }) => {
    const first = await begin(bench, journal);
    await writePage(bench, first, { journal, lane: one, page: 0 });
    await writePage(bench, first, { journal, lane: two, page: 0 });
    await commitPage(bench, first, { journal, lane: two, page: 0 });
    const expected = batchesOf(journal, two, 0);
    await closed(bench, journal);
    mustEqual(await bench.read(one.dataType), []);
    mustEqual(await bench.read(two.dataType), linesOf(...expected));
  }),
  ruleFor(
    'transaction',
    'remembers the last keep of each lane, of its own run',
    async ({ bench, journal, lanes: [one, two] }) => {
      const first = await begin(bench, journal);
      const pages = [
        [one, 0],
        [two, 0],
        [one, 1],
      ] as const;
      for (const [lane, page] of pages) {
        await writePage(bench, first, { journal, lane, page });
        await commitPage(bench, first, { journal, lane, page });
      }
      const expected = { [one.lane]: endOf(journal, one, 1).keep, [two.lane]: endOf(journal, two, 0).keep };
      mustHold(await positionsOf(bench, await begin(bench, journal)), expected);
      mustHold(await positionsOf(bench, await begin(bench, newJournal(`${bench.dataType}-x`))), {});
    },
  ),
  ruleFor('transaction', 'stores a keep of any length that it allows', async ({ bench, journal, lanes: [lane] }) => {
    const first = await begin(bench, journal);
    const keep = JSON.stringify({ text: 'č'.repeat(((first.keepBytes ?? 20_000) - 11) >> 1) });
    await writePage(bench, first, { journal, lane, page: 0 });
    const end = { ...endOf(journal, lane, 0), keep };
    await bench.inTime('commit', () => first.commit?.(end, new AbortController().signal));
    mustHold(await positionsOf(bench, await begin(bench, journal)), { [lane.lane]: keep });
  }),
  {
    name: 'ends a page whose commit was applied without an answer',
    async run(bench) {
      const sink = await bench.makeUnanswered();
      if (sink === undefined) return 'no sink whose commits have no answer was given: option "unanswered"';
      const [journal, [lane]] = [newJournal(bench.dataType), lanesOf(bench.dataType)];
      await start(bench, sink, journal);
      for (const page of lane.pages.keys()) {
        await writePage(bench, sink, { journal, lane, page });
        await mustReject(commitPage(bench, sink, { journal, lane, page }), 'a commit without an answer was accepted');
        mustHold(await positionsOf(bench, sink), { [lane.lane]: endOf(journal, lane, page).keep });
      }
      await closed(bench, journal);
      mustEqual(await bench.read(lane.dataType), allLines(lane));
      return undefined;
    },
  },
  ruleFor('transaction', 'refuses a commit of an older epoch', async ({ bench, journal, lanes: [lane] }) => {
    const old = await begin(bench, journal);
    const oldJournal = { ...journal };
    await writePage(bench, old, { journal: oldJournal, lane, page: 0 });
    const next = await begin(bench, journal);
    const late = commitPage(bench, old, { journal: oldJournal, lane, page: 0 });
    await mustReject(late, 'a commit of an older epoch was accepted');
    mustHold(await positionsOf(bench, next), {});
    await writePage(bench, next, { journal, lane, page: 0 });
    await commitPage(bench, next, { journal, lane, page: 0 });
    await bench.inTime('close', () => next.close());
    mustEqual(await bench.read(lane.dataType), linesOf(...batchesOf(journal, lane, 0)));
  }),
  ruleFor('transaction', 'loses nothing to a process of an older epoch', async ({ bench, journal, lanes: [lane] }) => {
    const old = await begin(bench, journal);
    const oldJournal = { ...journal };
    await writePage(bench, old, { journal: oldJournal, lane, page: 0 });
    const next = await begin(bench, journal);
    await writePage(bench, next, { journal, lane, page: 0 });
    await bench.inTime('rollback', () => old.rollback?.(lane.dataType)).catch(() => {});
    await bench.inTime('abort', () => old.abort(new Error('another process has the run'))).catch(() => {});
    await commitPage(bench, next, { journal, lane, page: 0 });
    await bench.inTime('close', () => next.close());
    mustEqual(await bench.read(lane.dataType), linesOf(...batchesOf(journal, lane, 0)));
  }),
  ruleFor(
    'transaction',
    'refuses older epochs also after the end of the run',
    async ({ bench, journal, lanes: [lane] }) => {
      const late = { ...journal };
      const old = await begin(bench, journal);
      const oldJournal = { ...journal };
      await writePage(bench, old, { journal: oldJournal, lane, page: 0 });
      const newest = await begin(bench, journal);
      await writePage(bench, newest, { journal, lane, page: 0 });
      await commitPage(bench, newest, { journal, lane, page: 0 });
      await bench.inTime('close', () => newest.close());
      await mustReject(begin(bench, late), 'a process that begins after the end of its run was accepted');
      const commit = commitPage(bench, old, { journal: oldJournal, lane, page: 0 });
      await mustReject(commit, 'a commit of an older epoch was accepted after the end of the run');
      await bench.inTime('close', () => old.close()).catch(() => {});
      mustEqual(await bench.read(lane.dataType), linesOf(...batchesOf(journal, lane, 0)));
    },
  ),
  ruleFor('transaction', 'refuses a process whose run was replaced before it began', async ({ bench, journal }) => {
    const fresh = await bench.makeSink();
    const next = { ...earlierOf({ ...newJournal(`${bench.dataType}-x`), epoch: 1 }), replaces: [journal.run] };
    await bench.inTime('resume', () => fresh.resume?.(next));
    await mustReject(begin(bench, journal), 'a process of a run that was replaced was accepted');
    await bench.inTime('abort', () => fresh.abort(new Error('the rule is over')));
  }),
  ruleFor('transaction', 'refuses to resume an older epoch', async ({ bench, journal }) => {
    await begin(bench, journal);
    const oldJournal = { ...journal, epoch: 0 };
    await begin(bench, journal);
    await mustReject(begin(bench, oldJournal), 'a resume of an older epoch was accepted');
  }),
];

/** A new process: it resumes, and opens both data types. */
async function begin(bench: Bench, journal: ScriptJournal): Promise<Sink> {
  const sink = await bench.makeSink();
  await start(bench, sink, journal);
  return sink;
}

async function start(bench: Bench, sink: Sink, journal: ScriptJournal): Promise<void> {
  await resume(bench, sink, journal);
  await open(bench, sink, lanesOf(bench.dataType));
}

/** A process that resumes, and ends the run. */
async function closed(bench: Bench, journal: ScriptJournal): Promise<void> {
  const sink = await begin(bench, journal);
  await bench.inTime('close', () => sink.close());
}

async function positionsOf({ inTime }: Bench, sink: Sink): Promise<ReadonlyMap<string, string>> {
  return (await inTime('positions', () => sink.positions?.())) ?? new Map();
}

function mustHold(
  positions: ReadonlyMap<string, string>,
  expected: Readonly<Record<string, string | undefined>>,
): void {
  const [found, wanted] = [[...positions].sort(), Object.entries(expected).sort()].map((each) => JSON.stringify(each));
  if (found !== wanted) throw new Error(`positions: expected ${short(wanted)}, found ${short(found)}`);
}

const short = (text = '') => (text.length > 200 ? `${text.slice(0, 200)}...` : text);
