/** One visit of a walk: credentials, request, the page into the sink, and the receipt that asks for the next. */
import { defer, map, type Observable } from 'rxjs';
import { fromAbortable } from '../operators/from-abortable.js';
import type { Asked, Engine } from './engine.js';
import { asExtractError, ExtractError } from './errors.js';
import { type PageRead, readPage } from './page/read-page.js';
import { beginPage } from './page/transaction.js';
import { none } from './pagination/none.js';
import { createRounds, type Rounds } from './pagination/rounds.js';
import { type Tried, tryAgain } from './try-again.js';
import {
  type Credentials,
  isStop,
  type Job,
  type Notice,
  type PageRequest,
  type Receipt,
  type Scroller,
} from './types.js';

/** A page to be fetched. `previous` is the chain of the page before it, to notice a repeat. */
export interface Visit {
  readonly request: PageRequest;
  readonly index: number;
  readonly previous?: readonly bigint[];
}

/** A page that was taken, and the visit that follows. */
export interface Visited {
  readonly receipt: Receipt;
  readonly next?: Visit;
}

/** One walk: a job, how it is scrolled, and what it has seen. */
interface Walk {
  readonly engine: Engine;
  readonly job: Job;
  readonly scroller: Scroller;
  readonly rounds: Rounds;
}

/** What one attempt is made with. */
interface Attempt {
  readonly credentials: Credentials | undefined;
  readonly last: boolean;
  readonly signal: AbortSignal;
}

type Taken = PageRead & { readonly hops: number };

/** Makes the visits of one walk; each is cold. Errors carry job, page and masked request. */
export function createVisits(engine: Engine, job: Job, scroller: Scroller): (visit: Visit) => Observable<Visited> {
  const walk: Walk = { engine, job, scroller, rounds: createRounds() };
  return (visit) =>
    defer(() => {
      const place = { job: job.name, page: visit.index };
      const attempts = tryAgain(engine, place, ({ last }) =>
        engine.credentials.spend((credentials) =>
          fromAbortable((signal) => engine.inFlight.track(takePage(walk, visit, { credentials, last, signal }))),
        ),
      );
      return attempts.pipe(map((tried) => settle(walk, visit, tried)));
    });
}

async function takePage({ engine, job, scroller }: Walk, visit: Visit, attempt: Attempt): Promise<Taken> {
  const asked = await engine.ask(visit.request, attempt);
  const { sink, limits } = engine;
  const { signal } = attempt;
  const { name, dataType } = job;
  const page = beginPage({ sink, job: name, dataType, signal, acquire: () => engine.acquire(dataType, signal) });
  try {
    const read = await readPage(asked.body, page, {
      ...limits,
      dataField: job.dataField,
      captures: scroller.captures,
      fingerprint: scroller !== none,
      previous: visit.previous,
    });
    return { ...read, hops: asked.hops };
  } catch (thrown) {
    throw describe(thrown, asked);
  } finally {
    page.end();
  }
}

const describe = (thrown: unknown, { request }: Asked): ExtractError => asExtractError(thrown).at({ request });

/** Turns a page that was read into its receipt and the visit that follows. */
function settle(walk: Walk, visit: Visit, { value: read, attempts }: Tried<Taken>): Visited {
  const { engine, job } = walk;
  const say = (notice: Notice) => engine.notify({ ...notice, job: job.name, page: visit.index });
  const noticed = foundNotice(job, read);
  if (noticed !== undefined) say(noticed);

  const receipt = {
    job: job.name,
    dataType: job.dataType,
    index: visit.index,
    count: read.count,
    bytes: read.bytes,
    delivered: !read.repeated,
    requests: attempts + read.hops + engine.takeLogins(),
    retries: attempts - 1,
  };
  const step = read.repeated ? { stop: 'a page equal to the one before it' } : nextStep(walk, visit, read);
  if (!isStop(step)) {
    return {
      receipt: { ...receipt, next: step },
      next: { request: step, index: visit.index + 1, previous: read.chain },
    };
  }
  if (step.warning !== undefined) say(step.warning);
  return { receipt: { ...receipt, stop: step.stop } };
}

function nextStep({ job, scroller, rounds }: Walk, visit: Visit, { count, envelope, chain }: PageRead) {
  const seen = rounds.see(fingerprintOf(chain));
  if (typeof seen === 'object') {
    throw new ExtractError('ERR_LOOP', loopMessage(seen), { job: job.name, page: visit.index });
  }
  return scroller.next(job, { request: visit.request, index: visit.index, count, envelope });
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

function foundNotice({ dataField }: Job, { found }: PageRead): Notice | undefined {
  if (found === 'no body') return warning('no-body', 'the response has no body: no items');
  if (found === 'none') return warning('no-list', 'the response has no list at its top level: no items');
  if (found !== 'empty' || dataField.kind === 'auto') return undefined;
  return warning('no-data', `the response has nothing at "${dataField.text}": no items`);
}

const warning = (code: string, message: string): Notice => ({ level: 'warning', code, message });
