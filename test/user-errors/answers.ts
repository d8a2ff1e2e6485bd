/** Statuses, connections, bodies, and slips of type that end as user errors here. */
import type { ErrorCode } from '../../src/core/errors/error-codes.js';
import { json, plain, type Reply, rawJson } from '../loopback/api.js';
import { step } from '../traces/trace.js';
import type { Row } from './row.js';

/** The first page of the only job is answered like that. */
const answered = (rule: string, reply: Reply, code: ErrorCode, says: RegExp, over: Partial<Row> = {}): Row => ({
  rule,
  steps: [step('GET users', reply)],
  code,
  says,
  job: 'users',
  page: 0,
  ...over,
});

const statuses: readonly Row[] = [
  ...[400, 401, 403, 404, 409, 501].map((status) =>
    answered(
      `${status} at once, with status, method, address and the start of the body`,
      { ...plain(`not for you ${'x'.repeat(300)}`), status },
      'ERR_STATUS',
      new RegExp(
        `GET http://127\\.0\\.0\\.1:\\d+/v1/users failed with status ${status}: not for you x{80,110}\\D{0,3}$`,
      ),
    ),
  ),
  answered('a status that is not listed', { status: 404 }, 'ERR_STATUS', /404/, {
    api: { http: { ignoreErrors: [403] } },
  }),
  {
    rule: 'a login that fails is an error, listed or not',
    api: {
      http: { ignoreErrors: [404] },
      authentication: { type: 'login', loginRequest: { endpoint: 'login' } },
    },
    steps: [step('GET login', { status: 404 })],
    code: 'ERR_STATUS',
    says: /login failed with status 404/,
    job: 'users',
    page: 0,
  },
];

const connections: readonly Row[] = [
  {
    rule: 'a connection that fails when retries are used up',
    api: { baseUrl: 'http://127.0.0.1:1/', retryConfig: { maxRetries: 0 } },
    code: 'ERR_TRANSPORT',
    says: /GET http:\/\/127\.0\.0\.1:1\/users/,
    job: 'users',
    page: 0,
  },
  {
    rule: 'a connection that fails by a code that is not listed, at once',
    api: { baseUrl: 'http://127.0.0.1:1/', retryConfig: { curl: { codes: [28] } } },
    code: 'ERR_TRANSPORT',
    says: /GET http:\/\/127\.0\.0\.1:1\/users/,
    job: 'users',
    page: 0,
  },
];

const bodies: readonly Row[] = [
  answered('malformed JSON, not asked for again', rawJson('[{"id":1},]'), 'ERR_JSON', /byte 10/),
  answered('JSON that unexpected end', rawJson('[{"id":1}'), 'ERR_JSON', /byte 9|end/),
  answered('a page of HTML, shown as it begins', plain('<html>'), 'ERR_JSON', /"<html>"/),
  answered('invalid UTF-8', rawJson(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])), 'ERR_UTF8', /byte/),
  answered('deeper than 512 levels', rawJson(`${'['.repeat(600)}${']'.repeat(600)}`), 'ERR_DEPTH', /512/),
  {
    rule: 'an error of a child ends the run',
    jobs: [
      { endpoint: 'users', children: [{ endpoint: 'user/{id}', dataType: 'more', placeholders: { id: 'id' } }] },
      { endpoint: 'orders' },
    ],
    steps: [step('GET users', [{ id: 1 }, { id: 2 }]), step('GET user/1', json({}, { status: 404 }))],
    code: 'ERR_STATUS',
    says: /user\/1 failed with status 404/,
    job: 'more',
    page: 0,
  },
];

export const answers: readonly Row[] = [...statuses, ...connections, ...bodies];
