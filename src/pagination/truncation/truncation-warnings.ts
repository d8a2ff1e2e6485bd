/** Warnings about missing items, from the evidence of a walk. */
import { type Exact, stringifyExact } from '../../core/json/exact.js';
import type { Notice } from '../../core/model/notice.js';
import type { PageRequest } from '../../core/model/request.js';
import { nearestPath } from '../../core/util/suggest.js';
import { sentValue, shownParam } from '../param.js';
import type { Paginator, Stop } from '../types.js';
import { type DeclaredTotal, figureAt, type PageView } from './declared-total.js';
import type { WalkEvidence } from './walk-evidence.js';

/** A walk that has ended. */
export interface EndedWalk {
  readonly seen: WalkEvidence;
  /** All items of the walk. */
  readonly items: number;
  /** No pagination: one request. */
  readonly isSingle: boolean;
  readonly isChild: boolean;
  /** Its last or only page had a list of items. */
  readonly hasList: boolean;
  /** How it ended; absent: it has not. */
  readonly end?: Stop | undefined;
  /** Its last page repeated the one before. */
  readonly isRepeat: boolean;
  /** How that page was requested, if it names another next page. */
  readonly carried?: Carried | undefined;
}

/** Numbers of items at which APIs often truncate. Child jobs often have small, round numbers. */
const usualSizes = new Set([10, 20, 25, 30, 50, 100, 200, 250, 500]);
const leastOfChildren = 100;

/** Long lists are often truncated at multiples of this. */
const roundItems = 1000;

/** Search engines often stop counting at multiples of this. */
const cappedTotals = 10_000;

/** Returns the warning at the end of a walk, unless the user cut it on purpose. */
export function warnAtEnd(ended: EndedWalk): Notice | undefined {
  const { seen, isSingle, hasList } = ended;
  const declared = isBelieved(ended) ? seen.declared : undefined;
  const different = declared === undefined ? undefined : mismatch(declared, ended);
  if (different !== undefined) return different;
  if (hasList && seen.next !== undefined && (isSingle || isLeftAlone(ended))) return ignoredNext(seen.next, ended);
  if (declared !== undefined && !mayBeCapped(declared)) return undefined;
  if (isStated(ended)) return undefined;
  if (isSingle) return isUsualSize(ended) && seen.isLast !== true ? roundPage(ended) : undefined;
  const isFull = seen.pages > 1 && seen.last === seen.largest; // with one page the size of a page is unknown
  const isRound = ended.items > 0 && ended.items % roundItems === 0 && isFull;
  return isRound ? roundEnd(ended) : undefined;
}

/** Returns the warning for a first page without a total at the configured place. */
export function warnAtStart(page: PageView, { total }: Pick<Paginator, 'total'>): Notice | undefined {
  if (total === undefined || figureAt(page, total) !== undefined) return undefined;
  const near = nearestPath(total.segments, page.envelope.get(total.text) ?? { beside: [] });
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  const message = `the first page has no whole number at "${total.segments.join('.')}" (\`totalKey\`)${hint}`;
  return { level: 'warning', code: 'no-total', message };
}

/** Returns the warning for items after an empty page; once a job. */
export function warnAtGap(before: WalkEvidence | undefined, count: number): Notice | undefined {
  if (before?.empty === undefined || count === 0) return undefined;
  return {
    level: 'warning',
    code: 'empty-page',
    message: `page ${before.empty + 1} has no items, but a later page does: items may be missing`,
    subject: '',
    page: before.empty,
  };
}

/**
 * Returns the warning for a second page that equals the first: an API that ignores the counter or cursor always returns
 * the same page.
 */
export function warnAtRepeat(
  { seen, items, isRepeat, carried }: EndedWalk,
  { counter }: Pick<Paginator, 'counter'>,
): Notice | undefined {
  if (!isRepeat || seen.read !== 1 || items === 0) return undefined;
  if (seen.isLast === true || seen.declared?.latest === items) return undefined; // complete: the API repeats its last page
  if (counter === undefined) return carried === undefined ? undefined : ignoredCursor(carried, items);
  return {
    level: 'warning',
    code: 'same-page',
    message: `the second page is identical to the first (${items} items), and the job ends there: does the API know the parameter "${counter}"?`,
    subject: '',
  };
}

/**
 * A legal repeat does not lead anywhere. One that names a next page is the first page again, whatever was requested.
 */
function ignoredCursor({ name, value }: Carried, items: number): Notice {
  const asked =
    value === undefined ? '' : name === undefined ? ` (requested by the link "${value}")` : withValue(name, value);
  const known =
    name === undefined ? 'does the API follow its own links?' : `does the API know the parameter "${name}"?`;
  return {
    level: 'warning',
    code: 'cursor-ignored',
    message: `the second page${asked} is identical to the first (${items} items) and has a next page too; the job ends there, and items may be missing: ${known}`,
    subject: '',
  };
}

const withValue = (name: string, value: string): string => ` (requested with "${name}" = "${value}")`;

/** Nothing followed the first page, and no warning about that was given. */
const isLeftAlone = ({ seen, isRepeat, end }: EndedWalk): boolean =>
  seen.read === 1 && !isRepeat && end?.warning?.code !== 'missing-next-link';

/** An ambiguous total is believed only if the page looks truncated. */
const isBelieved = (ended: EndedWalk): boolean => ended.seen.declared?.trust !== 'likely' || isUsualSize(ended);

function isUsualSize({ seen: { first, pages }, hasList, isChild }: EndedWalk): boolean {
  if (pages > 1 || !hasList || first === 0 || (isChild && first < leastOfChildren)) return false;
  return usualSizes.has(first) || first % roundItems === 0;
}

/** Counting itself stops at such figures, so reaching them proves nothing. */
const mayBeCapped = ({ trust, isLeast, latest }: DeclaredTotal): boolean =>
  isLeast === true || (trust !== 'named' && latest > 0 && latest % cappedTotals === 0);

/** Whether the walk has as many items as a figure of its first page. */
const isStated = ({ seen: { stated = [] }, items }: EndedWalk): boolean =>
  items % cappedTotals !== 0 && stated.includes(items);

/** Whether a walk that has come to its own end has as many items as the API states. */
export const hasTotal = (declared: DeclaredTotal, ended: Pick<EndedWalk, 'seen' | 'items' | 'isSingle'>): boolean =>
  mismatch(declared, ended) === undefined;

function mismatch(
  declared: DeclaredTotal,
  { seen, items, isSingle }: Pick<EndedWalk, 'seen' | 'items' | 'isSingle'>,
): Notice | undefined {
  const [least, most] = [Math.min(declared.first, declared.latest), Math.max(declared.first, declared.latest)];
  if (items >= least && (items <= most || declared.isLeast === true)) return undefined;
  if (items > most && declared.trust !== 'named' && most === seen.pages) return undefined; // it counts pages
  const where =
    'header' in declared.place ? `the header ${declared.place.header}` : `"${declared.place.segments.join('.')}"`;
  const why = isSingle ? 'without `pagination` a job requests one page' : 'data may be missing';
  return {
    level: 'warning',
    code: 'total-mismatch',
    message: `the API reports ${declared.latest} items (${where}), but ${items} arrived: ${items < least ? why : 'some may be duplicates'}`,
    subject: '',
  };
}

const ignoredNext = (where: string, { isSingle, end }: EndedWalk): Notice => ({
  level: 'warning',
  code: 'next-page-ignored',
  message: `the API declares a next page (${where}): ${isSingle ? 'without `pagination` a job requests one page' : `its pagination ended after the first page: ${end?.stop}`}`,
  subject: '',
});

const roundPage = ({ items }: EndedWalk): Notice => ({
  level: 'warning',
  code: 'round-end',
  message: `the only page has exactly ${items} items, as if it were truncated: without \`pagination\` a job requests one page. Does the API have more?`,
  subject: '',
});

const roundEnd = ({ items, seen }: EndedWalk): Notice => ({
  level: 'warning',
  code: 'round-end',
  message: `ended at exactly ${items} items with a full last page (${seen.last}), as if the API had a limit there. Does it have more?`,
  subject: '',
});

/** Without `name` the value is the address of a link; without `value` nothing is known. */
export interface Carried {
  readonly name?: string;
  readonly value?: string;
}

/**
 * Compares a request with the first one of its walk. The paginator names the parameter if it can; otherwise it is the
 * first that differs.
 */
export function carriedBy(request: PageRequest, first: PageRequest, { cursor }: Pick<Paginator, 'cursor'>): Carried {
  const named = cursor === undefined ? undefined : sentValue(request, cursor);
  if (cursor !== undefined && named !== undefined) return { name: shownParam(cursor), value: textOf(named) };
  if (request.endpoint !== first.endpoint) return { value: request.endpoint };
  const changed = [...request.params].find(([name, value]) => !isSame(value, first.params.get(name)));
  return changed === undefined ? {} : { name: changed[0], value: textOf(changed[1]) };
}

const textOf = (value: Exact): string => (typeof value === 'string' ? value : stringifyExact(value));

const isSame = (value: Exact, other: Exact | undefined): boolean =>
  other !== undefined && stringifyExact(value) === stringifyExact(other);
