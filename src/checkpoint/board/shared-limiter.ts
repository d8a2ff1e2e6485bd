/**
 * A rate limiter whose slots are counted at a server, for all processes together. A slot is for now. A process that
 * does not use it in time loses it, so that one that was suspended wakes up without any.
 * docs/decisions/072-one-rate-and-one-login.md
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asyncScheduler } from 'rxjs';
import { createFairQueue, type FairQueue } from '../../../operators/fair-queue.js';
import { acquire } from '../../../operators/semaphore.js';
import { type AnsweredRequest, holdOf } from '../../http/rate-limit-headers.js';
import {
  checkRates,
  createWaitNotice,
  holdRules,
  type RateLimiter,
  type RateLimiterContext,
  type RequestOwner,
  type RequestSlot,
  withRoom,
} from '../../http/rate-limiter.js';

/** At most `most` within any span of `ms`, as the server counts. */
export interface CountedRate {
  readonly most: number;
  readonly ms: number;
}

export interface SlotRequest {
  /** How many requests wait. */
  readonly count: number;
  /** The slots are used within so many ms from the call, or not at all. */
  readonly late: number;
  readonly rates: readonly CountedRate[];
}

/** What the server gives. */
export interface GivenSlots {
  /** From 0 to the count. */
  readonly count: number;
  /** When they were given, by the clock of the server. */
  readonly at: number;
  /** How many slots the server has given for the key, these included. */
  readonly total: number;
  /** The ms until another attempt can succeed, if there is no slot. */
  readonly wait: number;
  /** The part of the wait that a response asked for, in ms; 0: the rates are used up. */
  readonly held: number;
}

/** What a response said, as `holdOf` reads it. */
export interface StatedHold {
  readonly left: number;
  readonly ms: number;
  readonly isRefusal: boolean;
  /** The requests of this process that have no response yet. */
  readonly underWay: number;
  /** `GivenSlots.total` when the request was sent. */
  readonly total: number;
}

/** Slots of one answer that no request has used, and none will. */
export interface UnusedSlots extends Pick<SlotRequest, 'late' | 'rates'>, Pick<GivenSlots, 'count' | 'at'> {}

/** The counts of one API at a server. Each call is one step there. */
export interface RateLedger {
  take(request: SlotRequest): Promise<GivenSlots>;
  /** Counts the slots no more. It is not repeated when its answer is lost: slots would be given back twice. */
  giveBack(unused: UnusedSlots): Promise<void>;
  hold(hold: StatedHold): Promise<void>;
}

/** The ms in which a slot is used. It grows while answers of the server take longer. */
const leastLate = 100;
const mostLate = 5000;

/** A hold of another process can end earlier than it said. */
const longestWait = 2000;

/** Creates the limiter of one process. It has no slots in stock: it asks for as many as requests wait. */
export function createSharedLimiter(ledger: RateLedger, context: RateLimiterContext): RateLimiter {
  checkRates(context.rates);
  const rates = context.rates.map(withRoom);
  const rules = holdRules(context);
  const sayWait = createWaitNotice(context.notify);
  const line = createSlotLine(ledger, rates, sayWait);
  let underWay = 0;

  const heed = (response: AnsweredRequest, total: number) => {
    const now = asyncScheduler.now();
    const hold = holdOf(response, rules, now);
    if (hold === undefined) return;
    const { left, until, isRefusal } = hold;
    line.hold({ left, ms: until - now, isRefusal, underWay, total });
  };

  return {
    pass: (owner, signal) => passed(line, owner, signal),
    around(work) {
      const total = line.total();
      underWay += 1;
      return work().then(
        (answer) => {
          underWay -= 1;
          heed(answer, total);
          return answer;
        },
        (thrown: unknown) => {
          underWay -= 1;
          throw thrown;
        },
      );
    },
  };
}

async function passed(
  line: SlotLine,
  { name, onWait, onPass, standStill = justWait }: RequestOwner,
  signal: AbortSignal,
): Promise<RequestSlot> {
  let isDelayed = (_ms: number) => {};
  const delay = new Promise<number>((resolve) => {
    isDelayed = resolve;
  });
  const slot = line.acquire(name, isDelayed, signal);
  const first = await Promise.race([slot, delay]);
  if (typeof first !== 'number') return first;
  onWait?.(first);
  const later = await standStill(slot, signal);
  onPass?.();
  return later;
}

const justWait = <T>(until: Promise<T>): Promise<T> => until;

/** The requests of this process that wait for slots. */
interface SlotLine {
  /** `onDelay` is called when there is no slot at once. */
  acquire(name: string | undefined, onDelay: (ms: number) => void, signal: AbortSignal): Promise<RequestSlot>;
  hold(hold: StatedHold): void;
  /** `GivenSlots.total` of the latest answer. */
  total(): number;
}

/** What a request gets at its turn: a slot, or the failure of the server. */
type Turn = () => RequestSlot;

function createSlotLine(ledger: RateLedger, rates: readonly CountedRate[], sayWait: (ms: number) => void): SlotLine {
  const queue = createFairQueue<string | undefined, Turn>();
  const waiting = new Set<(ms: number) => void>();
  const asked = createTaker(ledger, rates);
  let pause = new AbortController();
  let isAsking = false;

  /** One question at a time: an answer is for all that wait. */
  const ask = async () => {
    while (queue.isWaiting()) {
      const { slots, wait, held } = await asked.take(waiting.size);
      deal(slots, queue);
      if (slots.count > 0) continue;
      sayWait(held);
      for (const onDelay of waiting) onDelay(held);
      pause = new AbortController();
      if (!queue.isWaiting()) break;
      await sleep(Math.min(wait, longestWait) + jitter(wait), undefined, { signal: pause.signal }).catch(() => {});
    }
  };
  const failAll = (thrown: unknown) => {
    const fail = () => {
      throw thrown;
    };
    while (queue.isWaiting()) queue.call(fail);
  };
  const begin = async () => {
    if (isAsking) return;
    isAsking = true;
    // More requests may have come while the last one left.
    while (queue.isWaiting()) await ask().catch(failAll);
    isAsking = false;
  };
  const join = (name: string | undefined, onDelay: (ms: number) => void) => (start: (turn: Turn) => void) => {
    const leave = queue.join(name, (turn) => {
      waiting.delete(onDelay);
      start(turn);
    });
    queueMicrotask(begin);
    return leave;
  };

  return {
    async acquire(name, onDelay, signal) {
      waiting.add(onDelay);
      try {
        const turn = await acquire<Turn>(join(name, onDelay), signal);
        return turn();
      } finally {
        waiting.delete(onDelay);
        if (!queue.isWaiting()) pause.abort();
      }
    },
    hold: (hold) => void ledger.hold(hold).catch(() => {}), // the next question fails too
    total: asked.total,
  };
}

/** Gives slots to those that wait, and the others back. */
function deal(slots: Slots, queue: FairQueue<string | undefined, Turn>): void {
  while (slots.isLeft() && queue.isWaiting()) {
    const slot = slots.take();
    queue.call(() => slot);
  }
  slots.end();
}

/** Asks for slots, which are late after a time that grows with the answers of the server. */
function createTaker(ledger: RateLedger, rates: readonly CountedRate[]) {
  let late = leastLate;
  let total = 0;
  const isKept = rates.some(({ ms }) => ms >= leastReturned);
  return {
    total: () => total,
    async take(count: number) {
      const elapsed = stopwatch();
      const valid = late;
      const isLate = () => elapsed() > valid;
      const given = await ledger.take({ count, late: valid, rates });
      total = given.total;
      late = isLate() ? Math.min(late * 2, mostLate) : Math.max(late * 0.95, leastLate);
      const returned = (unused: number) => {
        // It may be lost: then the slots count for their period.
        if (isKept) ledger.giveBack({ count: unused, at: given.at, late: valid, rates }).catch(() => {});
      };
      return { ...given, slots: createSlots(given.count, isLate, returned) };
    },
  };
}

/** Slots of shorter rates are forgotten before long. In ms. */
const leastReturned = 5000;

type Slots = ReturnType<typeof createSlots>;

/** The slots of one answer. Those that no request uses are given back, together if they are at once. */
function createSlots(count: number, isLate: () => boolean, giveBack: (count: number) => void) {
  let left = count;
  let unused = 0;
  const addUnused = (more: number) => {
    if (more === 0) return;
    if (unused === 0) {
      setImmediate(() => {
        giveBack(unused);
        unused = 0;
      });
    }
    unused += more;
  };
  return {
    count,
    isLeft: () => left > 0 && !isLate(),
    take(): RequestSlot {
      left -= 1;
      let isOpen = true;
      return {
        isLate,
        begin() {
          isOpen = false;
        },
        giveBack() {
          if (isOpen) addUnused(1);
          isOpen = false;
        },
      };
    },
    end() {
      addUnused(left);
      left = 0;
    },
  };
}

/** Processes that wait for the same moment do not ask all at once. */
const jitter = (wait: number): number => Math.random() * Math.min(wait / 10, 20);

/**
 * Returns the ms since its call. Of two clocks the greater difference counts: the wall clock may be set back, and the
 * monotonic one does not count while the machine sleeps.
 */
function stopwatch(): () => number {
  const [monotonic, wall] = [process.hrtime.bigint(), asyncScheduler.now()];
  return () => Math.max(Number(process.hrtime.bigint() - monotonic) / 1e6, asyncScheduler.now() - wall);
}
