/** A run as one process has it, and the same run by members that are killed and resumed in random places. */
import { batchOf } from '../../../sinks/batch.js';
import type { Earlier, Sink } from '../../../sinks/contract.js';
import { type Exact, stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { earlierOf } from '../lib.js';

/** A page of the run. */
export interface RunPage {
  /** The member that writes it. */
  readonly task: string;
  readonly job: string;
  readonly dataType: string;
  readonly walk: string;
  readonly page: number;
  readonly items: readonly unknown[];
  readonly columns?: readonly string[];
}

/** Draws numbers from 0 up to 1. */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  const draw = mulberry32(seed);
  return () => draw() / 2 ** 32;
}

const run = 'shared-run-00000';

/** The calls of `open` of each process. */
const jobs = [
  ['users', 'users'],
  ['orders', 'orders'],
  ['groups', 'users'], // a child job with the data type of its parent
  ['lines', 'lines'],
  ['empty', 'empty'],
  ['logs', 'logs'],
] as const;

/**
 * The pages of a run in the order of one process: two top-level jobs; the rows of each page of the first one have
 * orders, and these have lines; then groups, which are users too.
 */
export function pagesOf(random: Random): readonly RunPage[] {
  const pages: RunPage[] = [];
  const rows = 4;
  const block = 3;
  for (let page = 0; page < 3; page += 1) {
    const users = itemsOf(random, 'user', rows);
    pages.push({ task: 'J0', job: 'users', dataType: 'users', walk: '0', page, items: users });
    for (const [child, job] of ['orders', 'groups'].entries()) {
      for (let row = 0; row < rows; row += 1) {
        const task = `J0-P${page}-C${child}-R${row - (row % block)}`;
        pages.push(...childPages(random, { task, job, walk: `0/${page}.${child}.${row}.0` }));
      }
    }
  }
  for (let page = 0; page < 12; page += 1) {
    const logs = itemsOf(random, 'log', 2);
    pages.push({ task: 'J1', job: 'logs', dataType: 'logs', walk: '1', page, items: logs });
  }
  return pages.filter(({ items }) => items.length > 0);
}

function childPages(random: Random, { task, job, walk }: Pick<RunPage, 'task' | 'job' | 'walk'>): readonly RunPage[] {
  const dataType = job === 'groups' ? 'users' : job;
  const columns = ['parent_id'];
  return [0, 1].flatMap((page) => {
    const items = itemsOf(random, job, Math.floor(random() * 3), { parent_id: walk });
    const own = { task, job, dataType, walk, page, items, columns };
    if (job !== 'orders') return [own];
    const lines = itemsOf(random, 'line', Math.floor(random() * 3));
    return [own, { task, job: 'lines', dataType: 'lines', walk: `${walk}/${page}.0.0.0`, page: 0, items: lines }];
  });
}

/** Items with members that come and go, and texts that need quotes. */
const itemsOf = (random: Random, name: string, count: number, more: object = {}): readonly unknown[] =>
  Array.from({ length: count }, () => ({
    [name]: Math.floor(random() * 1e6),
    ...(random() < 0.3 ? { note: 'a "quoted", text\né\u2028' } : {}),
    ...(random() < 0.3 ? { at: { city: 'Oslo', tags: ['a', 'b'] } } : {}),
    ...(random() < 0.1 ? { text: 'x'.repeat(30_000) } : {}),
    ...(random() < 0.2 ? { big: '12345678901234567890' } : {}),
    ...more,
  }));

async function begin(sink: Sink, part: Partial<Earlier>): Promise<Sink> {
  await sink.resume?.(earlierOf({ run, startedAt: Date.UTC(2026, 10, 28), ...part }));
  for (const [job, dataType] of jobs) await sink.open?.(dataType, job);
  return sink;
}

async function write(sink: Sink, page: RunPage, size: number): Promise<void> {
  for (let offset = 0; offset < page.items.length; offset += size) {
    const items = page.items.slice(offset, offset + size);
    const { job, walk, page: number } = page;
    await sink.write(
      { ...batchOf(page.dataType, items, { job, run, walk, page: number, offset }), columns: page.columns },
      new AbortController().signal,
    );
  }
}

async function commit(sink: Sink, page: RunPage): Promise<Exact | undefined> {
  const { job, dataType, walk, items } = page;
  const bytes = items.reduce<number>((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)) + 1, 0);
  const end = { run, job, dataType, walk, page: page.page, count: items.length, bytes, lane: walk.charAt(0) };
  const checkpoint = await sink.commit?.(end, new AbortController().signal);
  return checkpoint === undefined || checkpoint === null ? undefined : parseExact(stringifyExact(checkpoint));
}

/** Writes all pages in one process. */
export async function runAlone(sink: Sink, pages: readonly RunPage[], size = 100): Promise<Sink> {
  await begin(sink, {});
  for (const page of pages) {
    await write(sink, page, size);
    await commit(sink, page);
  }
  await sink.close();
  return sink;
}

/** What the journal of a member has. */
interface Journal {
  epoch: number;
  done: number;
  readonly checkpoints: Map<string, Exact>;
}

/** What members have left, and a function that lets the processes end which were suspended. */
export interface LeftRun {
  readonly members: NonNullable<Earlier['members']>;
  readonly wake: () => Promise<void>;
}

/** Writes the pages of each member, with kills in random places. Resolves to what the members have left. */
export async function runMembers(make: () => Sink, pages: readonly RunPage[], random: Random): Promise<LeftRun> {
  const tasks = new Map<string, RunPage[]>();
  for (const page of pages) tasks.set(page.task, [...(tasks.get(page.task) ?? []), page]);
  const members = new Map<string, ReadonlyMap<string, Exact>>();
  const processes: Sink[] = [];
  const work = [...tasks].map(async ([member, own]) => {
    const journal: Journal = { epoch: 0, done: 0, checkpoints: new Map() };
    do processes.push(make());
    while (!(await liveOnce(processes.at(-1), { member, own, journal, random })));
    if (journal.checkpoints.size > 0) members.set(member, journal.checkpoints);
  });
  await Promise.all(work);
  const wake = async () => {
    for (const sink of processes) await sink.abort(new Error('killed'));
  };
  return { members, wake };
}

/** One process of a member. False: it was killed. Some that are killed write more, which does not count. */
async function liveOnce(
  sink: Sink | undefined,
  { member, own, journal, random }: { member: string; own: readonly RunPage[]; journal: Journal; random: Random },
): Promise<boolean> {
  if (sink === undefined) return true;
  journal.epoch += 1;
  await begin(sink, { member, epoch: journal.epoch, checkpoints: new Map(journal.checkpoints) });
  for (; journal.done < own.length; journal.done += 1) {
    const page = own[journal.done];
    if (page === undefined) break;
    await write(sink, page, 1 + Math.floor(random() * 3));
    if (random() < 0.1) return false;
    if (random() < 0.1) {
      await sink.rollback?.(page.dataType);
      await write(sink, page, 2);
    }
    const checkpoint = await commit(sink, page);
    if (random() < 0.1) return false;
    if (checkpoint !== undefined) journal.checkpoints.set(page.dataType, checkpoint);
  }
  await sink.leave?.();
  return random() >= 0.1;
}

/** The last process of the run. */
export async function publish(sink: Sink, { members, wake }: LeftRun, part: Partial<Earlier> = {}): Promise<Sink> {
  await begin(sink, { member: 'publish', members, ...part });
  await sink.close();
  await wake();
  return sink;
}
