/** Signs that a walk ended before the data did, and how rarely they are wrong. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../../../src/core/model/notice.js';
import { extract, run } from '../../../src/run/extract.js';
import { rejection } from '../../sinks/lib.js';
import { configOf, json, listener, type MockRoutes, onNetwork } from '../../support/mock-network.js';

const list = (count: number, first = 1) => Array.from({ length: count }, (_, index) => ({ id: first + index }));

interface Case {
  readonly what: string;
  readonly api?: object;
  readonly job?: object;
  readonly jobs?: readonly object[];
  /** Answers of the job `a`, in order. */
  readonly pages?: readonly unknown[];
  readonly routes?: MockRoutes;
  readonly headers?: Readonly<Record<string, string>>;
  /** `code: message`; only what it must contain. */
  readonly says: readonly (readonly [string, RegExp])[];
}

const offset = (limit: number, more: object = {}) => ({ pagination: { method: 'offset', limit, ...more } });
const pagenum = (limit: number, more: object = {}) => ({ pagination: { method: 'pagenum', limit, ...more } });
const byCursor = { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'c' } };
const byLink = { pagination: { method: 'link-header' } };

/** Answers to whatever the method asks for. */
function routesOf({ pages = [], headers = {}, api = {}, routes }: Case): MockRoutes {
  if (routes !== undefined) return routes;
  const { method, limit = 0, firstPage = 1, totalKey: _ } = Object(Reflect.get(api, 'pagination'));
  const target = (index: number): string => {
    if (method === 'offset') return `/a?limit=${limit}&offset=${index * limit}`;
    if (method === 'pagenum') return `/a?page=${firstPage + index}&limit=${limit}`;
    return method === 'response.param' && index > 0 ? `/a?c=${index + 1}` : '/a';
  };
  return Object.fromEntries(pages.map((page, index) => [`GET ${target(index)}`, json(page, { headers })]));
}

async function warningsOf(each: Case): Promise<readonly Notice[]> {
  const { notices, notify } = listener();
  await onNetwork(routesOf(each), async ({ dispatcher }) => {
    await run(configOf(each.jobs ?? [{ endpoint: 'a', ...each.job }], each.api), { dispatcher, notify });
  })();
  return notices.filter(({ level }) => level === 'warning');
}

function check(cases: readonly Case[]): void {
  for (const each of cases) {
    test(each.what, async () => {
      const warnings = await warningsOf(each);
      const reported = warnings.map(({ code, message }) => `${code}: ${message}`);
      assert.equal(
        warnings.map(({ code }) => code),
        each.says.map(([code]) => code),
        reported.join('\n'),
      );
      for (const [index, [, says]] of each.says.entries()) assert.match(warnings[index]?.message ?? '', says);
    });
  }
}

// A total compared with the received items.

check([
  {
    what: 'a total that says more than came is reported, with its place and both figures',
    api: offset(2),
    pages: [
      { total: 9, items: list(2) },
      { total: 9, items: list(1, 3) },
    ],
    says: [['total-mismatch', /reports 9 items \("total"\), but 3 arrived: data may be missing/]],
  },
  {
    what: 'one in an object around the items, as text of digits',
    api: offset(2),
    pages: [{ meta: { total_count: '9' }, items: list(1) }],
    says: [['total-mismatch', /reports 9 items \("meta\.total_count"\), but 1 arrived/]],
  },
  {
    what: 'one beside the list of a path',
    api: offset(2),
    job: { dataField: 'result.hits.rows' },
    pages: [{ result: { hits: { total: { value: 9, relation: 'eq' }, rows: list(1) } } }],
    says: [['total-mismatch', /\("result\.hits\.total\.value"\)/]],
  },
  {
    what: 'one of a header',
    api: pagenum(2),
    pages: [list(1)],
    headers: { 'X-Total-Count': '9' },
    says: [['total-mismatch', /reports 9 items \(the header x-total-count\), but 1 arrived/]],
  },
  {
    what: 'one of the header Content-Range',
    api: pagenum(2),
    pages: [list(1)],
    headers: { 'Content-Range': 'items 0-0/9' },
    says: [['total-mismatch', /the header content-range/]],
  },
  {
    what: 'a total that says fewer than came is reported too',
    api: offset(2),
    pages: [
      { total: 3, items: list(2) },
      { total: 3, items: list(2, 2) },
      { total: 3, items: [] },
    ],
    says: [
      ['shifted-page', /^the first item of this page is the last one of the page before/],
      ['total-mismatch', /reports 3 items .* but 4 arrived: some may be duplicates/],
    ],
  },
  {
    what: 'a total that moves a little while the walk goes on is met by any figure between',
    api: offset(2),
    pages: [
      { total_count: 20, items: list(2) },
      { total_count: 19, items: list(1, 3) },
    ],
    says: [['total-mismatch', /reports 19 items/]],
  },
  {
    what: 'a job without pagination whose response shows more is reported: the beginner forgot it',
    pages: [{ count: 250, next: '/a?page=2', results: list(7) }],
    says: [
      ['total-mismatch', /reports 250 items \("count"\), but 7 arrived: without `pagination` a job requests one page/],
    ],
  },
  {
    what: 'only a `total`, and a page of a usual size',
    pages: [{ total: 250, items: list(20) }],
    says: [['total-mismatch', /reports 250 items/]],
  },
  {
    what: 'a total where no page has a place for items is not compared: only the cause is reported',
    api: pagenum(2, { totalKey: 'total' }),
    job: { dataField: 'itms' },
    pages: [{ total: 9, items: list(2) }],
    says: [['no-data', /^did you mean "items"\?/]],
  },
  {
    what: 'but where only a later page lacks it, it is',
    api: pagenum(2, { totalKey: 'total' }),
    job: { dataField: 'items' },
    pages: [{ total: 9, items: list(2) }, { total: 9 }],
    says: [
      ['no-data', /no value at "items"/],
      ['total-mismatch', /9 items \("total"\), but 2 arrived/],
    ],
  },
  {
    what: 'a page that came a second time ends the walk all the same',
    api: pagenum(2),
    pages: [
      { total_count: 9, items: list(2) },
      { total_count: 9, items: list(2) },
    ],
    says: [
      ['same-page', /./],
      ['total-mismatch', /but 2 arrived/],
    ],
  },
  {
    what: 'the place that the configuration names is believed whatever it is called',
    api: offset(2, { totalKey: 'n.all' }),
    pages: [{ n: { all: 9 }, items: list(1) }],
    says: [['total-mismatch', /reports 9 items \("n\.all"\)/]],
  },
  {
    what: 'also for a method of several by name',
    api: { pagination: { method: 'multiple', totalKey: 'n', scrollers: { links: { method: 'link-header' } } } },
    job: { scroller: 'links' },
    pages: [{ n: 9, items: list(1) }],
    says: [['total-mismatch', /reports 9 items \("n"\)/]],
  },
  {
    what: 'also without a method',
    api: { pagination: { totalKey: 'all' } },
    pages: [{ all: 9, items: list(1) }],
    says: [['total-mismatch', /without `pagination`/]],
  },
  {
    what: 'a place that the configuration names and that is not there is reported, with the nearest',
    api: offset(2, { totalKey: 'meta.totl' }),
    pages: [{ meta: { total: 9 }, items: list(1) }],
    says: [['no-total', /no whole number at "meta\.totl" \(`totalKey`\); did you mean "meta\.total"\?/]],
  },
  {
    what: 'limitStop by a field that is reached is the true end, short of it is not',
    api: { pagination: { method: 'pagenum', limit: 2, limitStop: { field: 'total' } } },
    pages: [
      { total: 4, items: list(2) },
      { total: 4, items: list(2, 3) },
    ],
    says: [],
  },
]);

// What is no total, or no mismatch.

check([
  {
    what: 'as many as were reported',
    api: offset(2),
    pages: [
      { total: 3, items: list(2) },
      { total: 3, items: list(1, 3) },
    ],
    says: [],
  },
  {
    what: 'a `count` that is that of the page',
    api: offset(2),
    pages: [
      { count: 2, items: list(2) },
      { count: 1, items: list(1, 3) },
    ],
    says: [],
  },
  {
    what: 'a `total` that is that of the page',
    api: pagenum(2),
    pages: [
      { total: 2, items: list(2) },
      { total: 2, items: list(2, 3) },
      { total: 0, items: [] },
    ],
    says: [],
  },
  {
    what: 'a figure that counts the items of each page',
    api: pagenum(3),
    pages: [{ total_count: 3, items: list(3) }, { total_count: 3, items: list(3, 4) }, { items: [] }],
    says: [],
  },
  {
    what: 'a `total` that is the number of pages',
    api: pagenum(2),
    pages: [
      { total: 3, items: list(2) },
      { total: 3, items: list(2, 3) },
      { total: 3, items: list(2, 5) },
      { total: 3, items: [] },
    ],
    says: [],
  },
  { what: 'a `total` that is a price', pages: [{ id: 7, total: 1523, lines: list(3) }], says: [] },
  {
    what: 'a `total` with a fraction',
    pages: [{ id: 7, total: 1523.5, lines: list(10) }],
    says: [['round-end', /10/]],
  },
  {
    what: 'prices that differ from page to page',
    api: offset(2),
    pages: [
      { total: 1523, lines: list(2) },
      { total: 88, lines: list(1, 3) },
    ],
    says: [],
  },
  { what: 'fewer than the page itself has', pages: [{ total_count: 2, items: list(3) }], says: [] },
  {
    what: 'the total of an object that is itself the item',
    job: { dataField: '.' },
    pages: [{ total_count: 9 }],
    says: [],
  },
  {
    what: 'an object that is called `total`',
    api: offset(2),
    pages: [{ total: { eur: 9 }, items: list(1) }],
    says: [],
  },
  {
    what: 'a range of bytes',
    api: offset(2),
    pages: [list(1)],
    headers: { 'Content-Range': 'bytes 0-9/999' },
    says: [],
  },
  {
    what: 'a walk that begins behind the first items, by a parameter of the job',
    job: { params: { skip: 5 } },
    pages: [],
    routes: { 'GET /a?skip=5': json({ total_count: 9, items: list(4) }) },
    says: [],
  },
  {
    what: 'a walk that begins behind the first pages',
    api: pagenum(2, { firstPage: 3 }),
    pages: [{ total_count: 5, items: list(1) }],
    says: [],
  },
  {
    what: 'a walk that begins at the offset of the job',
    api: offset(2, { offsetFromJob: true, offsetParam: 'o' }),
    job: { params: { o: 4 } },
    routes: { 'GET /a?o=4&limit=2': json({ total_count: 5, items: list(1) }) },
    says: [],
  },
  {
    what: 'an end that the configuration wants: forceStop',
    api: pagenum(2, { forceStop: { pages: 1 } }),
    pages: [{ total_count: 9, items: list(2) }],
    says: [],
  },
  {
    what: 'an end that the configuration wants: limitStop by a number',
    api: pagenum(2, { limitStop: { count: 2 } }),
    pages: [{ total_count: 9, items: list(2) }],
    says: [],
  },
  {
    what: 'orders of a parent, their sums called `total`',
    jobs: [
      {
        endpoint: 'a',
        children: [{ endpoint: 'o/{id}', dataType: 'o', placeholders: { id: 'id' }, dataField: 'lines' }],
      },
    ],
    routes: {
      'GET /a': json(list(2)),
      'GET /o/1': json({ total: 900, lines: list(10) }),
      'GET /o/2': json({ total: 800, lines: list(20) }),
    },
    says: [],
  },
]);

// A suspiciously round end.

const thousands = (count: number, size: number) =>
  Array.from({ length: count / size }, (_, page) => list(size, page * size + 1));

check([
  {
    what: 'a walk that ends at a multiple of a thousand with its last page full',
    api: offset(500),
    pages: [...thousands(2000, 500), []],
    says: [['round-end', /exactly 2000 items with a full last page \(500\)/]],
  },
  {
    what: 'the same by a cursor that runs out',
    api: byCursor,
    pages: [
      { next: 2, items: list(500) },
      { next: null, items: list(500, 501) },
    ],
    says: [['round-end', /exactly 1000 items/]],
  },
  {
    what: 'a page of a usual size where there is no pagination',
    pages: [list(100)],
    says: [['round-end', /only page has exactly 100 items.*without `pagination`/]],
  },
  { what: 'all of it on one page', api: pagenum(1000), pages: [list(1000), []], says: [] },
  {
    what: 'a last page that is not full',
    api: byCursor,
    pages: [{ next: 2, items: list(999) }, { items: list(1) }],
    says: [],
  },
  { what: 'an end at another number', api: offset(500), pages: [...thousands(1500, 500), []], says: [] },
  {
    what: 'a total that agrees with it',
    api: offset(500),
    pages: [...thousands(1000, 500), []].map((items) => ({ total: 1000, items })),
    says: [],
  },
  {
    what: 'a total that is only a lower bound is no reason for trust',
    api: offset(1000),
    job: { dataField: 'hits.hits' },
    pages: [...thousands(2000, 1000), []].map((hits) => ({ hits: { total: { value: 2000, relation: 'gte' }, hits } })),
    says: [['round-end', /exactly 2000/]],
  },
  {
    what: 'more than a lower bound',
    api: offset(2),
    job: { dataField: 'hits.hits' },
    pages: [list(2), list(2, 3), list(1, 5)].map((hits) => ({ hits: { total: { value: 3, relation: 'gte' }, hits } })),
    says: [],
  },
  {
    what: 'a total of ten thousand, at which counting often ends',
    api: offset(5000),
    pages: [...thousands(10_000, 5000), []].map((items) => ({ total_count: 10_000, items })),
    says: [['round-end', /exactly 10000/]],
  },
  {
    what: 'a total under an unusual name that agrees with it',
    api: byCursor,
    job: { dataField: 'rows' },
    pages: [
      { next: 2, filtered_table_rows_count: 12_000, rows: list(6000) },
      { next: null, filtered_table_rows_count: 12_000, rows: list(6000, 6001) },
    ],
    says: [],
  },
  {
    what: 'one beside a nested list, behind other numbers',
    api: offset(500),
    job: { dataField: 'data.page.rows' },
    pages: [...thousands(1000, 500), []].map((rows) => ({ ms: 1, data: { page: { rows }, documentsFound: 1000 } })),
    says: [],
  },
  {
    what: 'one of the only page, which counts more than a page',
    pages: [{ filtered_table_rows_count: 100, rows: list(100) }],
    says: [],
  },
  {
    what: 'a total under an unusual name that says more',
    api: offset(500),
    job: { dataField: 'rows' },
    pages: [...thousands(1000, 500), []].map((rows) => ({ filtered_table_rows_count: 1001, rows })),
    says: [['round-end', /exactly 1000/]],
  },
  {
    what: 'a maximum, a limit and the size of the page are no totals',
    api: offset(500),
    job: { dataField: 'rows' },
    pages: [...thousands(1000, 500), []].map((rows) => ({
      max_results: 1000,
      row_limit: 1000,
      page_total: 1000,
      rows,
    })),
    says: [['round-end', /exactly 1000/]],
  },
  {
    what: 'a size of the only page is no total',
    pages: [{ size: 100, row_count: 100, rows: list(100) }],
    says: [['round-end', /exactly 100/]],
  },
  {
    what: 'ten thousand under an unusual name, at which counting often ends',
    api: offset(5000),
    job: { dataField: 'rows' },
    pages: [...thousands(10_000, 5000), []].map((rows) => ({ documentsFound: 10_000, rows })),
    says: [['round-end', /exactly 10000/]],
  },
  { what: 'a page of a usual size, and as many reported', pages: [{ total: 20, items: list(20) }], says: [] },
  {
    what: 'a `count` of the page confirms nothing',
    pages: [{ count: 20, items: list(20) }],
    says: [['round-end', /20/]],
  },
  { what: 'a page that says it is the last', pages: [{ next: null, items: list(20) }], says: [] },
  { what: 'a page of another size', pages: [list(99)], says: [] },
  { what: 'one page of a job that could have had more', api: byLink, pages: [list(100)], says: [] },
  {
    what: 'small lists of children, of ten by chance',
    jobs: [{ endpoint: 'a', children: [{ endpoint: 'o/{id}', dataType: 'o', placeholders: { id: 'id' } }] }],
    routes: { 'GET /a': json(list(2)), 'GET /o/1': json(list(10)), 'GET /o/2': json(list(50)) },
    says: [],
  },
  {
    what: 'lists of children of a hundred, once for all of them',
    jobs: [{ endpoint: 'a', children: [{ endpoint: 'o/{id}', dataType: 'o', placeholders: { id: 'id' } }] }],
    routes: { 'GET /a': json(list(2)), 'GET /o/1': json(list(100)), 'GET /o/2': json(list(200)) },
    says: [['round-end', /exactly 100/]],
  },
]);

// A next page that no paginator reads.

const noPagination = /without `pagination` a job requests one page/;

check([
  {
    what: 'a link to a next page, where there is no pagination',
    pages: [list(3)],
    headers: { Link: '</a?page=2>; rel="next"' },
    says: [['next-page-ignored', /\(the header link\)/]],
  },
  {
    what: 'a number in a header',
    pages: [list(3)],
    headers: { 'X-Next-Page': '2' },
    says: [['next-page-ignored', /\(the header x-next-page\)/]],
  },
  { what: 'an empty header', pages: [list(3)], headers: { 'X-Next-Page': '' }, says: [] },
  {
    what: 'a link to what follows something else on the page',
    pages: [list(3)],
    headers: { Link: '</a?page=2>; rel="next"; anchor="#foo"' },
    says: [],
  },
  { what: 'an address', pages: [{ next: '/a?page=2', r: list(3) }], says: [['next-page-ignored', /\("next"\)/]] },
  { what: 'a flag', pages: [{ has_more: true, r: list(3) }], says: [['next-page-ignored', noPagination]] },
  { what: 'a token', pages: [{ meta: { next_cursor: 'x' }, r: list(3) }], says: [['next-page-ignored', /meta\.next/]] },
  { what: 'none of them', pages: [{ next: null, has_more: false, next_cursor: '', r: list(3) }], says: [] },
  { what: 'a name of the kind that is no address', pages: [{ next: 'Tuesday', r: list(3) }], says: [] },
  { what: 'an object that is itself the item', job: { dataField: '.' }, pages: [{ has_more: true }], says: [] },
  { what: 'a link that the method follows', api: byLink, pages: [list(3)], says: [] },
]);

// One page, as the method looks for the next one elsewhere.

const byUrl = (urlKey: string) => ({ pagination: { method: 'response.url', urlKey } });
const byParam = { pagination: { method: 'response.param', responseParam: 'cursor', queryParam: 'c' } };

check([
  {
    what: 'a link that lies elsewhere than the default of `urlKey`',
    api: { pagination: { method: 'response.url' } },
    pages: [{ r: list(3), links: { next: '/a?page=2' } }],
    says: [
      ['next-page-ignored', /\("links\.next"\): its pagination ended after the first page: no value at "next_page"/],
    ],
  },
  {
    what: 'a link in the body, where the header is looked at',
    api: byLink,
    pages: [{ r: list(3), next: { href: '/a?page=2' } }],
    says: [['next-page-ignored', /\("next\.href"\).*no link to "next"/]],
  },
  {
    what: 'a link in the header, where the body is looked at',
    api: byUrl('next'),
    pages: [{ r: list(3) }],
    headers: { Link: '</a?page=2>; rel="next"' },
    says: [['next-page-ignored', /header link/]],
  },
  {
    what: 'a value that lies elsewhere than `responseParam`',
    api: byParam,
    pages: [{ r: list(3), meta: { next_cursor: 'x' } }],
    says: [
      ['missing-response-param', /"cursor"/],
      ['next-page-ignored', /"meta\.next_cursor"/],
    ],
  },
  {
    what: 'a page that is shorter than the limit because the API has one of its own',
    api: pagenum(100),
    pages: [{ has_more: true, r: list(50) }],
    says: [['next-page-ignored', /a page shorter than the limit \(50 of 100\)/]],
  },
  {
    what: 'a `urlKey` that is misspelt is said once, with the nearest',
    api: byUrl('next_pge'),
    pages: [{ r: list(3), next_page: '/a?page=2' }],
    says: [['missing-next-link', /did you mean "next_page"/]],
  },
  { what: 'no link and no word of a next page', api: byUrl('next_page'), pages: [{ r: list(3) }], says: [] },
  { what: 'a link that is null', api: byUrl('links.next'), pages: [{ r: list(3), links: { next: null } }], says: [] },
  { what: 'links without a next one', api: byUrl('links.next'), pages: [{ r: list(3), links: {} }], says: [] },
]);

// A parameter that counts, of which the API knows nothing.

check([
  {
    what: 'a page that comes again for `page`',
    api: pagenum(3),
    pages: [list(3), list(3)],
    says: [['same-page', /identical to the first \(3 items\).*the parameter "page"\?/]],
  },
  { what: 'the same for `offset`', api: offset(3), pages: [list(3), list(3)], says: [['same-page', /"offset"\?/]] },
  { what: 'the last page again, behind others', api: pagenum(3), pages: [list(3), list(3, 4), list(3, 4)], says: [] },
  {
    what: 'a page that was all, as its total says',
    api: pagenum(3),
    pages: [
      { total_count: 3, r: list(3) },
      { total_count: 3, r: list(3) },
    ],
    says: [],
  },
  {
    what: 'a page that says that none follows',
    api: pagenum(3),
    pages: [
      { has_more: false, r: list(3) },
      { has_more: false, r: list(3) },
    ],
    says: [],
  },
]);

// A cursor that the API ignores.

const ignored = (more: object = {}) => ({ next: 2, items: list(3), ...more });
const linked = { next: '/a?page=2', items: list(2) };

check([
  {
    what: 'a first page that comes again for a value of it, and names a next one too',
    api: byCursor,
    pages: [ignored(), ignored()],
    says: [
      ['cursor-ignored', /requested with "c" = "2"\) is identical to the first \(3 items\) and has a next page too/],
    ],
  },
  {
    what: 'the same in a body, where the first request has other parameters',
    api: { pagination: { ...byCursor.pagination, scrollRequest: { endpoint: 'more', params: { size: 9 } } } },
    job: { method: 'POST', params: { q: 'x' } },
    routes: { 'POST /a': json(ignored()), 'POST /more': json(ignored()) },
    says: [['cursor-ignored', /requested with "c" = "2"\).* the parameter "c"\?/]],
  },
  {
    what: 'the same for `cursor`',
    api: { pagination: { method: 'cursor', idKey: 'id', param: 'since', increment: 1 } },
    routes: { 'GET /a': json(list(2)), 'GET /a?since=3': json(list(2)) },
    says: [['cursor-ignored', /requested with "since" = "3"\) is identical to the first \(2 items\)/]],
  },
  {
    what: 'the same for `response.url`, of which the link is named',
    api: byUrl('next'),
    routes: { 'GET /a': json(linked), 'GET /a?page=2': json(linked) },
    says: [['cursor-ignored', /requested by the link "\/a\?page=2"\) is .* does the API follow its own links\?/]],
  },
  {
    what: 'the same for a link that is a query',
    api: { pagination: { method: 'response.url', urlKey: 'next', paramIsQuery: true } },
    routes: { 'GET /a': json({ ...linked, next: 'p=2' }), 'GET /a?p=2': json({ ...linked, next: 'p=2' }) },
    says: [['cursor-ignored', /requested with "p" = "2"\)/]],
  },
  {
    what: 'the same for the header Link',
    api: byLink,
    routes: Object.fromEntries(
      ['/a', '/a?page=2'].map((target) => [
        `GET ${target}`,
        json(list(2), { headers: { link: '</a?page=2>; rel="next"' } }),
      ]),
    ),
    says: [['cursor-ignored', /requested by the link "https:\/\/api\.example\/a\?page=2"\)/]],
  },
  {
    what: 'a long value is cut',
    api: byCursor,
    routes: {
      'GET /a': json(ignored({ next: 'x'.repeat(300) })),
      [`GET /a?c=${'x'.repeat(300)}`]: json(ignored({ next: 'x'.repeat(300) })),
    },
    says: [['cursor-ignored', /"c" = "x{100}\.\.\."/]],
  },
  {
    what: 'a legal repeat: the page comes again and names no other',
    api: byLink,
    routes: {
      'GET /a': json(list(2), { headers: { link: '</a?page=2>; rel="next"' } }),
      'GET /a?page=2': json(list(2)),
    },
    says: [],
  },
  {
    what: 'the last page again, behind others',
    api: byCursor,
    pages: [
      { next: 2, items: list(3) },
      { next: 3, items: list(3, 4) },
      { next: 3, items: list(3, 4) },
    ],
    says: [],
  },
  {
    what: 'a stream without news: it names the same place for ever, and has no items',
    api: byCursor,
    pages: [
      { next: 2, items: [] },
      { next: 2, items: [] },
    ],
    says: [],
  },
  {
    what: 'a first page that was all, as its total says',
    api: byCursor,
    pages: [ignored({ total_count: 3 }), ignored({ total_count: 3 })],
    says: [],
  },
  {
    what: 'a condition of the configuration that ends the job there',
    api: { pagination: { ...byCursor.pagination, forceStop: { pages: 2 } } },
    pages: [ignored(), ignored()],
    says: [],
  },
]);

test('an ignored cursor is an error under --strict, unless it is allowed', async () => {
  const routes = { 'GET /a': json(ignored()), 'GET /a?c=2': json(ignored()) };
  await onNetwork(routes, async ({ dispatcher }) => {
    await rejection(
      run(configOf([{ endpoint: 'a' }], byCursor), { dispatcher, strict: true }),
      'ERR_STRICT',
      /requested with/,
    );
  })();
  await onNetwork(routes, async ({ dispatcher }) => {
    const options = { dispatcher, strict: true, allow: ['cursor-ignored'] };
    const { jobs } = await run(configOf([{ endpoint: 'a' }], byCursor), options);
    assert.equal([jobs[0]?.items, jobs[0]?.stop], [3, 'a page identical to the one before it']);
  })();
});

test('the value of an ignored cursor is masked if it is secret', async () => {
  const { notices, notify } = listener();
  const page = json(ignored({ next: 's3cret-cursor' }));
  await onNetwork({ 'GET /a': page, 'GET /a?c=s3cret-cursor': page }, async ({ dispatcher }) => {
    await run(configOf([{ endpoint: 'a' }], byCursor, { '#key': 's3cret-cursor' }), { dispatcher, notify });
  })();
  assert.match(notices[0]?.message ?? '', /"c" = "(?!s3cret)/);
});

// What is looked for is never needed.

check([
  {
    what: 'a long text under the name of a total is no total, and no failure',
    api: offset(2),
    pages: [{ total: 'x'.repeat(70_000), items: list(1) }],
    says: [],
  },
]);

test('a required value that is too long fails, even if optional captures are there too', async () => {
  const each = { api: byCursor, pages: [{ next: 'x'.repeat(70_000), items: list(1) }] };
  await rejection(() => warningsOf({ what: '', says: [], ...each }), 'ERR_ITEM_SIZE', /'next'/);
});

// A list that is further down.

check([
  {
    what: 'a list in an object is named for `dataField`',
    pages: [{ data: { rows: list(2), total: 2 } }],
    says: [['no-list', /no items; set `dataField` to "data\.rows"$/]],
  },
  {
    what: 'several of them',
    pages: [{ data: { rows: list(2) }, meta: { x: { tags: [] } } }],
    says: [['no-list', /set `dataField` to "data\.rows" or "meta\.x\.tags"$/]],
  },
  { what: 'no list anywhere', pages: [{ id: 1, name: '[' }], says: [['no-list', /no items$/]] },
]);

// A page without items amid others.

check([
  {
    what: 'items behind a page without any, once a job',
    api: byCursor,
    pages: [
      { next: 2, items: list(1) },
      { next: 3, items: [] },
      { next: 4, items: [] },
      { next: 5, items: list(1, 2) },
      { next: 6, items: [] },
      { items: list(1, 3) },
    ],
    says: [['empty-page', /^page 2 has no items, but a later page does/]],
  },
  {
    what: 'a first request that only opens a scroll',
    api: byCursor,
    pages: [{ next: 2, items: [] }, { next: 3, items: list(1) }, { items: list(1, 2) }],
    says: [],
  },
  {
    what: 'nothing but an end without items',
    api: byCursor,
    pages: [{ next: 2, items: list(1) }, { next: 3, items: [] }, { items: [] }],
    says: [],
  },
]);

test(
  'under strict each is an error with its job and page, unless it is allowed',
  onNetwork({ 'GET /a': [json(list(100)), json(list(100))] }, async ({ dispatcher }) => {
    const configuration = configOf([{ endpoint: 'a' }]);
    const error = await rejection(run(configuration, { dispatcher, strict: true }), 'ERR_STRICT', /exactly 100/);
    assert.equal(error.where, { job: 'a', page: 0 });
    await run(configuration, { dispatcher, strict: true, allow: ['round-end'] });
  }),
);

test(
  'a limit of the run that ends a walk needs no further warning',
  onNetwork({ 'GET /a?page=1&limit=2': json({ total: 9, items: list(2) }) }, async ({ dispatcher }) => {
    const { codes, notify } = listener();
    await run(configOf([{ endpoint: 'a' }], pagenum(2)), { dispatcher, notify, maxPages: 1 });
    assert.equal(codes(), []);
  }),
);

test('totalKey is a path', async () => {
  const faulty = configOf([{ endpoint: 'a' }], pagenum(2, { totalKey: 4 }));
  await rejection(async () => extract(faulty), 'ERR_CONFIG', /api\.pagination\.totalKey/);
});

test.run();
