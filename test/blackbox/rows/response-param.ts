/**
 * Black-box rows: scrolling by a value of the response; docs/03-pagination.md#responseparam,
 * docs/12-compatibility.md#pagination.
 */
import { items, json, rawJson } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

type Options = Readonly<Record<string, unknown>>;

const scroll = (more: Options = {}) => ({
  pagination: { method: 'response.param', responseParam: 'next', queryParam: 'cursor', ...more },
});
const job = (more: Options) => ({ jobs: [{ endpoint: 'users', dataType: 'users', ...more }] });
const users = (count: number) => ({ users: lines(...items(1, count)) });

/** A page of one item; `next` is left out when undefined. */
const page = (id: number, next?: unknown) => json({ rows: items(id, 1), next });

const ends = (said: string, next: unknown): Row => ({
  rule: `${said} ends the walk`,
  api: scroll(),
  config: job({ dataField: 'rows' }),
  steps: [step('GET /users', page(1, 'B')), step('GET /users?cursor=B', page(2, next))],
  files: users(2),
});

const goesOn = (said: string, next: unknown, sent: string): Row => ({
  rule: `${said} goes on`,
  api: scroll(),
  config: job({ dataField: 'rows' }),
  steps: [step('GET /users', page(1, next)), step(`GET /users?cursor=${sent}`, page(2))],
  files: users(2),
});

export const responseParamRows: readonly Row[] = [
  {
    rule: 'the first request is the job; each next one carries the value in queryParam',
    api: scroll(),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users', page(1, 'B')),
      step('GET /users?cursor=B', page(2, 'C')),
      step('GET /users?cursor=C', page(3)),
    ],
    files: users(3),
  },
  ends('an absent key', undefined),
  ends('null', null),
  ends('an empty string', ''),
  ends('false', false),
  ends('an empty list', []),
  ends('an empty object', {}),
  goesOn('0', 0, '0'),
  goesOn('"0"', '0', '0'),
  goesOn('true', true, '1'),
  goesOn('a number', 17, '17'),
  {
    rule: 'null on the first page ends it without a warning',
    api: scroll(),
    config: job({ dataField: 'rows' }),
    steps: [step('GET /users', page(1, null))],
    files: users(1),
  },
  {
    rule: 'responseParam is a path',
    api: scroll({ responseParam: 'meta.paging.next' }),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users', { rows: items(1, 1), meta: { paging: { next: 'B' } } }),
      step('GET /users?cursor=B', { rows: items(2, 1), meta: { paging: { next: null } } }),
    ],
    files: users(2),
  },
  {
    rule: 'responseParam may index arrays, and may stand behind the items',
    api: scroll({ responseParam: 'links.1.token' }),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users', { rows: items(1, 1), links: [{ token: 'no' }, { token: 'B' }] }),
      step('GET /users?cursor=B', { links: [{ token: 'no' }, {}], rows: items(2, 1) }),
    ],
    files: users(2),
  },
  {
    rule: 'responseParam may lead into the items',
    api: scroll({ responseParam: 'rows.1.id' }),
    config: job({ dataField: 'rows' }),
    steps: [step('GET /users', { rows: items(1, 2) }), step('GET /users?cursor=2', { rows: items(3, 1) })],
    files: users(3),
  },
  {
    rule: 'without includeParams job params go with the first request only',
    api: scroll(),
    config: job({ dataField: 'rows', params: { sort: 'id' } }),
    steps: [step('GET /users?sort=id', page(1, 'B')), step('GET /users?cursor=B', page(2))],
    files: users(2),
  },
  {
    rule: 'with includeParams job params go with every request',
    api: scroll({ includeParams: true }),
    config: job({ dataField: 'rows', params: { sort: 'id' } }),
    steps: [step('GET /users?sort=id', page(1, 'B')), step('GET /users?sort=id&cursor=B', page(2))],
    files: users(2),
  },
  {
    rule: 'queryParam overrides a job parameter of its name from the second request on',
    api: scroll({ includeParams: true, queryParam: 'page' }),
    config: job({ dataField: 'rows', params: { page: 'start', sort: 'id' } }),
    steps: [step('GET /users?page=start&sort=id', page(1, 2)), step('GET /users?page=2&sort=id', page(2))],
    files: users(2),
  },
  {
    rule: 'default params go with every request all the same',
    api: { ...scroll(), http: { defaultOptions: { params: { debug: '1' } } } },
    config: job({ dataField: 'rows', params: { sort: 'id' } }),
    steps: [step('GET /users?debug=1&sort=id', page(1, 'B')), step('GET /users?debug=1&cursor=B', page(2))],
    files: users(2),
  },
  {
    rule: 'queryParam overrides a default parameter of its name',
    api: { ...scroll(), http: { defaultOptions: { params: { cursor: 'none' } } } },
    config: job({ dataField: 'rows' }),
    steps: [step('GET /users?cursor=none', page(1, 'B')), step('GET /users?cursor=B', page(2))],
    files: users(2),
  },
  {
    rule: 'an empty page goes on as long as there is a value',
    api: scroll(),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users', page(1, 'B')),
      step('GET /users?cursor=B', { rows: [], next: 'C' }),
      step('GET /users?cursor=C', page(2)),
    ],
    files: users(2),
    exit: 0,
  },
  {
    rule: 'the value is encoded for the query',
    api: scroll(),
    config: job({ dataField: 'rows' }),
    steps: [step('GET /users', page(1, 'a b+c/d=&é')), step('GET /users?cursor=a+b%2Bc%2Fd%3D%26%C3%A9', page(2))],
    files: users(2),
  },
  {
    rule: 'a cursor of 19 digits comes back unharmed',
    api: scroll(),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users', rawJson('{"rows":[{"id":1}],"next":1234567890123456789}')),
      step('GET /users?cursor=1234567890123456789', page(2)),
    ],
    files: users(2),
  },
  {
    rule: 'in a POST body a cursor stays the number it was',
    api: scroll(),
    config: job({ dataField: 'rows', method: 'POST', params: { sort: 'id' } }),
    steps: [
      step('POST /users', rawJson('{"rows":[{"id":1}],"next":1234567890123456789}'), { body: '{"sort":"id"}' }),
      step('POST /users', page(2), { body: '{"cursor":1234567890123456789}' }),
    ],
    files: users(2),
  },
  {
    rule: 'the same cursor with a different page is no loop',
    api: scroll(),
    config: job({ dataField: 'rows' }),
    steps: [
      step('GET /users', page(1, 'same')),
      step('GET /users?cursor=same', page(2, 'same')),
      step('GET /users?cursor=same', page(3, 'same')),
      step('GET /users?cursor=same', page(4)),
    ],
    files: users(4),
  },
  {
    rule: 'scrollRequest takes over once there is a value, with its endpoint, method and params',
    api: scroll({ scrollRequest: { endpoint: 'results', method: 'GET', params: { size: 2 } } }),
    config: job({ endpoint: 'search', method: 'POST', dataField: 'rows', params: { q: 'x' } }),
    steps: [
      step('POST /search', page(1, 'A'), { body: '{"q":"x"}' }),
      step('GET /results?size=2&cursor=A', page(2, 'B')),
      step('GET /results?size=2&cursor=B', page(3)),
    ],
    files: users(3),
  },
  {
    rule: 'without a value in the first response there is no scrolling request',
    api: scroll({ scrollRequest: { endpoint: 'results', method: 'GET' } }),
    config: job({ endpoint: 'search', method: 'POST', dataField: 'rows', params: { q: 'x' } }),
    steps: [step('POST /search', page(1, ''), { body: '{"q":"x"}' })],
    files: users(1),
  },
  {
    rule: 'queryParam overrides a parameter of scrollRequest',
    api: scroll({ scrollRequest: { endpoint: 'results', params: { cursor: 'own', size: 2 } } }),
    config: job({ endpoint: 'search', dataField: 'rows' }),
    steps: [step('GET /search', page(1, 'A')), step('GET /results?cursor=A&size=2', page(2))],
    files: users(2),
  },
  {
    rule: 'scrollRequest inherits endpoint and method of the job',
    api: scroll({ scrollRequest: { params: { size: 2 } } }),
    config: job({ endpoint: 'search', method: 'POST', dataField: 'rows', params: { q: 'x' } }),
    steps: [
      step('POST /search', page(1, 'A'), { body: '{"q":"x"}' }),
      step('POST /search', page(2), { body: '{"size":2,"cursor":"A"}' }),
    ],
    files: users(2),
  },
  {
    rule: 'job params come along with scrollRequest only with includeParams',
    api: scroll({ includeParams: true, scrollRequest: { endpoint: 'results', params: { size: 2, q: 'scroll' } } }),
    config: job({ endpoint: 'search', dataField: 'rows', params: { q: 'x', sort: 'id' } }),
    steps: [
      step('GET /search?q=x&sort=id', page(1, 'A')),
      step('GET /results?q=scroll&sort=id&size=2&cursor=A', page(2)),
    ],
    files: users(2),
  },
  {
    rule: 'a misspelt responseParam ends after the first page with a warning that names path and nearest key',
    api: scroll({ responseParam: 'nxet' }),
    config: job({ dataField: 'rows' }),
    steps: [step('GET /users', page(1, 'B'))],
    files: users(1),
    says: [/warning/i, /nxet/, /\bnext\b/],
  },
  {
    rule: 'under --strict it is an error',
    api: scroll({ responseParam: 'nxet' }),
    config: job({ dataField: 'rows' }),
    args: ['--strict'],
    steps: [step('GET /users', page(1, 'B'))],
    exit: 1,
    says: [/nxet/, /\bnext\b/],
  },
  {
    rule: 'a page equal to the one before ends this method too',
    api: scroll(),
    config: job({ dataField: 'rows' }),
    steps: [step('GET /users', page(1, 'B')), step('GET /users?cursor=B', page(1, 'B'))],
    files: users(1),
    says: [/cursor-ignored/],
  },
];
