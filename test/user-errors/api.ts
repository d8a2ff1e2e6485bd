/** Addresses, headers, methods, redirects, retries. */
import { mainOrigin } from '../loopback/replay.js';
import { step } from '../traces/trace.js';
import type { Row } from './row.js';

const required = /required/;
const address = /an http or https URL with a host/;
const job = (over: object): Pick<Row, 'jobs'> => ({ jobs: [{ endpoint: 'users', ...over }] });
const call = (name: string, ...args: readonly unknown[]) => ({ function: name, args });

const addresses: readonly Row[] = [
  { rule: 'no baseUrl', api: { baseUrl: undefined }, problems: [['api.baseUrl', required]] },
  { rule: 'a baseUrl that is null', api: { baseUrl: null }, problems: [['api.baseUrl', required]] },
  ...['', 'api.test', '/v1/', 'ftp://api.test/', 'http://', '{"attr"', '[]', 5, true, [], {}].map(
    (baseUrl): Row => ({
      rule: `a baseUrl that is ${JSON.stringify(baseUrl)}`,
      api: { baseUrl },
      problems: [['api.baseUrl', address]],
    }),
  ),
  {
    rule: 'a function that gives no address',
    api: { baseUrl: call('concat', 'api.', { attr: 'host' }) },
    config: { host: 'test' },
    problems: [['api.baseUrl', /gives no http or https URL/]],
  },
  {
    rule: 'the same below parameters',
    document: {
      parameters: {
        api: { baseUrl: { attr: '#host' } },
        config: { '#host': 'hush-hush-9', jobs: [{ endpoint: 'users' }] },
      },
    },
    problems: [['parameters.api.baseUrl', /gives no http or https URL/]],
  },
  {
    rule: 'a function that gives no text',
    api: { baseUrl: call('time') },
    problems: [['api.baseUrl', /gives no http or https URL/]],
  },
  {
    rule: 'a JSON-encoded function that gives no address',
    api: { baseUrl: '{"function":"concat","args":["api.",{"attr":"host"}]}' },
    config: { host: 'test' },
    problems: [['api.baseUrl', /gives no http or https URL/]],
  },
  {
    rule: 'a JSON-encoded function that is unknown',
    api: { baseUrl: '{"function":"conct","args":["https://api.test/"]}' },
    problems: [['api.baseUrl.function', /did you mean "concat"/]],
  },
  {
    rule: 'an endpoint that reads as an address of its own',
    jobs: [{ endpoint: 'users' }, { endpoint: 'users:search' }],
    problems: [['config.jobs[1].endpoint', /"\.\/a:b"/]],
  },
  {
    rule: 'an endpoint without a host',
    jobs: [{ endpoint: 'users' }, { endpoint: 'http:///users' }],
    problems: [['config.jobs[1].endpoint', /host/]],
  },
  {
    rule: 'an address that a placeholder makes, and is none',
    jobs: [{ endpoint: 'users', children: [{ endpoint: '{link}', dataType: 'more', placeholders: { link: 'link' } }] }],
    steps: [step('GET users', [{ link: 'mailto:joe' }])],
    code: 'ERR_REQUEST',
    says: /scheme/,
    job: 'more',
    page: 0,
  },
];

const keys: readonly Row[] = [
  {
    rule: 'a caCertificate that is no text',
    api: { caCertificate: 5 },
    problems: [['api.caCertificate', /a string/]],
  },
  {
    rule: 'a #clientCertificate that is no text',
    api: { '#clientCertificate': ['x'] },
    problems: [['api.#clientCertificate', /a string/]],
  },
  {
    rule: 'certificates that are none',
    api: { caCertificate: 'x', '#clientCertificate': 'x' },
    problems: [
      ['api.caCertificate', /PEM/],
      ['api.#clientCertificate', /PEM/],
    ],
  },
  {
    rule: 'pagination.pages that is no whole number',
    api: { pagination: { method: 'pagenum', pages: 'many' } },
    problems: [['api.pagination.pages', /a whole number/]],
  },
  { rule: 'an http that is no object', api: { http: 'x' }, problems: [['api.http', /an object/]] },
  {
    rule: 'statuses to ignore that are none',
    api: { http: { ignoreErrors: ['many'] } },
    problems: [['api.http.ignoreErrors[0]', /a whole number/]],
  },
  {
    rule: 'retries that are no number',
    api: { retryConfig: { maxRetries: 'often', http: { codes: ['x'] } } },
    problems: [
      ['api.retryConfig.maxRetries', /a whole number/],
      ['api.retryConfig.http.codes[0]', /a whole number/],
    ],
  },
];

const headers: readonly Row[] = [
  {
    rule: 'a required header that is missing',
    api: { http: { requiredHeaders: ['X-Token'] } },
    problems: [['config.http.headers.X-Token', /api\.http\.requiredHeaders/]],
  },
  {
    rule: 'a required header that is empty',
    api: { http: { requiredHeaders: ['X-Token'] } },
    config: { http: { headers: { 'X-Token': '' } } },
    problems: [['config.http.headers.X-Token', /api\.http\.requiredHeaders/]],
  },
  {
    rule: 'a required header in another case',
    api: { http: { requiredHeaders: ['X-Token'], headers: { 'X-Token': 'of the api' } } },
    config: { http: { headers: { 'x-token': 'a' } } },
    problems: [['config.http.headers.X-Token', /"x-token"/]],
  },
  {
    rule: 'an object as a header',
    api: { http: { headers: { Authorization: { a: 1, b: 2 } } } },
    config: { http: { headers: { 'X-A': { attr: 1, b: 2 } } } },
    problems: [
      ['api.http.headers.Authorization', /an object/],
      ['config.http.headers.X-A', /an object/],
    ],
  },
  {
    rule: 'an object in the list of a header',
    api: { http: { headers: { Authorization: [{ a: 1 }] } } },
    problems: [['api.http.headers.Authorization[0]', /an object/]],
  },
  {
    rule: 'a header whose function gives a line break',
    api: { http: { headers: { 'X-A': call('concat', 'a', { attr: 'b' }) } } },
    config: { b: '\n:' },
    code: 'ERR_FUNCTION',
    says: /api\.http\.headers\.X-A: .*character/,
  },
  {
    rule: 'headers of a job that are a text',
    ...job({ headers: 'X' }),
    problems: [['config.jobs[0].headers', /an object/]],
  },
];

const methods: readonly Row[] = [
  {
    rule: 'a method that does not exist, before anything is asked',
    jobs: [{ endpoint: 'users' }, { endpoint: 'orders', method: 'FETCH' }],
    problems: [['config.jobs[1].method', /"GET", "POST", "FORM"/]],
  },
  {
    rule: 'the same in defaultOptions and in a child',
    api: { http: { defaultOptions: { method: 'GOT' } } },
    ...job({ children: [{ endpoint: 'user/{id}', method: 'PST', placeholders: { id: 'id' } }] }),
    problems: [
      ['api.http.defaultOptions.method', /did you mean "GET"/],
      ['config.jobs[0].children[0].method', /did you mean "POST"/],
    ],
  },
];

const turn = (at: number) => step(`GET r${at}`, { status: 302, headers: { location: `r${at + 1}` } });

const answers: readonly Row[] = [
  {
    rule: 'more than five redirects',
    ...job({ endpoint: 'r0' }),
    steps: [0, 1, 2, 3, 4, 5].map(turn),
    code: 'ERR_REDIRECT',
    says: /GET .*\/v1\/r0: more than 5 redirects/,
    job: 'r0',
    page: 0,
  },
  {
    rule: 'a redirect to what is no address',
    steps: [step('GET users', { status: 302, headers: { location: 'ftp://api.test/' } })],
    code: 'ERR_REDIRECT',
    says: /ftp|http or https/,
    job: 'users',
    page: 0,
  },
  {
    rule: 'the last failure when retries are used up',
    api: { retryConfig: { maxRetries: 2 } },
    steps: [503, 503, 503].map((status) =>
      step('GET users', { status, headers: { 'retry-after': '1' }, body: `busy at ${mainOrigin}` }),
    ),
    code: 'ERR_STATUS',
    says: /GET .*\/v1\/users failed with status 503: busy/,
    job: 'users',
    page: 0,
  },
];

export const api: readonly Row[] = [...addresses, ...keys, ...headers, ...methods, ...answers];
