import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect, parseConfig } from '../../src/config/parse-config.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { ExactNumber, fromPlain, stringifyExact } from '../../src/core/json/exact.js';
import { configOf, documentOf, fakes, onlyOf, type Parts, paginatorWith, problemsOf, warningsOf } from './fakes.js';

test('reads a bare document and a wrapped one alike', () => {
  const bare = documentOf({ config: { '#token': 'abc' } });
  const wrapped = new Map([['parameters', bare]]);
  const jobPath = (document: typeof bare | typeof wrapped) => onlyOf(parseConfig(document, fakes)).jobs[0]?.path;
  assert.is(jobPath(bare), 'config.jobs[0]');
  assert.is(jobPath(wrapped), 'parameters.config.jobs[0]');
});

test('fills in the defaults', () => {
  const { baseUrl, http, configHeaders, authentication, paginator, attr, jobs } = configOf({});
  assert.is(baseUrl, 'https://api.example/');
  assert.equal(http, {
    headers: new Map(),
    defaultOptions: { method: 'GET', params: new Map(), headers: new Map() },
    credentialOrigins: [],
    ignoreErrors: new Set(),
    rateLimit: [],
    heedsRateLimit: true,
    acceptsEncodings: true,
  });
  assert.is(configHeaders.size, 0);
  assert.is(authentication, undefined);
  assert.is(paginator, fakes.none);
  assert.is(attr.size, 0);
  assert.equal(jobs, [
    {
      name: 'users',
      endpoint: 'users',
      params: new Map(),
      headers: new Map(),
      dataField: { kind: 'auto' },
      dataType: 'users',
      responseFilter: [],
      userData: new Map(),
      children: [],
      path: 'config.jobs[0]',
    },
  ]);
});

test('preserves configured values, numbers by their text', () => {
  const { http, jobs, configHeaders, attr } = configOf({
    api: {
      http: {
        headers: { 'X-A': 1 },
        defaultOptions: { method: 'form', params: { limit: 12345678901234567890n }, headers: { 'X-B': ['1', 2] } },
        credentialOrigins: ['https://a.example', 'https://b.example:443/', 'http://c.example:8080'],
      },
    },
    config: { http: { headers: { 'X-C': { attr: '#key' } } }, '#key': 'k' },
    job: { method: 'post', params: { q: 'x' }, headers: { A: null }, dataField: 'a.0', dataType: 'people' },
  });
  assert.is(http.defaultOptions.method, 'FORM');
  assert.is(stringifyExact(http.defaultOptions.params), '{"limit":12345678901234567890}');
  assert.equal(http.headers, new Map([['X-A', new ExactNumber('1')]]));
  assert.equal(http.credentialOrigins, ['https://a.example', 'https://b.example', 'http://c.example:8080']);
  assert.is(stringifyExact(configHeaders), '{"X-C":{"attr":"#key"}}');
  assert.equal([...attr.keys()], ['http', '#key']);
  const [job] = jobs;
  assert.is(job?.method, 'POST');
  assert.is(job?.dataType, 'people');
  assert.equal(job?.dataField, { kind: 'path', segments: ['a', '0'], text: 'a.0' });
});

test('creates the paginator with its options, coerced, absent and null ones left out', () => {
  const { paginator } = configOf({ api: { pagination: { method: 'pagenum', limit: '50', pageParam: null } } });
  assert.equal({ ...paginator }, { ...paginatorWith({ limit: 50 }), first: paginator.first, next: paginator.next });
});

test('has an authentication if one is configured', () => {
  const authentication = { type: 'login', loginRequest: { endpoint: 'login' } };
  assert.type(configOf({ api: { authentication } }).authentication, 'function');
});

const nothing: readonly Parts[] = [
  { api: { authentication: null, pagination: null, http: null, retryConfig: null } },
  { api: { authentication: {}, pagination: [], http: [], retryConfig: [] } },
  { config: { http: [] } },
  { job: { params: [], headers: [], dataField: null, dataType: '', method: null } },
];

for (const parts of nothing) {
  test(`treats empty as absent in ${JSON.stringify(parts)}`, () => {
    assert.equal(warningsOf(documentOf(parts)), []);
  });
}

test('names jobs by data type or endpoint, without the query, uniquely', () => {
  const jobs = [
    { endpoint: 'users' },
    { endpoint: 'people', dataType: 'users' },
    { endpoint: 'x', dataType: 'users#2' },
    { endpoint: 'users?key=1' },
    { endpoint: 'https://me:pass@api.example/a#b' },
    { endpoint: '?page=1' },
  ];
  const names = configOf({ config: { jobs } }).jobs.map(({ name }) => name);
  assert.equal(names, ['users', 'users#2', 'users#2#2', 'users#3', 'https://api.example/a', '/']);
});

test('runs identical jobs once, with a warning', () => {
  const document = documentOf({ config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }, { endpoint: 'a' }] } });
  assert.equal(
    onlyOf(parseConfig(document, fakes)).jobs.map(({ name }) => name),
    ['a', 'b'],
  );
  assert.equal(warningsOf(document), ['config.jobs[2]: identical to config.jobs[0]; runs once']);
});

test('reads an object of jobs as the list of its values', () => {
  const { jobs } = configOf({ config: { jobs: { first: { endpoint: 'a' }, second: { endpoint: 'b' } } } });
  assert.equal(
    jobs.map(({ path }) => path),
    ['config.jobs.first', 'config.jobs.second'],
  );
});

const faulty: readonly (readonly [Parts, ...(readonly string[])])[] = [
  [
    { api: { baseUrl: undefined } },
    'api.baseUrl: required: expected an http or https URL with a host, or an expression',
  ],
  [
    { api: { baseUrl: 'x' } },
    'api.baseUrl: expected an http or https URL with a host, or an expression, found a string that does not begin with "https://" or "http://"',
  ],
  [
    { api: { baseUrl: 'ftp://x' } },
    'api.baseUrl: expected an http or https URL with a host, or an expression, found a string',
  ],
  [
    { api: { baseUrl: {} } },
    'api.baseUrl: expected an http or https URL with a host, or an expression, found an object',
  ],
  [{ api: { http: 5 } }, 'api.http: expected an object, found a number'],
  [
    { api: { http: { credentialOrigins: ['https://x/y', 5] } } },
    'api.http.credentialOrigins[0]: expected an origin: scheme, host and port, found a string',
    'api.http.credentialOrigins[1]: expected an origin: scheme, host and port, found a number',
  ],
  [
    { api: { http: { defaultOptions: { method: 'GOT' } } } },
    'api.http.defaultOptions.method: expected "GET", "POST", "FORM", "PUT", "PATCH", "DELETE" or "HEAD", found "GOT"; did you mean "GET"?',
  ],
  [{ api: { authentication: 'login' } }, 'api.authentication: expected an object, found a string'],
  [
    { api: { authentication: { type: 'logon' } } },
    'api.authentication.type: expected one of "login", found "logon"; did you mean "login"?',
  ],
  [
    { api: { authentication: { type: 'logon' } } },
    'api.authentication.type: expected one of "login", found "logon"; did you mean "login"?',
  ],
  [
    { api: { authentication: { type: 'constructor' } } },
    'api.authentication.type: expected one of "login", found "constructor"',
  ],
  [{ api: { authentication: { type: 'login' } } }, 'api.authentication.loginRequest: required: expected an object'],
  [
    { api: { authentication: { type: 'login', loginRequest: {}, format: 'xml' } } },
    'api.authentication.loginRequest.endpoint: required: expected a non-empty string',
    'api.authentication.format: expected "json" or "text", found "xml"',
  ],
  [
    { api: { pagination: { method: 'pagenumb' } } },
    'api.pagination.method: expected one of "pagenum", "response.param", found "pagenumb"; did you mean "pagenum"?',
  ],
  [
    { api: { pagination: { method: 'pagenum', limit: 'ten', firstPage: 1.5, firstPageParams: 'no' } } },
    'api.pagination.limit: expected a whole number from 0 up, or a string of digits, found a string',
    'api.pagination.firstPage: expected a whole number, found a number with a fraction or an exponent',
    'api.pagination.firstPageParams: expected true or false, found a string',
  ],
  [
    { api: { pagination: { method: 'pagenum', limit: -1 } } },
    'api.pagination.limit: expected a whole number from 0 up, found a negative number',
  ],
  [{ config: { jobs: undefined } }, 'config.jobs: required: expected a list of at least one job'],
  [{ config: { jobs: [] } }, 'config.jobs: expected a list of at least one job, found an empty list'],
  [{ config: { jobs: 'users' } }, 'config.jobs: expected a list of at least one job, found a string'],
  [{ config: { jobs: ['users'] } }, 'config.jobs[0]: expected an object, found a string'],
  [{ job: { endpoint: 5 } }, 'config.jobs[0].endpoint: expected a string, found a number'],
  [{ job: { endpoint: undefined } }, 'config.jobs[0].endpoint: required: expected a string'],
  [{ job: { params: 'x' } }, 'config.jobs[0].params: expected an object or a list, found a string'],
  [{ job: { params: [{ attr: 'x' }] } }, 'config.jobs[0].params.0.attr: there is no such key in `config`'],
  [{ job: { dataType: 5 } }, 'config.jobs[0].dataType: expected a string, found a number'],
  [{ job: { dataField: { delimiter: '/' } } }, 'config.jobs[0].dataField.path: required: expected a path'],
  [
    { job: { headers: { 'a b': 'x', A: { attr: 'x' }, B: 'x\ny' } } },
    'config.jobs[0].headers["a b"]: not a valid header name',
    'config.jobs[0].headers.A: expected a string, a number, true, false or null, or a list of these, found an object',
    'config.jobs[0].headers.B: contains a character that is not allowed in a header',
  ],
];

for (const [parts, ...problems] of faulty) {
  test(`${JSON.stringify(parts)} is refused`, () => assert.equal(problemsOf(documentOf(parts)), problems));
}

const documents: readonly (readonly [unknown, ...(readonly string[])])[] = [
  [null, ': required: expected an object with "api" and "config"'],
  [[], ': expected an object with "api" and "config", found an empty list'],
  [{}, 'config: required: expected an object', 'api: required: expected an object'],
  [{ parameters: 5 }, 'parameters: expected an object, found a number'],
  [
    { parameters: {} },
    'parameters.config: required: expected an object',
    'parameters.api: required: expected an object',
  ],
  [{ api: 1, config: 'x' }, 'config: expected an object, found a string', 'api: expected an object, found a number'],
];

for (const [document, ...problems] of documents) {
  test(`the document ${JSON.stringify(document)} is refused`, () => {
    assert.equal(problemsOf(fromPlain(document)), problems);
  });
}

test('throws all faults as one error', () => {
  const document = documentOf({ api: { baseUrl: 1, caCertificate: 5 }, job: { endpoint: 5, children: 'x' } });
  try {
    parseConfig(document, fakes);
    assert.unreachable();
  } catch (error) {
    if (!(error instanceof ExtractError)) throw error;
    assert.is(error.code, 'ERR_CONFIG');
    assert.equal(
      error.problems.map(({ path }) => path),
      ['api.baseUrl', 'api.caCertificate', 'config.jobs[0].endpoint', 'config.jobs[0].children'],
    );
    assert.is(error.message.split('\n').length, 4);
    assert.match(error.message, 'config.jobs[0].children: expected a list of jobs, found a string');
  }
});

const unknown: readonly (readonly [Parts, ...(readonly string[])])[] = [
  [{ api: { basUrl: 'x' } }, 'api.basUrl: unknown key, not used; did you mean "baseUrl"?'],
  [{ api: { zzz: 'x' } }, 'api.zzz: unknown key, not used'],
  [{ api: { http: { header: {} } } }, 'api.http.header: unknown key, not used; did you mean "headers"?'],
  [
    { api: { http: { defaultOptions: { param: {} } } } },
    'api.http.defaultOptions.param: unknown key, not used; did you mean "params"?',
  ],
  [{ api: { retryConfig: { http: { maxRetries: 1 } } } }, 'api.retryConfig.http.maxRetries: unknown key, not used'],
  [
    { api: { pagination: { method: 'pagenum', limt: 1 } } },
    'api.pagination.limt: unknown key, not used; did you mean "limit"?',
  ],
  [
    { api: { authentication: { type: 'login', loginRequest: { endpoint: 'x', parms: {} } } } },
    'api.authentication.loginRequest.parms: unknown key, not used; did you mean "params"?',
  ],
  [
    { api: { authentication: { user: 'x' } } },
    'api.authentication.user: unknown key, not used; see `config.username`',
    'api.authentication.type: without it requests are sent without credentials',
  ],
  [
    { api: { authentication: { type: '' } } },
    'api.authentication.type: without it requests are sent without credentials',
  ],
  [{ config: { http: { header: {} } } }, 'config.http.header: unknown key, not used; did you mean "headers"?'],
  [{ config: { htp: {} } }, 'config.htp: an attribute, without effect; did you mean "http"?'],
  [{ config: { anything: 1 } }],
  [{ api: { http: { headers: 'x' } } }, 'api.http.headers: expected an object, found a string; not used'],
  [{ config: { http: { headers: ['x'] } } }, 'config.http.headers: expected an object, found a list; not used'],
  [{ api: { retryConfig: 5 } }, 'api.retryConfig: expected an object, found a number; not used'],
  [
    { api: { http: { requiredHeaders: 'X-A' } } },
    'api.http.requiredHeaders: expected a list of strings, found a string; not used',
  ],
  [{ job: { endpont: 'x' } }, 'config.jobs[0].endpont: unknown key, not used; did you mean "endpoint"?'],
  [{ job: { dataField: { path: 'a', separator: '/' } } }, 'config.jobs[0].dataField.separator: unknown key, not used'],
];

for (const [parts, ...warnings] of unknown) {
  test(`${JSON.stringify(parts)} ${warnings.length === 0 ? 'is accepted silently' : 'gets a warning'}`, () => {
    assert.equal(warningsOf(documentOf(parts)), warnings);
  });
}

test('problems do not hide warnings: those are passed on before it throws', () => {
  const messages: string[] = [];
  const document = documentOf({ api: { htp: {} }, job: { endpoint: 1 } });
  assert.throws(
    () => parseConfig(document, fakes, ({ message }) => messages.push(message)),
    (thrown: unknown) => thrown instanceof ExtractError && thrown.problems.length === 1,
  );
  assert.equal(messages, ['api.htp: unknown key, not used; did you mean "http"?']);
});

for (const [baseUrl, endpoint, isNoted] of [
  ['https://a.example/v1', 'users', true],
  ['https://a.example/v1/', 'users', false],
  ['https://a.example', 'users', false],
  ['https://a.example/v1', '/users', false],
  ['https://a.example/v1', '?page=1', false],
  ['https://a.example/v1', 'https://b.example/users', false],
] as const) {
  test(`${isNoted ? 'notes' : 'does not note'} a base URL ${baseUrl} with the endpoint ${endpoint}`, () => {
    const { notices } = parseConfig(fromPlain({ api: { baseUrl }, config: { jobs: [{ endpoint }] } }));
    assert.equal(
      notices.map(({ level, code }) => [level, code]),
      isNoted ? [['info', 'base-url-slash']] : [],
    );
    if (isNoted) assert.match(notices[0]?.message ?? '', 'did you mean it to end with "/"?');
  });
}

test('a method is suggested by its beginning too', () => {
  const { problems } = inspect(
    fromPlain({
      api: { baseUrl: 'https://a.example/', pagination: { method: 'page' } },
      config: { jobs: [{ endpoint: 'users' }] },
    }),
  );
  assert.match(problems[0]?.message ?? '', /did you mean "pagenum"\?$/);
});

test('an action other than run is rejected', () => {
  const action = (value: string) => new Map([...documentOf({}), ['action', fromPlain(value)]]);
  assert.equal(problemsOf(action('run')), []);
  assert.equal(problemsOf(action('test')), ['action: not supported yet; expected "run"']);
});

test.run();
