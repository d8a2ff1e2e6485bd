/** Expressions, at the places that evaluate them. */
import { step } from '../traces/trace.js';
import type { Row } from './row.js';

const call = (name: unknown, ...args: readonly unknown[]) => ({ function: name, args });
const here = 'config.jobs[0].params.p';

/** An expression as a parameter of a job: found before anything is asked, by its path. */
const found = (rule: string, p: unknown, path: string, says: RegExp): Row => ({
  rule,
  config: { list: ['a'], nothing: null, object: { a: 1 }, '#key': 'hush-hush-1' },
  jobs: [{ endpoint: 'users', params: { p } }],
  problems: [[`${here}${path}`, says]],
});

/** One that only its evaluation finds, which is before anything is asked, too. */
const failing = (rule: string, p: unknown, says: RegExp): Row => ({
  rule,
  jobs: [{ endpoint: 'orders' }, { endpoint: 'users', dataType: 'people', params: { p } }],
  code: 'ERR_FUNCTION',
  says: new RegExp(`^config\\.jobs\\[1\\]\\.params\\.p: .*${says.source}`),
  job: 'people',
});

const known: readonly Row[] = [
  found('a function without a name', { function: null }, '.function', /the name of a function/),
  found('arguments that are no list', { function: 'md5', args: 'x' }, '.args', /a list of arguments/),
  found('an object of one key that is a reference', { time: { a: 1 } }, '.time', /a path/),
  found('an unknown function', call('sha3', 'x'), '.function', /unknown function.*"sha1"/),
  found('names of functions have their case', call('MD5', 'x'), '.function', /did you mean "md5"/),
  found('a function within another', call('md5', call('md', 'x')), '.args[0].function', /unknown function/),
  found('a function that belongs to placeholders', call('urlencode', 'x'), '.function', /`placeholders`/),
  found('a key that is not there', { attr: 'key' }, '.attr', /did you mean "#key"/),
  found('the jobs, which are no attribute', { attr: 'jobs.0.endpoint' }, '.attr', /no such key/),
  found('a key that is null', { attr: 'nothing' }, '.attr', /single value, found null/),
  found('a key that is an object', { attr: 'object' }, '.attr', /single value, found an object/),
  found('a key that is a list', { attr: 'list' }, '.attr', /single value, found a list/),
  found('a key that is itself an object', { attr: { attr: '#key' } }, '.attr', /a key of `config`, found an object/),
  found(
    'ifempty does not rescue a key that is not there',
    call('ifempty', { attr: 'x' }, 'y'),
    '.args[0].attr',
    /no such key/,
  ),
  ...[
    ['md5'],
    ['md5', 'a', 'b'],
    ['sha1'],
    ['hash', 'md5'],
    ['hash_hmac', 'md5', 'a'],
    ['base64_encode'],
    ['time', 1],
    ['date'],
    ['date', 'Y', 0, 0],
    ['strtotime'],
    ['sprintf'],
    ['implode', ','],
    ['ifempty', 'a'],
    ['ifempty', 'a', 'b', 'c'],
  ].map(([name, ...args]) =>
    found(`${name} with ${args.length} arguments`, call(name, ...args), '.args', new RegExp(`found ${args.length}$`)),
  ),
];

const evaluated: readonly Row[] = [
  failing('an algorithm that no one knows', call('hash', 'sha99', 'x'), /hash.*algorithm/),
  failing('a checksum where a key goes along', call('hash_hmac', 'crc32', 'x', 'k'), /hash_hmac/),
  failing('implode of what is no list', call('implode', ',', 'x'), /implode.*a list/),
  failing('implode of lists in a list', call('implode', ',', [['x']]), /implode.*a list/),
  failing('md5 of a list', call('md5', ['x']), /md5.*a list/),
  failing('concat of an object', call('concat', { a: 1, b: 2 }), /concat.*an object/),
  failing('sprintf with too few values', call('sprintf', '%s-%s', 'a'), /sprintf.*2 values.*found 1/),
  failing('sprintf with a value that counts from 0', call('sprintf', '%0$s', 'a'), /sprintf.*from 1/),
  failing('sprintf with a directive that is not known', call('sprintf', '%q', 'a'), /sprintf.*directive/),
  failing('sprintf of a list', call('sprintf', '%s', ['a']), /sprintf.*a list/),
  failing('date of a text', call('date', 'Y', 'yesterday'), /date.*seconds/),
  failing(
    'date of what strtotime does not understand',
    call('date', 'Y', call('strtotime', 'when the cows come home')),
    /date.*seconds.*false/,
  ),
  failing('strtotime from a base that is no number', call('strtotime', '-1 day', 'noon'), /strtotime.*seconds/),
  failing('a key that time does not have', { time: 'previousStrt' }, /time "previousStrt".*"previousStart"/),
];

/** Errors that only a request shows. */
const asked = (rule: string, query: object, says: RegExp): Row => ({
  rule,
  api: { authentication: { type: 'query', query } },
  code: 'ERR_FUNCTION',
  says,
  job: 'users',
  page: 0,
});

const places: readonly Row[] = [
  {
    rule: 'each place has references of its own: a header knows no time, a login no response',
    api: {
      http: { headers: { 'X-A': { time: 'currentStart' } } },
      authentication: { type: 'login', loginRequest: { endpoint: 'login', headers: { 'X-B': { response: 'a' } } } },
    },
    problems: [
      ['api.http.headers.X-A', /an object/],
      ['api.authentication.loginRequest.headers.X-B', /an object/],
    ],
  },
  {
    rule: 'faults in every place that evaluates',
    api: {
      baseUrl: call('conct', 'https://api.test/'),
      http: { headers: { 'X-A': { attr: 'x' } } },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', params: { a: { attr: 'x' } }, headers: { 'X-B': { attr: 'x' } } },
        apiRequest: { headers: { 'X-C': call('md6') }, query: { c: { response: {} } } },
      },
    },
    config: { http: { headers: { 'X-D': { attr: 'x' } } }, userData: { a: { attr: 'x' } } },
    jobs: [
      {
        endpoint: 'users',
        userData: { b: { attr: 'x' } },
        children: [
          {
            endpoint: 'user/{id}',
            params: { c: { attr: 'x' } },
            placeholders: { id: { path: 'id', ...call('md6', { placeholder: 'value' }) } },
          },
        ],
      },
    ],
    problems: [
      ['api.baseUrl.function', /unknown function/],
      ['api.http.headers.X-A.attr', /no such key/],
      ['api.authentication.loginRequest.params.a.attr', /no such key/],
      ['api.authentication.loginRequest.headers.X-B.attr', /no such key/],
      ['api.authentication.apiRequest.headers.X-C.function', /unknown function/],
      ['api.authentication.apiRequest.query.c.response', /a path/],
      ['config.http.headers.X-D.attr', /no such key/],
      ['config.userData.a.attr', /no such key/],
      ['config.jobs[0].userData.b.attr', /no such key/],
      ['config.jobs[0].children[0].params.c.attr', /no such key/],
      ['config.jobs[0].children[0].placeholders.id.function', /unknown function/],
    ],
  },
  {
    rule: 'a part of the request that there is not',
    api: { authentication: { type: 'query', query: { a: { request: 'host' } } } },
    problems: [['api.authentication.query.a.request', /"hostname"/]],
  },
  asked('a parameter that the request does not have', { a: { query: 'page' } }, /query "page"/),
  asked(
    'a function of the request that fails',
    { a: call('date', 'Y', { request: 'path' }) },
    /api\.authentication\.query\.a.*date.*seconds/,
  ),
  {
    rule: 'the same, of the second page',
    api: {
      authentication: { type: 'query', query: { a: { query: 'page' } } },
      pagination: { method: 'response.url' },
    },
    jobs: [{ endpoint: 'users?page=1', dataType: 'users', dataField: 'items' }],
    steps: [step('GET users?page=1&a=1', { items: [1], next_page: 'users?set=2' })],
    code: 'ERR_FUNCTION',
    says: /query "page"/,
    job: 'users',
    page: 1,
  },
];

export const functions: readonly Row[] = [...known, ...evaluated, ...places];
