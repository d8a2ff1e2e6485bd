/**
 * Shapes that are odd and legal: what PHP writes for nothing, numbers as texts, objects for lists. The reader and the
 * schema take them alike, without a word.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inspect } from '../../src/config/parse-config.js';
import { fromPlain } from '../../src/core/json/exact.js';
import { faultsBySchema } from './schema/judge.js';

type Make = (value: unknown) => object;

const jobs = [{ endpoint: 'users' }];
const inDocument = (over: object) => ({ api: { baseUrl: 'https://api.example/' }, config: { jobs }, ...over });
const inApi = (over: object) => inDocument({ api: { baseUrl: 'https://api.example/', ...over } });
const inConfig = (over: object) => inDocument({ config: { jobs, ...over } });
const inHttp = (over: object) => inApi({ http: over });
const inDefaults = (over: object) => inHttp({ defaultOptions: over });
const inRetry = (over: object) => inApi({ retryConfig: over });
const inJob = (over: object) => inConfig({ jobs: [{ endpoint: 'users', ...over }] });
const inChild = (over: object) => inJob({ children: [{ endpoint: 'user/{id}', placeholders: { id: 'id' }, ...over }] });
const inLogin = (over: object) =>
  inApi({ authentication: { type: 'login', loginRequest: { endpoint: 'login' }, ...over } });
const inLoginRequest = (over: object) => inLogin({ loginRequest: { endpoint: 'login', ...over } });
const paging = (over: object) => inApi({ pagination: over });
const inPagenum = (over: object) => paging({ method: 'pagenum', ...over });
const inOffset = (over: object) => paging({ method: 'offset', limit: 1, ...over });
const inUrl = (over: object) => paging({ method: 'response.url', ...over });
const inCursor = (over: object) => paging({ method: 'cursor', idKey: 'id', param: 'since', ...over });
const inParam = (over: object) =>
  paging({ method: 'response.param', responseParam: 'next', queryParam: 'page', ...over });
const inScroll = (over: object) => inParam({ scrollRequest: { endpoint: 'more', ...over } });

const zeros = [0, '0'];
const nothing = [null, '', false, [], {}];

/** Where whatever PHP takes for empty is none. */
const optional: Readonly<Record<string, Make>> = {
  'api.http': (value) => inApi({ http: value }),
  'api.authentication': (value) => inApi({ authentication: value }),
  'api.pagination': (value) => inApi({ pagination: value }),
  'api.retryConfig': (value) => inApi({ retryConfig: value }),
  'api.query': (value) => inApi({ query: value }),
  'api.name': (value) => inApi({ name: value }),
  'api.http.headers': (value) => inHttp({ headers: value }),
  'api.http.requiredHeaders': (value) => inHttp({ requiredHeaders: value }),
  'api.http.ignoreErrors': (value) => inHttp({ ignoreErrors: value }),
  'api.http.defaultOptions': (value) => inHttp({ defaultOptions: value }),
  'api.http.defaultOptions.params': (value) => inDefaults({ params: value }),
  'api.http.defaultOptions.headers': (value) => inDefaults({ headers: value }),
  'api.http.defaultOptions.method': (value) => inDefaults({ method: value }),
  'api.retryConfig.http': (value) => inRetry({ http: value }),
  'api.retryConfig.http.retryHeader': (value) => inRetry({ http: { retryHeader: value } }),
  'api.retryConfig.curl': (value) => inRetry({ curl: value }),
  'api.retryConfig.headerName': (value) => inRetry({ headerName: value }),
  'config.http': (value) => inConfig({ http: value }),
  'config.http.headers': (value) => inConfig({ http: { headers: value } }),
  'config.userData': (value) => inConfig({ userData: value }),
  'config.mappings': (value) => inConfig({ mappings: value }),
  'config.outputBucket': (value) => inConfig({ outputBucket: value }),
  'config.id': (value) => inConfig({ id: value }),
  'config.compatLevel': (value) => inConfig({ compatLevel: value }),
  'config.debug': (value) => inConfig({ debug: value }),
  'config.incrementalOutput': (value) => inConfig({ incrementalOutput: value }),
  iterations: (value) => inDocument({ iterations: value }),
  aws: (value) => inDocument({ aws: value }),
  'aws.signature': (value) => inDocument({ aws: { signature: value } }),
  'aws.signature.credentials': (value) => inDocument({ aws: { signature: { credentials: value } } }),
  authorization: (value) => inDocument({ authorization: value }),
  image_parameters: (value) => inDocument({ image_parameters: value }),
  'image_parameters.allowed_hosts': (value) => inDocument({ image_parameters: { allowed_hosts: value } }),
  action: (value) => inDocument({ action: value }),
  'job.method': (value) => inJob({ method: value }),
  'job.params': (value) => inJob({ params: value }),
  'job.headers': (value) => inJob({ headers: value }),
  'job.dataField': (value) => inJob({ dataField: value }),
  'job.dataField.delimiter': (value) => inJob({ dataField: { path: 'a', delimiter: value } }),
  'job.dataType': (value) => inJob({ dataType: value }),
  'job.scroller': (value) => inJob({ scroller: value }),
  'job.responseFilter': (value) => inJob({ responseFilter: value }),
  'job.lists': (value) => inJob({ lists: value }),
  'job.responseFilterDelimiter': (value) => inJob({ responseFilterDelimiter: value }),
  'job.children': (value) => inJob({ children: value }),
  'job.placeholders': (value) => inJob({ placeholders: value }),
  'job.recursionFilter': (value) => inJob({ recursionFilter: value }),
  'job.userData': (value) => inJob({ userData: value }),
  'job.id': (value) => inJob({ id: value }),
  'child.params': (value) => inChild({ params: value }),
  'child.headers': (value) => inChild({ headers: value }),
  'child.recursionFilter': (value) => inChild({ recursionFilter: value }),
  'child.userData': (value) => inChild({ userData: value }),
  'child.children': (value) => inChild({ children: value }),
  'grandchild.placeholders': (value) => inChild({ children: [{ endpoint: 'x/{id}', placeholders: value }] }),
  'login.loginRequest.params': (value) => inLoginRequest({ params: value }),
  'login.loginRequest.headers': (value) => inLoginRequest({ headers: value }),
  'login.loginRequest.method': (value) => inLoginRequest({ method: value }),
  'login.apiRequest': (value) => inLogin({ apiRequest: value }),
  'login.apiRequest.headers': (value) => inLogin({ apiRequest: { headers: value } }),
  'login.apiRequest.query': (value) => inLogin({ apiRequest: { query: value } }),
  limitStop: (value) => inPagenum({ limitStop: value }),
  'limitStop.count': (value) => inPagenum({ limitStop: { field: 'total', count: value } }),
  'limitStop.field': (value) => inPagenum({ limitStop: { field: value, count: 1 } }),
  forceStop: (value) => inPagenum({ forceStop: value }),
  'forceStop.pages': (value) => inPagenum({ forceStop: { pages: value } }),
  'forceStop.time': (value) => inPagenum({ forceStop: { time: value } }),
  'forceStop.volume': (value) => inPagenum({ forceStop: { volume: value } }),
  nextPageFlag: (value) => inPagenum({ nextPageFlag: value }),
  'pagenum.limit': (value) => inPagenum({ limit: value }),
  'pagenum.limitParam': (value) => inPagenum({ limitParam: value }),
  'pagenum.pageParam': (value) => inPagenum({ pageParam: value }),
  'offset.limitParam': (value) => inOffset({ limitParam: value }),
  'offset.offsetParam': (value) => inOffset({ offsetParam: value }),
  'response.url.urlKey': (value) => inUrl({ urlKey: value }),
  'response.url.delimiter': (value) => inUrl({ delimiter: value }),
  'response.param.scrollRequest': (value) => inParam({ scrollRequest: value }),
  'response.param.scrollRequest.endpoint': (value) => inParam({ scrollRequest: { method: 'GET', endpoint: value } }),
  'response.param.scrollRequest.method': (value) => inScroll({ method: value }),
  'response.param.scrollRequest.params': (value) => inScroll({ params: value }),
  'cursor.increment': (value) => inCursor({ increment: value }),
  'multiple.default': (value) =>
    paging({ method: 'multiple', scrollers: { a: { method: 'pagenum' } }, default: value }),
};

/** Where 0 means something. */
const withZero: Readonly<Record<string, Make>> = {
  'api.retryConfig.maxRetries': (value) => inRetry({ maxRetries: value }),
  'login.expires': (value) => inLogin({ expires: value }),
  'pagenum.firstPage': (value) => inPagenum({ firstPage: value }),
};

const switches: Readonly<Record<string, Make>> = {
  'login.expires.relative': (value) => inLogin({ expires: { response: 'until', relative: value } }),
  'pagenum.firstPageParams': (value) => inPagenum({ firstPageParams: value }),
  'offset.firstPageParams': (value) => inOffset({ firstPageParams: value }),
  'offset.offsetFromJob': (value) => inOffset({ offsetFromJob: value }),
  'response.param.includeParams': (value) => inParam({ includeParams: value }),
  'response.url.includeParams': (value) => inUrl({ includeParams: value }),
  'response.url.paramIsQuery': (value) => inUrl({ paramIsQuery: value }),
  'cursor.reverse': (value) => inCursor({ reverse: value }),
  'config.incrementalOutput': (value) => inConfig({ incrementalOutput: value }),
  'config.debug': (value) => inConfig({ debug: value }),
};

const numbers: Readonly<Record<string, Make>> = {
  'api.retryConfig.maxRetries': (value) => inRetry({ maxRetries: value }),
  'api.http.connectTimeout': (value) => inHttp({ connectTimeout: value }),
  'api.http.requestTimeout': (value) => inHttp({ requestTimeout: value }),
  'login.expires': (value) => inLogin({ expires: value }),
  'pagenum.limit': (value) => inPagenum({ limit: value }),
  'pagenum.firstPage': (value) => inPagenum({ firstPage: value }),
  'offset.limit': (value) => inOffset({ limit: value }),
  'cursor.increment': (value) => inCursor({ increment: value }),
  'limitStop.count': (value) => inPagenum({ limitStop: { count: value } }),
  'forceStop.pages': (value) => inPagenum({ forceStop: { pages: value } }),
  'forceStop.volume': (value) => inPagenum({ forceStop: { volume: value } }),
  'forceStop.time': (value) => inPagenum({ forceStop: { time: value } }),
  'pagination.pages': (value) => inPagenum({ pages: value }),
};

const baseUrl = 'https://api.example/';
const wrapped = { parameters: { api: { baseUrl }, config: { jobs } } };
const list = (...elements: readonly unknown[]) =>
  Object.fromEntries([...elements.entries()].map(([at, each]) => [at * 2, each]));

/** Complete documents that run as written. */
const documents: Readonly<Record<string, object>> = {
  'what the platform writes beside the parameters': {
    ...wrapped,
    storage: { input: { tables: [] }, output: {} },
    processors: { before: [], after: [{ definition: { component: 'x' } }] },
    runtime: { tag: '1.0.0' },
    artifacts: {},
    image_parameters: { '#key': 'x' },
    authorization: { workspace: {} },
    shared_code_id: '5',
    shared_code_row_ids: ['a'],
    variables_id: '5',
    variables_values_id: '6',
    action: 'run',
  },
  'empty lists in the place of every section': {
    ...wrapped,
    authorization: [],
    image_parameters: [],
    storage: [],
    parameters: {
      api: { baseUrl, http: [], authentication: [], pagination: [], retryConfig: [] },
      config: { http: [], mappings: [], userData: [], jobs },
      iterations: [],
      aws: [],
    },
  },
  'jobs, children and iterations by keys': {
    parameters: {
      api: { baseUrl },
      config: {
        jobs: {
          users: { endpoint: 'users', children: { one: { endpoint: 'user/{id}', placeholders: { id: 'id' } } } },
        },
      },
      iterations: { first: { a: 1 }, second: [] },
    },
  },
  'lists that have lost an element': inApi({
    http: { requiredHeaders: {}, ignoreErrors: list(404, '405') },
    retryConfig: { http: { codes: list(500) }, curl: { codes: list(7) } },
  }),
  'the old form of retries': inRetry({ headerName: 'X-Reset', httpCodes: ['500'], curlCodes: [], maxRetries: '3' }),
  'parameters in a list': inJob({ params: ['a', ['b']] }),
  'a function as the base URL': inDocument({
    api: { baseUrl: { function: 'concat', args: ['https://', { attr: 'host' }, '/'] } },
    config: { host: 'api.example', jobs },
  }),
  'a reference as the base URL': inDocument({ api: { baseUrl: { attr: 'host' } }, config: { host: baseUrl, jobs } }),
};

for (const [what, document] of Object.entries(documents)) {
  test(`${what} run as written`, () => assert.equal(faultsOf(document), []));
}

function faultsOf(document: object): readonly string[] {
  const exact = fromPlain(document);
  const { problems, notices } = inspect(exact);
  const warnings = notices.filter(({ level }) => level === 'warning');
  return [
    ...problems.map(({ path, message }) => `${path}: ${message}`),
    ...warnings.map(({ message }) => message),
  ].concat(faultsBySchema(exact).map((fault) => `schema: ${fault}`));
}

function taken(what: string, places: Readonly<Record<string, Make>>, values: readonly unknown[]): void {
  for (const [place, make] of Object.entries(places)) {
    test(`${place} may be ${what}`, () => {
      for (const value of values) assert.equal(faultsOf(make(value)), [], JSON.stringify(value));
    });
  }
}

taken('whatever is empty', optional, [...nothing, ...zeros]);
taken('whatever is empty, and 0', withZero, [...nothing, ...zeros]);
taken('true or false in other forms', switches, [true, false, 1, 0, '1', '0', 'true', '', null]);
taken('a whole number in other forms', numbers, [2, '2', 2.0, '2.0']);

test.run();
