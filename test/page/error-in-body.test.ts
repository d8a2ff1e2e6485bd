/** Bodies of APIs with status 200: which say that the request failed, and which only look like it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import type { DataField } from '../../src/core/model/job.js';
import { sourceOf } from '../../src/core/util/byte-source.js';
import { errorIn, errorPaths } from '../../src/page/error-in-body.js';
import { readPage } from '../../src/page/read-page.js';
import { pageOptions, writerOf } from './lib.js';

async function* inChunks(text: string, size: number) {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const fieldOf = (text: string | undefined): DataField =>
  text === undefined ? { kind: 'auto' } : { kind: 'path', text, segments: text === '.' ? [] : text.split('.') };

async function judge(body: unknown, path?: string) {
  const dataField = fieldOf(path);
  const options = { ...pageOptions, dataField, captures: errorPaths };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { envelope, count } = await readPage(sourceOf(inChunks(text, 7)), writerOf({ sink: memory() }), options);
  return errorIn({ envelope, received: count }, dataField);
}

type Envelope = readonly [api: string, body: unknown, path?: string | undefined];

/** As these APIs send them, without the ids of requests. */
const failed: readonly (readonly [...Envelope, member: string, detail?: string])[] = [
  ['the issue', { status: 'failure', error: { code: 1, message: 'busy' }, items: [] }, 'items', 'error', 'busy'],
  ['JSend, a failure', { status: 'fail', data: null }, 'data', 'status'],
  ['JSend, an error', { status: 'error', message: 'No connection' }, 'data', 'status', 'No connection'],
  ['Slack', { ok: false, error: 'invalid_auth' }, 'members', 'error', 'invalid_auth'],
  ['Telegram', { ok: false, error_code: 401, description: 'Unauthorized' }, 'result', 'ok', 'Unauthorized'],
  [
    'Facebook Graph',
    { error: { message: 'Invalid OAuth access token.', type: 'OAuthException', code: 190 } },
    'data',
    'error',
    'Invalid OAuth access token.',
  ],
  [
    'GraphQL',
    { data: null, errors: [{ message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } }] },
    'data.users.nodes',
    'errors',
    'The token has expired.',
  ],
  [
    'GraphQL, in part',
    { errors: [{ message: 'Timeout', path: ['users', 3] }], data: { users: { nodes: [{ id: 1 }, null] } } },
    'data.users.nodes',
    'errors',
    'Timeout',
  ],
  [
    'Google',
    { error: { code: 403, message: 'Quota exceeded.', status: 'PERMISSION_DENIED' } },
    'items',
    'error',
    'Quota exceeded.',
  ],
  ['Last.fm', { error: 10, message: 'Invalid API key' }, 'artists.artist', 'error', 'Invalid API key'],
  ['Twitter', { errors: [{ code: 88, message: 'Rate limit exceeded' }] }, 'data', 'errors', 'Rate limit exceeded'],
  [
    'Cloudflare',
    { success: false, errors: [{ code: 10000, message: 'Authentication error' }], messages: [], result: null },
    'result',
    'errors',
    'Authentication error',
  ],
  ['Imgur', { data: { error: 'Limit reached' }, success: false, status: 429 }, 'data.images', 'success'],
  ['fixer', { success: false, error: { code: 101, type: 'missing_access_key' } }, 'rates', 'error'],
  [
    'HubSpot',
    { status: 'error', message: 'The access token is expired', category: 'EXPIRED_AUTHENTICATION' },
    'results',
    'status',
    'The access token is expired',
  ],
  [
    'Zoho',
    { code: 'INVALID_TOKEN', details: {}, message: 'invalid oauth token', status: 'error' },
    'data',
    'status',
    'invalid oauth token',
  ],
  [
    'Pipedrive',
    { success: false, error: 'unauthorized access', errorCode: 401 },
    'data',
    'error',
    'unauthorized access',
  ],
  ['Reddit', { message: 'Forbidden', error: 403 }, 'data.children', 'error', 'Forbidden'],
  ['Shopify', { errors: '[API] Invalid API key' }, 'products', 'errors', '[API] Invalid API key'],
  ['Kraken', { error: ['EAPI:Invalid key'], result: [] }, 'result', 'error', 'EAPI:Invalid key'],
  ['Jira', { errorMessages: [], errors: { jql: 'The field does not exist.' } }, 'issues', 'errors'],
  [
    'Elasticsearch',
    { error: { root_cause: [], type: 'index_not_found_exception', reason: 'no such index' }, status: 404 },
    'hits.hits',
    'error',
  ],
  ['bulk results', { took: 3, errors: true, items: [{ index: { status: 429 } }] }, 'items', 'errors'],
  ['a status in capitals', { Status: 1, status: ' FAILED ', rows: [] }, 'rows', 'status'],
  ['a service in Korea or Russia', { status: 'ko', rows: [] }, 'rows', 'status'],
  ['a text for false', { success: 'False', rows: [] }, 'rows', 'success'],
  ['without a data field', { status: 'failure', items: [] }, undefined, 'status'],
];

const harmless: readonly Envelope[] = [
  ['no error: null', { error: null, items: [] }, 'items'],
  ['Kraken without errors', { error: [], result: [] }, 'result'],
  ['Cloudflare without errors', { success: true, errors: [], messages: [], result: [] }, 'result'],
  ['Slack', { ok: true, error: '', members: [] }, 'members'],
  ['JSend', { status: 'success', data: [] }, 'data'],
  ['a status of another kind', { status: 'ok', rows: [] }, 'rows'],
  ['the status of HTTP', { status: 200, rows: [] }, 'rows'],
  ['an empty object', { error: {}, rows: [] }, 'rows'],
  ['Jira without errors', { errorMessages: [], errors: {}, issues: [] }, 'issues'],
  ['false', { error: false, rows: [] }, 'rows'],
  ['a zero', { error: 0, rows: [] }, 'rows'],
  ['a zero as a text', { error: '0', rows: [] }, 'rows'],
  ['a word for none', { error: 'No error', rows: [] }, 'rows'],
  ['bulk results', { took: 3, errors: false, items: [] }, 'items'],
  ['a code for success', { error: { code: 0, message: 'success' }, rows: [] }, 'rows'],
  ['the status of HTTP as a code', { error: { code: 200, message: 'OK' }, rows: [] }, 'rows'],
  ['members without values', { error: { code: null, message: null }, rows: [] }, 'rows'],
  ['a count of successes', { success: 0, failed: 0, rows: [] }, 'rows'],
  ['the status of a build with steps', { id: 7, status: 'failed', steps: [{ id: 1 }] }, 'steps'],
  ['a status of the items', { rows: [{ status: 'failed', error: 'x', success: false }] }, 'rows'],
  ['items at the top level', [{ status: 'failed', error: 'x' }], undefined],
  ['an item as the response', { id: 7, status: 'failed', error: 'x' }, '.'],
  ['a list of errors as the items', { errors: [{ id: 1 }, { id: 2 }] }, 'errors'],
  ['a deeper member', { data: { rows: [], error: 'x', status: 'error' } }, 'data.rows'],
  ['a text in an error of a list', { rows: [], last_error: 'x', error_count: 3 }, 'rows'],
  ['no body', ' ', 'rows'],
];

test('there are enough of both', () => {
  assert.ok(failed.length >= 20 && harmless.length >= 20);
});

for (const [api, body, path, member, detail] of failed) {
  test(`is an error: ${api}`, async () => {
    assert.equal(await judge(body, path), { member, detail });
  });
}

for (const [api, body, path] of harmless) {
  test(`is none: ${api}`, async () => {
    assert.is(await judge(body, path), undefined);
  });
}

test('an error larger than a captured value is one all the same', async () => {
  const message = 'x'.repeat(200_000);
  const body = { error: { message, trace: [message] }, errors: [{ message }], rows: [] };
  assert.is((await judge(body, 'rows'))?.member, 'error');
});

test.run();
