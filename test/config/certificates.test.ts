import { createPrivateKey } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeCertificates } from '../loopback/certificates.js';
import { configOf, documentOf, problemsOf } from './fakes.js';

const { ca, server, client } = makeCertificates();
const cut = (pem: string) => pem.replace(/\n[^\n-]{40}/, '\n');
const protection = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
const locked = createPrivateKey(client.key).export(protection);

const noCertificates = 'expected certificates as PEM (-----BEGIN CERTIFICATE-----)';
const noKey = 'expected one private key (PEM) after the certificate';

const rows: readonly (readonly [what: string, api: object, problem: string])[] = [
  ['authorities', { caCertificate: ca }, ''],
  ['several authorities with words between them', { caCertificate: `one\n${ca}two\n${server.cert}` }, ''],
  ['no authorities', { caCertificate: null, '#clientCertificate': null }, ''],
  ['empty texts', { caCertificate: '', '#clientCertificate': '' }, ''],
  ['authorities that are no text', { caCertificate: [ca] }, 'caCertificate: expected a string, found a list'],
  ['authorities that are no PEM', { caCertificate: 'my-ca' }, `caCertificate: ${noCertificates}`],
  [
    'authorities of which one is broken',
    { caCertificate: `${ca}${cut(ca)}` },
    'caCertificate: contains a certificate that cannot be read',
  ],
  ['a key in the place of authorities', { caCertificate: client.key }, `caCertificate: ${noCertificates}`],
  ['a certificate and its key', { '#clientCertificate': `${client.cert}${client.key}` }, ''],
  ['a certificate, its authority and its key', { '#clientCertificate': `${client.cert}${ca}${client.key}` }, ''],
  [
    'a client certificate that is no text',
    { '#clientCertificate': true },
    '#clientCertificate: expected a string, found true or false',
  ],
  ['a client certificate that is no PEM', { '#clientCertificate': 'x' }, `#clientCertificate: ${noCertificates}`],
  ['a client certificate without a key', { '#clientCertificate': client.cert }, `#clientCertificate: ${noKey}`],
  ['a key without a certificate', { '#clientCertificate': client.key }, `#clientCertificate: ${noCertificates}`],
  [
    'a certificate with two keys',
    { '#clientCertificate': `${client.cert}${client.key}${client.key}` },
    `#clientCertificate: ${noKey}`,
  ],
  [
    'a certificate with the key of another',
    { '#clientCertificate': `${client.cert}${server.key}` },
    '#clientCertificate: contains a private key that does not belong to the certificate',
  ],
  [
    'a key that is broken',
    { '#clientCertificate': `${client.cert}${cut(client.key)}` },
    '#clientCertificate: contains a private key that cannot be read; a key with a passphrase is not supported',
  ],
  [
    'a key with a passphrase',
    { '#clientCertificate': `${client.cert}${locked}` },
    '#clientCertificate: contains a private key that cannot be read; a key with a passphrase is not supported',
  ],
];

for (const [what, api, problem] of rows) {
  test(`${what}: ${problem === '' ? 'accepted' : 'a problem'}`, () => {
    assert.equal(problemsOf(documentOf({ api })), problem === '' ? [] : [`api.${problem}`]);
  });
}

test('the key is separate from the certificates, and the place of the first is known', () => {
  const api = { '#clientCertificate': `${client.cert}${client.key}` };
  const { tls } = configOf({ api });
  assert.equal(tls, { pem: { cert: client.cert.trim(), key: client.key.trim() }, path: 'api.#clientCertificate' });
  assert.is(configOf({ api: { ...api, caCertificate: ca } }).tls?.path, 'api.caCertificate');
  assert.is(configOf({ api: { caCertificate: '' } }).tls, undefined);
});

test.run();
