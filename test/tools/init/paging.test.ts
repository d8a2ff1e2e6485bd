/** How `init` searches page sizes, parameters and methods of pagination, on APIs that are functions of parameters. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { emptyObject, fromPlain, stringifyExact } from '../../../src/core/json/exact.js';
import type { Draft } from '../../../src/tools/init/draft.js';
import { type ChosenSize, chooseSize, findSize } from '../../../src/tools/init/find-size.js';
import { byNextLink, byPage, byToken, type FoundMethod } from '../../../src/tools/init/paging-methods.js';
import type { Answer, Probe, Prober } from '../../../src/tools/init/prober.js';
import { prove, type Search } from '../../../src/tools/init/trials.js';

type Params = Readonly<Record<string, unknown>>;
interface Refusal {
  readonly status: number;
  readonly message?: string;
}
/** Gives the items for these parameters: numbers, of which each is its own key. */
type Api = (params: Params) => readonly number[] | Refusal;

const token = 't2';
const isRefusal = (given: readonly number[] | Refusal): given is Refusal => 'status' in given;

function probeOf(all: readonly (readonly number[] | Refusal)[]): Probe {
  const refused = all.find(isRefusal);
  const body = Buffer.from(refused?.message ?? '');
  const answer: Answer = { status: refused?.status ?? 200, headers: {}, body, url: 'https://h/users' };
  const pages = all.flatMap((each) =>
    isRefusal(each) ? [] : [{ items: each.map((id) => fromPlain({ id })), answer }],
  );
  if (refused === undefined) return { pages, last: answer };
  const failure = new ExtractError('ERR_STATUS', `status ${refused.status}`, { status: refused.status });
  return { pages, failure, last: answer };
}

/** The parameters of the pages that a pagination requests. */
function pageParams({ method, queryParam, pageParam, firstPage = 1, limitParam, limit }: Record<string, unknown>) {
  const size = limitParam === undefined ? {} : { [String(limitParam)]: limit };
  if (method === 'response.param') return [{}, { [String(queryParam)]: token }];
  const page = (number: number) => ({ [String(pageParam)]: number, ...size });
  return method === 'pagenum' ? [page(Number(firstPage)), page(Number(firstPage) + 1)] : [{}, {}];
}

const proberOf = (api: Api, mayAsk = 100): Prober & { readonly asked: Params[] } => {
  const asked: Params[] = [];
  const send = (params: Params) => {
    asked.push(params);
    return api(params);
  };
  return {
    asked,
    async run(draft, pages = 1) {
      const { api: section, config } = JSON.parse(stringifyExact(draft));
      const own: Params = config.jobs[0].params ?? {};
      const each = section.pagination === undefined ? [{}] : pageParams(section.pagination);
      return probeOf(each.slice(0, pages).map((more) => send({ ...own, ...more })));
    },
    sent: () => asked.length,
    poll: () => Promise.reject(new Error('no poll')),
    left: () => 20,
    isExhausted: () => asked.length >= mayAsk,
    mask: (text) => text,
  };
};

const draft: Draft = {
  ...{ baseUrl: 'https://h/', headers: emptyObject, config: emptyObject, endpoint: 'users', params: emptyObject },
  ...{ dataType: 'users', env: {} },
};

/** A search after a first page, and what it says. */
function searchOf(api: Api, more: Partial<Search> = {}, mayAsk?: number) {
  const said: string[] = [];
  const [first] = probeOf([api({})]).pages;
  if (first === undefined) throw new Error('the API of a test has a first page');
  const search: Search = {
    ...{ prober: proberOf(api, mayAsk), draft, dataField: undefined, first, key: 'id' },
    ids: first.items.map((_, index) => String((api({}) as readonly number[])[index])), // it has a first page
    evidence: { links: [], tokens: [], figures: [], isLast: false },
    hints: {},
    say: (line) => void said.push(line),
    ...more,
  };
  return { search, said };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const has = (params: Params, name: string) => Object.hasOwn(params, name);

/** An API with pages of at most so many items. */
const atMost =
  (most: number, count = 2000): Api =>
  ({ limit = 10 }) =>
    numbers(1, Math.min(Number(limit), most, count));

/** The same, which refuses larger pages. */
const refusing =
  (most: number, message: string): Api =>
  ({ limit = 10 }) =>
    Number(limit) > most ? { status: 400, message } : numbers(1, Number(limit));

const total = (value: number): Partial<Search> => ({
  evidence: { links: [], tokens: [], figures: [], isLast: false, total: { value, place: '"total"' } },
});

const sizes: readonly [what: string, api: Api, more: Partial<Search>, size: ChosenSize][] = [
  ['all that is asked for', atMost(5000), {}, { value: 1000, isVerified: true, note: 'asked for 1000, and got 1000' }],
  [
    'the maximum of a document',
    atMost(5000),
    { hints: { maximum: 300 } },
    { value: 300, isVerified: true, note: 'asked for 300, and got 300' },
  ],
  [
    'a round number',
    atMost(250),
    {},
    { value: 250, isVerified: true, note: 'asked for 1000, and got 250: the maximum' },
  ],
  [
    'fewer than the total',
    atMost(137),
    total(400),
    { value: 137, isVerified: true, note: 'asked for 1000, and got 137: the maximum' },
  ],
  [
    'the whole list, of a round number',
    atMost(100),
    total(100),
    { value: 100, isVerified: true, note: 'asked for 1000, and got all 100 items' },
  ],
  [
    'the whole list',
    atMost(5000, 37),
    {},
    { value: 25, isVerified: true, note: 'asked for 1000, and got all 37 items' },
  ],
  [
    'a short list',
    atMost(5000, 7),
    {},
    { value: 20, isVerified: false, note: 'the list has only 7 items, so no maximum is known', given: 7 },
  ],
  [
    'the maximum that an error names',
    refusing(300, 'limit must be at most 300'),
    {},
    { value: 300, isVerified: true, note: '1000 was rejected, and got 300' },
  ],
  [
    '100 after an error without a number',
    refusing(100, 'too many'),
    {},
    { value: 100, isVerified: true, note: '1000 was rejected, and got 100' },
  ],
  [
    'a modest number, if the second is rejected too',
    refusing(50, 'the maximum is 0'),
    {},
    { value: 20, isVerified: false, note: 'no larger page could be requested' },
  ],
];

for (const [what, api, more, size] of sizes) {
  test(`page size: ${what}`, async () => {
    const { search } = searchOf(api, more);
    assert.equal(await chooseSize(search, { name: 'limit', value: 5 }), size);
  });
}

const knowing =
  (...names: readonly string[]): Api =>
  (params) => {
    const unknown = Object.keys(params).find((name) => !names.includes(name));
    if (unknown !== undefined) return { status: 400, message: `unknown parameter ${unknown}` };
    const [name = ''] = names;
    return numbers(1, Math.min(6, Number(params[name] ?? 6)));
  };

test('the parameter for the page size: names of the document and of figures first, several in one request', async () => {
  const api: Api = ({ take = 6 }) => numbers(1, Math.min(6, Number(take)));
  const figure = { path: ['take'], name: 'take', value: '6', isNumber: true };
  const evidence = { links: [], tokens: [], isLast: false, figures: [figure] };
  const { search } = searchOf(api, { evidence, hints: { limit: ['pages'] } });
  assert.equal(await findSize(search), { name: 'take', value: 3 });
  assert.equal(search.prober.sent(), 1);
});

test('an API that rejects unknown names is asked for the first names alone', async () => {
  assert.equal(await findSize(searchOf(knowing('per_page')).search), { name: 'per_page', value: 3 });
  assert.is(await findSize(searchOf(knowing('take')).search), undefined);
});

test('a list of one item has no page size', async () => {
  const { search } = searchOf(() => [1]);
  assert.is(await findSize(search), undefined);
  assert.is(search.prober.sent(), 0);
});

/** An API with a second page for the cursor under one name; it refuses names of a form. */
const byCursor =
  (name: string, refused?: RegExp): Api =>
  (params) => {
    if (Object.keys(params).some((each) => each !== name && refused?.test(each) === true)) return { status: 400 };
    return has(params, name) ? numbers(4, 6) : numbers(1, 3);
  };

const tokenOf = (name: string, value: string = token) => ({ path: ['meta', name], name, value, isNumber: false });
const withToken = (name: string, more: Partial<Search> = {}): Partial<Search> => ({
  evidence: { links: [], tokens: [tokenOf(name)], figures: [], isLast: false },
  ...more,
});
const queryParamOf = (found: FoundMethod | undefined) => found?.pagination.get('queryParam');

const cursors: readonly [what: string, api: Api, name: string | undefined][] = [
  ['a name that fits', byCursor('page_token'), 'page_token'],
  ['another name, by thirds of all names', byCursor('bookmark'), 'bookmark'],
  ['a name without brackets, since others are rejected', byCursor('marker', /\W/), 'marker'],
  ['one of three names, since all others are rejected', byCursor('after', /./), 'after'],
  ['nothing, if its name is not among these three', byCursor('bookmark', /./), undefined],
  ['nothing, if no name has an effect', byCursor('q'), undefined],
];

for (const [what, api, name] of cursors) {
  test(`a cursor is sent under ${what}`, async () => {
    const { search } = searchOf(api, withToken('nextPageToken'));
    assert.is(queryParamOf(await byToken(search)), name);
  });
}

test('the number of the next page is sent as a page', async () => {
  const { search } = searchOf(byCursor('_page'), {
    evidence: { links: [], tokens: [{ ...tokenOf('nextOne', '2'), isNumber: true }], figures: [], isLast: false },
  });
  assert.is(queryParamOf(await byToken(search)), '_page');
});

test('a GraphQL query without a variable for the cursor is said', async () => {
  const query = '{ users { id } }';
  const graphQl: Draft = { ...draft, method: 'POST', params: new Map([['query', query]]) };
  const { search, said } = searchOf(() => [1, 2], withToken('endCursor', { draft: graphQl }));
  assert.is(await byToken(search), undefined);
  assert.equal(said, [
    'the value at "meta.endCursor": the query has no variable for it; write `after: $after` into it',
  ]);
  assert.is(search.prober.sent(), 0);
});

test('a link whose name has a dot gets another delimiter, and a link that is a query its options', async () => {
  const links = [{ path: ['@odata.next'], name: '@odata.next', value: '?page=2', isNumber: false }];
  let asked = '';
  const { search, said } = searchOf(() => numbers(1, 3), {
    evidence: { links, tokens: [], figures: [], isLast: false },
  });
  const { run } = search.prober;
  const watching: Prober = {
    ...search.prober,
    run(config, pages) {
      asked = stringifyExact(config);
      return run(config, pages);
    },
  };
  assert.is(await byNextLink({ ...search, prober: watching }), undefined);
  assert.equal(JSON.parse(asked).api.pagination, {
    ...{ method: 'response.url', urlKey: '@odata.next', delimiter: '/' },
    ...{ paramIsQuery: true, includeParams: true },
  });
  assert.equal(said, ['the link at "@odata.next": no, the second page has 3 items of the first']);
});

/** Pages of a list of 9, from the first number. */
const paged =
  (firstPage: number, count = 9): Api =>
  ({ p = firstPage, limit = 9 }) => {
    const from = (Number(p) - firstPage) * Number(limit);
    return numbers(1, count).slice(from, from + Number(limit));
  };

test('pages count from 1 or from 0, and the items show which', async () => {
  for (const [first, more] of [
    [1, {}],
    [0, { firstPage: 0 }],
  ] as const) {
    const { search } = searchOf(paged(first), { size: { name: 'limit', value: 4 } });
    const found = await byPage(search);
    assert.equal(found === undefined ? undefined : JSON.parse(stringifyExact(found.pagination)), {
      ...{ method: 'pagenum', pageParam: 'p', ...more },
      ...{ limitParam: 'limit', limit: 4 },
    });
    assert.equal([found?.certainty, found?.endsShort], ['proven', true]);
  }
});

test('an empty second page makes page numbers likely; a name without an effect is none', async () => {
  const only: Api = ({ p = 1 }) => (Number(p) === 1 ? numbers(1, 5) : []);
  const { search, said } = searchOf(only);
  const found = await byPage(search);
  assert.equal([found?.certainty, found?.pagination.get('pageParam')], ['likely', 'p']);
  assert.match(said.at(-1) ?? '', 'page numbers in "p": likely, a later page is empty');
  const ignoring = searchOf(() => numbers(1, 5));
  assert.is(await byPage(ignoring.search), undefined);
  assert.match(ignoring.said.at(-1) ?? '', /^page numbers: no, none of \d+ names has an effect$/);
});

/** A pagination that an API refutes. */
const pagination = fromPlain({ method: 'response.param', queryParam: 'c' }) as Search['draft']['params'];
const proofs: readonly [what: string, api: Api, mayAsk: number, said: string][] = [
  [
    'an empty second page',
    (params) => (has(params, 'c') ? [] : [1]),
    9,
    'the second page has no items, or is the first again',
  ],
  ['the first page again', () => [1], 9, 'no, the second page has 1 item of the first'],
  ['a refused page', (params) => (has(params, 'c') ? { status: 422 } : [1]), 9, 'no, status 422'],
  ['no request left', (params) => (has(params, 'c') ? { status: 422 } : [1]), 1, 'no, no request is left'],
];

for (const [what, api, mayAsk, expected] of proofs) {
  test(`a pagination is refuted by ${what}`, async () => {
    const { search, said } = searchOf(api, {}, mayAsk);
    assert.is(await prove(search, { pagination, what: 'c' }), undefined);
    assert.match(said[0] ?? '', expected);
  });
}

test('a pagination is refuted by a first page that is not there, is another, or leads nowhere', async () => {
  const { search, said } = searchOf(() => [1]);
  const page = search.first;
  for (const pages of [[], [{ ...page, items: [fromPlain({ id: 5 })] }], [page]]) {
    const prober: Prober = { ...search.prober, run: async () => ({ pages }) };
    assert.is(await prove({ ...search, prober }, { pagination, what: 'c' }), undefined);
  }
  const failure = new ExtractError('ERR_TRANSPORT', 'gone');
  const prober: Prober = { ...search.prober, run: async () => ({ pages: [], failure }) };
  assert.is(await prove({ ...search, prober }, { pagination, what: 'c' }), undefined);
  assert.equal(said, [
    'c: no, there is no first page',
    'c: no, its first page does not begin as the list does',
    'c: no, it leads to no second page',
    'c: no, ERR_TRANSPORT',
  ]);
});

test.run();
