/** Where a run stands: what its journal adds up to, record by record. It knows nothing of files, and holds values as they were written. */
import { noShare, type Share, withPage } from '../totals.js';
import { createPrints, type Prints } from './prints.js';
import type {
  BeginRecord,
  KeptRows,
  KeptWalk,
  OverRecord,
  PageRecord,
  PhaseRecord,
  RowPlace,
  SnapshotRecord,
  Standing,
  StateRecord,
} from './records.js';

/** One walk, and below it the child's that it waits for. */
export interface Walk extends Standing {
  readonly prints: Prints;
  readonly child?: { readonly at: RowPlace; readonly walk: Walk };
}

export type Phase = 'writing' | 'publishing' | 'done';

export interface Position {
  readonly begin: BeginRecord;
  readonly phase: Phase;
  /** What the run told of its outputs when it was done, as JSON text. */
  readonly told: string;
  /** Records of pages and ends so far. */
  readonly count: number;
  /** Undefined: the job has not got a page yet. */
  walkOf(job: number): Walk | 'over' | undefined;
  /** Checkpoints as JSON text. */
  readonly outputs: ReadonlyMap<number, string>;
  readonly shares: ReadonlyMap<number, Share>;
  /** Those that are still needed. */
  rows(): readonly KeptRows[];
  /** Takes the next record. */
  apply(record: StateRecord): void;
  snapshot(): SnapshotRecord;
}

/** Starts with nothing but the beginning. */
export function createPosition(begin: BeginRecord): Position {
  const jobs = new Map<number, Walk | 'over'>();
  const outputs = new Map<number, string>();
  const shares = new Map<number, Share>();
  let phase: Phase = 'writing';
  let told = '[]';
  let count = 0;

  const takePage = ({ job, at, took, output, print, ...rest }: PageRecord) => {
    count += 1;
    const { begun, next, rows } = rest;
    const standing = { begun, ...(next === undefined ? {} : { next }), ...(rows === undefined ? {} : { rows }) };
    const found = jobs.get(job);
    jobs.set(job, walkOn(found === 'over' ? undefined : found, at, standing, BigInt(`0x${print}`)));
    if (output !== undefined) outputs.set(...output);
    shares.set(took.job, withPage(shares.get(took.job) ?? noShare, took));
  };
  const takeEnd = ({ job }: OverRecord) => {
    count += 1;
    jobs.set(job, 'over');
  };
  const takePhase = ({ is, outputs: all, told: lines = '[]' }: PhaseRecord) => {
    phase = is;
    told = lines;
    for (const output of all) outputs.set(...output);
  };
  const takeSnapshot = (snapshot: SnapshotRecord) => {
    count = snapshot.count;
    for (const [job, walk] of snapshot.jobs) jobs.set(job, walk === 'over' ? walk : opened(walk));
    for (const output of snapshot.outputs) outputs.set(...output);
    for (const share of snapshot.shares) shares.set(...share);
  };

  return {
    begin,
    get phase() {
      return phase;
    },
    get told() {
      return told;
    },
    get count() {
      return count;
    },
    walkOf: (job) => jobs.get(job),
    outputs,
    shares,
    rows: () => [...jobs.values()].flatMap((walk) => (walk === 'over' ? [] : rowsOf(walk))),
    apply(record) {
      if (record.is === 'page') takePage(record);
      else if (record.is === 'over') takeEnd(record);
      else if (record.is === 'snapshot') takeSnapshot(record);
      else if (record.is === 'publishing' || record.is === 'done') takePhase(record);
    },
    snapshot: () => ({
      is: 'snapshot',
      count,
      jobs: [...jobs].map(([job, walk]) => [job, walk === 'over' ? walk : kept(walk)] as const),
      outputs: [...outputs],
      shares: [...shares],
    }),
  };
}

/** The walk at the end of the path has got a page: what lay below it is done with, and so is any other child than those on the way. */
function walkOn(walk: Walk | undefined, at: readonly RowPlace[], standing: Standing, print: bigint): Walk {
  const [place, ...rest] = at;
  const prints = walk?.prints ?? createPrints();
  if (place === undefined) {
    prints.add(print);
    return { ...standing, prints };
  }
  const same = walk?.child !== undefined && isSame(walk.child.at, place) ? walk.child.walk : undefined;
  const child = { at: place, walk: walkOn(same, rest, standing, print) };
  return { begun: 0, ...walk, prints, child };
}

const isSame = (a: RowPlace, b: RowPlace): boolean => a.every((number, index) => number === b[index]);

const rowsOf = ({ rows, child }: Walk): readonly KeptRows[] => [
  ...(rows === undefined ? [] : [rows]),
  ...(child === undefined ? [] : rowsOf(child.walk)),
];

const kept = ({ prints, child, ...standing }: Walk): KeptWalk => ({
  ...standing,
  prints: prints.toText(),
  ...(child === undefined ? {} : { child: { at: child.at, walk: kept(child.walk) } }),
});

const opened = ({ prints, child, ...standing }: KeptWalk): Walk => ({
  ...standing,
  prints: createPrints(prints),
  ...(child === undefined ? {} : { child: { at: child.at, walk: opened(child.walk) } }),
});
