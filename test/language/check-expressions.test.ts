import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../src/config/parse-config.js';
import { documentOf, fakes, type Parts, problemsOf, warningsOf } from '../config/fakes.js';

const config = { '#token': 'abc', 'a.b': 1, server: { port: 80, tags: ['x'] }, off: false, none: null };

const call = (name: unknown, ...args: readonly unknown[]) => ({ function: name, args });

/** One expression at each place that evaluates expressions over `attr`. */
const placesFor = (expression: unknown): readonly (readonly [string, Parts])[] => [
  ['api.baseUrl', { api: { baseUrl: expression }, config }],
  ['api.http.headers.X', { api: { http: { headers: { X: expression } } }, config }],
  ['config.http.headers.X', { config: { ...config, http: { headers: { X: expression } } } }],
  ['config.jobs[0].params.x', { config, job: { params: { x: expression } } }],
  ...['params', 'headers'].map((member) => {
    const loginRequest = { endpoint: 'login', [member]: { x: expression } };
    const api = { authentication: { type: 'login', loginRequest } };
    return [`api.authentication.loginRequest.${member}.x`, { api, config }] as const;
  }),
  ...['query', 'headers'].map((member) => {
    const apiRequest = { [member]: { x: expression } };
    const api = { authentication: { type: 'login', loginRequest: { endpoint: 'login' }, apiRequest } };
    return [`api.authentication.apiRequest.${member}.x`, { api, config }] as const;
  }),
];

const right = [
  { attr: '#token' },
  { attr: 'a.b' },
  { attr: 'server.port' },
  { attr: 'server.tags.0' },
  { attr: 'off' },
  call('sha1', 'x'),
  call('concat', 'Bearer ', { attr: '#token' }, [{ attr: 'off' }]),
  { function: 'concat' },
  { function: 'concat', args: { left: 'a', right: { attr: '#token' } } },
];

for (const expression of right) {
  test(`${JSON.stringify(expression)} is right everywhere`, () => {
    for (const [path, parts] of placesFor(expression)) assert.equal(warningsOf(documentOf(parts)), [], path);
  });
}

const wrong = [
  [
    call('base64encode', 'x'),
    '.function: unknown function, expected one of "base64_encode", "concat", "sha1"; did you mean "base64_encode"?',
  ],
  [
    call('Sha1', 'x'),
    '.function: unknown function, expected one of "base64_encode", "concat", "sha1"; did you mean "sha1"?',
  ],
  [call('toString'), '.function: unknown function, expected one of "base64_encode", "concat", "sha1"'],
  [call('urlencode', 'x'), '.function: this function can only be called in `placeholders`'],
  [call(5), '.function: expected the name of a function, found a number'],
  [{ function: 'concat', args: 'x' }, '.args: expected a list of arguments, found a string'],
  [call('sha1'), '.args: expected 1 argument (text), found 0'],
  [call('sha1', 'a', 'b'), '.args: expected 1 argument (text), found 2'],
  [call('concat', call('concat', { attr: 'tokn' })), '.args[0].args[0].attr: there is no such key in `config`'],
  [{ attr: '#tokn' }, '.attr: there is no such key in `config`; did you mean "#token"?'],
  [{ attr: 'token' }, '.attr: there is no such key in `config`; did you mean "#token"?'],
  [{ attr: 'server.prt' }, '.attr: there is no such key in `config`; did you mean "server.port"?'],
  [{ attr: 'jobs.0.endpoint' }, '.attr: there is no such key in `config`'],
  [{ attr: 'server' }, '.attr: expected a key of `config` with a single value, found an object'],
  [{ attr: 'none' }, '.attr: expected a key of `config` with a single value, found null'],
  [{ attr: ['x'] }, '.attr: expected a key of `config`, found a list'],
] as const;

for (const [expression, problem] of wrong) {
  test(`${JSON.stringify(expression)} is wrong everywhere`, () => {
    for (const [path, parts] of placesFor(expression)) {
      assert.equal(problemsOf(documentOf(parts)), [`${path}${problem}`]);
    }
  });
}

test('a call with more than a function and its arguments is warned of', () => {
  const job = { params: { x: { function: 'sha1', args: ['a'], arg: 1 } } };
  assert.equal(warningsOf(documentOf({ job })), [
    'config.jobs[0].params.x.arg: unknown key, not used; did you mean "args"?',
  ]);
});

test('apiRequest may refer to the response, or name a path by a bare text', () => {
  const headers = { A: { response: 'a.0.b' }, B: call('concat', 'Bearer ', { response: 'token' }), C: 'token' };
  const authentication = { type: 'login', loginRequest: { endpoint: 'x' }, apiRequest: { headers, query: headers } };
  assert.equal(warningsOf(documentOf({ api: { authentication } })), []);
});

test('the path of a response reference is a string', () => {
  const apiRequest = { query: { x: { response: {} } } };
  const authentication = { type: 'login', loginRequest: { endpoint: 'x' }, apiRequest };
  assert.equal(problemsOf(documentOf({ api: { authentication } })), [
    'api.authentication.apiRequest.query.x.response: expected a path, found an object',
  ]);
});

const single = 'expected an expression, a string, a number, true, false or null, or a list of these, found an object';

test('no other place may refer to a response', () => {
  const response = { response: 'token' };
  const parts = { api: { baseUrl: response, http: { headers: { X: response } } } };
  assert.equal(problemsOf(documentOf(parts)), [
    'api.baseUrl: expected an http or https URL with a host, or an expression, found an object',
    `api.http.headers.X: ${single}`,
  ]);
});

test('a parameter that looks like a response reference is sent unchanged, with a warning', () => {
  assert.equal(warningsOf(documentOf({ job: { params: { fields: { response: 'id' } } } })), [
    'config.jobs[0].params.fields.response: only `apiRequest` can refer to a response; sent unchanged',
  ]);
});

test('parameters may refer to the time of the run, headers may not', () => {
  const since = { time: 'previousStart' };
  assert.equal(problemsOf(documentOf({ job: { params: { since } } })), []);
  assert.equal(problemsOf(documentOf({ config: { http: { headers: { since } } } })), [
    `config.http.headers.since: ${single}`,
  ]);
});

test('objects and the lists inside them are looked into, a list as a direct parameter is not', () => {
  const bad = { attr: 'nowhere' };
  assert.equal(problemsOf(documentOf({ job: { params: { a: { b: [bad], c: 1 }, d: [bad] } } })), [
    'config.jobs[0].params.a.b[0].attr: there is no such key in `config`',
  ]);
});

const nearly = [
  [{ atr: 'k' }, '.atr: not a reference, sent unchanged; did you mean "attr"?'],
  [{ deep: { Atrr: 'k' } }, '.deep.Atrr: not a reference, sent unchanged; did you mean "attr"?'],
  [{ funtion: 'sha1', args: ['x'] }, '.funtion: not a function call, sent unchanged; did you mean "function"?'],
  [{ Function: 'concat' }, '.Function: not a function call, sent unchanged; did you mean "function"?'],
  [[{ attr: 'nonexistent' }], '[0]: expressions are not evaluated here; sent unchanged'],
  [['x', { a: [{ function: 'sha1', args: ['x'] }] }], '[1].a[0]: expressions are not evaluated here; sent unchanged'],
] as const;

for (const [value, warning] of nearly) {
  test(`${JSON.stringify(value)} is sent unchanged, with a warning`, () => {
    assert.equal(warningsOf(documentOf({ job: { params: { x: value } } })), [`config.jobs[0].params.x${warning}`]);
  });
}

const empties = { '#token': '', token: '', on: 'x', deep: { '#key': '' } };
const empty = 'refers to an empty string, which is sent';
const emptied = [
  [{ params: { x: { attr: '#token' } } }, `config.jobs[0].params.x.attr: ${empty}`],
  [{ params: { x: { attr: 'deep.#key' } } }, `config.jobs[0].params.x.attr: ${empty}`],
  [{ params: { x: { attr: 'token' }, y: call('ifempty', { attr: '#token' }, 'z') } }, undefined],
] as const;

for (const [job, warning] of emptied) {
  test(`${JSON.stringify(job)} ${warning === undefined ? 'has no' : 'has a'} warning if the attributes are empty`, () => {
    const functions = {
      ...fakes.functions,
      ifempty: {
        args: [
          { name: 'a', summary: '' },
          { name: 'b', summary: '' },
        ],
      },
    };
    const { notices } = parseConfig(documentOf({ config: empties, job }), { ...fakes, functions });
    assert.equal(
      notices.map(({ code, message }) => [code, message]),
      warning === undefined ? [] : [['empty-secret', warning]],
    );
  });
}

test('an empty attribute in a header is a warning, unless the header does not identify the sender', () => {
  const headers = { Authorization: call('concat', 'Bearer ', { attr: 'token' }), Accept: { attr: 'token' } };
  assert.equal(warningsOf(documentOf({ config: empties, api: { http: { headers } } })), [
    `api.http.headers.Authorization.args[1].attr: ${empty}`,
  ]);
});

const plain = [
  { atr: 5 },
  { at: 'k' },
  { atr: 'k', b: 'c' },
  { Function: 'sum' },
  { state: 'open' },
  [{ function: 'sum', column: 'price' }],
  [{ attr: 'a', value: 'b' }],
  [{ name: 'attr' }],
];

for (const value of plain) {
  test(`${JSON.stringify(value)} is data like any other`, () => {
    assert.equal(warningsOf(documentOf({ job: { params: { x: value } } })), []);
  });
}

test('an object with more members than one is no reference', () => {
  assert.equal(warningsOf(documentOf({ job: { params: { x: { attr: 'nowhere', y: 1 } } } })), []);
});

test('a header is no object but an expression, nor is an element of its list', () => {
  const headers = { A: { a: 1, b: 2 }, B: ['x', { attr: '#token' }] };
  assert.equal(problemsOf(documentOf({ api: { http: { headers } }, config })), [
    `api.http.headers.A: ${single}`,
    'api.http.headers.B[1]: expected a string, a number, true, false or null, found an object',
  ]);
});

test('defaults are sent as written: an expression there is a warning', () => {
  const defaultOptions = { params: { x: { attr: '#token' }, y: { z: 1 } } };
  assert.equal(warningsOf(documentOf({ api: { http: { defaultOptions } } })), [
    'api.http.defaultOptions.params.x: expressions are not evaluated here; sent unchanged',
  ]);
});

test.run();
