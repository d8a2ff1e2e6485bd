/** The kinds of sinks in memory: each declares a recovery and keeps every rule of it. */
import type { Closing, Earlier, PageEnd, Sink } from '../../sinks/contract.js';
import { messageIds } from '../../sinks/messages/message-id.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, ExactNumber } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';

/** What outlives a process. */
export interface Store {
  /** The items that can be read, by data type. */
  readonly lines: Map<string, string[]>;
  readonly ids: Set<string>;
  readonly runs: Map<string, { epoch: number; readonly keeps: Map<string, string> }>;
  /** How often the destination has started again. */
  restarts: number;
}

export const newStore = (): Store => ({ lines: new Map(), ids: new Set(), runs: new Map(), restarts: 0 });

export const linesOf = ({ bytes }: Batch): readonly string[] => Buffer.from(bytes).toString().split('\n').slice(0, -1);

/** The list of a data type: changing it changes what can be read. */
export function linesIn({ lines }: Store, dataType: string): string[] {
  const found = lines.get(dataType) ?? [];
  lines.set(dataType, found);
  return found;
}

/** What all of them share: the end, and a write that is refused after it or once its signal has aborted. */
function life() {
  let ended = false;
  const end = () => {
    ended = true;
  };
  return {
    mayWrite(signal: AbortSignal) {
      if (ended) throw new Error('the sink has ended');
      signal.throwIfAborted();
    },
    close: async (_closing?: Closing) => end(),
    abort: async (_reason: unknown) => end(),
  };
}

/** Appends, and remembers nothing. */
export function plainSink(store: Store) {
  const { mayWrite, close, abort } = life();
  return {
    write: async (batch: Batch, signal: AbortSignal) => {
      mayWrite(signal);
      linesIn(store, batch.dataType).push(...linesOf(batch));
    },
    close,
    abort,
  } satisfies Sink;
}

/** A queue that drops a message whose id it has. */
export function idsSink(store: Store) {
  const { mayWrite, close, abort } = life();
  return {
    recovery: 'ids' as const,
    window: 60_000,
    write: async (batch: Batch, signal: AbortSignal, ids = messageIds(batch)) => {
      mayWrite(signal);
      for (const [index, line] of linesOf(batch).entries()) {
        const id = ids[index] ?? '';
        if (!store.ids.has(id)) linesIn(store, batch.dataType).push(line);
        store.ids.add(id);
      }
    },
    close,
    leave: async () => close(),
    abort,
  } satisfies Sink;
}

/** A table that can delete what follows a position. */
export function cutSink(store: Store) {
  const { mayWrite, close, abort } = life();
  const committed = new Map<string, number>();
  const opened = new Set<string>();
  const lengthOf = (dataType: string) => linesIn(store, dataType).length;
  return {
    recovery: 'cut' as const,
    resume: async ({ checkpoints }: Earlier) => {
      for (const [dataType, end] of checkpoints) {
        if (lengthOf(dataType) < numberOf(end))
          throw new ExtractError('ERR_RESUME', `${dataType} is shorter than it was`);
      }
      for (const [dataType, end] of checkpoints) committed.set(dataType, numberOf(end));
    },
    open: async (dataType: string) => {
      if (opened.has(dataType)) return;
      opened.add(dataType);
      const end = committed.get(dataType) ?? 0;
      linesIn(store, dataType).splice(end);
      committed.set(dataType, end);
    },
    write: async (batch: Batch, signal: AbortSignal) => {
      mayWrite(signal);
      linesIn(store, batch.dataType).push(...linesOf(batch));
    },
    commit: async ({ dataType }: PageEnd): Promise<Exact> => {
      committed.set(dataType, lengthOf(dataType));
      return new ExactNumber(String(lengthOf(dataType)));
    },
    rollback: async (dataType: string) => void linesIn(store, dataType).splice(committed.get(dataType) ?? 0),
    durable: async () => {},
    close,
    abort,
  } satisfies Sink;
}

export const numberOf = (end: Exact): number => (end instanceof ExactNumber ? Number(end.text) : 0);

/** The same, whose commits are applied and give no answer. */
export function unansweredSink(store: Store) {
  const whole = transactionSink(store);
  return {
    ...whole,
    commit: async (page: PageEnd) => {
      await whole.commit(page);
      throw new Error('no answer');
    },
  } satisfies Sink;
}

/** A log with transactions: the items of a page and its keep are appended together, or not at all. */
export function transactionSink(store: Store) {
  const { mayWrite, close, abort } = life();
  const open = new Map<string, string[]>();
  let [whole, run, epoch] = ['', '', 0];
  const entry = () => {
    if (store.runs.get(whole)?.epoch === Number.POSITIVE_INFINITY) throw new ExtractError('ERR_RESUME', 'replaced');
    const found = store.runs.get(run) ?? { epoch, keeps: new Map<string, string>() };
    store.runs.set(run, found);
    if (found.epoch > epoch) throw new ExtractError('ERR_RESUME', `another process has resumed the run ${run}`);
    return found;
  };
  return {
    recovery: 'transaction' as const,
    keepBytes: 5000,
    resume: async (earlier: Earlier) => {
      [whole, epoch] = [earlier.run, earlier.epoch];
      run = earlier.member === undefined ? whole : `${whole} ${earlier.member}`;
      entry().epoch = epoch;
      for (const old of earlier.replaces ?? []) {
        store.runs.set(old, { epoch: Number.POSITIVE_INFINITY, keeps: new Map() });
      }
    },
    positions: async () => new Map(entry().keeps),
    write: async (batch: Batch, signal: AbortSignal) => {
      mayWrite(signal);
      open.set(batch.dataType, [...(open.get(batch.dataType) ?? []), ...linesOf(batch)]);
    },
    commit: async ({ dataType, lane, keep }: PageEnd) => {
      const { keeps } = entry();
      linesIn(store, dataType).push(...(open.get(dataType) ?? []));
      open.delete(dataType);
      if (keep !== undefined) keeps.set(lane, keep);
    },
    rollback: async (dataType: string) => void open.delete(dataType),
    close,
    leave: async () => close(),
    abort,
  } satisfies Sink;
}

/** Lists that each process writes for itself. The last one of a run copies those that count to where they are read. */
export function partsSink(store: Store) {
  const { mayWrite, close, abort } = life();
  let [own, left]: [string, Earlier['checkpoints'][]] = ['', []];
  const before = new Map<string, readonly ListPart[]>();
  const committed = new Map<string, number>();
  const dataTypes = new Set<string>();
  const nameOf = (dataType: string) => `${own} ${dataType}`;
  const partsNow = (dataType: string): readonly ListPart[] => [
    ...(before.get(dataType) ?? []),
    [nameOf(dataType), committed.get(dataType) ?? 0],
  ];
  return {
    recovery: 'cut' as const,
    resume: async ({ run, member = '', epoch, checkpoints, members = new Map() }: Earlier) => {
      for (const [dataType, checkpoint] of checkpoints) {
        const parts = JSON.parse(String(checkpoint)) as ListPart[];
        const lost = parts.find(([name, length]) => linesIn(store, name).length < length);
        if (lost !== undefined) throw new ExtractError('ERR_RESUME', `${lost[0]} is shorter than it was`);
        for (const [name, length] of parts) linesIn(store, name).splice(length);
        before.set(dataType, parts);
      }
      own = `${run} ${member} ${epoch}`;
      left = [...members.values()];
    },
    open: (dataType: string) => void dataTypes.add(dataType),
    write: async (batch: Batch, signal: AbortSignal) => {
      mayWrite(signal);
      dataTypes.add(batch.dataType);
      linesIn(store, nameOf(batch.dataType)).push(...linesOf(batch));
    },
    commit: async ({ dataType }: PageEnd): Promise<Exact> => {
      committed.set(dataType, linesIn(store, nameOf(dataType)).length);
      return JSON.stringify(partsNow(dataType));
    },
    rollback: async (dataType: string) => void linesIn(store, nameOf(dataType)).splice(committed.get(dataType) ?? 0),
    durable: async () => {},
    close: async () => {
      for (const dataType of dataTypes) {
        const found = left.flatMap(
          (checkpoints) => JSON.parse(String(checkpoints.get(dataType) ?? '[]')) as ListPart[],
        );
        const all = [...found, ...partsNow(dataType)].flatMap(([name, length]) =>
          linesIn(store, name).slice(0, length),
        );
        store.lines.set(dataType, all);
      }
      await close();
    },
    leave: async () => close(),
    abort,
  } satisfies Sink;
}

/** A list, and how many of its lines count. */
type ListPart = readonly [name: string, length: number];
