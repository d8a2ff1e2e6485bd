/** The four sinks of the model: what each does with an item, a commit, a broken attempt, and the end of its process. */
import { type Kind, type Lane, type Rule, type Setup, typeOf } from './setup.js';
import {
  type ByType,
  type FileSink,
  forLanes,
  forTypes,
  type Item,
  type Keep,
  type LogSink,
  type SinkState,
  type State,
  type Transaction,
} from './state.js';

export function createSink(setup: Setup, kind: Kind): SinkState {
  if (kind === 'cut') {
    const none = forTypes(setup, () => 0);
    return { kind, files: forTypes(setup, () => []), synced: none, committed: none, published: undefined };
  }
  return {
    kind,
    items: [],
    keeps: {},
    open: forLanes(() => []),
    sent: [],
    saved: { items: [], keeps: {} },
    isClosed: false,
  };
}

/** `write`: a queue drops an item whose id it has; a log without ids takes it again, which is not counted. */
export function write(sink: SinkState, setup: Setup, lane: Lane, item: Item): SinkState {
  if (sink.kind === 'cut') {
    const type = typeOf(setup, lane);
    return { ...sink, files: { ...sink.files, [type]: [...(sink.files[type] ?? []), item] } };
  }
  if (sink.kind === 'transaction') return { ...sink, open: { ...sink.open, [lane]: [...sink.open[lane], item] } };
  const known = sink.kind === 'ids' ? sink.items.some((each) => idOf(setup, each) === idOf(setup, item)) : false;
  return known || sink.items.includes(item) ? sink : { ...sink, items: [...sink.items, item].sort() };
}

/** The parts of a message id, at their places in an item. */
const idParts: readonly (readonly [Rule, number])[] = [
  ['an id has the run', 0],
  ['an id has the walk', 1],
  ['an id has the page', 2],
  ['an id has the offset', 3],
  ['an id has the hash of the item', 4],
];

function idOf({ without }: Setup, item: Item): string {
  if (without.has('an id is made of places, not of numbers in the data type')) return item.slice(6);
  return idParts.map(([rule, at]) => (without.has(rule) ? '' : item[at])).join();
}

/** The key of the lane's keep in this run. */
export function keyOf({ without }: Setup, run: number, lane: Lane): string {
  if (without.has('a run has an id')) return `:${lane}`;
  return `${run}:${without.has('a keep belongs to one lane') ? '' : lane}`;
}

/** `commit`. A log applies it later, or loses it. */
export function commit(sink: SinkState, setup: Setup, transaction: Omit<Transaction, 'items'>): SinkState {
  const { lane, key, keep } = transaction;
  if (sink.kind === 'cut') {
    const type = typeOf(setup, lane);
    return { ...sink, committed: { ...sink.committed, [type]: sink.files[type]?.length ?? 0 } };
  }
  if (sink.kind !== 'transaction') return sink;
  const items = sink.open[lane];
  const sent = setup.without.has('items and keep are one transaction')
    ? [
        { lane, items, key, keep: undefined },
        { lane, items: [], key, keep },
      ]
    : [{ lane, items, key, keep }];
  return { ...sink, open: { ...sink.open, [lane]: [] }, sent: [...sink.sent, ...sent].sort(byLane) };
}

const byLane = (a: Transaction, b: Transaction): number => (a.lane < b.lane ? -1 : a.lane > b.lane ? 1 : 0);

/** The server applies a transaction, whether or not its client is still there. */
export function apply(sink: LogSink, at: number): LogSink {
  const transaction = sink.sent[at];
  if (transaction === undefined) return sink;
  const { items, key, keep } = transaction;
  return {
    ...sink,
    items: [...sink.items, ...items].sort(),
    keeps: keep === undefined ? sink.keeps : withKeep(sink.keeps, key, keep),
    sent: sink.sent.toSpliced(at, 1),
  };
}

/** Keys stay sorted, so that equal states are written alike. */
const withKeep = (keeps: ByType<Keep>, key: string, keep: Keep): ByType<Keep> =>
  Object.fromEntries(Object.entries({ ...keeps, [key]: keep }).sort(([a], [b]) => (a < b ? -1 : 1)));

export const isApplied = ({ sinks }: State, lane: Lane): boolean =>
  sinks.every((sink) => sink.kind === 'cut' || sink.sent.every((transaction) => transaction.lane !== lane));

/** `rollback` of what a broken attempt wrote. */
export function rollback(sink: SinkState, setup: Setup, lane: Lane): SinkState {
  if (setup.without.has('a broken attempt is rolled back')) return sink;
  if (sink.kind !== 'cut') return sink.kind === 'transaction' ? { ...sink, open: { ...sink.open, [lane]: [] } } : sink;
  const type = typeOf(setup, lane);
  return { ...sink, files: { ...sink.files, [type]: (sink.files[type] ?? []).slice(0, sink.committed[type]) } };
}

/** Cuts the files at these ends. */
export function cut(sink: FileSink, ends: ByType<number>): FileSink {
  const files = Object.fromEntries(
    Object.entries(sink.files).map(([type, items]) => [type, items.slice(0, ends[type])]),
  );
  const lengthOf = (type: string) => files[type]?.length ?? 0;
  return {
    ...sink,
    files,
    synced: Object.fromEntries(Object.entries(sink.synced).map(([type, end]) => [type, Math.min(end, lengthOf(type))])),
    committed: Object.fromEntries(Object.keys(files).map((type) => [type, lengthOf(type)])),
  };
}

/** The process has ended: what it held in memory is gone. */
export function forget(sink: SinkState): SinkState {
  if (sink.kind !== 'cut') return { ...sink, open: forLanes(() => []) };
  return { ...sink, committed: Object.fromEntries(Object.keys(sink.files).map((type) => [type, 0])) };
}

/** `close`: a file gets its name, a log removes the keeps of its run. */
export function close(sink: SinkState, setup: Setup, run: number): SinkState {
  if (sink.kind === 'cut') return { ...sink, published: Object.values(sink.files).flat() };
  const isOther = (key: string) => setup.without.has('a run has an id') || !key.startsWith(`${run}:`);
  const keeps = Object.fromEntries(Object.entries(sink.keeps).filter(([key]) => isOther(key)));
  return { ...sink, keeps, isClosed: true };
}

export const isClosed = (sink: SinkState): boolean =>
  sink.kind === 'cut' ? sink.published !== undefined : sink.isClosed;
