/**
 * Items that a destination refuses are left out, counted, and stored as dead letters in a sink of their own. Requests
 * that failed can be dead letters too.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Exact } from '../../src/core/json/exact.js';
import { type Batch, createBatch, joinItems } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import { type Deferred, deferred } from '../../src/core/util/deferred.js';
import { borrowing, isBorrowing } from '../borrowing.js';
import type { Earlier, Opening, PageEnd, RefusedItem, Sink, SinkFunction } from '../contract.js';
import { delegate, symbolsOf } from '../delegate.js';
import { orAborted } from '../errors.js';
import { sinkOf } from '../from-function.js';
import { itemBytes } from '../messages/message-id.js';
import { mustBeComplete } from '../recovery.js';
import type { ItemJudge, TakeUnfit } from '../shape/judge.js';
import { all, sinksOf } from './fan-out.js';
import {
  createLetterPositions,
  createRequestPlaces,
  type LetterPositions,
  positionBytes,
  positionTextsIn,
  type RequestPlaces,
  storedKeeps,
} from './letter-positions.js';
import { createRefusals, type Refusals, type RefusedItems } from './refusals.js';

/**
 * What a run does with items that a destination refuses: it fails, leaves them out, or leaves them out and stores them
 * in a sink.
 */
export type ItemErrorRule = 'fail' | 'skip' | { readonly deadLetter: Sink | SinkFunction };

export interface ItemErrorHooks {
  readonly notify: Notify;
  /** Hides secrets in the text of an error. */
  readonly mask: (text: string) => string;
}

/** Sinks whose refused items are left out. */
export interface HandledSinks {
  readonly sink: Sink;
  /** What was refused, for each sink that has refused items. */
  readonly refused: () => readonly RefusedItems[];
  readonly refusedOf: RefusedOf;
}

/** How many items of a data type a sink, by its number, has refused in this process. */
export type RefusedOf = (sink: number, dataType: string) => number;

const letters = Symbol('dead letters');

/** Whether the sink is that of the dead letters of a run. */
export const holdsLetters = (sink: object): boolean => letters in sink;

/** Letters of requests are dropped: for runs that store nothing. */
export const droppedLetters: ItemErrorRule = { deadLetter: () => {} };

/** What a letter says of a request that failed; the place of its page is added. */
export interface RequestLetter {
  readonly error: string;
  readonly code: string;
  readonly status?: number;
  /** Masked. */
  readonly request: string;
  /** The values of its placeholders. */
  readonly placeholders?: Readonly<Record<string, string>>;
  readonly time: string;
}

const requestLetter = Symbol('letter of a request');

/** The end of a page whose request failed, with what its letter says of that. Only the sink of letters gets it. */
export const withRequestLetter = (page: PageEnd, letter: RequestLetter): PageEnd =>
  Object.assign({ ...page }, { [requestLetter]: letter });

export const hasRequestLetter = (page: PageEnd): boolean => requestLetter in page;

const requestLetterOf = (page: PageEnd): RequestLetter | undefined =>
  requestLetter in page ? (page[requestLetter] as RequestLetter) : undefined; // set by `withRequestLetter`

/**
 * Wraps each of the sinks, and adds the sink of the dead letters to them. It commits the letters of a page before the
 * other sinks commit the page, so that none is lost: docs/decisions/029-dead-letters.md. Items that the judge leaves
 * out are letters too.
 */
export function handleItemErrors(
  to: Sink,
  rule: Exclude<ItemErrorRule, 'fail'>,
  hooks: ItemErrorHooks,
  judge?: ItemJudge,
): HandledSinks {
  const rounds = createRounds();
  const positions = createLetterPositions();
  const sinksToJudge = sinksOf(to);
  const refusers = sinksToJudge.length + (judge === undefined ? 0 : 1);
  const leaveOut = letterOfJudge(sinksToJudge.length, rounds);
  const given = sinksToJudge.map((sink) => judge?.before(sink, leaveOut) ?? sink);
  const parts = given.map((sink, number) => {
    const refusals = createRefusals(sink.name ?? `sink ${number + 1}`, hooks);
    return { refusals, sink: watched(sink, number, { rounds, positions, refusals, hooks, isStored: rule !== 'skip' }) };
  });
  const sinks = parts.map(({ sink }) => sink);
  const own =
    rule === 'skip' ? [] : [lettersTo(sinkOf(rule.deadLetter), { rounds, positions, others: given, refusers })];
  return {
    sink: all([...sinks, ...own]),
    refused: () => parts.flatMap(({ refusals }) => refusals.summary()),
    refusedOf: (number, dataType) => parts[number]?.refusals.itemsOf(dataType) ?? 0,
  };
}

/** The letters of one page that wait for its end, and who takes part in the page. */
interface Round {
  readonly key: string;
  /** By number of the sink: settles when it can refuse nothing more of the page. */
  readonly members: Map<number, Deferred>;
  /** The sink of the letters gets this page; after a crash it may have it already. */
  hasLetters: boolean;
  readonly waiting: Letter[];
  bytes: number;
  isEnding: boolean;
  /** Its letters are on their way: another one is too late. */
  isClosed: boolean;
  /** Settles when the letters are committed. */
  readonly done: Deferred;
}

interface Letter {
  readonly sink: number;
  readonly offset: number;
  readonly line: Uint8Array;
}

/** It is awaited where it matters. */
function handled(): Deferred {
  const made = deferred();
  made.promise.catch(() => {});
  return made;
}

/** The pages in progress, one for each data type. */
interface Rounds {
  /** The round of a page that is written: begins one if it is another page, or is written again. */
  enter(page: PageKey): Round;
  /** The round of a page that ends; undefined: nothing of it was written. */
  end(page: PageKey): Round | undefined;
  at(dataType: string): Round | undefined;
  drop(dataType: string): void;
}

type PageKey = Pick<PageEnd, 'dataType' | 'walk' | 'page'>;

function createRounds(): Rounds {
  const rounds = new Map<string, Round>();
  const keyOf = ({ walk, page }: PageKey) => `${walk} ${page}`;
  return {
    enter(page) {
      const found = rounds.get(page.dataType);
      if (found !== undefined && !found.isEnding && found.key === keyOf(page)) return found;
      const rest = { hasLetters: false, waiting: [], bytes: 0, isEnding: false, isClosed: false };
      const round: Round = { key: keyOf(page), members: new Map(), ...rest, done: handled() };
      rounds.set(page.dataType, round);
      return round;
    },
    end(page) {
      const found = rounds.get(page.dataType);
      if (found?.key !== keyOf(page)) return undefined;
      found.isEnding = true;
      return found;
    },
    at: (dataType) => rounds.get(dataType),
    drop: (dataType) => void rounds.delete(dataType),
  };
}

interface Watching {
  readonly rounds: Rounds;
  readonly positions: LetterPositions;
  readonly refusals: Refusals;
  readonly hooks: ItemErrorHooks;
  /** There is a sink for letters. */
  readonly isStored: boolean;
}

/** A sink whose refused items are collected. */
function watched(sink: Sink, number: number, watching: Watching): Sink {
  const { rounds, refusals, isStored } = watching;
  const take = collector(number, watching);
  const stored = isStored ? withLetters(sink, number, watching) : sink;
  const { rollback } = sink;
  const changes: Partial<Sink> = {
    open: (dataType, job, opening) => sink.open?.(dataType, job, { ...opening, onItemError: take }),
    async commit(page, signal) {
      const result = await stored.commit?.(page, signal);
      refusals.count(page.dataType);
      return result;
    },
    ...(rollback === undefined
      ? {}
      : {
          rollback(dataType) {
            rounds.drop(dataType);
            refusals.drop(dataType);
            return rollback.call(sink, dataType);
          },
        }),
  };
  return Object.assign(delegate(stored, changes), symbolsOf(sink));
}

/** A sink whose commit waits for the letters of the page. */
function withLetters(sink: Sink, number: number, { rounds, positions }: Watching): Sink {
  const write: Sink['write'] = (batch, signal) => {
    const { members } = rounds.enter(batch);
    if (!members.has(number)) members.set(number, handled());
    return sink.write(batch, signal);
  };
  return delegate(sink, {
    write: isBorrowing(sink.write) ? borrowing(write) : write,
    async commit(page, signal) {
      const round = rounds.end(page);
      if (round !== undefined) await settle(sink, number, { round, page, signal });
      const { keep } = page;
      const end = keep === undefined ? page : { ...page, keep: positions.addTo(keep, page.dataType) };
      return sink.commit?.(end, signal);
    },
    ...(sink.recovery === 'transaction' ? { positions: () => storedKeeps(sink) } : {}),
    ...(sink.keepBytes === undefined ? {} : { keepBytes: Math.max(0, sink.keepBytes - positionBytes) }),
  });
}

interface Ending {
  readonly round: Round;
  readonly page: PageEnd;
  readonly signal: AbortSignal;
}

/** Waits until the sink can refuse nothing more of the page, and its letters are committed. */
async function settle(sink: Sink, number: number, { round, page, signal }: Ending): Promise<void> {
  const member = round.members.get(number);
  try {
    await sink.prepare?.(page, signal);
    member?.resolve();
  } catch (thrown) {
    member?.reject(thrown);
    throw thrown;
  }
  if (round.hasLetters) await orAborted(round.done.promise, signal);
}

/** Most bytes of letters that wait for the end of their page. */
const mostWaiting = 64 * 1024 * 1024;

/** Returns the function that takes refused items of one sink. */
function collector(
  number: number,
  { rounds, refusals, hooks, isStored }: Watching,
): NonNullable<Opening['onItemError']> {
  return (refused) => {
    const { batch, index } = refused;
    const reason = hooks.mask(refused.reason);
    refusals.add(batch, index, reason);
    if (isStored) keepLetter(rounds, { refused, number, name: refusals.name, reason });
  };
}

/** Returns the function that takes items which do not fit their shape. No sink has the number. */
const letterOfJudge =
  (number: number, rounds: Rounds): TakeUnfit =>
  (batch, index, reason) =>
    keepLetter(rounds, { refused: { batch, index, reason }, number, name: 'shape', reason });

interface NewLetter {
  readonly refused: RefusedItem;
  /** The number and the name of the sink. */
  readonly number: number;
  readonly name: string;
  readonly reason: string;
}

/** Keeps a letter to the end of its page. */
function keepLetter(rounds: Rounds, { refused, number, name, reason }: NewLetter): void {
  const { batch, index } = refused;
  const round = rounds.at(batch.dataType) ?? rounds.enter(batch);
  if (round.isClosed) throw tooLate(refused, name);
  const line = letterOf(refused, name, reason);
  round.waiting.push({ sink: number, offset: batch.offset + index, line });
  round.bytes += line.length;
  if (round.bytes > mostWaiting) throw tooMany(batch);
}

/** `item` keeps its bytes, with every digit. */
function letterOf({ batch, index }: RefusedItem, sink: string, error: string): Uint8Array {
  const { job, dataType, run, walk, page, offset } = batch;
  const place = { run, walk, page, offset: offset + index };
  const head = JSON.stringify({ error, sink, job, dataType, ...place }).slice(0, -1);
  return Buffer.concat([Buffer.from(`${head},"item":`), itemBytes(batch, index), Buffer.from('}\n')]);
}

const tooLate = ({ batch: { job, page } }: RefusedItem, sink: string) =>
  new ExtractError(
    'ERR_SINK',
    `"${sink}" refused an item in \`commit\`: it must report it in \`write\` or \`prepare\``,
    {
      job,
      page,
    },
  );

const tooMany = ({ job, page }: Batch) =>
  new ExtractError(
    'ERR_SINK',
    `the refused items of a page have more than ${mostWaiting} bytes: check the destination, or request smaller pages`,
    { job, page },
  );

interface LetterOptions {
  readonly rounds: Rounds;
  readonly positions: LetterPositions;
  /** The sinks whose items the letters have. */
  readonly others: readonly Sink[];
  /** How many refuse items: the sinks, and the judge. */
  readonly refusers: number;
}

type CommitResult = Awaited<ReturnType<NonNullable<Sink['commit']>>>;

/** The sink of the letters: it gets the letters of a page with the page's end, and its own position. */
function lettersTo(sink: Sink, { rounds, positions, others, refusers }: LetterOptions): Sink {
  mustBeComplete(sink);
  const places = createRequestPlaces();
  const stored = (page: PageEnd, checkpoint: CommitResult) =>
    isPosition(sink, checkpoint) ? storedPosition(sink, positions, page, checkpoint) : checkpoint;
  const commitRequest = async ({ time, ...failure }: RequestLetter, page: PageEnd, signal: AbortSignal) => {
    if (positions.hasPassed(page) || places.hasPassed(page)) return undefined;
    const { job, dataType, run, walk, page: index } = page;
    // A letter that is sent again must have the id of the first one; queues store a time of their own.
    const letter = sink.recovery === 'ids' ? failure : { ...failure, time };
    const line = Buffer.from(`${JSON.stringify({ ...letter, job, dataType, run, walk, page: index })}\n`);
    const end = places.add({ ...page, count: 1, bytes: line.length });
    await sink.write(createBatch(page, joinItems([line]), 0), signal);
    return stored(page, await sink.commit?.(end, signal));
  };
  const changes: Partial<Sink> = {
    open(dataType, job, opening = {}) {
      const { onItemError: _, ...rest } = opening;
      return sink.open?.(dataType, job, rest);
    },
    ...(sink.recovery === 'cut' ? { resume: (earlier) => resumeLetters(sink, positions, others, earlier) } : {}),
    ...(sink.recovery === 'transaction' ? keepingPlaces(sink, places) : {}),
    write: borrowing((batch) => {
      rounds.enter(batch).hasLetters = true;
    }),
    file: async () => undefined,
    async commit(page, signal) {
      const letter = requestLetterOf(page);
      if (letter !== undefined) return commitRequest(letter, page, signal);
      const round = rounds.end(page);
      if (round === undefined) return undefined;
      try {
        await orAborted(Promise.all([...round.members.values()].map(({ promise }) => promise)), signal);
        round.isClosed = true;
        if (positions.has(page)) round.waiting.splice(0);
        const end = places.addTo(page);
        const result = await stored(page, await commitLetters(sink, refusers, { round, page: end, signal }));
        if (page.keep !== undefined) places.hold(new Map([[page.lane, page.keep]]));
        round.done.resolve();
        return result;
      } catch (thrown) {
        round.done.reject(thrown);
        throw thrown;
      }
    },
    rollback(dataType) {
      rounds.drop(dataType);
      return sink.rollback?.(dataType);
    },
  };
  return Object.assign(delegate(sink, changes), { [letters]: true });
}

/** A file has letters of pages that other sinks have and the journal lacks: these pages are not sent again. */
async function resumeLetters(
  sink: Sink,
  positions: LetterPositions,
  others: readonly Sink[],
  earlier: Earlier,
): Promise<void> {
  const isWriting = earlier.isStored && earlier.phase === 'writing';
  const texts = isWriting && earlier.epoch > 1 ? (await Promise.all(others.map(positionTextsIn))).flat() : [];
  await sink.resume?.({ ...earlier, checkpoints: positions.resume(earlier.checkpoints, texts) });
}

/** A sink with transactions stores which letters of requests it has: their pages do not count in its position. */
const keepingPlaces = (sink: Sink, places: RequestPlaces): Partial<Sink> => ({
  async resume(earlier) {
    await sink.resume?.(earlier);
    places.resume(earlier, earlier.isStored && earlier.epoch > 1 ? await sink.positions?.() : undefined);
  },
  async positions() {
    const held = await storedKeeps(sink);
    places.hold(held);
    return held;
  },
  ...(sink.keepBytes === undefined ? {} : { keepBytes: Math.max(0, sink.keepBytes - positionBytes) }),
});

const isPosition = ({ recovery }: Sink, checkpoint: unknown): checkpoint is Exact =>
  recovery === 'cut' && checkpoint !== undefined;

/** The letters survive a power cut before another sink commits the page. */
async function storedPosition(
  sink: Sink,
  positions: LetterPositions,
  page: PageEnd,
  checkpoint: Exact,
): Promise<Exact> {
  await sink.durable?.();
  return positions.commit(page, checkpoint);
}

/** Writes and commits the letters of a page. A sink with transactions stores the position of every page. */
async function commitLetters(sink: Sink, refusers: number, { round, page, signal }: Ending) {
  // Place and id of a letter are the same whichever sinks refuse items of the page, also when it is sent again.
  const fixed = ({ offset, sink: number }: Letter) => offset * refusers + number;
  const sorted = [...round.waiting].sort((a, b) => fixed(a) - fixed(b));
  const isRemoved = sink.recovery === 'cut' || sink.recovery === 'transaction';
  const batches = batchesOf(sorted, page, isRemoved ? (_, index) => index : fixed);
  for (const batch of batches) await sink.write(batch, signal);
  const isHolder = sink.recovery === 'transaction' && page.keep !== undefined;
  if (batches.length === 0 && !isHolder) return undefined;
  const bytes = sorted.reduce((sum, { line }) => sum + line.length, 0);
  return sink.commit?.({ ...page, count: sorted.length, bytes }, signal);
}

const mostBatchBytes = 1024 * 1024;

/** Batches of letters whose places follow one another. `placeOf`: the place of a letter among those of the page. */
function batchesOf(
  all: readonly Letter[],
  page: PageEnd,
  placeOf: (letter: Letter, index: number) => number,
): readonly Batch[] {
  const batches: Batch[] = [];
  let lines: Uint8Array[] = [];
  let [bytes, first] = [0, 0];
  const flush = () => {
    if (lines.length === 0) return;
    batches.push(createBatch(page, joinItems(lines), first));
    [lines, bytes] = [[], 0];
  };
  for (const [index, letter] of all.entries()) {
    const place = placeOf(letter, index);
    if (bytes + letter.line.length > mostBatchBytes || place !== first + lines.length) flush();
    if (lines.length === 0) first = place;
    lines.push(letter.line);
    bytes += letter.line.length;
  }
  flush();
  return batches;
}
