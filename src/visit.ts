/** One visit of a walk: credentials, request, the page into the sink, and the receipt that asks for the next. */
import { asyncScheduler, defer, finalize, map, type Observable } from 'rxjs';
import { fromAbortable } from '../operators/from-abortable.js';
import { type Telling, tellOf } from './activity.js';
import type { Asked, Asking, Client } from './client.js';
import type { Engine } from './engine.js';
import { asExtractError, ExtractError } from './errors.js';
import { nearestPath } from './nearest.js';
import { createBeginning } from './page/beginning.js';
import { type PageRead, readPage } from './page/read-page.js';
import { createTally } from './page/tally.js';
import { beginPage } from './page/transaction.js';
import { none } from './pagination/none.js';
import { createRounds, type Rounds } from './pagination/rounds.js';
import type { Spent } from './totals.js';
import { tryAgain } from './try-again.js';
import {
  type Credentials,
  isStop,
  type Job,
  type Notice,
  type Page,
  type PageRequest,
  type Receipt,
  type Scroller,
  type Secrets,
  type Walked,
} from './types.js';

/** A page to be fetched. `previous` is the chain of the page before it, to notice a repeat; `walked` is absent before the first page. */
export interface Visit {
  readonly request: PageRequest;
  readonly index: number;
  readonly previous?: readonly bigint[];
  readonly walked?: Walked;
}

/** A page that was taken, and the visit that follows. */
export interface Visited {
  readonly receipt: Receipt;
  readonly next?: Visit;
}

/** One walk: a job, how it is scrolled, and what it has seen. */
interface Walk {
  readonly engine: Engine;
  readonly client: Client;
  readonly job: Job;
  readonly scroller: Scroller;
  readonly rounds: Rounds;
}

/**
 * Makes the visits of one walk; each is cold. Errors carry job, page and masked request.
 * `lose` hears what a visit had spent that ended without a receipt.
 */
export function createVisits(
  { engine, client, job }: Pick<Walk, 'engine' | 'client' | 'job'>,
  scroller: Scroller,
  lose: (spent: Spent) => void,
): (visit: Visit) => Observable<Visited> {
  const walk: Walk = { engine, client, job, scroller, rounds: createRounds() };
  return (asked) =>
    defer(() => {
      const visit = { ...asked, walked: asked.walked ?? { startedAt: asyncScheduler.now(), items: 0, volume: 0 } };
      const account = createAccount(client);
      const place = { job: job.name, page: visit.index };
      const tell = () => tellOf(job.name, visit.index, engine.onActivity);
      const policy = { ...client, onWait: (ms: number) => tell().retry(ms) };
      const attempts = tryAgain(policy, place, ({ number, last }) => {
        const telling = tell();
        const ask = (credentials: Credentials) =>
          fromAbortable((signal) => {
            account.retried(number);
            const { count } = account;
            return engine.inFlight.track(takePage(walk, visit, { credentials, last, signal, count }, telling));
          });
        return client.credentials.spend(ask, telling.now);
      });
      return attempts.pipe(
        map(({ value }) => settle(walk, visit, value, account)),
        finalize(() => lose(account.spend())),
      );
    });
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

/** A visit that knows what the walk had added up to before it. */
type Begun = Visit & { readonly walked: Walked };

/** A page that was read, and what pagination gets to know of it besides. */
interface Taken extends PageRead, Pick<Page, 'address' | 'headers' | 'volume' | 'memo'> {}

async function takePage(walk: Walk, visit: Begun, asking: Asking, telling: Telling): Promise<Taken> {
  const { engine, client, job, scroller } = walk;
  telling.now('answer');
  const asked = await client.ask(visit.request, asking);
  telling.now('page');
  const { sink, limits } = engine;
  const { signal } = asking;
  const { name, dataType } = job;
  const acquire = async () => {
    telling.now('turn');
    const leave = await engine.acquire(dataType, signal);
    telling.now('sink');
    return leave;
  };
  const tally = createTally(scroller, visit.walked.memo);
  const beginning = createBeginning();
  const page = tally.transaction(telling.transaction(beginPage({ sink, job: name, dataType, signal, acquire })));
  try {
    const read = await readPage(beginning.body(tally.body(telling.body(asked.body))), page, {
      ...limits,
      contentType: asked.contentType,
      dataField: job.dataField,
      captures: scroller.captures,
      fingerprint: scroller !== none,
      previous: visit.previous,
    });
    const { memo, volume } = tally;
    const headers = headersOf(asked, scroller);
    return { ...read, address: asked.address, headers, volume, ...(memo === undefined ? {} : { memo }) };
  } catch (thrown) {
    throw describe(thrown, asked, beginning.strange, engine.secrets);
  } finally {
    page.end();
  }
}

/** Adds the request, and the start of a body that is no JSON from its first character on. */
function describe(thrown: unknown, { request }: Asked, strange: string | undefined, secrets: Secrets): ExtractError {
  const error = asExtractError(thrown);
  if (error.code !== 'ERR_JSON' || strange === undefined) return error.at({ request });
  const message = `${error.message}; the body begins "${secrets.excerpt(strange, 60)}"`;
  return new ExtractError('ERR_JSON', message, { ...error.where, cause: error.cause, request });
}

/** Those of the response that the scroller named. */
function headersOf({ headers }: Asked, { headers: names = [] }: Scroller): Page['headers'] {
  const named = names.map((name) => [name, [headers[name] ?? []].flat()] as const);
  return new Map(named.filter(([, values]) => values.length > 0));
}

/** Turns a page that was read into its receipt and the visit that follows. */
function settle(walk: Walk, visit: Begun, read: Taken, account: Account): Visited {
  const { engine, job } = walk;
  const say = (notice: Notice) => engine.notify({ ...notice, job: job.name, page: visit.index });
  const noticed = foundNotice(job, read);
  if (noticed !== undefined) say(noticed);

  const walked = walkedOn(visit.walked, read);
  const step = read.repeated
    ? { stop: 'a page equal to the one before it' }
    : nextStep(walk, { ...visit, walked }, read);
  if (step.warning !== undefined) say(step.warning);
  const receipt = {
    job: job.name,
    dataType: job.dataType,
    index: visit.index,
    count: read.count,
    bytes: read.bytes,
    delivered: !read.repeated,
    ...account.spend(),
  };
  if (isStop(step)) return { receipt: { ...receipt, stop: step.stop } };
  const { warning: _, ...request } = step;
  return {
    receipt: { ...receipt, next: request },
    next: { request, index: visit.index + 1, previous: read.chain, walked },
  };
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
  return chain.reduce(
    (hash, digest) => BigInt.asUintN(64, (hash ^ digest) * 0x9e3779b97f4a7c15n),
    BigInt(chain.length),
  );
}

function foundNotice({ dataField }: Job, { found, astray }: PageRead): Notice | undefined {
  if (found === 'no body') return warning('no-body', 'the response has no body: no items');
  if (found === 'none') return warning('no-list', 'the response has no list at its top level: no items');
  if (found !== 'empty' || dataField.kind === 'auto') return undefined;
  const near = nearestPath(dataField.segments, astray);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return warning('no-data', `the response has nothing at "${dataField.text}" (\`dataField\`): no items${hint}`);
}

const warning = (code: string, message: string): Notice => ({ level: 'warning', code, message });
