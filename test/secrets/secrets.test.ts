/** Nothing secret is shown, in whatever encoding it is met. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExactNumber } from '../../src/exact.js';
import { encodeJsonBody } from '../../src/request/json-body.js';
import { encodeForm, mergeQuery } from '../../src/request/query.js';
import { resolveUrl } from '../../src/request/url.js';
import { createSecrets, describeRequest } from '../../src/secrets/secrets.js';

const secrets = (...values: readonly string[]) => {
  const made = createSecrets();
  for (const value of values) made.add(value);
  return made;
};

const pct = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

function html(value: string, own: Readonly<Record<string, string>>): string {
  const written: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', ...own };
  return [...value].map((char) => written[char] ?? char).join('');
}

/** Every way in which a value goes out, or comes back in an answer. */
const encodings: readonly (readonly [name: string, write: (value: string) => string])[] = [
  ['as it is', (value) => value],
  ['in a form', (value) => encodeForm(new Map([['k', value]])).slice(2)],
  ['in a form, in lower-case hex', (value) => lowerHex(encodeForm(new Map([['k', value]])).slice(2))],
  ['in a rebuilt query', (value) => mergeQuery('http://h/', new Map([['k', value]])).split('k=')[1] ?? ''],
  ['by the platform', (value) => encodeURIComponent(value)],
  ['in a path', (value) => resolveUrl('http://h/', `/${value.replace(/[?#]/g, '')}`).slice('http://h/'.length)],
  ['in a JSON body', (value) => encodeJsonBody(new Map([['k', value]])).slice(6, -2)],
  ['in JSON', (value) => JSON.stringify(value).slice(1, -1)],
  ['in JSON with slashes escaped', (value) => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
  ['in JSON within JSON', (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3)],
  ['in a JSON body within JSON', (value) => JSON.stringify(encodeJsonBody(new Map([['k', value]]))).slice(10, -4)],
  ['in a form within a form', (value) => encodeURIComponent(encodeForm(new Map([['k', value]])).slice(2))],
  ['in HTML', (value) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
  [
    'percent-encoded but for slashes',
    (value) => encodeURIComponent(value).replaceAll('%2F', '/').replace(/[*']/g, pct),
  ],
  ...Object.entries({
    'with &#34;': { '"': '&#34;', "'": '&#39;' },
    'as Go has it': { '"': '&#34;', "'": '&#39;', '+': '&#43;' },
    'as Mustache has it': { "'": '&#39;', '/': '&#x2F;' },
    'as Handlebars has it': { "'": '&#x27;' },
    'as .NET has it': { "'": '&#x27;', '+': '&#x2B;' },
    'as OWASP has it': { "'": '&#x27;', '/': '&#x2F;' },
  } satisfies Record<string, Record<string, string>>).map(
    ([name, own]) => [`in HTML ${name}`, (value: string) => html(value, own)] as const,
  ),
  ['in a header that was read as Latin-1', (value) => Buffer.from(value).toString('latin1')],
  ['in base64', (value) => Buffer.from(value).toString('base64')],
  ['in base64 for addresses', (value) => Buffer.from(value).toString('base64url')],
  ['in base64 in a form', (value) => encodeForm(new Map([['k', Buffer.from(value).toString('base64')]])).slice(2)],
];

const lowerHex = (text: string): string => text.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase());

for (const [name, write] of encodings.filter(([name]) => name !== 'in a path')) {
  test(`masks a secret ${name}`, () => {
    const value = `pä/ss wörd~+"é*?&'`;
    assert.is(secrets(value).mask(`before ${write(value)} after`), 'before *** after');
  });
}

const padded = 'q83vASNF/Z+rze8=';

test('masks what is padded, and its base64, as templates escape that', () => {
  const mask = secrets(padded, 'joe:??>~~?').mask;
  for (const text of [
    'q83vASNF&#x2F;Z+rze8&#x3D;',
    'q83vASNF/Z+rze8&#x3D;',
    'q83vASNF/Z&#x2B;rze8=',
    'q83vASNF/Z&#43;rze8=',
  ]) {
    assert.is(mask(`-${text}-`), '-***-');
  }
  const encoded = Buffer.from('joe:??>~~?').toString('base64');
  assert.match(encoded, /[+/]/);
  assert.is(mask(`Basic ${encoded.replaceAll('/', '&#x2F;').replaceAll('=', '&#x3D;')}`).slice(0, 9), 'Basic ***');
});

test('masks a secret in a path', () => {
  const url = resolveUrl('http://h/', '/a/pä ss~[w]/b');
  assert.is(secrets('pä ss~[w]').mask(url), 'http://h/a/***/b');
});

test('masks the password within the base64 of user and password', () => {
  const masked = secrets('TopSecret').mask(`Basic ${Buffer.from('JohnDoe:TopSecret').toString('base64')}`);
  assert.match(masked, '***');
  assert.not.match(masked, Buffer.from('TopSecret').toString('base64').slice(0, 6));
  assert.not.match(Buffer.from(masked.slice(6), 'base64').toString(), 'Secret');
});

test('masks overlapping secrets whole, and the longer of two', () => {
  assert.is(secrets('abcd', 'cdefgh').mask('-abcdefgh-'), '-***-');
  assert.is(secrets('token', 'token-123').mask('token-123 token'), '*** ***');
  assert.is(secrets('abab').mask('ababab'), '***');
});

test('leaves text without secrets alone', () => {
  assert.is(secrets('TopSecret').mask('nothing to see: TopSecre'), 'nothing to see: TopSecre');
  assert.is(secrets().mask('text'), 'text');
  assert.is(secrets('').mask('text'), 'text');
});

test('masks values under 4 characters only where they are a whole value', () => {
  const short = secrets('abc', '');
  assert.is(short.mask('abc=abc'), 'abc=abc');
  assert.is(short.maskUrl('http://h/abc?k=abc&abc=1&l=abcd&abc'), 'http://h/abc?k=***&abc=1&l=abcd&abc');
  assert.ok(short.isSecret('abc'));
  assert.not(short.isSecret('ab'));
  assert.not(short.isSecret(''));
});

test('masks user information and decoded query values of an address', () => {
  const store = secrets('a b', 'TopSecret');
  assert.is(
    store.maskUrl('https://john:doe@h:8080/TopSecret/x?k=a+b&l=a%20b&m=%61+b&n=%54opSecret#f'),
    'https://***@h:8080/***/x?k=***&l=***&m=***&n=***',
  );
});

test('a request is named by method and masked address', () => {
  const request = { method: 'GET', url: 'https://h/p?token=TopSecret&page=2' };
  assert.is(describeRequest(request, secrets('TopSecret')), 'GET https://h/p?token=***&page=2');
});

test('an excerpt is one line without control characters', () => {
  assert.is(secrets().excerpt(' a\r\n\tb\u001b[31m\u202ec ', 20), 'a b [31m c');
  assert.is(secrets().excerpt('abcdef', 3), 'abc...');
});

test('an excerpt masks before it cuts, and a secret that its text cuts off', () => {
  const store = secrets('TopSecretToken');
  assert.is(store.excerpt('say TopSecretToken now', 7), 'say ***...');
  assert.is(store.excerpt('say TopSecret', 100), 'say ***');
  assert.is(store.excerpt('say To', 100), 'say To');
});

test('an excerpt masks a secret that was folded at its blanks', () => {
  assert.is(secrets('correct horse').excerpt('say correct\r\n  horse now', 100), 'say *** now');
});

test('masks a secret also without the white space around it, as a header goes out', () => {
  const store = secrets('\tTopSecret\n', ' \n ');
  assert.is(store.mask('X-Key: TopSecret'), 'X-Key: ***');
  assert.is(store.maskUrl('http://h/?k=TopSecret&l=+'), 'http://h/?k=***&l=+');
});

test('thousands of passing secrets keep what is configured and the latest 1,000', () => {
  const store = secrets('configured');
  const token = (index: number) => `token-${index}-end`;
  for (let index = 0; index < 5000; index += 1) store.add(token(index), 'passing');
  assert.ok(store.isSecret('configured'));
  assert.ok(Array.from({ length: 1000 }, (_, index) => 4999 - index).every((index) => store.isSecret(token(index))));
  assert.not(store.isSecret(token(0)));
  assert.is(store.mask(`${token(4999)} configured`), '*** ***');
});

test('secrets of requests, however many, push out no passing one', () => {
  const store = secrets();
  store.add('token-of-a-login', 'passing');
  for (let index = 0; index < 5000; index += 1) store.add(`signature-${index}-end`, 'request');
  assert.is(store.mask('token-of-a-login signature-4999-end'), '*** ***');
  assert.not(store.isSecret('signature-0-end'));
});

test('a secret added after a first masking counts', () => {
  const store = secrets('first');
  store.mask('text');
  store.add('second');
  assert.is(store.mask('first second'), '*** ***');
});

test('the text of a number can be a secret', () => {
  const body = encodeJsonBody(new Map([['pin', new ExactNumber('12345')]]));
  assert.is(secrets('12345').mask(body), '{"pin":***}');
});

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

test(`no planted secret survives, in any encoding (SEED=${seed})`, () => {
  const value = fc.string({ unit: 'binary', minLength: 4, maxLength: 20 }).filter((text) => !text.includes('*'));
  const around = fc.string({ unit: 'grapheme-ascii', maxLength: 10 }).filter((text) => !text.includes('*'));
  fc.assert(
    fc.property(value, around, around, fc.constantFrom(...encodings), (secret, before, after, [name, write]) => {
      const planted = write(secret);
      if (planted.length < 4 || (name === 'in a path' && /[?#]|(^|\/)\.{1,2}(\/|$)|^\//.test(secret))) return;
      const masked = secrets(secret).mask(`${before} ${planted} ${after}`);
      assert.not.match(masked, planted);
      assert.match(masked, '***');
    }),
    { seed, numRuns: 400 },
  );
});

test.run();
