/**
 * Traces of odd and legal shapes: what goes out is what goes out without them. docs/01-configuration.md#the-document,
 * docs/01-configuration.md#api.
 */
import { step, type Trace } from './trace.js';

export const shapes: readonly Trace[] = [
  {
    rule: 'a base URL that is a function written as a text',
    api: { baseUrl: '{"function":"concat","args":[{"attr":"host"},"/v1/",{"attr":"tenant"},"/"]}' },
    config: { host: 'http://api.test', tenant: 't1' },
    steps: [step('GET t1/users', [])],
    warnings: ['deprecated'],
  },
  {
    rule: 'a base URL that is a function, one for each iteration',
    api: { baseUrl: { function: 'sprintf', args: ['%s/v1/%s/', { attr: 'host' }, { attr: 'tenant' }] } },
    config: { host: 'http://api.test' },
    iterations: [{ tenant: 't1' }, { tenant: 't2' }],
    steps: [step('GET t1/users', [{ id: 1 }]), step('GET t2/users', [{ id: 2 }])],
  },
  {
    rule: 'jobs by keys run in the order of the keys, numbers or not',
    jobs: { second: { endpoint: 'b' }, 10: { endpoint: 'd' }, 2: { endpoint: 'c' } },
    steps: [step('GET c', []), step('GET d', []), step('GET b', [])],
  },
  {
    rule: 'iterations by keys, one of them empty',
    config: { n: 0 },
    jobs: [{ endpoint: 'users', params: { n: { attr: 'n' } } }],
    iterations: { a: { n: 1 }, b: [] },
    steps: [step('GET users?n=1', [{ id: 1 }]), step('GET users?n=0', [{ id: 2 }])],
  },
  {
    rule: 'empty lists where objects are meant',
    api: {
      http: { headers: [], defaultOptions: { params: [], headers: [] }, requiredHeaders: [], ignoreErrors: [] },
      authentication: [],
      pagination: [],
      retryConfig: [],
    },
    config: { http: { headers: [] }, userData: [], mappings: [] },
    jobs: [
      {
        endpoint: 'users',
        method: '',
        params: [],
        headers: [],
        dataField: '',
        responseFilter: [],
        placeholders: [],
        children: [],
        userData: [],
      },
    ],
    steps: [step('GET users', [{ id: 1 }])],
    items: { users: [{ id: 1 }] },
  },
  {
    rule: 'a POST without parameters, with an empty list and with an empty object of them: each time an empty list',
    api: { http: { defaultOptions: { method: 'post' } } },
    jobs: [
      { endpoint: 'a' },
      { endpoint: 'b', params: [] },
      { endpoint: 'c', params: {} },
      { endpoint: 'd', params: { e: {} } },
    ],
    steps: [
      ...['a', 'b', 'c'].map((path) => step(`POST ${path}`, [], { body: '[]' })),
      step('POST d', [], { body: '{"e":[]}' }),
    ],
  },
  {
    rule: 'parameters in a list: by their indexes, of which GET loses the first',
    jobs: [
      { endpoint: 'a', params: ['x', ['y', 'z']] },
      { endpoint: 'b', method: 'POST', params: ['x', ['y']] },
    ],
    steps: [step('GET a?1%5B0%5D=y&1%5B1%5D=z', []), step('POST b', [], { body: '["x",["y"]]' })],
  },
  {
    rule: 'numbers as texts, switches as numbers, empty names',
    api: {
      pagination: {
        method: 'pagenum',
        limit: '2',
        limitParam: '',
        pageParam: '',
        firstPage: '0',
        firstPageParams: 1,
        forceStop: [],
        limitStop: { count: '3', field: '' },
      },
    },
    steps: [step('GET users?page=0&limit=2', [1, 2]), step('GET users?page=1&limit=2', [3, 4])],
    items: { users: [1, 2, 3, 4] },
  },
  {
    rule: 'an empty first page is no number, and a switch that is 0 is off',
    api: { pagination: { method: 'pagenum', limit: 0, firstPage: '', firstPageParams: '0' } },
    steps: [step('GET users', [1]), step('GET users?page=2', [])],
  },
  {
    rule: 'an empty scrollRequest is none, its empty keys are those of the job',
    api: {
      pagination: {
        method: 'response.param',
        responseParam: 'next',
        queryParam: 'page',
        includeParams: 'true',
        scrollRequest: { endpoint: '', method: '', params: { x: 1 } },
      },
    },
    jobs: [{ endpoint: 'search', method: 'FORM', params: { q: 'a' }, dataField: 'items' }],
    steps: [
      step('POST search', { items: [1], next: 'b' }, { body: 'q=a' }),
      step('POST search', { items: [2], next: [] }, { body: 'q=a&x=1&page=b' }),
    ],
  },
  {
    rule: 'a pagination without a method, and an authentication without a type',
    api: { pagination: { limitStop: { count: 5 } }, authentication: { type: '' } },
    steps: [step('GET users', [1], { headers: { authorization: null } })],
    warnings: ['no-type'],
  },
  {
    rule: 'the old form of retries takes the place of the present one',
    api: {
      retryConfig: {
        maxRetries: '1',
        http: { codes: [404], retryHeader: 'X-Never' },
        httpCodes: [500],
        headerName: 'X-Reset',
        curlCodes: [],
      },
    },
    steps: [step('GET users', { status: 500, headers: { 'x-reset': '-1', 'x-never': '60' } }), step('GET users', [])],
  },
];
