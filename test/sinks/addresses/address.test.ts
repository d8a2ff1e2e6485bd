/** Addresses of sinks: targets, options, variables, and what is shown of them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasLiteralSecret, parseAddress } from '../../../sinks/addresses/address.js';
import { headers, pem, pemKey } from '../../../sinks/addresses/kinds.js';
import { readAddress } from '../../../sinks/addresses/options.js';
import { hostText, readHosts } from '../../../sinks/addresses/server-address.js';
import { kafkaEntry } from '../../../sinks/kafka/kafka.js';
import { natsEntry } from '../../../sinks/nats/nats.js';
import { text } from '../../../src/core/options/kinds.js';
import { rejection } from '../lib.js';

const row = { kind: text, summary: '' };
const options = { stream: row, 'header.NAME': { kind: headers, summary: '' } };
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
  const read = readAddress('nats://joe:${PASSWORD}@host:1/a.b?stream=S', natsEntry, { env }).options;
  const { servers, user, password, subject, stream } = read;
  assert.equal([servers, user, password, subject, stream], ['host:1', 'joe', 'p@ss/?#&%', 'a.b', 'S']);
  assert.is(address.shown, 'nats://***@host:1/a.b?stream=S');
  assert.ok(address.secrets.includes('p@ss/?#&%'));
  assert.ok(address.secrets.includes('p%40ss%2F%3F%23%26%25'));
  assert.ok(address.secrets.includes(Buffer.from('joe:p@ss/?#&%').toString('base64')));
});

test('options of a web address follow its fragment, and headers hold variables', () => {
  const address = parseAddress('https://h/p?x=1#stream=a%20b&header.X-Key=${KEY}', web, { env });
  assert.is(address.target, '//h/p?x=1');
  assert.equal(
    [...address.options],
    [
      ['stream', 'a%20b'],
      ['header.X-Key', 'k%201'],
    ],
  );
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
  const needing = { ...server, options: { stream: { ...row, required: true } } } as const;
  await rejection(
    () => parseAddress('nats://h/s', needing, { env }),
    'ERR_USAGE',
    /^nats: needs the option stream=\.\.\.$/,
  );
});

test('a literal password is found, and a literal header that holds credentials', () => {
  const literal = ['nats://joe:x@h', 'nats://joe:a${B}@h', 'https://h/#header.X-Api-Key=abc', 'nats://:${A}b@h'];
  literal.push('s3://items?sessionToken=abc');
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
  assert.equal(readHosts('a,b:5,[::1]:6', 'nats', 4222).map(hostText), ['a:4222', 'b:5', '[::1]:6']);
  assert.equal(readHosts(['a', 'b:5'], 'nats', 4222).map(hostText), ['a:4222', 'b:5']);
  const read = (user: string) => readAddress(`nats://${user}h/s?stream=S`, natsEntry, { env }).options;
  assert.equal([read('${KEY}@').token, read('${KEY}@').user], ['k 1', undefined]);
  assert.equal([read(':secret@').password, read(':secret@').user], ['secret', undefined]);
  assert.equal([read('@').user, read('@').token], [undefined, undefined]);
});

test('a host that is none is an error', async () => {
  const form =
    /^nats: expected nats:\/\/\[USER:PASSWORD@\]HOST:PORT\/SUBJECT\?stream=NAME, found "nats:host\?stream=S"$/;
  await rejection(() => readAddress('nats:host?stream=S', natsEntry, {}), 'ERR_USAGE', form);
  const message = /^nats: "h:0" is not a host with its port, such as localhost:4222$/;
  await rejection(() => readHosts('h:0', 'nats', 4222), 'ERR_USAGE', message);
  await rejection(() => readHosts('h:70000', 'nats', 4222), 'ERR_USAGE', /"h:70000"/);
});

test('options have values of a kind', async () => {
  const given = (rest: string) => () => readAddress(`kafka://h/t?${rest}`, kafkaEntry, {}).options;
  const { transactions, create, partitions, timeout, compression } = given(
    'transactions=true&create=false&timeout=2m',
  )();
  assert.equal([transactions, create, partitions, timeout, compression], [true, false, undefined, 120, 'none']);
  await rejection(
    given('partitions=0'),
    'ERR_USAGE',
    /^kafka: partitions: expected a whole number from 1 to 100000, found "0"$/,
  );
  await rejection(
    given('timeout=500ms'),
    'ERR_USAGE',
    /^kafka: timeout: expected a whole number of seconds from 1 to 86400, or a time/,
  );
  await rejection(
    given('compression=gzp'),
    'ERR_USAGE',
    /gzip, snappy, lz4 or zstd, found "gzp"; did you mean "gzip"\?$/,
  );
  await rejection(
    given('create=x&replication=x'),
    'ERR_USAGE',
    /create: expected true or false, .*; replication: expected/,
  );
});

test('the text of a key is secret and not shown, and process lists show it', () => {
  const rules = { ...server, options: { cert: { ...row, kind: pem }, certkey: { ...row, kind: pemKey } } };
  const textOf = (what: string) =>
    encodeURIComponent(`-----BEGIN ${what}-----\nMIIBIjANBgkqhkiG9w0BAQEFAA==\n-----END ${what}-----`);
  const uri = `nats://h/s?cert=${textOf('CERTIFICATE')}&certkey=${textOf('PRIVATE KEY')}`;
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
