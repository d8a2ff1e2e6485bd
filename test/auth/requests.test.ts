/**
 * Authentication types without a login, in whole runs: every attempt and every redirect is authenticated anew,
 * elsewhere nothing is shown.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/run/extract.js';
import { rejection } from '../sinks/lib.js';
import { assertHidden, comeAgain, configOf, json, listener, type Network, onNetwork } from '../support/mock-network.js';
import { unchecked } from '../unchecked.js';

const elsewhere = 'https://elsewhere.example';
const job = [{ endpoint: 'a' }];
const moved = (location: string) => ({ status: 307, headers: { Location: location } });

const credentials = {
  appKey: 'app',
  '#appSecret': 'app-secret',
  '#data': '{"oauth_token":"tok-123456","oauth_token_secret":"tok-secret"}',
};
const authorization = { oauth_api: { credentials } };

const oauth10 = { ...configOf(job, { authentication: { type: 'oauth10' } }), authorization };

const headersNamed = ({ asked }: Network, name: string) => asked.map(({ headers }) => headers[name]);

const partsOf = (network: Network, name: string) =>
  headersNamed(network, 'authorization').map((line) => new RegExp(`${name}="([^"]*)"`).exec(line ?? '')?.[1]);

test(
  'each attempt is signed anew',
  onNetwork({ 'GET /a': [comeAgain(503), json([1])] }, async (network) => {
    await run(oauth10, { dispatcher: network.dispatcher });
    for (const part of ['oauth_nonce', 'oauth_signature']) {
      const [first, second, ...others] = partsOf(network, part);
      assert.ok(first !== undefined && second !== undefined && first !== second, part);
      assert.equal(others, []);
    }
  }),
);

test(
  'a redirect is signed anew, over its own address',
  onNetwork({ 'GET /a': moved('/b?page=1'), 'GET /b?page=1': json([1]) }, async (network) => {
    const authentication = { type: 'oauth20', headers: { 'X-Path': { request: 'resource' } } };
    await run({ ...configOf(job, { authentication }), authorization }, { dispatcher: network.dispatcher });
    assert.equal(headersNamed(network, 'x-path'), ['/a', '/b?page=1']);
  }),
);

const types: readonly (readonly [type: string, authentication: object, header: string])[] = [
  ['basic', { type: 'basic' }, 'authorization'],
  ['bearer', { type: 'bearer', token: { attr: '#token' } }, 'authorization'],
  ['api-key', { type: 'api-key', name: 'X-Api-Key', value: { attr: '#token' } }, 'x-api-key'],
  ['oauth10', { type: 'oauth10' }, 'authorization'],
  ['oauth20', { type: 'oauth20', headers: { 'X-Token': { authorization: 'data' } } }, 'x-token'],
];

const config = { username: 'Lovelace', '#password': 'engine-word', '#token': 'tok-abcdef' };

for (const [type, authentication, header] of types) {
  test(
    `${type} does not go to an origin that is not trusted`,
    onNetwork({ 'GET /a': moved(`${elsewhere}/b`), [`GET ${elsewhere}/b`]: json([1]) }, async (network) => {
      const { codes, notify } = listener();
      const document = { ...configOf(job, { authentication }, config), authorization };
      await run(document, { dispatcher: network.dispatcher, notify });
      const [here, there] = headersNamed(network, header);
      assert.type(here, 'string');
      assert.is(there, undefined);
      assert.equal(codes(), ['foreign-origin']);
    }),
  );
}

test(
  'parameters do not go to an origin that is not trusted',
  onNetwork(
    { 'GET /a?key=tok-abcdef': moved(`${elsewhere}/b`), [`GET ${elsewhere}/b`]: json([1]) },
    async ({ dispatcher }) => {
      const authentication = { type: 'query', query: { key: { attr: '#token' } } };
      await run(configOf(job, { authentication }, config), { dispatcher });
    },
  ),
);

test(
  'parameters that a server adds to a redirect are replaced',
  onNetwork(
    { 'GET /a?key=tok-abcdef': moved('/b?key=old&x=1'), 'GET /b?key=tok-abcdef&x=1': json([1]) },
    async ({ dispatcher }) => {
      const authentication = { type: 'api-key', in: 'query', name: 'key', value: { attr: '#token' } };
      await run(configOf(job, { authentication }, config), { dispatcher });
    },
  ),
);

test(
  'a response that quotes the credentials shows none of them',
  onNetwork(
    {
      'GET /a': {
        status: 403,
        body: `no: Lovelace engine-word ${Buffer.from('Lovelace:engine-word').toString('base64')}`,
      },
    },
    async ({ dispatcher }) => {
      const document = configOf(job, { authentication: { type: 'basic' } }, config);
      const thrown = await rejection(run(document, { dispatcher }), 'ERR_STATUS', /no: \*\*\* \*\*\* \*\*\*/);
      for (const secret of ['Lovelace', 'engine-word']) assertHidden(secret, [String(thrown), thrown.stack]);
    },
  ),
);

test(
  'a signature over the address shows neither itself nor hides the address',
  onNetwork(
    { 'GET /a?q=1&sign=c6ef6d9ad40b972e633ccbf0884bce19787f538f': { status: 403, body: 'no' } },
    async (network) => {
      const sign = { function: 'sha1', args: [{ function: 'concat', args: [{ attr: '#token' }, { request: 'url' }] }] };
      const jobs = [{ endpoint: 'a', params: { q: 1 } }];
      const document = configOf(jobs, { authentication: { type: 'query', query: { sign } } }, config);
      const shown = /GET https:\/\/api\.example\/a\?q=1&sign=\*\*\* failed with status 403/;
      await rejection(run(document, { dispatcher: network.dispatcher }), 'ERR_STATUS', shown);
    },
  ),
);

test(
  'a parameter that the request does not have is an error with its place, and nothing is sent',
  onNetwork({}, async ({ dispatcher }) => {
    const authentication = { type: 'query', query: { sign: { function: 'sha1', args: [{ query: 'pge' }] } } };
    const document = configOf([{ endpoint: 'a', params: { page: 1 } }], { authentication });
    const message = /api\.authentication\.query\.sign: there is no query "pge"; did you mean "page"\?/;
    await rejection(run(document, { dispatcher }), 'ERR_FUNCTION', message);
  }),
);

test(
  'each iteration has its own credentials',
  onNetwork({ 'GET /a': [json([1]), json([2])] }, async (network) => {
    const iterations = [
      { username: 'Ada', '#password': 'first' },
      { username: 'Bob', '#password': 'second' },
    ];
    await run(unchecked({ ...configOf(job, { authentication: { type: 'basic' } }), iterations }), {
      dispatcher: network.dispatcher,
    });
    const users = headersNamed(network, 'authorization').map((line = '') =>
      Buffer.from(line.slice(6), 'base64').toString(),
    );
    assert.equal(users, ['Ada:first', 'Bob:second']);
  }),
);

test.run();
