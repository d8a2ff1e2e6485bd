/** Names under which APIs declare totals and next pages. */
import type { DataField } from '../../core/model/job.js';
import type { CapturePath } from '../../core/model/page.js';
import { rememberFor } from '../../core/util/remember.js';

/** A place in the body. A member that is just named `total` or `count`, outside paging figures, may mean anything. */
export interface KnownField {
  readonly path: CapturePath;
  readonly isSure: boolean;
}

/** Names with only one meaning. */
const sureNames = [
  'total_count',
  'totalCount',
  'TotalCount',
  'total_items',
  'totalItems',
  'total_results',
  'totalResults',
  'total_records',
  'totalRecords',
  'total_entries',
  'totalElements',
  'total_rows',
  'totalRows',
  'totalSize',
  'total_size',
  'totalHits',
  'recordsFiltered',
  'record_count',
  'recordCount',
  '@odata.count',
  'odata.count',
];

const plainNames = ['total', 'count'];

/** Objects beside the items that contain paging figures. */
const around = [
  'meta',
  '_meta',
  'metadata',
  'pagination',
  'paging',
  'pager',
  'page',
  'pageInfo',
  'page_info',
  'result_info',
  'info',
];
const namesWithin = [
  'total',
  'total_count',
  'totalCount',
  'total_items',
  'totalItems',
  'total_results',
  'totalResults',
  'total_records',
  'totalRecords',
  'totalElements',
  'count',
];

/** Names beside a `total` that show that the response is one page of several. */
const pagingNames = [
  'previous',
  'prev',
  'offset',
  'skip',
  'limit',
  'page',
  'pages',
  'per_page',
  'perPage',
  'page_size',
  'pageSize',
  'total_pages',
  'totalPages',
  'startAt',
  'maxResults',
];

/** Only the kinds of lists and objects are captured, and missing values are not. */
const capture = (segments: readonly string[]): CapturePath => ({
  text: ['\0known', ...segments].join('\0'),
  segments,
  shallow: true,
  silent: true,
});

const place = (isSure: boolean, ...segments: readonly string[]): KnownField => ({ path: capture(segments), isSure });

/** Names beside the list. The first that fits counts. */
const besideList = (parent: readonly string[]): readonly KnownField[] => [
  ...sureNames.map((name) => place(true, ...parent, name)),
  place(true, ...parent, 'total', 'value'),
  ...plainNames.map((name) => place(false, ...parent, name)),
];

const atRoot: readonly KnownField[] = [
  ...besideList([]),
  ...around.flatMap((name) => namesWithin.map((within) => place(true, name, within))),
];

/** The kind of value that announces a next page: `true`, an address, or any text or number. */
export type NextKind = 'flag' | 'link' | 'token';

const nextNames: readonly (readonly [NextKind, ...string[]])[] = [
  ['flag', 'has_more'],
  ['flag', 'hasMore'],
  ['link', 'next'],
  ['link', 'next', 'href'],
  ['link', 'next_url'],
  ['link', 'nextUrl'],
  ['link', 'next_page_url'],
  ['link', 'nextPageUrl'],
  ['link', 'next_link'],
  ['link', 'links', 'next'],
  ['link', 'links', 'next', 'href'],
  ['link', '_links', 'next'],
  ['link', '_links', 'next', 'href'],
  ['link', 'paging', 'next'],
  ['link', 'paging', 'next', 'link'],
  ['link', 'pagination', 'next'],
  ['link', 'pagination', 'next_url'],
  ['link', 'meta', 'next'],
  ['link', '@odata.nextLink'],
  ['link', 'nextLink'],
  ['token', 'next_page'],
  ['token', 'nextPage'],
  ['token', 'nextPageToken'],
  ['token', 'next_page_token'],
  ['token', 'next_cursor'],
  ['flag', 'meta', 'has_more'],
  ['flag', 'pagination', 'has_more'],
  ['token', 'nextToken'],
  ['token', 'next_token'],
  ['token', 'nextCursor'],
  ['token', 'meta', 'next_cursor'],
  ['token', 'meta', 'next_token'],
  ['token', 'pagination', 'next_cursor'],
  ['token', 'response_metadata', 'next_cursor'],
];

/** Where responses usually link to the next page. */
export const nextPlaces = nextNames.map(([kind, ...segments]) => ({ kind, path: capture(segments) }));

/** Members that show that a response is one page of several. */
export const pagingPaths: readonly CapturePath[] = [
  ...nextPlaces.map(({ path }) => path),
  ...pagingNames.map((name) => capture([name])),
];

/**
 * Where a response with these items may have a total, the likeliest first: at the top level, in an object there, beside
 * the list.
 */
export const placesFor = rememberFor((dataField: DataField): readonly KnownField[] => {
  const parent = dataField.kind === 'path' ? dataField.segments.slice(0, -1) : [];
  return parent.length === 0 ? atRoot : [...besideList(parent), ...atRoot];
});

/** The path of known segments. */
export const captureAgain = capture;

/** The numbers beside the list, in objects around it, at the top level, and in objects with paging figures there. */
export const figurePlaces = rememberFor((dataField: DataField): readonly CapturePath[] => {
  const segments = dataField.kind === 'path' ? dataField.segments.slice(0, -1) : [];
  const parents = segments.map((_, index) => segments.slice(0, index + 1));
  return [...parents.reverse(), [], ...around.map((name) => [name])].map((path) => ({
    text: ['\0figures', ...path].join('\0'),
    segments: path,
    silent: true,
    figures: true,
  }));
});

/** Names of figures that may be a total, and of those that count or bound other things. */
const ofTotals = /total|count|found|hit|match|rows|records|results|items|entries|elements|objects|all|size|number/i;
const ofOthers = /max|limit|page|offset|start|skip|from|index|time|took|duration|ms$|version|window|chunk|batch|id$/i;

/** Whether a figure of this name may be the total number of items. */
export const mayBeTotal = (name: string): boolean => ofTotals.test(name) && !ofOthers.test(name);

/** Whether it then counts more than the items of its page. */
export const isOfWholeList = (name: string): boolean => /total|found|match|hit|filtered|all/i.test(name);

/** Response headers with a total, in lower case. */
export const totalHeaders = [
  'x-total-count',
  'x-total',
  'x-wp-total',
  'x-total-items',
  'x-total-results',
  'x-total-records',
  'total-count',
  'content-range',
];

/** Response headers that lead to the next page, besides `Link`, in lower case. */
export const nextHeaders = [
  'x-next-page',
  'x-next-cursor',
  'x-next-page-token',
  'x-next-page-url',
  'x-next-url',
  'x-next-link',
];

/** All response headers that are examined. */
export const lookedHeaders = [...totalHeaders, ...nextHeaders, 'link'];
