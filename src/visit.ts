/** One visit of a walk: credentials, request, the page into the sink, and the receipt that asks for the next. */
import { createHash } from 'node:crypto';
import { asyncScheduler, catchError, concatMap, defer, finalize, map, NEVER, type Observable } from 'rxjs';
import { fromAbortable } from '../operators/from-abortable.js';
import type { Turn } from '../operators/in-turn.js';
import { tellOf } from './activity.js';
import { type Bounds, boundNotice } from './bounds.js';
import type { Rows, RowsOptions } from './children/rows.js';
import type { Client } from './client.js';
import type { Asking } from './door.js';
import type { Engine } from './engine.js';
import { asExtractError, ExtractError } from './errors.js';
import { nearestPath } from './nearest.js';
import type { Output, Target } from './output.js';
import { createDelivered } from './page/delivered.js';
import { createRounds, type Rounds } from './pagination/rounds.js';
import type { Entry } from './state/entries.js';
import { type Taken, type Taking, takePage, type Wanted } from './take-page.js';
import type { Spent } from './totals.js';
import { alarmAtBeginning, alarmAtEnd, alarmAtHole, alarmAtRepeat } from './truncation/alarms.js';
import { look, type Seen } from './truncation/seen.js';
import { capturesFor } from './truncation/told.js';
import { tryAgain } from './try-again.js';
import {
  type Credentials,
  isStop,
  type Job,
  type Notice,
  type PageRequest,
  type Receipt,
  type Scroller,
  type Stop,
  type Walked,
} from './types.js';

/** A page to be fetched. `previous` is the chain of the page before it, to notice a repeat; `walked` is absent before the first page. */
export interface Visit {
  readonly request: PageRequest;
  readonly index: number;
  readonly previous?: readonly bigint[];
  readonly walked?: Walked;
  /** What tells whether the walk comes to its true end. */
  readonly seen?: Seen;
}

/** A page that was taken, the visit that follows, and the rows for the children of the job, where there are both. */
export interface Visited {
  readonly receipt: Receipt;
  readonly next?: Visit;
  /** Whoever gets them clears them. */
  readonly rows?: Rows;
  /** For the books: its place there, where there are any, and what else they want to know. */
  readonly entry?: Entry | undefined;
  readonly fingerprint: bigint;
  readonly loginNames: ReadonlySet<string>;
}

/** What is visited: a job as it begins, and where its pages go. */
export interface Visiting {
  readonly engine: Engine;
  readonly client: Client;
  readonly job: Job;
  readonly output: Output;
  /** Bounds the requests in flight. */
  readonly slot: Turn;
  /** What children read of the items; absent: there are none. */
  readonly rows: RowsOptions | undefined;
  readonly bounds: Bounds;
  /** The job is walked for a row of another. */
  readonly isChild: boolean;
  /** Hears what a visit had spent that ended without a receipt. */
  readonly lose: (spent: Spent) => void;
}

/** One walk: a job, how it is scrolled, and what it has seen. */
interface Walk extends Visiting {
  readonly scroller: Scroller;
  readonly rounds: Rounds;
}

/**
 * Makes the visits of one walk; each is cold. Errors carry job, page and masked request. `prints` are the fingerprints of the pages that an
 * earlier run has taken. Where no page is to begin any more, a visit stands still.
 */
export function createVisits(
  visiting: Visiting,
  scroller: Scroller,
  prints: Iterable<bigint> = [],
): (visit: Visit) => Observable<Visited> {
  const walk: Walk = { ...visiting, scroller, rounds: createRounds() };
  for (const print of prints) walk.rounds.see(print);
  const { engine, client, job, output, bounds, lose } = walk;
  return (asked) =>
    defer(() => {
      if (engine.inFlight.isStopping) return NEVER;
      const walked = asked.walked ?? { startedAt: asyncScheduler.now(), items: 0, volume: 0 };
      const captures = capturesFor(scroller, job.dataField, asked.seen);
      const room = bounds.room(job.name);
      const own = { captures, room, delivered: createDelivered(), entry: engine.books?.entry() };
      const visit = { ...asked, walked, ...own };
      const account = createAccount(client);
      return output.page().pipe(
        concatMap((target) => attempts(walk, visit, target, account)),
        map((taken) => settleOrForget(walk, visit, taken, account)),
        finalize(() => lose(account.spend())),
      );
    });
}

/** A visit that knows what the walk had added up to before it. */
type Begun = Visit & Wanted;

/** Asks until the page was taken, or the rules say no more. Only an attempt is in flight, not the wait for the next. */
function attempts(walk: Walk, visit: Begun, target: Target, account: Account): Observable<Taken> {
  const { engine, client, job, slot } = walk;
  const taking: Taking = { ...walk, ...engine };
  const tell = () => tellOf(job.name, visit.index, engine.onActivity);
  const isOnce = client.isSentOnce(visit.request);
  const policy = { ...client, isOnce, onWait: (ms: number) => tell().retry(ms) };
  return tryAgain(policy, { job: job.name, page: visit.index }, ({ number, last }) => {
    const telling = tell();
    const ask = (credentials: Credentials) =>
      fromAbortable((signal) => {
        account.retried(number);
        const sender = { name: job.name, onWait: telling.limit, onPass: () => telling.now('answer') };
        const asking = { credentials, last, signal, count: account.count, sender };
        return engine.inFlight.track(unlessLeft(takePage(taking, visit, target, asking, telling), signal));
      });
    return slot(client.credentials.spend(ask, telling.now));
  }).pipe(
    map(({ value }) => value),
    catchError((thrown) => {
      throw visit.delivered.count === 0 ? thrown : asExtractError(thrown).at({ kept: true });
    }),
  );
}

/** A page that nobody waits for any more: its rows would stay. */
async function unlessLeft(taking: Promise<Taken>, signal: AbortSignal): Promise<Taken> {
  const taken = await taking;
  if (signal.aborted) await taken.rows?.clear();
  return taken;
}

/** What the visit under way costs. */
interface Account {
  readonly count: Asking['count'];
  retried(times: number): void;
  /** Takes out what has come together. */
  spend(): Spent;
}

function createAccount(client: Client): Account {
  const nothing: Spent = { requests: 0, retries: 0 };
  let spent = nothing;
  return {
    count(requests) {
      spent = { ...spent, requests: spent.requests + requests };
    },
    retried(times) {
      spent = { ...spent, retries: times };
    },
    spend() {
      const { requests, retries } = spent;
      spent = nothing;
      return { requests: requests + client.takeLogins(), retries };
    },
  };
}

/** Where the walk cannot go on, the rows of the page go too. */
function settleOrForget(walk: Walk, visit: Begun, read: Taken, account: Account): Visited {
  try {
    return settle(walk, visit, read, account);
  } catch (thrown) {
    if (read.rows !== undefined) void walk.engine.inFlight.track(read.rows.clear());
    throw thrown;
  }
}

/** Turns a page that was read into its receipt and the visit that follows. */
function settle(walk: Walk, visit: Begun, read: Taken, account: Account): Visited {
  const { engine, job, bounds } = walk;
  const say = (notice: Notice) => engine.notify({ job: job.name, page: visit.index, ...notice });
  const noticed = foundNotice(job, read);
  if (noticed !== undefined) say(noticed);

  const walked = walkedOn(visit.walked, read);
  const step = read.repeated
    ? { stop: 'a page equal to the one before it' }
    : nextStep(walk, { ...visit, walked }, read);
  if (step.warning !== undefined) say(step.warning);
  bounds.add(job.name, read.count);
  const bound = isStop(step) && read.cut === 0 ? undefined : bounds.reached(job.name);
  const { seen, alarms } = watch(
    walk,
    { ...visit, walked },
    read,
    bound === undefined && isStop(step) ? step : undefined,
  );
  alarms.forEach(say);
  const receipt = {
    job: job.name,
    dataType: job.dataType,
    index: visit.index,
    count: read.count,
    bytes: read.bytes,
    delivered: !read.repeated,
    ...(read.cached === undefined ? {} : { cached: read.cached }),
    ...account.spend(),
  };
  const rows = read.rows === undefined ? {} : { rows: read.rows };
  const told = { entry: visit.entry, fingerprint: fingerprintOf(read.chain), loginNames: read.loginNames };
  if (bound !== undefined) {
    engine.notify(boundNotice(job.name, bound));
    return { receipt: { ...receipt, stop: bound, bounded: true }, ...rows, ...told };
  }
  if (isStop(step)) return { receipt: { ...receipt, stop: step.stop }, ...rows, ...told };
  const { warning: _, ...request } = step;
  return {
    receipt: { ...receipt, next: request },
    ...rows,
    ...told,
    next: { request, index: visit.index + 1, previous: read.chain, walked, seen },
  };
}

/** Looks for what tells that data may be missing. `end` is how the walk comes to its own end, if it does. */
function watch({ job, scroller, isChild }: Walk, visit: Begun, read: Taken, end: Stop | undefined) {
  const hasList = read.found === 'list';
  const page = { ...read, request: visit.request, index: visit.index, hasList };
  const seen = read.repeated && visit.seen !== undefined ? visit.seen : look(visit.seen, page, scroller, job);
  const { items } = visit.walked;
  const isSingle = scroller.single === true;
  const how = { seen, items, hasList, isChild, isSingle, end, isRepeat: read.repeated };
  const atEnd = end === undefined || end.isWanted === true ? undefined : alarmAtEnd(how);
  const atBeginning = visit.seen === undefined ? alarmAtBeginning(page, scroller) : undefined;
  const atRepeat = end === undefined ? undefined : alarmAtRepeat(how, scroller);
  const alarms = [atBeginning, alarmAtHole(visit.seen, read.count), atRepeat, atEnd].filter(
    (alarm) => alarm !== undefined,
  );
  return { seen, alarms };
}

/** Adds a page to what the walk adds up to. */
const walkedOn = ({ startedAt, items, volume }: Walked, { count, volume: more, memo }: Taken): Walked => ({
  startedAt,
  items: items + count,
  volume: volume + more,
  ...(memo === undefined ? {} : { memo }),
});

function nextStep({ job, scroller, rounds }: Walk, { request, index, walked }: Begun, read: Taken) {
  const { count, envelope, chain, address, headers } = read;
  const seen = rounds.see(fingerprintOf(chain));
  if (typeof seen === 'object') {
    throw new ExtractError('ERR_LOOP', loopMessage(seen), { job: job.name, page: index });
  }
  const page = { ...walked, request, index, count, envelope, address, headers, takenAt: asyncScheduler.now() };
  try {
    return scroller.next(job, page);
  } catch (thrown) {
    throw asExtractError(thrown).at({ job: job.name, page: index });
  }
}

/** Pages in messages count from 1. */
function loopMessage({ from, period }: { readonly from: number; readonly period: number }): string {
  const last = from + period;
  return `pages ${from + 1} to ${last} came a second time, as pages ${last + 1} to ${last + period}: the API goes round in a circle`;
}

/** One number for a whole page, from the last entries of its chain. A page without a body is 0. */
function fingerprintOf(chain: readonly bigint[]): bigint {
  if (chain.length === 0) return 0n;
  // Arithmetic on BigInt in a loop brings the compiler of V8 in Node 20 down.
  return createHash('sha256').update(BigUint64Array.from(chain)).digest().readBigUInt64LE();
}

function foundNotice({ dataField }: Job, { found, astray, lists = [] }: Taken): Notice | undefined {
  if (found === 'no body') return warning('no-body', 'the response has no body: no items');
  if (found === 'none')
    return warning('no-list', `the response has no list at its top level: no items${further(lists)}`);
  if (found !== 'empty' || dataField.kind === 'auto') return undefined;
  const near = nearestPath(dataField.segments, astray);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return warning('no-data', `the response has nothing at "${dataField.text}" (\`dataField\`): no items${hint}`);
}

/** Where the items may be instead. */
const further = (lists: readonly string[]): string =>
  lists.length === 0 ? '' : `; set \`dataField\` to ${lists.map((path) => `"${path}"`).join(' or ')}`;

const warning = (code: string, message: string): Notice => ({ level: 'warning', code, message });
