/**
 * Black-box rows: when credentials are obtained again; docs/02-login.md#expiry. Only values that need no waiting:
 * nothing here depends on the clock's pace.
 */
import { items, json } from '../../loopback/api.js';
import { lines, type Row, step } from '../row.js';

const users = { users: lines(...items(1, 2)) };

const api = (expires: unknown) => ({
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login' },
    apiRequest: { headers: { 'X-Token': { response: 'token' } } },
    ...(expires === undefined ? {} : { expires }),
  },
  pagination: { method: 'pagenum' },
});

const withToken = (token: string) => ({ headers: { 'x-token': token } });

/** Three pages on one login. */
const once = (expires: unknown, reply: object = {}) => ({
  api: api(expires),
  steps: [
    step('GET /login', { token: 'token-1', ...reply }),
    step('GET /users?page=1', items(1, 1), withToken('token-1')),
    step('GET /users?page=2', items(2, 1), withToken('token-1')),
    step('GET /users?page=3', [], withToken('token-1')),
  ],
  files: users,
});

/** Three pages, each on a login of its own. */
const eachTime = (expires: unknown, reply: object = {}) => ({
  api: api(expires),
  steps: [
    step('GET /login', { token: 'token-1', ...reply }),
    step('GET /users?page=1', items(1, 1), withToken('token-1')),
    step('GET /login', { token: 'token-2', ...reply }),
    step('GET /users?page=2', items(2, 1), withToken('token-2')),
    step('GET /login', { token: 'token-3', ...reply }),
    step('GET /users?page=3', [], withToken('token-3')),
  ],
  files: users,
});

const absolute = { response: 'until' };
const relative = { response: 'session.ttl', relative: true };
const warned = { says: [/warning/i] };

export const expiresRows: readonly Row[] = [
  { rule: 'without expires the login request is sent once', ...once(undefined) },
  { rule: '0 sends the login request before every request', ...eachTime(0), exit: 0 },
  { rule: '"0" sends the login request before every request', ...eachTime('0'), exit: 0 },
  {
    rule: '0 sends the login request before a retry too',
    api: api(0),
    steps: [
      step('GET /login', { token: 'token-1' }),
      step(
        'GET /users?page=1',
        json({}, { status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } }),
        withToken('token-1'),
      ),
      step('GET /login', { token: 'token-2' }),
      step('GET /users?page=1', [], withToken('token-2')),
    ],
    files: {},
    exit: 0,
  },
  {
    rule: '0 with concurrency still pairs each request with a login of its own, with one warning',
    api: { ...api(0), pagination: undefined },
    config: { jobs: ['a', 'b'].map((endpoint) => ({ endpoint, dataType: endpoint })) },
    args: ['--concurrency', '4'],
    steps: [
      step('GET /login', { token: 'token-1' }),
      step('GET /a', items(1, 1), withToken('token-1')),
      step('GET /login', { token: 'token-2' }),
      step('GET /b', items(2, 1), withToken('token-2')),
    ],
    files: { a: lines({ id: 1 }), b: lines({ id: 2 }) },
    ...warned,
  },
  { rule: 'N seconds that have not passed need no second login', ...once(86400) },
  { rule: 'N may be a numeric string', ...once('86400') },
  { rule: 'a negative N logs in for every request, with a warning', ...eachTime(-1), ...warned },
  { rule: 'a negative N may be a numeric string', ...eachTime('-1'), ...warned },
  { rule: 'an absolute date to come needs no second login', ...once(absolute, { until: '2999-12-31 23:59:59' }) },
  {
    rule: 'relative false is absolute',
    ...once({ ...absolute, relative: false }, { until: '2999-12-31 23:59:59' }),
  },
  { rule: 'the date may be of another form', ...once(absolute, { until: '31 Dec 2999 23:59' }) },
  { rule: 'the date may carry a zone', ...once(absolute, { until: '2999-12-31T23:59:59+02:00' }) },
  {
    rule: 'an absolute date in the past logs in for every request, with a warning',
    ...eachTime(absolute, { until: '2001-02-03 04:05:06' }),
    ...warned,
  },
  { rule: 'a numeric timestamp to come needs no second login', ...once(absolute, { until: 32503680000 }) },
  { rule: 'a timestamp may be a string of digits', ...once(absolute, { until: '32503680000' }) },
  { rule: 'a timestamp may be a float', ...once(absolute, { until: 32503680000.5 }) },
  {
    rule: 'from 1e11 on a timestamp is in milliseconds',
    ...once(absolute, { until: 32503680000000 }),
  },
  {
    rule: 'a timestamp of milliseconds that have passed logs in for every request',
    ...eachTime(absolute, { until: 1000000000000 }),
    ...warned,
  },
  {
    rule: 'a timestamp that has passed logs in for every request, with a warning',
    ...eachTime(absolute, { until: 946684800 }),
    ...warned,
  },
  { rule: 'relative true is a number of seconds', ...once(relative, { session: { ttl: 86400 } }) },
  { rule: 'relative seconds may be a string', ...once(relative, { session: { ttl: '86400' } }) },
  { rule: 'a relative 0 has expired at once', ...eachTime(relative, { session: { ttl: 0 } }), exit: 0 },
  { rule: '"+10 hours" counts from now', ...once(absolute, { until: '+10 hours' }) },
  { rule: '"-0 second" has expired at once', ...eachTime(absolute, { until: '-0 second' }), exit: 0 },
  {
    rule: 'a text that is no date is an error that shows the path and not the value',
    api: api(absolute),
    steps: [step('GET /login', { token: 'token-1', until: 'Thursday-ish, quuxly' })],
    files: {},
    exit: 1,
    says: [/until/],
    secrets: ['quuxly'],
  },
  {
    rule: 'an expires object without response is an error before any request',
    api: api({ relative: true }),
    steps: [],
    files: {},
    exit: 1,
    says: [/expires/],
  },
  {
    rule: 'an expires that is no number is an error before any request',
    api: api('soon'),
    steps: [],
    files: {},
    exit: 1,
    says: [/expires/],
  },
];
