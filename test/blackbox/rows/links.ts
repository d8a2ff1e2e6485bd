/**
 * Black-box rows: links of responses and of their headers; docs/03-pagination.md#responseurl,
 * docs/03-pagination.md#zendeskresponseurl, RFC 8288, docs/12-compatibility.md#pagination,
 * docs/12-compatibility.md#parameters.
 */
import { items, json } from '../../loopback/api.js';
import { otherOrigin } from '../../loopback/replay.js';
import { lines, type Row, step } from '../row.js';

const linked = (options: object = {}, more: object = {}) => ({
  pagination: { method: 'response.url', ...options },
  ...more,
});
const headed = (options: object = {}) => ({ pagination: { method: 'link-header', ...options } });
const job = (more: object = {}) => ({ jobs: [{ endpoint: 'users', dataType: 'users', dataField: 'rows', ...more }] });
const users = (count: number) => ({ users: lines(...items(1, count)) });

/** A page of one item. */
const page = (id: number, next_page?: unknown) => json({ rows: items(id, 1), next_page });
const withLink = (id: number, ...links: readonly string[]) =>
  json(items(id, 1), { headers: { Link: links.join(', ') } });

const key = { '#key': 's3cret-key-of-mine' };
const keyed = { http: { headers: { 'X-Key': { attr: '#key' } }, defaultOptions: { params: { locale: 'en' } } } };

export const linkRows: readonly Row[] = [
  {
    rule: 'follows next_page without the parameters of the job, as the link is written',
    api: linked(),
    config: job({ params: { account: 123 } }),
    steps: [
      step('GET /users?account=123', page(1, '/users?page=2&x=a%2fb~%20c')),
      step('GET /users?page=2&x=a%2fb~%20c', page(2, null)),
    ],
    files: users(2),
  },
  {
    rule: "with includeParams the job's parameters are merged into the link, replace what it has, and follow it else",
    api: linked({ includeParams: true }),
    config: job({ params: { account: 123, size: 2 } }),
    steps: [
      step('GET /users?account=123&size=2', page(1, 'users?size=50&page=2')),
      step('GET /users?size=2&page=2&account=123', page(2)),
    ],
    files: users(2),
  },
  {
    rule: "with paramIsQuery the value replaces the job's parameters in their places",
    api: linked({ includeParams: true, paramIsQuery: true }),
    config: job({ params: { page: 1, account: 123 } }),
    steps: [
      step('GET /users?page=1&account=123', page(1, '?page=2&to=a%20b')),
      step('GET /users?page=2&account=123&to=a+b', page(2, '')),
    ],
    files: users(2),
  },
  {
    rule: 'default parameters go with every request and override those of the link',
    api: linked({}, { http: { defaultOptions: { params: { locale: 'en' } } } }),
    config: job(),
    steps: [
      step('GET /users?locale=en', page(1, '/users?locale=de&page=2')),
      step('GET /users?locale=en&page=2', page(2, false)),
    ],
    files: users(2),
  },
  {
    rule: 'the path may have a delimiter of its own, and a link is relative to the base address, not to its page',
    api: linked({ urlKey: 'odata.next/href', delimiter: '/' }),
    config: job({ endpoint: 'deep/users' }),
    steps: [
      step('GET /deep/users', { rows: items(1, 1), 'odata.next': { href: 'more?page=2' } }),
      step('GET /more?page=2', page(2)),
    ],
    files: users(2),
  },
  {
    rule: 'a POST job posts to the link, without parameters the body is []',
    api: linked(),
    config: job({ method: 'POST', params: { a: 1 } }),
    steps: [
      step('POST /users', page(1, '/users/2?x=1'), { body: '{"a":1}' }),
      step('POST /users/2?x=1', page(2), { body: '[]' }),
    ],
    files: users(2),
  },
  {
    rule: 'the login value replaces what a link carries under its name, also where the link is only a query',
    api: {
      ...linked({ includeParams: true, paramIsQuery: true }),
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login' },
        apiRequest: { query: { token: { response: 'token' } } },
      },
    },
    config: job({ params: { a: 1 } }),
    steps: [
      step('GET /login', { token: 'T-now' }),
      step('GET /users?a=1&token=T-now', page(1, 'token=T-old&page=2')),
      step('GET /users?a=1&token=T-now&page=2', page(2)),
    ],
    files: users(2),
  },
  {
    rule: 'a link to an origin that no one named goes out bare, with a warning',
    api: linked({}, keyed),
    config: { ...job(), ...key },
    steps: [
      step('GET /users?locale=en', page(1, `${otherOrigin}/users?page=2`), { headers: { 'X-Key': key['#key'] } }),
      step(`GET ${otherOrigin}/users?page=2`, page(2), { headers: { 'X-Key': null } }),
    ],
    files: users(2),
    says: [/credentialOrigins/],
  },
  {
    rule: 'a value that is no text is an error',
    api: linked(),
    config: job(),
    steps: [step('GET /users', page(1, { href: '/users?page=2' }))],
    exit: 1,
    says: [/ERR_PAGINATION/, /"next_page"/],
  },
  {
    rule: 'the method of Zendesk ends at a link whose start_time is in the last six minutes',
    api: linked({ method: 'zendesk.response.url' }),
    config: job(),
    steps: [
      step('GET /users', page(1, '/users?start_time=1500000000')),
      step('GET /users?start_time=1500000000', page(2, '/users?start_time=99999999999')),
    ],
    files: users(2),
  },
  {
    rule: 'RFC 8288: follows the link to the next page, relative to the address of its response',
    api: headed(),
    config: { jobs: [{ endpoint: 'v1/users', dataType: 'users', params: { size: 1 } }] },
    steps: [
      step('GET /v1/users?size=1', withLink(1, '<?size=1&page=2>; rel="next"', '<?page=9>; rel="last"')),
      step('GET /v1/users?size=1&page=2', withLink(2, '<people?page=3>; title="a, b"; rel="prev next"')),
      step('GET /v1/people?page=3', withLink(3, '</v1/users>; rel="first"')),
    ],
    files: users(3),
  },
  {
    rule: 'RFC 8288: another relation, in any case, with the parameters of the job; no header is the end',
    api: headed({ rel: 'older', includeParams: true }),
    config: { jobs: [{ endpoint: 'users', dataType: 'users', params: { size: 1 } }] },
    steps: [
      step('GET /users?size=1', withLink(1, '</b?page=2>; rel=OLDER')),
      step('GET /b?page=2&size=1', items(2, 1)),
    ],
    files: users(2),
  },
];
