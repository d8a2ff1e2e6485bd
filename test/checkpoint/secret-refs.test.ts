/**
 * Values on their way into a state and back: what is a secret is not there, and is what it is by then when it comes
 * back.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keepIn } from '../../src/checkpoint/lane-marks.js';
import { namedSecrets, secretsOfJob } from '../../src/checkpoint/named-secrets.js';
import { deserializeRequest, serializeRequest } from '../../src/checkpoint/request-codec.js';
import { createSecretReferences, type NamedSecret } from '../../src/checkpoint/secret-refs.js';
import { checkStoredRows, createRowsWriter, readStoredRows } from '../../src/checkpoint/stored-rows.js';
import { type Exact, fromPlain, stringifyExact } from '../../src/core/json/exact.js';
import type { Job } from '../../src/core/model/job.js';
import type { PageRequest } from '../../src/core/model/request.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { memoryStore } from './memory-store.js';

/** References that know these, each a secret of the run; `others` are secrets without a name. */
function referencesOf(named: Readonly<Record<string, string>>, others: readonly string[] = []) {
  const secrets = createSecrets();
  for (const value of [...Object.values(named), ...others]) secrets.add(value);
  const list: readonly NamedSecret[] = Object.entries(named).map(([name, value]) => ({ name, value }));
  return createSecretReferences(secrets, list);
}

const text = (value: Exact | undefined) => (value === undefined ? undefined : stringifyExact(value));

const plain: readonly unknown[] = [
  null,
  true,
  '',
  'a text',
  12,
  ['a', [1, null]],
  { a: { b: 'c' } },
  { $text: ['x'] },
  { $object: { a: 1 } },
  { $object: 1, $text: 2 },
];

for (const value of plain) {
  test(`comes back as it was: ${JSON.stringify(value)}`, () => {
    const references = referencesOf({ 'config.#key': 'hush-hush' });
    const sealed = references.seal(fromPlain(value));
    assert.is(text(sealed === undefined ? undefined : references.unseal(sealed)), JSON.stringify(value));
  });
}

const secret = 'hush hush/ü&=+';
const holding: readonly ((value: string) => unknown)[] = [
  (value) => value,
  (value) => `before ${value} and ${value}`,
  (value) => `https://x.test/?key=${encodeURIComponent(value)}&n=1`,
  (value) => `https://x.test/?key=${new URLSearchParams({ k: value }).toString().slice(2)}`,
  (value) => ({ deep: [{ key: value }] }),
  (value) => ({ $text: value }),
];

for (const [index, make] of holding.entries()) {
  test(`a secret stands as its name, and comes back as it is by then (${index + 1})`, () => {
    const sealed = referencesOf({ 'config.#key': secret }).seal(fromPlain(make(secret)));
    assert.ok(sealed !== undefined);
    assert.not.match(stringifyExact(sealed), /hush/);
    const other = 'new & öther';
    assert.is(text(referencesOf({ 'config.#key': other }).unseal(sealed)), JSON.stringify(make(other)));
  });
}

test('the longer of two secrets that begin alike is taken, and the earlier of two', () => {
  const references = referencesOf({ short: 'abcd', long: 'abcdefgh' });
  const sealed = references.seal('abcdefgh-abcd');
  assert.is(text(sealed), '{"$text":[["long","plain"],"-",["short","plain"]]}');
});

for (const value of ['token-1234', 'x=token-1234', ['token-1234'], { a: 'token-1234' }, { 'token-1234': 1 }, 98765]) {
  test(`what has no name is not sealed at all: ${JSON.stringify(value)}`, () => {
    assert.is(referencesOf({ 'config.#key': 'hush-hush' }, ['token-1234', '98765']).seal(fromPlain(value)), undefined);
  });
}

for (const what of ['hush-hush', 'token-1234']) {
  const encoded = [...what].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
  test(`a secret of which every character is encoded is one all the same: ${what}`, () => {
    const references = referencesOf({ 'config.#key': 'hush-hush' }, ['token-1234']);
    assert.is(references.seal(`/users?at=2&key=${encoded}`), undefined);
    assert.is(references.seal('/users?at=%32'), '/users?at=%32');
  });
}

const base64 = (value: string) => Buffer.from(JSON.stringify({ user: 'joe', token: value })).toString('base64');

for (const what of ['hush-hush', 'token-1234']) {
  test(`a secret in base64 of JSON keeps a text from being written: ${what}`, () => {
    const references = referencesOf({ 'config.#key': 'hush-hush' }, ['token-1234']);
    for (const written of [base64(what), encodeURIComponent(base64(what)), base64(base64(what))]) {
      assert.is(references.seal(`/users?cursor=${written}`), undefined);
      assert.is(references.seal(written), undefined);
    }
    assert.is(references.seal(`/users?cursor=${base64('nothing')}`), `/users?cursor=${base64('nothing')}`);
  });
}

test('a short secret stands as its name where it is a whole value of a query, and nowhere else', () => {
  const sealed = (value: string) => text(referencesOf({ 'config.#key': 'abc', 'config.#b': 'a b' }).seal(value));
  assert.is(sealed('/users?key=abc&x=abcd'), '{"$text":["/users?key=",["config.#key","plain"],"&x=abcd"]}');
  assert.is(sealed('/abc?x=abc'), '{"$text":["/abc?x=",["config.#key","plain"]]}');
  assert.is(sealed('/users?x=a+b#top'), '{"$text":["/users?x=",["config.#b","form"],"#top"]}');
  assert.is(sealed('abc'), '{"$text":[["config.#key","plain"]]}');
  assert.is(sealed('/abc/abcd?abc=1&x=xabc'), '"/abc/abcd?abc=1&x=xabc"');
  const references = referencesOf({ 'config.#key': 'xyz' });
  assert.is(
    references.unseal(referencesOf({ 'config.#key': 'abc' }).seal('/users?key=abc&n=1') ?? null),
    '/users?key=xyz&n=1',
  );
});

test('a short secret that has no name, or is encoded otherwise, keeps a link from being written', () => {
  assert.is(referencesOf({}, ['abc']).seal('/users?key=abc'), undefined);
  assert.is(referencesOf({ 'config.#key': 'abc' }).seal('/users?key=%61bc'), undefined);
});

test('a number as short as that is a number, whatever secrets there are', () => {
  const references = referencesOf({ 'config.#key': '10' }, ['7', '1.5']);
  for (const value of ['/users?limit=10&page=7&x=1.5', '10', 10, 7, [1.5, true]]) {
    assert.is(text(references.seal(fromPlain(value))), JSON.stringify(value));
  }
});

test('secrets of a configuration are known by their paths, those of the environment too', () => {
  const written = fromPlain({ config: { '#a': 'one', b: { env: 'B' }, c: 'open', '#d': { e: ['deep', 5] } } });
  const filled = fromPlain({ config: { '#a': 'one', b: 'from B', c: 'open', '#d': { e: ['deep', 5] } } });
  assert.equal(
    namedSecrets(written, filled).map(({ name, value }) => `${name} = ${value}`),
    ['config.#a = one', 'config.b = from B', 'config.#d.e[0] = deep', 'config.#d.e[1] = 5'],
  );
});

const jobWith = (key: string): Job => ({
  name: 'users',
  endpoint: 'users',
  params: new Map<string, Exact>([
    ['key', key],
    ['since', '2026'],
  ]),
  headers: new Map([['X-Key', [key]]]),
  dataField: { kind: 'auto' },
  dataType: 'users',
});

const noNames: ReadonlySet<string> = new Set();

/** Keeps a request of a job with the secret `before-secret`, and brings it back for one with `after-secret`. */
function kept(make: (job: Job) => PageRequest, loginNames = noNames, origin: 'trusted' | 'another' = 'trusted') {
  const referencesFor = (job: Job) => {
    const secrets = createSecrets();
    for (const value of [String(job.params.get('key')), 'token-1234', 'https://x.test']) secrets.add(value);
    return createSecretReferences(secrets, secretsOfJob(job, secrets));
  };
  const [before, after] = [jobWith('before-secret'), jobWith('after-secret')];
  const written = serializeRequest(make(before), before, referencesFor(before), {
    isTrusted: origin === 'trusted',
    loginNames,
  });
  if (written === undefined) return { written };
  assert.not.match(written, /before-secret|token-1234/);
  return { written, request: deserializeRequest(written, after, referencesFor(after)), after };
}

test('of a request what it has from its job is not written, and is what the job has by then', () => {
  const { written, request, after } = kept((job) => ({
    endpoint: job.endpoint,
    params: new Map([...job.params, ['page', '2']]),
    headers: job.headers,
  }));
  assert.is(written, '[["params",[["key"],["since"],["page","2"]]]]');
  assert.equal(request, {
    endpoint: 'users',
    params: new Map([...(after?.params ?? []), ['page', '2']]),
    headers: after?.headers,
  });
});

test('a link comes back whole, with what the job has by then', () => {
  const { request } = kept((job) => ({
    endpoint: `https://x.test/users?key=${job.params.get('key')}&at=2`,
    method: 'POST',
    params: new Map(),
    headers: new Map([['Accept', ['a', 'b']]]),
    link: true,
  }));
  assert.equal(request, {
    endpoint: 'https://x.test/users?key=after-secret&at=2',
    method: 'POST',
    params: new Map(),
    headers: new Map([['Accept', ['a', 'b']]]),
    link: true,
  });
});

const link =
  (endpoint: string) =>
  (job: Job): PageRequest => ({ ...job, endpoint, params: new Map(), link: true });

test('what a login puts into a link is left out of it, and a token elsewhere keeps it from being written', () => {
  const login = new Set(['token']);
  assert.is(kept(link('/users?token=token-1234&at=2'), login).request?.endpoint, '/users?token=-&at=2');
  assert.is(kept(link('/users?token%5B1%5D=token-1234'), login).request?.endpoint, '/users?token%5B1%5D=-');
  assert.is(kept(link('/users?session=token-1234'), login).written, undefined);
  assert.is(kept(link('/users?token=token-1234')).written, undefined);
});

test('an origin that the configuration names is no secret, though a login may have named it; any other is', () => {
  assert.is(kept(link('https://x.test/users'), noNames).request?.endpoint, 'https://x.test/users');
  assert.is(kept(link('https://x.test/users'), noNames, 'another').written, undefined);
});

test('parameters that a link brought are kept with their names', () => {
  const brought = (job: Job): PageRequest => ({
    endpoint: job.endpoint,
    headers: job.headers,
    params: new Map<string, Exact>([
      ['key', job.params.get('key') ?? null],
      ['token', 'token-1234'],
      ['at', ['1', '2']],
    ]),
    linkNames: ['token', 'at'],
  });
  const { request } = kept(brought, new Set(['token']));
  assert.equal(request?.linkNames, ['token', 'at']);
  assert.equal(
    [...(request?.params ?? [])],
    [
      ['key', 'after-secret'],
      ['token', '-'],
      ['at', ['1', '2']],
    ],
  );
  assert.is(kept(brought).written, undefined);
});

test('a name that a link brought is as open as a value: a secret in it is filled in again, or keeps it from being written', () => {
  const brought = (name: (key: string) => string) => (job: Job) => {
    const named = name(String(job.params.get('key')));
    return { endpoint: job.endpoint, headers: job.headers, params: new Map([[named, '1']]), linkNames: [named] };
  };
  const { request } = kept(brought((key) => `a[${key}]`));
  assert.equal([...(request?.params ?? [])], [['a[after-secret]', '1']]);
  assert.equal(request?.linkNames, ['a[after-secret]']);
  assert.is(kept(brought(() => 'token-1234')).written, undefined);
});

test('values below a key with #, and those of variables, have names; members that only the filled document has too', () => {
  const written = fromPlain({ '#a': 'x', b: { env: 'B' }, list: ['c'], '#deep': { d: [1] } });
  const filled = fromPlain({
    '#a': 'x',
    b: 'from the environment',
    list: ['c', 'd'],
    '#deep': { d: [1, 2] },
    '#e': 'y',
  });
  assert.equal(namedSecrets(written, filled), [
    { name: '#a', value: 'x' },
    { name: 'b', value: 'from the environment' },
    { name: '#deep.d[0]', value: '1' },
    { name: '#deep.d[1]', value: '2' },
    { name: '#e', value: 'y' },
  ]);
});

test('a text that is no position of a lane is none', () => {
  assert.equal(['{"m":', '1', 'null', '{"m":1}', '{"print":"a"}'].map(keepIn), new Array(5).fill(undefined));
  assert.equal(keepIn('{"m":1,"print":"a"}'), { m: 1, print: 'a' });
});

test('rows are copied in parts of a store and read back; a secret without a name ends the copy', async () => {
  const store = await memoryStore().open();
  const references = referencesOf({ 'config.#key': 'hush-hush' }, ['token-1234']);
  const rows = createRowsWriter({ store, references });
  const all = [{ id: 1, key: 'hush-hush' }, { id: 2 }, { id: 3 }].map((row) => fromPlain(row));
  assert.is(rows.kept(), undefined);
  await rows.add(all.slice(0, 2));
  await rows.add(all.slice(2));
  const kept = rows.kept();
  assert.ok(kept !== undefined);
  assert.equal([kept.count, kept.lengths.length], [3, 2]);
  await rows.clear();
  await checkStoredRows({ store }, kept);
  const read: string[] = [];
  for await (const row of readStoredRows({ store, references }, kept)) read.push(stringifyExact(row));
  assert.equal(read, all.map(stringifyExact));

  const open = createRowsWriter({ store, references });
  await open.add(all);
  await open.add([fromPlain({ token: 'token-1234' })]);
  await open.add(all);
  assert.is(open.kept(), undefined);
  await open.clear();
  await open.clear();
  assert.equal(await store.partNames(), [kept.part]);
});

test.run();
