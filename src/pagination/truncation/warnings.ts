import type { Notice } from '../../core/model/notice.js';
import { nearestPath } from '../../core/util/suggest.js';
import type { Paginator, Stop } from '../types.js';
import type { Carried } from './carried.js';
import { type DeclaredTotal, figureAt, type PageView } from './declared-total.js';
import type { WalkEvidence } from './walk-evidence.js';

/** A walk that has come to its end. */
export interface Ended {
  readonly seen: WalkEvidence;
  /** All items that came. */
  readonly items: number;
  /** Without pagination: one request. */
  readonly isSingle: boolean;
  readonly isChild: boolean;
  /** Its last page, or its only one, had a list of items. */
  readonly hasList: boolean;
  /** How it ended; absent: it has not. */
  readonly end?: Stop | undefined;
  /** Its last page repeated the one before. */
  readonly isRepeat: boolean;
  /** What that page was asked for with, where it leads to another page all the same. */
  readonly carried?: Carried | undefined;
}

/** Numbers of items at which APIs cut a page of their own accord. Those of children are often small, and whole. */
const usualSizes = new Set([10, 20, 25, 30, 50, 100, 200, 250, 500]);
const leastOfChildren = 100;

/** At which multiples a long list is cut. */
const roundItems = 1000;

/** At which multiples search engines stop counting. */
const cappedTotals = 10_000;

/** What the end gives reason to say; a walk that was cut on purpose is not asked about. */
export function warnAtEnd(ended: Ended): Notice | undefined {
  const { seen, isSingle, hasList } = ended;
  const told = isBelieved(ended) ? seen.told : undefined;
  const different = told === undefined ? undefined : mismatch(told, ended);
  if (different !== undefined) return different;
  if (hasList && seen.next !== undefined && (isSingle || isLeftAlone(ended))) return ignoredNext(seen.next, ended);
  if (told !== undefined && !mayBeCapped(told)) return undefined;
  if (isSingle) return isUsualSize(ended) && seen.isLast !== true ? roundPage(ended) : undefined;
  const isFull = seen.pages > 1 && seen.last === seen.largest; // of one page nobody knows
  const isRound = ended.items > 0 && ended.items % roundItems === 0 && isFull;
  return isRound ? roundEnd(ended) : undefined;
}

/** Said of a first page that tells nothing at the place that the configuration names. */
export function warnAtStart(page: PageView, { total }: Pick<Paginator, 'total'>): Notice | undefined {
  if (total === undefined || figureAt(page, total) !== undefined) return undefined;
  const near = nearestPath(total.segments, page.envelope.get(total.text) ?? { beside: [] });
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  const message = `the first page has no whole number at "${total.segments.join('.')}" (\`totalKey\`)${hint}`;
  return { level: 'warning', code: 'no-total', message };
}

/** Said when items come behind a page that had none; once a job. */
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
 * Said where the second page is the first again: without a parameter that counts, or a cursor, an API gives the same
 * page for ever.
 */
export function warnAtRepeat(
  { seen, items, isRepeat, carried }: Ended,
  { counter }: Pick<Paginator, 'counter'>,
): Notice | undefined {
  if (!isRepeat || seen.read !== 1 || items === 0) return undefined;
  if (seen.isLast === true || seen.told?.latest === items) return undefined; // it was all, and the API gives its last page again
  if (counter === undefined) return carried === undefined ? undefined : ignoredCursor(carried, items);
  return {
    level: 'warning',
    code: 'same-page',
    message: `the second page is identical to the first (${items} items), and the job ends there: does the API know the parameter "${counter}"?`,
    subject: '',
  };
}

/** A legal repeat leads nowhere. One that names a next page is the first page again, whatever it was asked for with. */
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

/** Nothing came behind the first page, and nothing was said of that yet. */
const isLeftAlone = ({ seen, isRepeat, end }: Ended): boolean =>
  seen.read === 1 && !isRepeat && end?.warning?.code !== 'missing-next-link';

/** A name that could mean something else is believed where the page looks as if it had been cut. */
const isBelieved = (ended: Ended): boolean => ended.seen.told?.trust !== 'likely' || isUsualSize(ended);

function isUsualSize({ seen: { first, pages }, hasList, isChild }: Ended): boolean {
  if (pages > 1 || !hasList || first === 0 || (isChild && first < leastOfChildren)) return false;
  return usualSizes.has(first) || first % roundItems === 0;
}

/** Counting itself ends at such figures: that as many came says nothing. */
const mayBeCapped = ({ trust, isLeast, latest }: DeclaredTotal): boolean =>
  isLeast === true || (trust !== 'named' && latest > 0 && latest % cappedTotals === 0);

function mismatch(told: DeclaredTotal, { seen, items, isSingle }: Ended): Notice | undefined {
  const [least, most] = [Math.min(told.first, told.latest), Math.max(told.first, told.latest)];
  if (items >= least && (items <= most || told.isLeast === true)) return undefined;
  if (items > most && told.trust !== 'named' && most === seen.pages) return undefined; // it counts pages
  const where = 'header' in told.place ? `the header ${told.place.header}` : `"${told.place.segments.join('.')}"`;
  const why = isSingle ? 'without `pagination` a job requests one page' : 'data may be missing';
  return {
    level: 'warning',
    code: 'total-mismatch',
    message: `the API reports ${told.latest} items (${where}), but ${items} arrived: ${items < least ? why : 'some may be duplicates'}`,
    subject: '',
  };
}

const ignoredNext = (where: string, { isSingle, end }: Ended): Notice => ({
  level: 'warning',
  code: 'next-page-ignored',
  message: `the API declares a next page (${where}): ${isSingle ? 'without `pagination` a job requests one page' : `its pagination ended after the first page: ${end?.stop}`}`,
  subject: '',
});

const roundPage = ({ items }: Ended): Notice => ({
  level: 'warning',
  code: 'round-end',
  message: `the only page has exactly ${items} items, as if it were truncated: without \`pagination\` a job requests one page. Does the API have more?`,
  subject: '',
});

const roundEnd = ({ items, seen }: Ended): Notice => ({
  level: 'warning',
  code: 'round-end',
  message: `ended at exactly ${items} items with a full last page (${seen.last}), as if the API had a limit there. Does it have more?`,
  subject: '',
});
