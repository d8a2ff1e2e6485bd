/** Nothing secret is shown, in whatever encoding it is met. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExactNumber } from '../../../src/core/json/exact.js';
import { createSecrets, decodePrefix, describeRequest, shortenAddress } from '../../../src/core/secrets/secrets.js';
import { encodeJsonBody } from '../../../src/core/url/json-body.js';
import { encodeForm, mergeQuery } from '../../../src/core/url/query-string.js';
import { resolveUrl } from '../../../src/core/url/url.js';

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

/** Every encoding in which a value is sent or returned. */
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

test('masks padded text, and its base64, in the escapes of templates', () => {
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

const references = (value: string, write: (point: number) => string) =>
  [...value].map((char) => `&${write(char.codePointAt(0) ?? 0)};`).join('');
const units = (value: string) =>
  value
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
const mixedHex = (text: string) =>
  text.replace(/%(.)(.)/g, (_, one, two) => `%${one.toLowerCase()}${two.toUpperCase()}`);
const everyByte = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const inJson = (value: string) => JSON.stringify({ user: 'joe', token: value, n: 1 });
/** A line before each `r` and `n`: they are `\\u0072` and `\\u006e`, which also look like escapes of line breaks. */
const lettersLikeBreaks = (value: string): string =>
  base64(JSON.stringify({ value }))
    .replace(/(?=[rn])/g, '\\\\n')
    .replace(/(?<=\\\\n)[rn]/g, (char) => `\\\\u00${char.charCodeAt(0).toString(16)}`);
/** Folded as by mail, PEM and many programs: the secret crosses the end of the first line. */
const folded = (value: string, lineBreak: string) =>
  base64(JSON.stringify({ pad: 'x'.repeat(36), value, end: 'and a line more, to be sure' })).replace(
    /.{76}(?=.)/g,
    `$&${lineBreak}`,
  );

/** Of a secret: the text, and what is shown of it. In rows of percent-encoded bytes and in base64 nothing is shown. */
const nested: readonly (readonly [name: string, write: (value: string) => string, shown: string])[] = [
  ['in decimal references', (value) => references(value, (point) => `#${point}`), '***'],
  ['in hexadecimal references', (value) => references(value, (point) => `#x${point.toString(16)}`), '***'],
  [
    'in HEXADECIMAL references',
    (value) => references(value, (point) => `#X${point.toString(16).toUpperCase()}`),
    '***',
  ],
  ['in padded references', (value) => references(value, (point) => `#${String(point).padStart(7, '0')}`), '***'],
  [
    'in names',
    (value) => html(value, { ä: '&auml;', é: '&eacute;', '?': '&quest;', '/': '&sol;', "'": '&apos;' }),
    '***',
  ],
  ['in HTML twice', (value) => html(html(value, { "'": '&#39;' }), {}), '***'],
  [
    'in hexadecimal references, percent-encoded',
    (value) => encodeURIComponent(references(value, (point) => `#x${point.toString(16)}`)),
    '***',
  ],
  ['percent-encoded in mixed case', (value) => mixedHex(encodeURIComponent(value)), '***'],
  ['with every byte percent-encoded', everyByte, '***'],
  ['percent-encoded three times', (value) => encodeURIComponent(encodeURIComponent(everyByte(value))), '***'],
  [
    'in JSON, percent-encoded',
    (value) => encodeURIComponent(inJson(value)),
    '%7B%22user%22%3A%22joe%22%2C%22token%22%3A%22***%22%2C%22n%22%3A1%7D',
  ],
  ['with every character escaped', units, '***'],
  ['with every character escaped twice', (value) => units(units(value)), '***'],
  ['in base64 of JSON', (value) => base64(inJson(value)), '***'],
  ['in base64url of JSON', (value) => Buffer.from(inJson(value)).toString('base64url'), '***'],
  ['in base64 of base64 of JSON', (value) => base64(base64(inJson(value))), '***'],
  ['in base64 of JSON, percent-encoded', (value) => encodeURIComponent(base64(inJson(value))), '***'],
  ['in base64 of JSON, slashes escaped', (value) => base64(inJson(value)).replaceAll('/', '\\/'), '***'],
  ['in base64 after other characters of base64', (value) => `key/${base64(inJson(value))}`, '***'],
  ['in base64 of lines of 76', (value) => folded(value, '\r\n'), '***'],
  ['in base64 of lines that are indented', (value) => folded(value, '\n    '), '***'],
  ['in base64 of lines, in JSON', (value) => JSON.stringify(folded(value, '\n')), '"***"'],
  ['in base64 of lines whose letters look like breaks', lettersLikeBreaks, '***'],
  ['in base64 of lines, percent-encoded', (value) => encodeURIComponent(folded(value, '\r\n')), '***'],
  ['in base64 that is cut', (value) => base64(`${value} and more`).slice(0, -9), '***'],
  [
    'in JSON within JSON within HTML',
    (value) => html(JSON.stringify(inJson(value)), {}),
    '&quot;{\\&quot;user\\&quot;:\\&quot;joe\\&quot;,\\&quot;token\\&quot;:\\&quot;***\\&quot;,\\&quot;n\\&quot;:1}&quot;',
  ],
];

for (const [name, write, shown] of nested) {
  test(`masks a secret ${name}`, () => {
    for (const value of [`pä/ss wörd~+"é*?&'`, 'TopSecret-1234']) {
      const masked = secrets(value).mask(`before ${write(value)} after`);
      assert.is(masked, `before ${shown} after`, value);
    }
  });
}

test('shows the text beside a secret, character by character', () => {
  assert.is(secrets('a<b&c').mask('x&lt;a&lt;b&amp;c&gt;y'), 'x&lt;***&gt;y');
  assert.is(secrets('a"b/c').mask('{"k":"\\u0041a\\"b\\/c\\n"}'), '{"k":"\\u0041***\\n"}');
  assert.is(secrets('abcd').mask('x=%61bcd&y=%41%42'), 'x=***&y=%41%42');
});

test('masks a secret that looks like an escape itself, and one after an incomplete escape', () => {
  for (const value of ['%41%42%43', '&amp;&lt;', '\\u0041\\n', 'a%zz&x;\\q']) {
    for (const write of [
      (text: string) => text,
      encodeURIComponent,
      (text: string) => JSON.stringify(text).slice(1, -1),
    ]) {
      assert.is(secrets(value).mask(`-${write(value)}-`), '-***-', value);
    }
  }
  assert.is(secrets('12/34').mask('%412/34 \\u0012/34 &#12/34;'), '*** \\u00*** &#***;');
});

test('a value of a megabyte costs time by its length, and so does a text', () => {
  const value = `p\u00e4/ss "x"&+%<\u00e9`.repeat(80_000);
  const started = process.cpuUsage();
  const store = secrets(value);
  assert.is(store.mask(`before ${encodeURIComponent(value)} after`), 'before *** after');
  assert.is(store.mask(`before ${JSON.stringify(value)} after`), 'before "***" after');
  const { user } = process.cpuUsage(started);
  assert.ok(user < 30e6, `${user} microseconds`);
});

for (const [what, cut] of [
  ['a character', Buffer.from('say \u5bc6\u7801\u662f\u79d8').subarray(0, -1)],
  ['a percent-encoded byte', Buffer.from('say pl%C3%A4nt%C')],
  ['a reference', Buffer.from('say pl&auml;nt&eacu')],
  ['an escape', Buffer.from('say pl\\u00e4nt\\u00')],
  ['an escape that is percent-encoded', Buffer.from('say pl%5Cu00e4nt%5Cu0')],
  ['a group of base64', Buffer.from(`say ${base64('x pl\u00e4nt\u00e9d')}`).subarray(0, -3)],
] as const) {
  test(`an excerpt of a text cut within ${what} shows no prefix of a secret`, () => {
    const store = secrets('pl\u00e4nt\u00e9d value', '\u5bc6\u7801\u662f\u79d8\u5bc6');
    assert.is(store.excerpt(decodePrefix(cut), 100), 'say ***');
    assert.is(store.excerpt(cut.toString(), 100), 'say ***');
  });
}

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

test('masks values under 4 characters only as whole values', () => {
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

test('masks a secret also without surrounding white space, as in a header', () => {
  const store = secrets('\tTopSecret\n', ' \n ');
  assert.is(store.mask('X-Key: TopSecret'), 'X-Key: ***');
  assert.is(store.maskUrl('http://h/?k=TopSecret&l=+'), 'http://h/?k=***&l=+');
});

test('thousands of passing secrets do not push out configured ones and the latest 1,000', () => {
  const store = secrets('configured');
  const token = (index: number) => `token-${index}-end`;
  for (let index = 0; index < 5000; index += 1) store.add(token(index), 'passing');
  assert.ok(store.isSecret('configured'));
  assert.ok(Array.from({ length: 1000 }, (_, index) => 4999 - index).every((index) => store.isSecret(token(index))));
  assert.not(store.isSecret(token(0)));
  assert.is(store.mask(`${token(4999)} configured`), '*** ***');
});

test('any number of request secrets pushes out no passing one', () => {
  const store = secrets();
  store.add('token-of-a-login', 'passing');
  for (let index = 0; index < 5000; index += 1) store.add(`signature-${index}-end`, 'request');
  assert.is(store.mask('token-of-a-login signature-4999-end'), '*** ***');
  assert.not(store.isSecret('signature-0-end'));
});

/** Like other texts of a reply, such as permissions. */
const texts = (count: number) => Array.from({ length: count }, (_, index) => `permission-${index}`);

test('no value of an open scope is pushed out, by its own values or by others', () => {
  const store = secrets();
  const login = store.scope();
  for (const value of ['a-refresh-token', ...texts(5000)]) login.add(value);
  for (let index = 0; index < 5000; index += 1) store.add(`token-${index}-end`, 'passing');
  assert.is(store.mask('a-refresh-token permission-0 permission-4999'), '*** *** ***');
  assert.ok(store.isSecret('a-refresh-token'));
});

test('of closed scopes the last is remembered whole, earlier ones of up to 1,000 values among the passing', () => {
  const store = secrets();
  const scopeOf = (values: readonly string[]) => {
    const scope = store.scope();
    for (const value of values) scope.add(value);
    return scope;
  };
  const [small, large, last] = [
    scopeOf(['small-token']),
    scopeOf(['large-token', ...texts(2000)]),
    scopeOf(['last-token']),
  ];
  small.close();
  large.close();
  assert.is(store.mask('small-token large-token permission-7 last-token'), '*** *** *** ***');
  last.close();
  last.close();
  assert.is(store.mask('small-token large-token permission-7 last-token'), '*** large-token permission-7 ***');
  assert.not(store.isSecret('large-token'));
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

test('an address of 500 characters is shown as it is, of a longer one so many', () => {
  assert.is(shortenAddress('x'.repeat(500)), 'x'.repeat(500));
  assert.is(shortenAddress('x'.repeat(501)), `${'x'.repeat(500)}...`);
});

test('no character is cut in two', () => {
  assert.is(shortenAddress(`${'x'.repeat(499)}\u{1f600}`), `${'x'.repeat(499)}...`);
});

test('wherever the cut falls, no part of a secret shows', () => {
  const secret = 'abcdefghijklmnopqrstuvwxyz';
  const secrets = createSecrets();
  secrets.add(secret);
  for (let before = 440; before <= 500; before += 1) {
    const start = 'https://api.example.com/'.padEnd(before, '-');
    const shown = describeRequest({ method: 'GET', url: `${start}${secret}${'-'.repeat(100)}` }, secrets);
    assert.not.match(shown, /abc|bcd|xyz/);
    assert.ok(shown.length <= 'GET ...'.length + 500, shown);
  }
});

test('a list that is followed may grow, and others may replace it', () => {
  const store = createSecrets();
  let list: readonly string[] = ['first-one'];
  store.follow(() => list);
  assert.is(store.mask('first-one, second-one'), '***, second-one');
  list = ['zero-one', ...list, 'second-one'];
  assert.is(store.mask('zero-one, first-one, c2Vjb25kLW9uZQ=='), '***, ***, ***');
  assert.ok(store.isSecret('second-one'));
});

test.run();
