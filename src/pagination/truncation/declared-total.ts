/**
 * Finds the total number of items that responses declare, and follows it over a walk: where it is, and whether to
 * believe it.
 */
import { type Exact, isNumber, isObject } from '../../core/json/exact.js';
import type { DataField } from '../../core/model/job.js';
import type { CapturePath, Page } from '../../core/model/page.js';
import { rememberFor } from '../../core/util/remember.js';
import { capturedAt } from '../capture.js';
import type { Paginator } from '../types.js';
import {
  captureAgain,
  figurePlaces,
  isOfWholeList,
  mayBeTotal,
  pagingPaths,
  placesFor,
  totalHeaders,
} from './known-fields.js';

/** Plain data, passed from page to page. */
export interface DeclaredTotal {
  /** A path into the response, or the name of a header. */
  readonly place: { readonly header: string } | { readonly segments: readonly string[] };
  /** `named`: the configuration says that it is the total. `likely`: its name could mean something else. */
  readonly trust: 'named' | 'sure' | 'likely';
  /** It is a lower bound. */
  readonly isLeast?: true;
  /** On the first page, and on the last page that had one. */
  readonly first: number;
  readonly latest: number;
}

/** The parts of a page that are examined. */
export type PageView = Pick<Page, 'envelope' | 'headers' | 'count'>;

/** The paths to capture: all places on the first page, later only the one with a total. */
export function capturesFor(
  { total }: Pick<Paginator, 'total'>,
  dataField: DataField,
  before: { readonly declared?: DeclaredTotal } | undefined,
): readonly CapturePath[] {
  if (total !== undefined) return onlyThat(total);
  if (before === undefined) return firstCaptures(dataField);
  const { place } = before.declared ?? {};
  return place === undefined || 'header' in place ? noCaptures : onlyAt(place.segments);
}

// Lists are made once, not for each page: what the scanner prepares for a list of paths is kept with it.
const noCaptures: readonly CapturePath[] = [];
const onlyThat = rememberFor((total: CapturePath): readonly CapturePath[] => [total]);
const onlyAt = rememberFor((segments: readonly string[]): readonly CapturePath[] => [captureAgain(segments)]);

const firstCaptures = rememberFor((dataField: DataField): readonly CapturePath[] => {
  const paths = placesFor(dataField).map(({ path }) => path);
  const relations = paths.filter(({ segments }) => segments.at(-1) === 'value');
  return [
    ...figurePlaces(dataField),
    ...paths,
    ...relations.map(({ segments }) => captureAgain([...segments.slice(0, -1), 'relation'])),
    ...pagingPaths,
  ];
});

/** Returns the total of the first page; undefined: there is no plausible one. */
export function detectTotal(
  page: PageView,
  { total }: Pick<Paginator, 'total'>,
  dataField: DataField,
): DeclaredTotal | undefined {
  if (total !== undefined) return declaredAt({ segments: total.segments }, 'named', figureAt(page, total));
  const isBare = page.envelope.size === 0; // as most pages of child jobs, each of which is the first of its walk
  for (const { path, isSure } of isBare ? [] : placesFor(dataField)) {
    const figure = figureAt(page, path);
    if (figure === undefined || figure < page.count) continue;
    // If it equals the items of the page, it is probably their count.
    if (figure === page.count && path.segments.at(-1) === 'count') continue;
    const declared = declaredAt({ segments: path.segments }, isSure || isPaged(page) ? 'sure' : 'likely', figure);
    return declared !== undefined && isLeast(page, path) ? { ...declared, isLeast: true } : declared;
  }
  const header = totalHeaders.find((name) => headerFigure(page, name) !== undefined);
  return header === undefined ? undefined : declaredAt({ header }, 'sure', headerFigure(page, header));
}

/** So many possible totals are remembered. */
const mostStated = 8;

/** The figures of the first page that may be the total, whatever they are called. Reaching one of them is no chance. */
export function statedTotals(page: PageView, dataField: DataField): readonly number[] {
  if (page.envelope.size === 0) return [];
  const found = figurePlaces(dataField).flatMap((place) => {
    const figures = capturedAt(page, place);
    return isObject(figures) ? [...figures] : [];
  });
  const totals = found.flatMap(([name, value]) => {
    const figure = parseFigure(value);
    const isLarge = figure !== undefined && (figure > page.count || (figure === page.count && isOfWholeList(name)));
    return isLarge && mayBeTotal(name) ? [figure] : [];
  });
  return [...new Set(totals)].slice(0, mostStated);
}

const declaredAt = (
  place: DeclaredTotal['place'],
  trust: DeclaredTotal['trust'],
  figure: number | undefined,
): DeclaredTotal | undefined => (figure === undefined ? undefined : { place, trust, first: figure, latest: figure });

/**
 * Returns the total that is still believed after a later page. If it was the number of items of the first page, it
 * counts pages; if it changes by more than a tenth, it is no total.
 */
export function updateTotal(
  declared: DeclaredTotal,
  page: PageView,
  { total }: Pick<Paginator, 'total'>,
  firstCount: number,
): DeclaredTotal | undefined {
  if (declared.trust !== 'named' && declared.first === firstCount) return undefined;
  const { place } = declared;
  const latest =
    'header' in place ? headerFigure(page, place.header) : figureAt(page, total ?? captureAgain(place.segments));
  if (latest === undefined) return declared;
  const isSteady = declared.trust === 'named' || Math.abs(latest - declared.first) * 10 <= declared.first;
  return isSteady ? { ...declared, latest, trust: declared.trust === 'likely' ? 'sure' : declared.trust } : undefined;
}

/** `{ "value": 10000, "relation": "gte" }`: counting stopped there. */
const isLeast = (page: PageView, { segments }: CapturePath): boolean =>
  segments.at(-1) === 'value' && capturedAt(page, captureAgain([...segments.slice(0, -1), 'relation'])) === 'gte';

/** A member at the top level shows that the response is one page of several. */
const isPaged = (page: PageView): boolean => pagingPaths.some((path) => capturedAt(page, path) !== undefined);

/** Returns the integer at a path; undefined if there is none. */
export const figureAt = (page: PageView, path: CapturePath): number | undefined => parseFigure(capturedAt(page, path));

/** An integer from 0 up, or a text of one. */
function parseFigure(value: Exact | undefined): number | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' || isNumber(value) ? String(value) : '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** `X-Total-Count: 250`, `Content-Range: items 0-24/250`. */
function headerFigure({ headers }: PageView, name: string): number | undefined {
  const [value = ''] = headers.get(name) ?? [];
  const text = name === 'content-range' ? /^(?!bytes\b)[\w-]*\s*(?:\d+-\d+|\*)\/(\d+)$/.exec(value)?.[1] : value.trim();
  return parseFigure(text);
}
