/** Names from other tools: at each place what they are called here, or where that is written. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { authentications } from '../../src/auth/registry.js';
import { besideMethod } from '../../src/config/pagination-fields.js';
import { inspect } from '../../src/config/parse-config.js';
import { broughtName, keysElsewhere, placesElsewhere, valuesElsewhere } from '../../src/language/brought-names.js';
import { paginators } from '../../src/pagination/registry.js';
import { documentOf, type Parts } from '../config/fakes.js';
import { places } from '../config/schema/places.js';

const reported = (parts: Parts) => {
  const { problems, notices } = inspect(documentOf(parts));
  return [...problems.map(({ path, message }) => `${path}: ${message}`), ...notices.map(({ message }) => message)];
};

/** The hint for a key at a place: the name here, or the path. */
const keys: readonly (readonly [what: string, parts: Parts, path: string, says: string])[] = [
  ['retries of got', { api: { retries: 5 } }, 'api.retries', 'did you mean "retryConfig"?'],
  ['retries of a job', { job: { retries: 5 } }, 'config.jobs[0].retries', 'see `api.retryConfig`'],
  ['retry limit of got', { api: { retryConfig: { limit: 5 } } }, 'api.retryConfig.limit', 'did you mean "maxRetries"?'],
  ['auth of dlt', { api: { auth: {} } }, 'api.auth', 'did you mean "authentication"?'],
  ['auth of a job', { job: { auth: {} } }, 'config.jobs[0].auth', 'see `api.authentication`'],
  ['headers of the API', { api: { headers: {} } }, 'api.headers', 'see `api.http.headers`'],
  ['a url of axios', { api: { url_base: 'x' } }, 'api.url_base', 'did you mean "baseUrl"?'],
  ['a timeout', { api: { timeout: 5 } }, 'api.timeout', 'see `api.http.requestTimeout`'],
  ['a timeout in its section', { api: { http: { timeout: 5 } } }, 'api.http.timeout', 'did you mean "requestTimeout"?'],
  ['a rate', { api: { rateLimitQPS: 5 } }, 'api.rateLimitQPS', 'see `api.http.rateLimit`'],
  ['a path of Airbyte', { job: { path: 'x' } }, 'config.jobs[0].path', 'did you mean "endpoint"?'],
  ['a verb of Redpanda', { job: { verb: 'GET' } }, 'config.jobs[0].verb', 'did you mean "method"?'],
  ['a query', { job: { queryParameters: {} } }, 'config.jobs[0].queryParameters', 'did you mean "params"?'],
  ['a body', { job: { body: {} } }, 'config.jobs[0].body', 'did you mean "params"?'],
  ['a selector of dlt', { job: { data_selector: 'x' } }, 'config.jobs[0].data_selector', 'did you mean "dataField"?'],
  ['records of faucet', { job: { records_path: 'x' } }, 'config.jobs[0].records_path', 'did you mean "dataField"?'],
  ['a paginator', { job: { paginator: {} } }, 'config.jobs[0].paginator', 'did you mean "pagination"?'],
  ['a page size', { job: { page_size: 5 } }, 'config.jobs[0].page_size', 'see `api.pagination.limit`'],
  [
    'streams of Airbyte in the document',
    { config: { jobs: undefined, streams: [] } },
    'config.streams',
    'did you mean "jobs"?',
  ],
  ['a proxy of axios', { api: { proxy: {} } }, 'api.proxy', 'see `--proxy`'],
  ['concurrency', { api: { concurrency: 5 } }, 'api.concurrency', 'see `--concurrency`'],
];

const ofMethods: readonly (readonly [method: string, key: string, here: string])[] = [
  ['pagenum', 'page_size', 'limit'],
  ['pagenum', 'per_page', 'limit'],
  ['pagenum', 'start_from_page', 'firstPage'],
  ['pagenum', 'base_page', 'firstPage'],
  ['pagenum', 'page_param', 'pageParam'],
  ['pagenum', 'param_name', 'pageParam'],
  ['pagenum', 'maximum_page', 'forceStop'],
  ['pagenum', 'has_more', 'nextPageFlag'],
  ['offset', 'page_size_param', 'limitParam'],
  ['offset', 'param_name', 'offsetParam'],
  ['offset', 'total_path', 'totalKey'],
  ['response.param', 'cursor_path', 'responseParam'],
  ['response.param', 'next_token_path', 'responseParam'],
  ['response.param', 'cursor_name_in_request', 'queryParam'],
  ['response.url', 'next_url_path', 'urlKey'],
  ['link-header', 'links_next_key', 'rel'],
  ['cursor', 'cursor_field', 'idKey'],
  ['keyset', 'cursor_field', 'field'],
  ['keyset', 'has_more', 'moreField'],
];

const ofTypes: readonly (readonly [type: string, key: string, says: string])[] = [
  ['basic', 'username', 'see `config.username`'],
  ['basic', 'password', 'see `config.#password`'],
  ['bearer', 'api_token', 'did you mean "token"?'],
  ['api-key', 'location', 'did you mean "in"?'],
  ['api-key', 'header_name', 'did you mean "name"?'],
  ['oauth2', 'token_url', 'did you mean "tokenEndpoint"?'],
  ['oauth2', 'client_id', 'did you mean "clientId"?'],
  ['login', 'expires_in', 'did you mean "expires"?'],
];

const rows = [
  ...keys,
  ...ofMethods.map(
    ([method, key, here]) =>
      [
        `${key} of ${method}`,
        { api: { pagination: { method, [key]: 1 } } },
        `api.pagination.${key}`,
        `did you mean "${here}"?`,
      ] as const,
  ),
  ...ofTypes.map(
    ([type, key, says]) =>
      [
        `${key} of ${type}`,
        { api: { authentication: { type, [key]: 1 } } },
        `api.authentication.${key}`,
        says,
      ] as const,
  ),
];

for (const [what, parts, path, says] of rows) {
  test(`${what}: ${says}`, () => {
    const lines = reported(parts).filter((line) => line.startsWith(`${path}: `));
    assert.is(lines.length, 1);
    assert.ok(
      /unknown key, not used|an attribute, without effect/.test(lines[0] ?? '') && lines[0]?.endsWith(`; ${says}`),
      lines[0],
    );
  });
}

for (const [name, here] of [
  ['PageIncrement', 'pagenum'],
  ['page_number', 'pagenum'],
  ['OffsetIncrement', 'offset'],
  ['CursorPagination', 'response.param'],
  ['json_link', 'response.url'],
  ['NextPageUrl', 'response.url'],
  ['header_link', 'link-header'],
  ['LinkHeader', 'link-header'],
  ['single_page', 'none'],
  ['pagenumb', 'pagenum'],
] as const) {
  test(`the method ${name} is ${here}`, () => {
    const [line = ''] = reported({ api: { pagination: { method: name } } });
    assert.match(line, `, found "${name}"; did you mean "${here}"?`);
  });
}

for (const [name, here] of [
  ['http_basic', 'basic'],
  ['BearerAuthenticator', 'bearer'],
  ['ApiKeyAuthenticator', 'api-key'],
  ['api_key', 'api-key'],
  ['oauth2_client_credentials', 'oauth2'],
  ['SessionTokenAuthenticator', 'login'],
] as const) {
  test(`the type ${name} is ${here}`, () => {
    const [line = ''] = reported({ api: { authentication: { type: name } } });
    assert.match(line, `, found "${name}"; did you mean "${here}"?`);
  });
}

test('a key named like its method suggests `method`, if that is missing', () => {
  assert.equal(reported({ api: { pagination: { type: 'pagenum' } } }).slice(0, 1), [
    'api.pagination.type: unknown key, not used; did you mean "method"?',
  ]);
});

for (const [text, shown] of [
  ['x'.repeat(40), `"${'x'.repeat(40)}"`],
  ['x'.repeat(41), 'a string of more than 40 characters'],
  ['a"b\n\u001b[2J\u202e', '"a\\"b\\n\\u001b[2J\\u202e"'],
  ['', undefined],
] as const) {
  test(`of the method ${JSON.stringify(text)} ${shown === undefined ? 'nothing' : shown} is shown`, () => {
    const lines = reported({ job: { method: text } });
    assert.equal(
      lines.map((line) => /, found (.*)$/.exec(line)?.[1]),
      shown === undefined ? [] : [shown],
    );
  });
}

test('the text of a method is shown as it is written', () => {
  assert.match(reported({ job: { method: 'gte' } })[0] ?? '', ', found "gte"; did you mean "GET"?');
});

test('a text in the place of a value is never shown', () => {
  const parts = { api: { retryConfig: { jitter: 'hidden' } }, job: { params: 'hidden', dataField: ['hidden'] } };
  const lines = reported(parts);
  assert.is(lines.length, 3);
  assert.not.match(lines.join('\n'), 'hidden');
});

test('a suggestion is an existing name or path', () => {
  const valid = new Set(places().flatMap(({ steps, fields }) => [...Object.keys(fields), String(steps.at(-1) ?? '')]));
  for (const key of ['method', 'type', ...Object.keys(besideMethod)]) valid.add(key);
  assert.equal(
    Object.keys(keysElsewhere).filter((each) => !valid.has(each)),
    [],
  );
  const registered = [...Object.keys(paginators), ...Object.keys(authentications), 'keyset'];
  assert.equal(
    Object.keys(valuesElsewhere).filter((each) => !registered.includes(each)),
    [],
  );
  const last = Object.keys(placesElsewhere).filter((each) => !each.startsWith('--'));
  assert.equal(
    last.map((path) => path.replace(/^.*\./, '')).filter((each) => !valid.has(each)),
    ['username', '#password'],
  );
});

test('names elsewhere are listed once for each name here, in small letters and digits', () => {
  for (const table of [keysElsewhere, valuesElsewhere, placesElsewhere]) {
    for (const [here, listed] of Object.entries(table)) {
      const all = listed.split(' ');
      assert.equal(all, [...new Set(all)], here);
      assert.ok(
        all.every((each) => /^[a-z\d]+$/.test(each)),
        here,
      );
    }
  }
});

test('a name never suggests itself', () => {
  assert.is(broughtName('limit', ['limit']), undefined);
  assert.is(broughtName('__', ['limit', '']), undefined);
});

test.run();
