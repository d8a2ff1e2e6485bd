/** Names of paging parameters, the commonest first: those that are tried, and those that a document describes. */

export const pageNames = [
  'page',
  'page_number',
  'pageNumber',
  'p',
  'pageNo',
  'page_no',
  'pageIndex',
  'currentPage',
  'page_num',
  '_page',
  'page[number]',
  '$page',
  'pg',
];
export const offsetNames = [
  'offset',
  'skip',
  'start',
  'startAt',
  '$skip',
  '$offset',
  '_start',
  'start_index',
  'startIndex',
  'from',
  'page[offset]',
  'firstResult',
];
export const limitNames = [
  'limit',
  'per_page',
  'page_size',
  'pageSize',
  'perPage',
  'size',
  'count',
  'maxResults',
  'max_results',
  '$top',
  '$limit',
  '_limit',
  'pagesize',
  'per-page',
  'page[size]',
  'page[limit]',
  'rows',
  'top',
  'first',
  'n',
  'take',
  '_per_page',
  'results',
  'hitsPerPage',
];
export const afterIdNames = [
  'starting_after',
  'after',
  'after_id',
  'since_id',
  'last_id',
  'min_id',
  'from_id',
  'sinceId',
  'afterId',
  'lastId',
  'last',
  'since',
  'startkey',
  'start_after',
  'id_after',
  'id_gt',
  'before',
  'before_id',
  'max_id',
  'cursor',
];
export const sinceNames = [
  'since',
  'updated_since',
  'modified_since',
  'created_after',
  'updated_after',
  'start_time',
  'after',
  'from',
  'since_date',
  'created_since',
  'startDate',
  'start_date',
];
export const cursorNames = [
  'cursor',
  'after',
  'page_token',
  'pageToken',
  'next_token',
  'nextToken',
  'token',
  'starting_after',
  'next',
  'continuation_token',
  'continuationToken',
  'marker',
  'page',
  'offset',
  'bookmark',
  'next_cursor',
  'scroll_id',
  'page[cursor]',
  'page[after]',
  'start',
  'nextPageToken',
  'cursorMark',
  'continuation',
  'pagination_token',
  'since',
];

/** Elasticsearch rejects names that it does not know, so its own are tried first. */
export const namesOfShape = (list: readonly string[]): { readonly limit?: string[]; readonly offset?: string[] } =>
  list.join('.') === 'hits.hits' ? { limit: ['size'], offset: ['from'] } : {};

export const pagingRoles = ['page', 'offset', 'limit', 'cursor'] as const;
export type PagingRole = (typeof pagingRoles)[number];

const normalized = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');
const setOf = (...names: readonly string[]): ReadonlySet<string> => new Set(names.map(normalized));
const counts = setOf(...pageNames, ...offsetNames);
/** Cursors that a document may mean otherwise: credentials, and times. */
const unclear = setOf('token', 'since');

/** Beside the names that are tried there are some that are too rare for that. */
const byRole: Readonly<Record<PagingRole, ReadonlySet<string>>> = {
  page: setOf(...pageNames),
  offset: setOf(...offsetNames, 'startPosition'),
  limit: setOf(...limitNames, 'max', 'maxItems', 'maxPageSize', 'itemsPerPage'),
  cursor: setOf(
    ...cursorNames.filter((name) => !counts.has(normalized(name)) && !unclear.has(normalized(name))),
    ...['since_id', 'start_cursor'],
  ),
};

/** Whether a parameter of this name, in any case and with any separators, usually has that role. */
export const hasRole = (name: string, role: PagingRole): boolean => byRole[role].has(normalized(name));

const ofTime = '_?(?:at|on|date|time|date_?time|timestamp|ts|utc|ms)?$';

/** Members whose values grow from change to change: times of changes, then counters of them, then times of creation. */
export const growingForms: readonly RegExp[] = [
  new RegExp(`^\\w*?(?<!ex)(?:updated?|modified|modification|modstamp|changed?|edited|mtime)${ofTime}`, 'i'),
  /^_?(?:seq(?:uence)?(?:_?(?:no|number|id))?|rev(?:ision)?|(?:row_?|change_?)?version|ts)$/i,
  new RegExp(`^\\w*?(?:created?|creation|added|inserted|published|posted|occurred|received|recorded)${ofTime}`, 'i'),
];

/** Parameters by which an API probably filters by this member, the commonest first. */
export function sinceNamesFor(path: string): readonly string[] {
  const member = path.slice(path.lastIndexOf('.') + 1);
  const stem = member.replace(new RegExp(ofTime, 'i'), '') || member;
  const joined = (word: string) =>
    /[A-Z]/.test(member) ? `${stem}${word.charAt(0).toUpperCase()}${word.slice(1)}` : `${stem}_${word}`;
  const own = [
    joined('since'),
    joined('after'),
    'since',
    `${member}_gte`,
    `${member}[gte]`,
    joined('from'),
    joined('min'),
  ];
  const others = [`${member}_from`, `${member}_min`, `min_${member}`, `${member}__gte`, `${member}_after`];
  return [...new Set([...own, ...sinceNames.slice(0, 5), ...others, ...sinceNames])];
}

const beginWords = new Set(['since', 'after', 'from', 'gte', 'gt', 'ge', 'min', 'start', 'begin', 'newer']);
const timeWords = /^(?:updated?|modified|modification|changed?|edited|created?|published|date|time|timestamp|at|on)$/;

/** Whether a parameter of this name probably leaves out what is older: `updated_since`, `createdAfter`, `date[gte]`. */
export function isSinceName(name: string): boolean {
  if (pagingRoles.some((role) => hasRole(name, role))) return false;
  const words = name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return name === 'since' || (words.some((word) => beginWords.has(word)) && words.some((word) => timeWords.test(word)));
}

/** Other names of the parameter for the value under a name of the response. */
const sentAs: readonly (readonly [form: RegExp, ...names: readonly string[]])[] = [
  [/^next_?page_?token$/i, 'pageToken', 'page_token'],
  [/^next_?token$/i, 'nextToken', 'next_token', 'pagination_token'],
  [/^next_?page$/i, 'page', 'cursor'],
  [/^next_?cursor$/i, 'cursor', 'start_cursor', 'next_cursor', 'after'],
  [/^end_?cursor$/i, 'after', 'cursor'],
  [/^next_?offset$/i, 'offset', 'start'],
  [/^next_?start$/i, 'start', 'offset'],
  [/^next_?marker$/i, 'marker', 'Marker'],
  [/^next_?cursor_?mark$/i, 'cursorMark'],
  [/^_?scroll_?id$/i, 'scroll_id', 'scroll'],
  [/^next$/i, 'cursor', 'next', 'after', 'page'],
  [/^(?:next_?)?continuation_?token$/i, 'continuation-token', 'continuationToken', 'continuation_token'],
];

/** Names under which an API probably expects the value of a member, the likeliest first. */
export function namesForToken(name: string, others: readonly string[]): readonly string[] {
  const known = sentAs.find(([form]) => form.test(name))?.slice(1) as readonly string[] | undefined;
  const bare = name.replace(/^next_?/i, '');
  const lower = bare === '' ? [] : [`${bare.charAt(0).toLowerCase()}${bare.slice(1)}`];
  return [...new Set([...others, ...(known ?? lower), name])];
}
