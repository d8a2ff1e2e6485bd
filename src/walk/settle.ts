/** From a page that was read to its receipt and the visit that follows: pagination, bounds, loops, and what tells that data is missing. */
import { createHash } from 'node:crypto';
import { asyncScheduler } from 'rxjs';
import { asExtractError, ExtractError } from '../errors.js';
import { nearestPath } from '../nearest.js';
import type { Rounds } from '../pagination/rounds.js';
import { alarmAtBeginning, alarmAtEnd, alarmAtHole, alarmAtRepeat } from '../truncation/alarms.js';
import { type Carried, carriedBy } from '../truncation/carried.js';
import { look } from '../truncation/seen.js';
import { isStop, type Job, type Notice, type Scroller, type Stop, type Walked } from '../types.js';
import { boundNotice } from './bounds.js';
import type { Taken, Wanted } from './take-page.js';
import type { Spent } from './totals.js';
import type { Visit, Visited, Visiting } from './visit.js';

/** One walk: a job, how it is scrolled, and what it has seen. */
export interface Walk extends Visiting {
  readonly scroller: Scroller;
  readonly rounds: Rounds;
}

/** A visit that knows what the walk had added up to before it. */
export type Begun = Visit & Wanted;

/** Turns a page that was read into its receipt and the visit that follows; `spend` takes out what it cost. Throws ERR_LOOP, and what the scroller throws. */
export function settle(walk: Walk, visit: Begun, read: Taken, spend: () => Spent): Visited {
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
    ...(isUnfound(job, read) ? { unfound: true as const } : {}),
    ...(read.cached === undefined ? {} : { cached: read.cached }),
    ...spend(),
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
function watch(walk: Walk, visit: Begun, read: Taken, end: Stop | undefined) {
  const { job, scroller, isChild } = walk;
  const hasList = read.found === 'list';
  const page = { ...read, request: visit.request, index: visit.index, hasList };
  const seen = read.repeated && visit.seen !== undefined ? visit.seen : look(visit.seen, page, scroller, job);
  const { items } = visit.walked;
  const isSingle = scroller.single === true;
  const carried = read.repeated ? carriedOn(walk, visit, read) : undefined;
  const how = { seen, items, hasList, isChild, isSingle, end, isRepeat: read.repeated, carried };
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

function nextStep(walk: Walk, visit: Begun, read: Taken) {
  const { job, rounds } = walk;
  const { index } = visit;
  const seen = rounds.see(fingerprintOf(read.chain));
  if (typeof seen === 'object') {
    throw new ExtractError('ERR_LOOP', loopMessage(seen), { job: job.name, page: index });
  }
  return scrolled(walk, visit, read, read.count);
}

/** What the scroller makes of the page. */
function scrolled({ job, scroller }: Walk, { request, index, walked }: Begun, read: Taken, count: number) {
  const { envelope, address, headers } = read;
  const page = { ...walked, request, index, count, envelope, address, headers, takenAt: asyncScheduler.now() };
  try {
    return scroller.next(job, page);
  } catch (thrown) {
    throw asExtractError(thrown).at({ job: job.name, page: index });
  }
}

const longestValue = 100;

/** What a page was asked for with that repeats the one before it, where it leads to another page all the same. */
function carriedOn(walk: Walk, visit: Begun, read: Taken): Carried | undefined {
  const { job, scroller, engine } = walk;
  const count = Number(read.chain.at(-1) ?? 0); // that of the reading is 0: nothing was delivered
  if (isStop(scrolled(walk, visit, read, count))) return undefined;
  const { name, value } = carriedBy(visit.request, scroller.first(job), scroller);
  const shown = value === undefined ? undefined : engine.secrets.excerpt(engine.secrets.maskUrl(value), longestValue);
  return { ...(name === undefined ? {} : { name }), ...(shown === undefined ? {} : { value: shown }) };
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

/** Nothing stood where the items belong. A `null` there did, or a list without items. */
function isUnfound({ dataField }: Job, { found, astray }: Taken): boolean {
  if (found !== 'empty') return found === 'no body' || found === 'none';
  return dataField.kind === 'auto' || (astray.depth ?? -1) < dataField.segments.length;
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
