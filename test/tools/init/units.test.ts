/** The pure parts of `init`: lists, keys, evidence, rates, and the text of a configuration. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { type Exact, fromPlain, stringifyExact } from '../../../src/core/json/exact.js';
import { draftOf } from '../../../src/tools/init/draft.js';
import { findEvidence, isLink } from '../../../src/tools/init/evidence.js';
import { findKey, findTimes, identify, orderOf } from '../../../src/tools/init/find-key.js';
import { delimiterFor, findLists, namesBeside, pathText } from '../../../src/tools/init/find-lists.js';
import { bodyOf, dataFieldOf, lookAt } from '../../../src/tools/init/first-look.js';
import type { FoundRequest } from '../../../src/tools/init/found-request.js';
import { describeLook } from '../../../src/tools/init/init-error.js';
import { keepable, keeping } from '../../../src/tools/init/keep-values.js';
import { hasRole, namesForToken, pagingRoles } from '../../../src/tools/init/known-names.js';
import type { Answer, Probe, Prober } from '../../../src/tools/init/prober.js';
import { ofTrial } from '../../../src/tools/init/prober.js';
import { findRate } from '../../../src/tools/init/rate-headers.js';
import { readUrl } from '../../../src/tools/init/url-source.js';
import { variableFor, variableOfOthers } from '../../../src/tools/init/variable-names.js';
import { configText } from '../../../src/tools/init/write-config.js';
import { failure } from '../../support/failure.js';

const exact = (value: unknown): Exact => fromPlain(value);
const listOf = (...values: readonly unknown[]): readonly Exact[] => values.map(exact);

const lists: readonly [what: string, body: unknown, path: string][] = [
  ['the response itself', [{ id: 1 }], '.'],
  ['objects before values', { tags: ['a', 'b', 'c'], rows: [{ id: 1 }] }, 'rows'],
  ['a usual name before a longer list', { extra: [{ a: 1 }, { a: 2 }], items: [{ id: 1 }] }, 'items'],
  ['the longer of two', { a: [{ x: 1 }], b: [{ x: 1 }, { x: 2 }] }, 'b'],
  ['no errors', { errors: [{ code: 1 }, { code: 2 }], people: [{ id: 1 }] }, 'people'],
  ['a nested list', { data: { users: { nodes: [{ id: 1 }] } } }, 'data.users.nodes'],
  ['rows that are lists, under a usual name', { rows: [[1], [2]], suggestions: [{ a: 1 }] }, 'rows'],
  ['a list of values, if there is no other', { names: ['a'] }, 'names'],
];

test('arrays have the names of the list beside them, if it has as many', () => {
  const namesOf = (body: unknown) => {
    const [list] = findLists(exact(body));
    return list && namesBeside(exact(body), list);
  };
  const rows = [
    [1, 'a'],
    [2, 'b'],
  ];
  assert.equal(namesOf({ columns: ['id', 'n'], rows }), ['columns']);
  assert.equal(namesOf({ a: { meta: [{ name: 'id' }, { name: 'n' }], data: rows } }), ['a', 'meta']);
  for (const columns of [['id'], ['id', 'id'], ['id', 5], 'id,n']) assert.is(namesOf({ columns, rows }), undefined);
  assert.is(namesOf({ columns: ['id', 'n'], rows: [{ id: 1 }] }), undefined);
  assert.is(namesOf({ facets: ['id', 'n'], rows }), undefined);
});

for (const [what, body, path] of lists) {
  test(`the list is ${what}`, () => assert.is(pathText(findLists(exact(body))[0]?.path ?? ['?']), path));
}

test('an object of objects counts as a map, if they share a member', () => {
  const kinds = (body: unknown) => findLists(exact(body)).map(({ kind }) => kind);
  assert.equal(kinds({ a: { id: 1 }, b: { id: 2 } }), ['map']);
  assert.equal(kinds({ a: { id: 1 }, b: { name: 2 } }), []);
  assert.equal(kinds({ a: { id: 1 } }), []);
});

test('a path has a delimiter that no name has', () => {
  assert.equal([['a', 'b'], ['a.b'], ['a.b', 'c/d'], ['a./|>']].map(delimiterFor), ['.', '/', '|', '\u001f']);
});

test('the key is a member with another value in each item', () => {
  assert.is(findKey(listOf({ name: 'a', id: 1 }, { name: 'b', id: 2 })), 'id');
  assert.is(findKey(listOf({ note: 'a', '@id': 1 }, { note: 'b', '@id': 2 })), '@id');
  assert.is(findKey(listOf({ user_id: 1, n: 1 }, { user_id: 2, n: 1 })), 'user_id');
  assert.is(findKey(listOf({ id: 1 }, { id: 1 })), undefined);
  assert.is(findKey(listOf({ id: 1 }, { name: 'b' })), undefined);
  assert.is(findKey(listOf({ id: '' }, { id: 'a' })), undefined);
  assert.is(findKey(listOf('a', 'b')), undefined);
  assert.is(findKey([]), undefined);
});

test('items ascend, descend, or have no order', () => {
  const order = (...values: readonly unknown[]) =>
    orderOf(
      values.map((id) => exact({ id })),
      'id',
    );
  assert.equal(
    [order(2, 10), order('b', 'a'), order(1, 1), order(1, 'a'), order(1), order(1, null), order(1, 3, 2)],
    ['ascending', 'descending', 'none', 'none', 'none', 'none', 'none'],
  );
  assert.equal(findTimes(listOf({ at: '2026-01-01', b: 'x' }, { at: '2026-01-02', b: 'y' })), ['at']);
  assert.equal(findTimes(listOf(1)), []);
});

const links = ['https://h/a', '/a?b=1', '?a=b', 'users?page=2', './users?page=2'];
const noLinks = ['abc', 'YWJj==', '//', 'a b', '?'];

test('links are addresses and queries', () => {
  assert.equal(links.filter(isLink), links);
  assert.equal(noLinks.filter(isLink), []);
});

const evidenceOf = (body: unknown, headers: Readonly<Record<string, string>> = {}, count = 2) =>
  findEvidence({ status: 200, headers, body: new Uint8Array(), url: '' }, exact(body), ['items'], count);

test('evidence is what stands beside the list', () => {
  const found = evidenceOf({
    items: [{ next: 'x' }],
    meta: { next: '/a?b=1', prev: '/p', next_cursor: 'c', total: 9 },
    has_more: true,
  });
  assert.equal(
    found.links.map(({ path }) => path.join('.')),
    ['meta.next'],
  );
  assert.equal(
    found.tokens.map(({ path }) => path.join('.')),
    ['meta.next_cursor'],
  );
  assert.equal([found.more, found.isLast, found.total], [['has_more'], false, { value: 9, place: '"meta.total"' }]);
});

test('an empty cursor, an empty link and a flag declare the end', () => {
  assert.equal(
    [{ next: null }, { next_cursor: '' }, { has_more: false }, {}].map(
      (more) => evidenceOf({ items: [], ...more }).isLast,
    ),
    [true, true, true, false],
  );
});

test('a total is a number from the number of items on, of the body or of a header', () => {
  assert.is(evidenceOf({ items: [], count: 2 }).total, undefined);
  assert.is(evidenceOf({ items: [], total: 1 }).total, undefined);
  assert.equal(evidenceOf({ items: [] }, { 'x-total-count': '70' }).total, {
    value: 70,
    place: 'the header x-total-count',
  });
  assert.is(evidenceOf({ items: [] }, { 'x-total-count': 'many' }).total, undefined);
});

test('the header Link names the next page', () => {
  assert.is(evidenceOf([], { link: '</a?p=2>; rel="next"' }).header, '/a?p=2');
  assert.is(evidenceOf([], { link: '</a>; rel="prev"' }).header, undefined);
});

test('names for a cursor: those of the document, those that fit, its own', () => {
  assert.equal(namesForToken('nextPageToken', ['token']), ['token', 'pageToken', 'page_token', 'nextPageToken']);
  assert.equal(namesForToken('nextKey', []), ['key', 'nextKey']);
});

const rates: readonly [headers: Readonly<Record<string, string>>, rate: string | undefined][] = [
  [{ 'ratelimit-policy': '"d";q=100;w=60' }, '100/m'],
  [{ 'ratelimit-policy': '100;w=900' }, '100/15m'],
  [{ 'ratelimit-policy': '5;w=1' }, '5/s'],
  [{ 'ratelimit-policy': '5;w=7' }, '5/7s'],
  [{ 'ratelimit-policy': '1000;w=86400' }, '1000/d'],
  [{ 'x-ratelimit-limit': '60' }, undefined],
];

for (const [headers, rate] of rates) {
  test(`rate: ${JSON.stringify(headers)}`, () => assert.is(findRate(headers)?.rate, rate));
}

test('responses without such headers state no rate', () => {
  assert.is(findRate({ date: 'x' }), undefined);
  assert.is(
    findRate({ ratelimit: '"d";r=3;t=5' })?.what,
    'the responses state it; a run waits when no request is left',
  );
});

test('a configuration: short parts on one line, comments above their members, nothing that ends a comment', () => {
  const long = 'x'.repeat(110);
  const text = configText(exact({ a: { b: [1, 'c'], d: {} }, e: { f: long }, g: [{ h: 1 }] }), {
    '': ['first'],
    'e.f': ['one\u2028two'],
    'g[0].h': ['inside'],
  });
  const lines = [
    ...['// first', '{', '  "a": { "b": [1, "c"], "d": {} },', '  "e": {', '    // one two', `    "f": "${long}"`],
    ...['  },', '  "g": [', '    {', '      // inside', '      "h": 1', '    }', '  ]', '}', ''],
  ];
  assert.is(text, lines.join('\n'));
});

test('an item without its key is identified by all that it is', () => {
  assert.equal(identify(listOf({ id: 7 }, { id: '' }, 'a'), 'id'), ['7', '{"id":""}', '"a"']);
  assert.equal(identify(listOf({ id: 7 }), undefined), ['{"id":7}']);
});

test('lists far below the root, and texts of a map, are no lists', () => {
  const nested = (levels: number): unknown => (levels === 0 ? [{ id: 1 }] : { a: nested(levels - 1) });
  assert.equal(findLists(exact(nested(30))), []);
  assert.equal(findLists(exact({ a: { id: 1 }, b: 'x' })), []);
});

/** What the messages say of a response. */
const looked = (
  more: Partial<Answer>,
  code: 'ERR_JSON' | 'ERR_STATUS' | 'ERR_UTF8' = 'ERR_JSON',
  body = '',
): string => {
  const last = { status: 200, headers: {}, body: Buffer.from(body), url: 'http://h/', ...more };
  return describeLook({ pages: [], failure: new ExtractError(code, 'as it is'), last }, false).message;
};

const looks: readonly [what: string, message: string, expected: RegExp][] = [
  ['no JSON without a type', looked({}), /^the API answers with no JSON: try the header/],
  ['a type', looked({ headers: { 'content-type': 'text/csv; charset=utf-8' } }), /answers with text\/csv, no JSON/],
  ['two types', looked({ headers: { 'content-type': ['text/a', 'text/b'] } }), /answers with text\/a, no JSON/],
  ['another failure', looked({}, 'ERR_UTF8'), /^as it is$/],
  ['an error without a body', looked({ status: 500 }, 'ERR_STATUS'), /the API refuses the request$/],
  ['an error that is a page', looked({ status: 500 }, 'ERR_STATUS', ' <p>'), /the API refuses the request$/],
  [
    'the beginning of an error',
    looked({ status: 422 }, 'ERR_STATUS', `a\n b${'x'.repeat(400)}`),
    /^status 422: the API refuses the request: a bx{197}$/,
  ],
  ['no answer', describeLook({ pages: [] }, false).message, /^the API has not answered$/],
  [
    'a failure before an answer',
    describeLook({ pages: [], failure: new ExtractError('ERR_TRANSPORT', 'gone') }, false).message,
    /^gone$/,
  ],
];

for (const [what, message, expected] of looks) {
  test(`the first response: ${what}`, () => assert.match(message, expected));
}

const requestOf = (more: Partial<FoundRequest>): FoundRequest => ({
  ...{ method: 'GET', url: new URL('https://h/a'), headers: [], secrets: [], source: 'a test' },
  ...more,
});

test('values of headers, parameters, forms and bodies can be kept; credentials and paths cannot', () => {
  const found = requestOf({
    url: new URL('https://h/a?team=7ab&&api_key=1'),
    headers: [
      ['Cookie', 'a=b'],
      ['X-Team', 'x'],
    ],
    secrets: [
      { in: 'header', index: 0, env: 'COOKIE' },
      { in: 'header', index: 1, env: 'X_TEAM' },
      { in: 'query', index: 0, env: 'TEAM' },
      { in: 'query', index: 2, env: 'KEY' },
      { in: 'json', path: ['filter', 'ids', 0], env: 'IDS' },
      { in: 'json', path: [0], env: 'FIRST' },
      { in: 'path', index: 1, env: 'PATH' },
      { in: 'user', env: 'USER' },
    ],
  });
  assert.equal(keepable(found), ['X-Team', 'team', 'ids']);
  const kept = keeping(found, ['team', 'ids']);
  assert.equal(
    kept.secrets.map(({ env }) => env),
    ['COOKIE', 'X_TEAM', 'KEY', 'FIRST', 'PATH', 'USER'],
  );
  assert.throws(() => keeping(found, ['Cookie']), /^--keep Cookie: a credential is never written$/);
  const harmless = requestOf({ url: new URL('https://h/a?_shape=objects'), secrets: [], notes: ['one'] });
  const { notes } = keeping(harmless, ['_shape', '_shape']);
  assert.equal(notes, ['one', '--keep _shape was not needed: its value does not look like a secret, and is written.']);
  const form = requestOf({
    ...{ method: 'POST', body: { kind: 'form', text: 'a=1&b=%zz' } },
    secrets: [{ in: 'form', index: 1, env: 'B' }],
  });
  assert.equal(keepable(form), ['b']);
});

const endpoints: readonly (readonly [url: string, endpoint: string, params: object])[] = [
  ['https://h/v1/a:b/list?page=2', './a:b/list', { page: '2' }],
  ['https://h/list?=x&0=1&flag&page=2', 'list?=x&0=1&flag', { page: '2' }],
  ['https://h/list?a=1&a=2', 'list?a=1&a=2', {}],
];

for (const [url, endpoint, params] of endpoints) {
  test(`${url}: what cannot be a parameter stays in the endpoint`, () => {
    const draft = draftOf(requestOf({ url: new URL(url), secrets: [] }));
    assert.is(draft.endpoint, endpoint);
    assert.equal(Object.fromEntries(draft.params), params);
  });
}

test('the query of a POST stays in its endpoint, and its body becomes the parameters', () => {
  const post = (text: string) =>
    draftOf(
      requestOf({ method: 'POST', url: new URL('https://h/x?a=b c'), secrets: [], body: { kind: 'json', text } }),
    );
  assert.is(post('{}').endpoint, 'x?a=b%20c');
  assert.is(stringifyExact(post('{"a":null,"b":[true,7]}').params), '{"a":null,"b":[true,7]}');
  assert.equal([...post('[1]').params], []);
});

/** The part of a configuration about credentials. */
const credentialsOf = (more: Partial<FoundRequest>) => {
  const { authentication, config, env } = draftOf(requestOf(more));
  const plain = (value: Exact) => JSON.parse(stringifyExact(value));
  return { ...(authentication === undefined ? {} : { authentication: plain(authentication) }), ...plain(config), env };
};

test('one key of the query is an API key, several are sent with each request', () => {
  const secrets = [
    { in: 'query', index: 0, env: 'KEY' },
    { in: 'query', index: 1, env: 'SIGNATURE' },
  ] as const;
  const url = new URL('https://h/a?api_key=k&sig=s');
  assert.equal(credentialsOf({ url, secrets: secrets.slice(0, 1) }).authentication, {
    ...{ type: 'api-key', in: 'query', name: 'api_key', value: { env: 'KEY' } },
  });
  assert.equal(credentialsOf({ url, secrets }), {
    authentication: { type: 'query', query: { api_key: { env: 'KEY' }, sig: { env: 'SIGNATURE' } } },
    env: { KEY: 'k', SIGNATURE: 's' },
  });
});

test('values of the query of a POST that may be secrets are sent with it, beside a header', () => {
  const post: Partial<FoundRequest> = {
    ...{ method: 'POST', url: new URL('https://h/a?team=9f31ab&x=1'), body: { kind: 'json', text: '{}' } },
    headers: [['Authorization', 'Bearer t0ken']],
    secrets: [
      { in: 'query', index: 0, env: 'TEAM' },
      { in: 'header', index: 0, env: 'TOKEN', prefix: 'Bearer ' },
    ],
  };
  const { authentication, headers, endpoint, env } = draftOf(requestOf(post));
  assert.is(
    stringifyExact(authentication ?? null),
    '{"type":"api-key","in":"query","name":"team","value":{"env":"TEAM"}}',
  );
  assert.is(stringifyExact(headers), '{"Authorization":{"function":"concat","args":["Bearer ",{"env":"TOKEN"}]}}');
  assert.equal([endpoint, env], ['a?x=1', { TEAM: '9f31ab', TOKEN: 't0ken' }]);
  assert.throws(
    () => draftOf(requestOf({ ...post, url: new URL('https://ada:pw@h/a?team=9f31ab') })),
    /^the address of the POST has a user, and a query with values that may be secrets \(team\)/,
  );
});

test('a name of the query that is repeated with a secret is refused, and stays in the endpoint without one', () => {
  const secrets = [{ in: 'query', index: 1, env: 'TEAM' }] as const;
  const url = new URL('https://h/a?team=x&team=9f31ab');
  const refused =
    /^the query has "team" several times, with a value that may be a secret: .* Give it once, or add --keep team /;
  for (const method of ['GET', 'POST'] as const) {
    assert.throws(() => draftOf(requestOf({ method, url, secrets })), refused);
    const kept = draftOf(keeping(requestOf({ method, url, secrets }), ['team']));
    assert.equal([kept.endpoint, kept.params.size, kept.authentication], ['a?team=x&team=9f31ab', 0, undefined]);
  }
  const keys = new URL('https://h/a?api_key=x&api_key=9f31ab');
  assert.throws(() => draftOf(requestOf({ url: keys, secrets })), /Give it once$/);
});

test('a plus sign in the user and the password of an address is itself', () => {
  const { env } = credentialsOf({ url: new URL('https://a+b:c%2Bd+e%ZZ@h/a') });
  assert.equal(env, { API_USER: 'a+b', API_PASSWORD: 'c%2Bd+e%ZZ' });
  assert.equal(credentialsOf({ url: new URL('https://a+b:c%2Bd@h/a') }).env, { API_USER: 'a+b', API_PASSWORD: 'c+d' });
});

test('a name that a form has several times is refused', () => {
  const form = (text: string) => draftOf(requestOf({ method: 'POST', body: { kind: 'form', text } }));
  assert.throws(() => form('a=1&b=2&a=3'), /^the form has "a" several times: .* Give it once$/);
  assert.throws(() => form('a[]=1&a[]=2'), /^the form has "a\[\]" several times: .* Write "a\[0\]", "a\[1\]" instead$/);
  assert.is(stringifyExact(form('a[0]=1&a[1]=2').params), '{"a[0]":"1","a[1]":"2"}');
});

const basicHeader = (pair: string): Partial<FoundRequest> => ({
  headers: [['Authorization', `Basic ${Buffer.from(pair).toString('base64')}`]],
  secrets: [{ in: 'header', index: 0, env: 'API_CREDENTIALS', prefix: 'Basic ' }],
});

test('a header with user and password is a login of both; without a password it is a key', () => {
  assert.equal(credentialsOf(basicHeader('ada:p:w')), {
    ...{ authentication: { type: 'basic' }, '#username': { env: 'API_USER' }, '#password': { env: 'API_PASSWORD' } },
    env: { API_USER: 'ada', API_PASSWORD: 'p:w' },
  });
  const key = credentialsOf(basicHeader('k3y:'));
  assert.equal(key.env, { API_USER: 'k3y' });
  assert.equal(key.authentication.token.args, [{ function: 'concat', args: [{ env: 'API_USER' }, ':'] }]);
});

test('a header of Basic without a colon is sent as it is', () => {
  const found = requestOf(basicHeader('nopair'));
  assert.is(draftOf(found).authentication, undefined);
  assert.is(
    stringifyExact(draftOf(found).headers),
    '{"Authorization":{"function":"concat","args":["Basic ",{"env":"API_CREDENTIALS"}]}}',
  );
  assert.equal(draftOf(found).env, { API_CREDENTIALS: Buffer.from('nopair').toString('base64') });
});

test('a user of the URL that is not percent-encoded is used as it is', () => {
  const { env } = credentialsOf({ url: new URL('https://%zz:pw@h/a') });
  assert.equal(env, { API_USER: '%zz', API_PASSWORD: 'pw' });
});

test('the address and headers of the arguments: what is before a variable is no secret', () => {
  const env = { TOKEN: 't0ken' };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the command
  const headers = ['Authorization: Token ${TOKEN}', 'Accept: text/plain'];
  const found = readUrl('https://h/a', { headers, env });
  assert.equal(found.secrets, [{ in: 'header', index: 0, env: 'TOKEN', prefix: 'Token ' }]);
  const read = (text: string) => () => readUrl(text, { headers: [], env });
  assert.throws(read('h/a'), /^expected the URL of an API, which begins with http:\/\/ or https:\/\/, found "h\/a"$/);
  assert.throws(read('ftp://h/a'), /found "ftp:\/\/h\/a"$/);
});

const answered = (body: string, items: readonly Exact[] = []): Probe => {
  const answer: Answer = { status: 200, headers: {}, body: Buffer.from(body), url: 'http://h/' };
  return { pages: [{ items, answer }], last: answer };
};

test('lines of JSON are the list of their values; without a page there is nothing', () => {
  const lines = listOf({ id: 1 }, { id: 2 });
  assert.equal(bodyOf(answered('{"id":1}\n{"id":2}\n', lines)), lines);
  assert.equal(bodyOf(answered('[]')), []);
  assert.is(bodyOf({ pages: [] }), undefined);
});

test('dataField is the path, an object with a delimiter, or the whole response for a map', () => {
  const fieldOf = (body: unknown) => {
    const [list] = findLists(exact(body));
    const field = list && dataFieldOf(list);
    return field === undefined ? undefined : JSON.parse(stringifyExact(field));
  };
  assert.is(fieldOf([{ id: 1 }]), undefined);
  assert.is(fieldOf({ a: { id: 1 }, b: { id: 2 } }), '.');
  assert.is(fieldOf({ a: { b: [{ id: 1 }] } }), 'a.b');
  assert.equal(fieldOf({ 'a.b': [{ id: 1 }] }), { path: 'a.b', delimiter: '/' });
});

/** Looks at an API that gives a response for the parameters of a request. */
const lookWith = (params: Record<string, unknown>, reply: (sent: string) => Probe) => {
  const draft = { ...draftOf(requestOf({})), params: exact(params) as ReadonlyMap<string, Exact> }; // of an object
  const run: Prober['run'] = async (config) => reply(stringifyExact(config));
  return lookAt(
    {
      run,
      sent: () => 1,
      poll: () => Promise.reject(new Error('no poll')),
      left: () => 20,
      isExhausted: () => false,
      mask: (text) => text,
    },
    draft,
    { limit: ['max'] },
  );
};

test('parameters of paging are left out of the first request, unless the API rejects that', async () => {
  const given = { page: '2', per_page: 5, limit: 'all', from: '1', to: '9', q: 'x' };
  const look = await lookWith(given, () => answered('[{"id":1}]'));
  assert.equal([look.dropped, look.hints], [['page', 'per_page'], { page: ['page'], limit: ['max'] }]);
  assert.equal([...look.draft.params.keys()], ['limit', 'from', 'to', 'q']);
  const refused: Probe = { pages: [], failure: new ExtractError('ERR_STATUS', 'no') };
  const kept = await lookWith(given, (sent) => (sent.includes('per_page') ? answered('[{"id":1}]') : refused));
  assert.equal([kept.dropped, kept.draft.params.size], [[], 6]);
});

test('an OpenAPI document in place of a list is said', async () => {
  for (const name of ['openapi', 'swagger']) {
    const body = JSON.stringify({ [name]: '3', paths: {} });
    assert.match((await failure(lookWith({}, () => answered(body)))).message, 'this is an OpenAPI document');
  }
  assert.match((await failure(lookWith({}, () => answered('{"paths":{}}')))).message, 'the response has no list');
});

const named: readonly [role: string, names: string][] = [
  ['page', 'page $page currentPage page_number pageNum page-no PageIndex pg p page[number]'],
  ['offset', 'offset skip $skip start startAt startIndex startPosition firstResult page[offset] from'],
  ['limit', 'limit per_page pageSize size count max maxResults max_items maxPageSize $top rows first n take results'],
  ['limit', 'hitsPerPage page[limit] items-per-page'],
  ['cursor', 'cursor after pageToken next_token nextPageToken starting_after continuationToken continuation marker'],
  [
    'cursor',
    'bookmark nextCursor startCursor scrollId page[cursor] page[after] paginationToken cursorMark sinceId next',
  ],
  ['', 'token since q sort order before filter page_filter'],
];

for (const [role, names] of named) {
  test(`${names}: ${role === '' ? 'no role' : role}`, () => {
    const expected = pagingRoles.filter((each) => each === role);
    for (const name of names.split(' ')) {
      assert.equal(
        pagingRoles.filter((each) => hasRole(name, each)),
        expected,
        name,
      );
    }
  });
}

const variables: readonly [name: string, own: string, ofOthers: string][] = [
  ['X-Api-Key', 'X_API_KEY', 'API_X_API_KEY'],
  ['bearerAuth', 'BEARER_AUTH', 'API_BEARER_AUTH'],
  ['api_key', 'API_KEY', 'API_KEY'],
  ['path', 'API_PATH', 'API_PATH'],
  ['github-token', 'GITHUB_TOKEN', 'API_GITHUB_TOKEN'],
  ['NODE_OPTIONS', 'API_NODE_OPTIONS', 'API_NODE_OPTIONS'],
  ['api', 'API_API', 'API_API'],
  ['***', 'API_VALUE', 'API_VALUE'],
];

for (const [name, own, ofOthers] of variables) {
  test(`the variable of ${name} is ${own}, of a document ${ofOthers}`, () => {
    assert.equal([variableFor(name), variableOfOthers(name)], [own, ofOthers]);
  });
}

test('a failure of a trial names no key of a configuration', () => {
  const text = (failure: ExtractError) => [ofTrial(failure).message, ofTrial(failure).where.remedy].join(' / ');
  const tooLong = new ExtractError(
    'ERR_STATUS',
    'status 429; it requires 90 s, more than the 60 s that `api.retryConfig.maxDelay` allows',
    {
      remedy: 'Run again after that time, or raise `api.retryConfig.maxDelay` so that the run waits.',
    },
  );
  assert.is(
    text(tooLong),
    'status 429; it requires 90 s, more than the 60 s that init waits / Run again after that time.',
  );
  const untrusted = new ExtractError('ERR_TRANSPORT', 'self-signed', { transport: 60 });
  assert.match(text(untrusted), /name its file in NODE_EXTRA_CA_CERTS\.$/);
  const absent = new ExtractError('ERR_TRANSPORT', 'refused', { absentSince: 1 });
  assert.is(text(absent), 'refused / Check host and port of the address, and that the server runs.');
  for (const code of ['ERR_ITEM_SIZE', 'ERR_BODY_SIZE'] as const) {
    assert.match(
      text(new ExtractError(code, 'large')),
      /Ask for smaller pages, .*: init reads up to \S+ [kM]i?B of a response/,
    );
    assert.not.match(text(new ExtractError(code, 'large')), '--max-');
  }
});

test.run();
