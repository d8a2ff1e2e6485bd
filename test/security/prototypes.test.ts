/**
 * Names that are special in JavaScript are ordinary names everywhere: no prototype is changed, and no value is read
 * from one.
 */

import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { parseDocument } from '../../src/config/document.js';
import { stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import type { Batch } from '../../src/core/model/batch.js';
import { extract, run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { headerOf, json, startApi } from '../loopback/api.js';
import { failure } from '../support/failure.js';

const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
/** An object of all of them, as text: a literal of JavaScript would take the first one for its prototype. */
const members = `{${names.map((name) => `"${name}":{"polluted":"${name}"}`).join(',')}}`;
const flat = `{${names.map((name) => `"${name}":"of ${name}"`).join(',')}}`;

const prototypes = [Object, Array, Map, String, Function, Promise].map(({ prototype }) => prototype as object);
const shapeOf = () => prototypes.map((each) => Object.getOwnPropertyNames(each).join());
const before = shapeOf();

function assertUnchanged(): void {
  assert.equal(shapeOf(), before);
  assert.not.ok('polluted' in {});
}

const runText = (text: string, options: RunOptions = {}) => run(parseDocument(text, 'config.json'), options);

test('in a configuration: parameters, headers, attributes and added members go out under their names', async () => {
  const api = await startApi(() => json([{ id: 1 }]));
  const to = memory();
  try {
    await runText(
      `{"api":{"baseUrl":"${api.origin}/","http":{"defaultOptions":{"headers":${flat}}}},
        "config":{"__proto__":"an attribute","constructor":"another",
          "jobs":[{"endpoint":"users","method":"POST","params":${members},"userData":${flat}},
            {"endpoint":"more","params":{"a":{"attr":"__proto__"},"b":{"attr":"constructor"},"${'__proto__'}":"c"}}]}}`,
      { to },
    );
  } finally {
    await api.close();
  }
  const [first, second] = api.requests;
  assert.is(first?.body, members);
  for (const name of names) assert.is(first && headerOf(first, name), `of ${name}`);
  assert.is(second?.target, '/more?a=an+attribute&b=another&__proto__=c');
  assert.is(JSON.stringify(to.items()[0]), `{"id":1,${flat.slice(1)}`);
  assertUnchanged();
});

test('in the data: items, cursors and placeholders are unchanged', async () => {
  const batches: string[] = [];
  const exact: string[] = [];
  const row = `{"__proto__":{"id":7},"constructor":{"name":"x"},"list":[${members}]}`;
  const api = await startApi(({ target }) => ({
    headers: { 'content-type': 'application/json' },
    body: target.startsWith('/rows') ? `{"__proto__":{"next":""},"data":[${row}]}` : flat.replace(/^/, '[').concat(']'),
  }));
  try {
    await runText(
      `{"api":{"baseUrl":"${api.origin}/",
          "pagination":{"method":"response.param","responseParam":"__proto__.next","queryParam":"__proto__"}},
        "config":{"jobs":[{"endpoint":"rows","dataField":"data","children":[
          {"endpoint":"child/{1:id}/{1:name}","placeholders":{"1:id":"__proto__.id","1:name":"constructor.name"}}]}]}}`,
      {
        to: (batch: Batch) => {
          batches.push(Buffer.from(batch.bytes).toString());
          exact.push(...batch.exact().map(stringifyExact));
          batch.values();
        },
      },
    );
  } finally {
    await api.close();
  }
  assert.equal(
    api.requests.map(({ target }) => target),
    ['/rows', '/child/7/x'],
  );
  assert.is(batches[0], `${row}\n`);
  assert.is(exact[0], row);
  assert.match(batches[1] ?? '', /^\{"__proto__":"of __proto__"/);
  assertUnchanged();
});

test('in the reply to a login, and in a state', async () => {
  const api = await startApi(({ target }) => ({
    headers: { 'content-type': 'application/json' },
    body: target === '/login' ? `{"__proto__":{"token":"t-1"},"constructor":"t-2"}` : '[]',
  }));
  const document = `{"api":{"baseUrl":"${api.origin}/","authentication":{"type":"login","loginRequest":{"endpoint":"login"},
      "apiRequest":{"headers":{"X-A":{"response":"__proto__.token"},"X-B":{"response":"constructor"}}}}},
    "config":{"jobs":[{"endpoint":"users"}]}}`;
  try {
    await runText(document);
    const [, asked] = api.requests;
    assert.equal(asked && ['x-a', 'x-b'].map((name) => headerOf(asked, name)), ['t-1', 't-2']);
    const state = parseExact(`{"__proto__":1,"time":${members}}`);
    const next = extract(parseDocument(document, 'config.json'), { state: state as object }).state; // an object, as written above
    assert.match(stringifyExact(next), /^\{"__proto__":1,"time":\{"__proto__":\{"polluted"/);
  } finally {
    await api.close();
  }
  assertUnchanged();
});

test('in the headers of a response', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () =>
      socket.end(
        `HTTP/1.1 200 OK\r\n${names.map((name) => `${name}: a\r\n${name}: b\r\n`).join('')}Content-Length: 3\r\n\r\n[1]`,
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  try {
    const retryConfig = '{"retryHeader":"__proto__","maxRetries":1}';
    const to = memory();
    await runText(
      `{"api":{"baseUrl":"http://127.0.0.1:${port}/","retryConfig":${retryConfig},"pagination":{"method":"link-header"}},
        "config":{"jobs":[{"endpoint":"users"}]}}`,
      { to },
    );
    assert.equal(to.items(), [1]);
  } finally {
    server.close();
  }
  assertUnchanged();
});

const base = '"api":{"baseUrl":"http://localhost:1/"';
const jobs = '"jobs":[{"endpoint":"users"}]';
for (const name of names) {
  for (const [what, text] of [
    ['an authentication', `{${base},"authentication":{"type":"${name}"}},"config":{${jobs}}}`],
    ['a pagination', `{${base},"pagination":{"method":"${name}"}},"config":{${jobs}}}`],
    ['a function', `{${base}},"config":{"jobs":[{"endpoint":"u","params":{"a":{"function":"${name}","args":[]}}}]}}`],
    [
      'an attribute that is not there',
      `{${base}},"config":{"jobs":[{"endpoint":"u","params":{"a":{"attr":"${name}"}}}]}}`,
    ],
    ['a variable that is not there', `{${base}},"config":{"a":{"env":"${name}"},${jobs}}}`],
  ] as const) {
    test(`${what} called ${name} is refused`, async () => {
      const error = await failure(runText(text, { env: {} }));
      assert.ok(['ERR_CONFIG', 'ERR_FUNCTION'].includes(error.code), `${error.code} ${error.message}`);
      assertUnchanged();
    });
  }
}

test('a configuration of plain objects, read by JSON.parse, is the same', async () => {
  const api = await startApi(() => json([]));
  try {
    const text = `{"api":{"baseUrl":"${api.origin}/"},"config":{"jobs":[{"endpoint":"u","method":"POST","params":${members}}]}}`;
    await run(JSON.parse(text));
  } finally {
    await api.close();
  }
  assert.is(api.requests[0]?.body, members);
  assertUnchanged();
});

test.run();
