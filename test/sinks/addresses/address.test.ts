/** Addresses of sinks: targets, options, variables, and what is shown of them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasLiteralSecret, parseAddress } from '../../../sinks/addresses/address.js';
import {
  countOption,
  flagOption,
  hostText,
  readServer,
  textOption,
  wordOption,
} from '../../../sinks/addresses/server-address.js';
import { rejection } from '../lib.js';

const row = { summary: '' };
const options = { stream: row, 'header.NAME': row };
const server = { options, optionsAfter: '?', isServer: true } as const;
const plain = { options: {}, optionsAfter: '?', isServer: false } as const;
const web = { options, optionsAfter: '#', isServer: true } as const;
const env = { PASSWORD: 'p@ss/?#&%', KEY: 'k 1' };

test('a scheme ends at the first colon, and its target is literal', () => {
  const { scheme, target, shown } = parseAddress('NDJSON:C:\\data/a=b#c', plain);
  assert.equal([scheme, target, shown], ['ndjson', 'C:\\data/a=b#c', 'ndjson:C:\\data/a=b#c']);
});

test('a variable is filled in percent-encoded, and shown nowhere', () => {
  const address = parseAddress('nats://joe:${PASSWORD}@host:1/a.b?stream=S', server, { env });
  assert.equal(readServer(address, 4222), {
    hosts: [{ host: 'host', port: 1 }],
    user: 'joe',
    password: 'p@ss/?#&%',
    path: 'a.b',
  });
  assert.is(address.shown, 'nats://***@host:1/a.b?stream=S');
  assert.ok(address.secrets.includes('p@ss/?#&%'));
  assert.ok(address.secrets.includes('p%40ss%2F%3F%23%26%25'));
  assert.ok(address.secrets.includes(Buffer.from('joe:p@ss/?#&%').toString('base64')));
});

test('options of a web address follow its fragment, and headers hold variables', () => {
  const address = parseAddress('https://h/p?x=1#stream=a%20b&header.X-Key=${KEY}', web, { env });
  assert.is(address.target, '//h/p?x=1');
  assert.is(textOption(address, 'stream'), 'a b');
  assert.is(textOption(address, 'header.X-Key'), 'k 1');
  assert.is(address.shown, 'https://h/p?x=1#stream=a%20b&header.X-Key=***');
  assert.equal(address.secrets, ['k 1', 'k%201']);
});

test('an empty list of options, and empty places between them, are no options', () => {
  assert.is(parseAddress('nats://h/?', server, { env }).options.size, 0);
  assert.is(parseAddress('nats://h/?&stream=S&', server, { env }).options.size, 1);
});

const faults: readonly [uri: string, rules: typeof server | typeof plain, message: RegExp][] = [
  [
    'nats://h/s?stram=S',
    server,
    /^nats: unknown option "stram": expected stream, header.NAME; did you mean "stream"\?$/,
  ],
  ['ndjson:out?compress=gzip', plain, /^ndjson: unknown option "compress": it has no options; a "\?" .* %3F$/],
  ['nats://h/s?stream=A&stream=B', server, /^nats: the option "stream" is given twice$/],
  ['nats://h/s?stream', server, /^nats: the option "stream" needs a value, as in stream=\.\.\.$/],
  [
    'nats://h/s?header.NAME:%20Bearer%20abc',
    server,
    /^nats: the option "header.NAME" needs a value, as in header.NAME=\.\.\.$/,
  ],
  ['nats://h/s?header.=x', server, /unknown option "header."/],
  [
    'nats://${PASWORD}@h/s',
    server,
    /^nats: there is no variable "PASWORD" in the environment; did you mean "PASSWORD"\? Otherwise: export PASWORD=\.\.\.$/,
  ],
  [
    'nats://h/${KEY}',
    server,
    /^nats: a variable is allowed only in its user information, before the "@", and in headers$/,
  ],
];

for (const [uri, rules, message] of faults) {
  test(`explains what is wrong with ${uri}`, () =>
    rejection(() => parseAddress(uri, rules, { env }), 'ERR_USAGE', message).then());
}

test('a variable without an environment, and a missing option, are errors', async () => {
  await rejection(
    () => parseAddress('nats://${KEY}@h/s', server),
    'ERR_USAGE',
    /no environment was given; in code it is the option `env`, as `env: process.env`$/,
  );
  const needing = { ...server, options: { stream: { summary: '', required: true } } } as const;
  await rejection(
    () => parseAddress('nats://h/s', needing, { env }),
    'ERR_USAGE',
    /^nats: needs the option stream=\.\.\.$/,
  );
});

test('a literal password is found, and a literal header that holds credentials', () => {
  const literal = ['nats://joe:x@h', 'nats://joe:a${B}@h', 'https://h/#header.X-Api-Key=abc', 'nats://:${A}b@h'];
  const harmless = [
    'nats://joe:${P}@h',
    'nats://h/a@b:c',
    'https://h/#header.X-Key=${K}',
    'https://h/#header.Accept=x',
  ];
  assert.equal(literal.filter(hasLiteralSecret), literal);
  assert.equal(harmless.filter(hasLiteralSecret), []);
});

test('reads several hosts, addresses of version 6, and a key without a password', () => {
  const read = (uri: string) => readServer(parseAddress(uri, server, { env }), 4222);
  assert.equal(read('nats://a,b:5,[::1]:6/x').hosts.map(hostText), ['a:4222', 'b:5', '[::1]:6']);
  assert.equal(read('nats://${KEY}@h'), { hosts: [{ host: 'h', port: 4222 }], user: 'k 1', path: '' });
  assert.equal(read('redis://:secret@h').password, 'secret');
  assert.is('user' in read('redis://:secret@h'), false);
  assert.is('user' in read('redis://@h'), false);
});

test('a host that is none is an error', async () => {
  const read = (uri: string) => () => readServer(parseAddress(uri, server, { env }), 4222);
  await rejection(read('nats:host'), 'ERR_USAGE', /^nats: expected nats:\/\/HOST:PORT\/\.\.\., found "nats:host"$/);
  await rejection(
    read('nats://h:0/s'),
    'ERR_USAGE',
    /^nats: "h:0" is not a host with its port, such as localhost:4222$/,
  );
  await rejection(read('nats://h:70000/s'), 'ERR_USAGE', /"h:70000"/);
});

test('options have values of a kind', async () => {
  const given = (stream: string) => parseAddress(`nats://h/s?stream=${stream}`, server, { env });
  assert.is(flagOption(given('true'), 'stream', false), true);
  assert.is(flagOption(given('false'), 'stream', true), false);
  assert.is(flagOption(given('x'), 'other', true), true);
  assert.is(countOption(given('12'), 'stream'), 12);
  assert.is(countOption(given('12'), 'other'), undefined);
  await rejection(
    () => countOption(given('0'), 'stream'),
    'ERR_USAGE',
    /^nats: stream: expected a whole number from 1/,
  );
  await rejection(() => countOption(given('6'), 'stream', 5), 'ERR_USAGE', /from 1 to 5, found "6"$/);
  await rejection(
    () => wordOption(given('jso'), 'stream', ['json', 'ndjson']),
    'ERR_USAGE',
    /expected json or ndjson, found "jso"; did you mean "json"\?$/,
  );
});

test('the text of a key is secret and not shown, and process lists show it', () => {
  const rules = { ...server, options: { cert: row, certkey: row } };
  const pem = (what: string) =>
    encodeURIComponent(`-----BEGIN ${what}-----\nMIIBIjANBgkqhkiG9w0BAQEFAA==\n-----END ${what}-----`);
  const uri = `nats://h/s?cert=${pem('CERTIFICATE')}&certkey=${pem('PRIVATE KEY')}`;
  const { shown, secrets } = parseAddress(uri, rules);
  assert.is(shown, 'nats://h/s?cert=PEM&certkey=PEM');
  assert.ok(secrets.includes('MIIBIjANBgkqhkiG9w0BAQEFAA=='));
  assert.ok(secrets.some((secret) => secret.startsWith('-----BEGIN PRIVATE KEY-----\n')));
  assert.not.ok(secrets.some((secret) => secret.includes('CERTIFICATE')));
  assert.equal([hasLiteralSecret(uri), hasLiteralSecret('nats://h/s?certkey=key.pem')], [true, false]);
});

test('of a header each variable is secret, and the credentials behind a scheme', () => {
  const secretsIn = (value: string) => parseAddress(`https://h/#header.Authorization=${value}`, web, { env }).secrets;
  assert.ok(secretsIn('Token%20x-${PASSWORD}').includes(env.PASSWORD));
  assert.ok(secretsIn('Bearer%20abcdef').includes('abcdef'));
});

test('every secret is hidden before a fault of the address', async () => {
  const hidden: string[] = [];
  const hide = (secret: string) => void hidden.push(secret);
  await rejection(() => parseAddress('nats://joe:${PASSWORD}@h/s?stram=S', server, { env, hide }), 'ERR_USAGE');
  assert.ok(hidden.includes(env.PASSWORD));
});

const unencoded = [
  'redis://joe:pa/ss@h/0?stream=s',
  'redis://joe:pa?ss@h/0?stream=s',
  'https://joe:pa#ss@h/in',
  'redis://joe:p@ss@h/0?stream=s',
  'redis://joe:pa ss@h/0?stream=s',
  'redis://${KEY}:pa/ss@h/0',
];

for (const uri of unencoded) {
  test(`a password that is not encoded is an error without a part of it: ${uri}`, async () => {
    const rules = uri.startsWith('https') ? web : server;
    const thrown = await rejection(() => parseAddress(uri, rules, { env }), 'ERR_USAGE', /percent-encode "\/", "\?"/);
    assert.not.match(thrown.message, /pa|ss@/);
  });
}

test('an @ behind the hosts is none of user information', () => {
  for (const uri of [
    'nats://h/a@b',
    'nats://joe:x@h:1,[::1]:2,i/a@b?stream=S',
    'nats://[::1]/a@b',
    'nats://${KEY}@h:1/a@b',
  ]) {
    assert.ok(parseAddress(uri, server, { env }).target.includes('a@b'), uri);
  }
});

test.run();
