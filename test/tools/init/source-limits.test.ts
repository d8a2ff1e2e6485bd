/** Large, long and deep sources of `init`: each ends soon, with an error that names its limit. */

import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../../src/cli/arguments.js';
import { text } from '../../../src/core/options/kinds.js';
import { listOf } from '../../../src/core/options/object-kinds.js';
import { readCurl, readCurlText } from '../../../src/tools/init/curl.js';
import { draftOf, repeatedNames } from '../../../src/tools/init/draft.js';
import type { FoundRequest, SecretPlace } from '../../../src/tools/init/found-request.js';
import { readHar } from '../../../src/tools/init/har.js';
import { readOpenApi } from '../../../src/tools/init/openapi.js';
import { readDocument } from '../../../src/tools/init/openapi-document.js';
import { findOperation } from '../../../src/tools/init/openapi-operations.js';
import { checkAliases, checkSize, isTooDeep } from '../../../src/tools/init/source-limits.js';
import { readUrl } from '../../../src/tools/init/url-source.js';
import { failure } from '../../support/failure.js';
import { contextOf } from './read-context.js';

const many = (count: number, text: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => text(index));
const location = new URL('file:///openapi.yaml');
const document = (text: string) => readDocument({ text, label: 'openapi.yaml', location }, contextOf());
const yaml = (rest: string) => document(`openapi: 3.1.0\n${rest}\n`);
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const headers = (count: number) => many(count, (index) => `-H 'X-${index}: v'`).join(' ');
const curl = (rest: string) => readCurlText(`curl http://h/ ${rest}`, contextOf());
const har = (body: string) => {
  const content = { mimeType: 'application/json', text: body };
  const entry = { request: { method: 'GET', url: 'http://h/a' }, response: { status: 200, content } };
  return readHar(JSON.stringify({ log: { entries: [entry] } }), 'app.har', contextOf());
};

const refused: readonly (readonly [what: string, read: () => unknown, message: RegExp])[] = [
  [
    '50,000 headers of a curl command',
    () => curl(headers(50_000)),
    /^the curl command: 50,000 headers, and init reads up to 1,000$/,
  ],
  [
    '50,000 headers of words',
    () => readCurl(['curl', 'http://h/', ...many(50_000, (index) => `-HX-${index}: v`)], contextOf()),
    /: 50,000 headers,/,
  ],
  [
    '50,000 cookies beside headers',
    () => curl(`${many(50_000, () => "-b 'a=1'").join(' ')} ${headers(2000)}`),
    /: 2,001 headers,/,
  ],
  ['parameters', () => curl(`-G ${many(2000, (index) => `-d a${index}=1`).join(' ')}`), /: 2,000 parameters,/],
  ['fields of a form', () => curl(`-d '${many(2000, (index) => `a${index}=1`).join('&')}'`), /: 2,000 form fields,/],
  ['a deep body', () => curl(`--json '{"a":${deep(20_000)}}'`), /^the JSON body is nested deeper than 512 levels$/],
  ['a deep body without a type', () => curl(`-d '{"a":${deep(20_000)}}'`), /^the JSON body is nested deeper/],
  ['a long curl command', () => curl(`-H 'A: ${'x'.repeat(5e6)}'`), /^the curl command is larger than 4\.2 MB/],
  [
    'a deep --body',
    () => readUrl('http://h/', { headers: [], body: `{"a":${deep(20_000)}}`, env: {} }),
    /^--body is nested deeper than 512 levels$/,
  ],
  [
    '2,000 times --header',
    () => readUrl('http://h/', { headers: many(2000, (index) => `X-${index}: v`), env: {} }),
    /^the arguments: 2,000 headers,/,
  ],
  ['200,000 anchors', () => yaml(`x:\n${many(200_000, (index) => `  k: &a${index} v`).join('\n')}`), /10,000 anchors/],
  ['YAML of a million lines', () => yaml('- a\n'.repeat(1e6)), /^openapi\.yaml has more than 600,000 lines and commas/],
  [
    'aliases of as many anchors',
    () => yaml(`x:\n${many(9000, (index) => `- &a${index} b\n- *a${index}\n- *a${index}`).join('\n')}`),
    /^openapi\.yaml has more than \d+,\d+ aliases/,
  ],
  ['deep YAML', () => yaml(`x: ${deep(5000)}`), /^openapi\.yaml is nested deeper than 512 levels$/],
  [
    'deep YAML of blocks',
    () => yaml(`x:\n  ${'- '.repeat(5000)}a`),
    /^openapi\.yaml is nested deeper than 512 levels$/,
  ],
  ['YAML that is just too deep', () => yaml(`x: ${deep(600)}`), /^openapi\.yaml is nested deeper than 512 levels$/],
  ['deep JSON', () => document(`{"openapi":"3.1.0","x":${deep(50_000)}}`), /nested deeper than 512 levels$/],
  [
    'a document of 65 MiB',
    () => document(`{"openapi":"3.1.0","x":"${' '.repeat(65 * 2 ** 20)}"}`),
    /^openapi\.yaml is larger than 67\.1 MB/,
  ],
];
for (const [what, read, message] of refused) {
  test(`refuses ${what}`, async () => {
    assert.match((await failure(Promise.resolve().then(read))).message, message);
  });
}

test('reads up to the limits', async () => {
  assert.is((await curl(headers(999))).headers.length, 999);
  assert.is((await yaml(`x: ${deep(500)}`)).label, 'openapi.yaml');
  checkSize(5, 5, 'a');
  checkAliases(1000, 100_000, 'a');
  const once = { a: 1 };
  assert.not(isTooDeep(many(600, () => '').reduce<unknown>((all) => [once, once, all].slice(0, 2), once)));
});

test('a response with very many members, or with very deep ones, has no list in a HAR file', async () => {
  const wide = JSON.stringify(Object.fromEntries(many(300_000, (index) => `k${index}`).map((name) => [name, []])));
  assert.is((await har(wide)).source, 'app.har, entry 1');
  assert.is((await har(`{"a":${deep(50_000)}}`)).source, 'app.har, entry 1');
});

/** Counts how often an element of a list is read. */
function counting<T>(list: readonly T[]) {
  const count = { reads: 0 };
  const watched = new Proxy(list, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) count.reads += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { watched, count };
}

test('a draft reads each secret a few times, however many there are', () => {
  const readsOf = (count: number) => {
    const secrets = many(count, String).map((_, index): SecretPlace => ({ in: 'header', index, env: `X_${index}` }));
    const { watched, count: read } = counting(secrets);
    const url = new URL(`http://h/?${many(count, (index) => `a${index}=1`).join('&')}`);
    const all = many(count, (index) => `X-${index}`).map((name) => [name, 'v'] as const);
    const found: FoundRequest = { method: 'GET', url, headers: all, secrets: watched, source: 'the test' };
    draftOf(found);
    assert.equal(repeatedNames(found), []);
    return read.reads;
  };
  assert.is(readsOf(400), 2 * readsOf(200));
});

test('an option that is repeated 4,000 times is a list of them', () => {
  const args = many(4000, (index) => `--a=${index}`);
  assert.is(parseArguments(args, { a: { kind: listOf(text, 'texts'), summary: '' } }).list('a').length, 4000);
  const message = /^the command has 20000 arguments: it reads up to 10000$/;
  assert.throws(() => parseArguments(many(20_000, String), {}), message);
});

test('schemas made of each other are searched once for each depth, and once for all operations', async () => {
  const schemas = Object.fromEntries(
    many(60, (index) => `s${index}`).map((name) => [
      name,
      { allOf: many(60, (index) => `#/components/schemas/s${index}`).map(($ref) => ({ $ref })) },
    ]),
  );
  const schema = { $ref: '#/components/schemas/s0' };
  const get = { responses: { 200: { content: { 'application/json': { schema } } } } };
  const paths = Object.fromEntries(many(50, (index) => `/p${index}`).map((path) => [path, { get }]));
  const opened = await document(JSON.stringify({ openapi: '3.1.0', paths, components: { schemas } }));
  let steps = 0;
  const resolve: typeof opened.resolve = (located) => {
    steps += 1;
    return opened.resolve(located);
  };
  const counted = { ...opened, resolve };
  const { message } = await failure(findOperation(counted, contextOf()));
  assert.match(message, 'several operations');
  assert.ok(steps < 10_000, `${steps} steps`);
});

test('a body of a schema that requires itself needs an example', async () => {
  const node = { type: 'object', required: ['a', 'b'], properties: { a: { $ref: '#/n' }, b: { $ref: '#/n' } } };
  const post = { requestBody: { content: { 'application/json': { schema: { $ref: '#/n' } } } } };
  const text = JSON.stringify({
    openapi: '3.1.0',
    servers: [{ url: 'http://h/' }],
    n: node,
    paths: { '/a': { post } },
  });
  const read = readOpenApi({ text, label: 'openapi.json', location }, contextOf());
  assert.match(
    (await failure(read)).message,
    /requires more than 200 members, or itself: the document needs an example/,
  );
});

/** A process that is stopped after a minute: without the fixes these take hours. */
const inProcess = (code: string) =>
  spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', code], {
    ...{ encoding: 'utf8', timeout: 60_000 },
  });
const source = (file: string) => JSON.stringify(pathToFileURL(`src/tools/init/${file}`).href);

test('texts that patterns could try in very many ways end soon', () => {
  const { stdout, stderr } = inProcess(`
    import { readCurlText } from ${source('curl.ts')};
    import { isHarmlessText } from ${source('harmless.ts')};
    const context = { env: {}, params: [], choose: async () => undefined, ask: async () => undefined };
    await readCurlText('\\n'.repeat(1e6) + 'curl http://h/', context);
    await readCurlText("curl 'http://h/{" + ','.repeat(1e6) + "'", context);
    isHarmlessText('query', '#     \\n'.repeat(1000) + 'x');
    isHarmlessText('x', '://' + ':'.repeat(1e6));
    console.log('ended');`);
  assert.is(stdout, 'ended\n', stderr);
});

test.run();
