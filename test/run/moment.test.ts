/** Whole runs at a known moment with known nonces: what else differs from run to run, to the byte. */
import crypto, { createHash, createHmac } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { run } from '../../src/run/extract.js';
import { configOf, json, type MockRoutes, type Network, onNetwork } from '../support/mock-network.js';
import { startClock, type VirtualClock } from '../support/virtual-clock.js';
import { unchecked } from '../unchecked.js';

/** The clock is at 2001-09-09 01:46:40 UTC; nonces are 0101010101010101, 0202020202020202 and so on. */
const atMoment = (routes: MockRoutes, work: (network: Network, clock: VirtualClock) => Promise<void>) =>
  onNetwork(routes, async (network) => {
    const clock = startClock();
    let nonces = 0;
    const random = mock.method(crypto, 'randomBytes', (size: number) => Buffer.alloc(size, ++nonces));
    syncBuiltinESMExports();
    try {
      await work(network, clock);
    } finally {
      random.mock.restore();
      syncBuiltinESMExports();
      clock.stop();
    }
  });

const call = (name: string, ...args: readonly unknown[]) => ({ function: name, args });
const date = (format: string, ...moment: readonly unknown[]) => call('date', format, ...moment);
const started = { time: 'currentStart' };
const before = { time: 'previousStart' };

const authorizationOf = ({ asked }: Network) => asked.map(({ headers }) => headers.authorization);

const oauthKeys = { appKey: 'shop-app', '#appSecret': 'app-secret' };
const withToken = (document: object, token: object) =>
  unchecked({
    ...document,
    authorization: { oauth_api: { credentials: { ...oauthKeys, '#data': JSON.stringify(token) } } },
  });

const signatureOf = (base: readonly string[]) =>
  encodeURIComponent(createHmac('sha1', 'app-secret&tok-secret').update(base.join('')).digest('base64'));

const oauthLine = (nonce: string, base: readonly string[]) =>
  `OAuth oauth_consumer_key="shop-app", oauth_nonce="${nonce}", oauth_signature="${signatureOf(base)}", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1000000000", oauth_token="tok", oauth_version="1.0"`;

test(
  'oauth10 signs a query and a form, each with its own nonce',
  atMoment({ 'GET /items?q=a+b': json([1]), 'POST /find?lang=cs': json([2]) }, async (network) => {
    const jobs = [
      { endpoint: 'items', params: { q: 'a b' } },
      { endpoint: 'find?lang=cs', method: 'FORM', params: { state: 'open', note: '50% ~' } },
    ];
    const document = configOf(jobs, { authentication: { type: 'oauth10' } });
    const token = { oauth_token: 'tok', oauth_token_secret: 'tok-secret' };
    await run(withToken(document, token), { to: memory(), dispatcher: network.dispatcher });
    assert.equal(authorizationOf(network), [
      oauthLine('0101010101010101', [
        'GET&https%3A%2F%2Fapi.example%2Fitems&oauth_consumer_key%3Dshop-app%26oauth_nonce%3D0101010101010101',
        '%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1000000000%26oauth_token%3Dtok%26oauth_version%3D1.0',
        '%26q%3Da%2520b',
      ]),
      oauthLine('0202020202020202', [
        'POST&https%3A%2F%2Fapi.example%2Ffind&lang%3Dcs%26note%3D50%2525%2520~%26oauth_consumer_key%3Dshop-app',
        '%26oauth_nonce%3D0202020202020202%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1000000000',
        '%26oauth_token%3Dtok%26oauth_version%3D1.0%26state%3Dopen',
      ]),
    ]);
  }),
);

/** A MAC of seven lines over the request, and its parameters. */
const mac = (lines: readonly string[]) => {
  const digest = createHmac('sha256', 'mac-key-1')
    .update(`${lines.join('\n')}\n`)
    .digest('hex');
  return `MAC id="tok-1", ts="${lines[0]}", nonce="${lines[1]}", mac="${createHash('md5').update(digest).digest('hex')}"`;
};

test(
  'a MAC over timestamp, nonce and parts of the request is made anew for each attempt',
  atMoment({ 'GET /orders?open=1': [{ status: 503 }, json([1])] }, async (network, clock) => {
    const held = (key: string) => ({ authorization: key });
    const parts = ['method', 'resource', 'hostname', 'port'].map((request) => ({ request }));
    const lines = [held('timestamp'), held('nonce'), ...parts, held('clientId'), ''];
    const digest = call('md5', call('hash_hmac', 'sha256', call('implode', '\n', lines), held('data.key')));
    const texts = ['MAC id="', held('data.id'), '", ts="', held('timestamp'), '", nonce="', held('nonce')];
    const headers = { Authorization: call('concat', ...texts, '", mac="', digest, '"') };
    const authentication = { type: 'oauth20', format: 'json', headers };
    const document = configOf([{ endpoint: 'orders', params: { open: 1 } }], { authentication });
    const notify = () => clock.passSoon(1000);
    const { dispatcher } = network;
    await run(withToken(document, { id: 'tok-1', key: 'mac-key-1' }), { to: memory(), dispatcher, notify });
    const rest = ['GET', '/orders?open=1', 'api.example', '443', 'shop-app'];
    assert.equal(authorizationOf(network), [
      mac(['1000000000', '0101010101010101', ...rest]),
      mac(['1000000001', '0202020202020202', ...rest]),
    ]);
  }),
);

test(
  'user data have the start of the run, the same for all jobs, and the start of a job',
  atMoment({ 'GET /users': json([{ id: 1 }]), 'GET /orders': json([{ id: 2 }]) }, async ({ dispatcher }, clock) => {
    const userData = { at: date('H:i:s'), since: date('d.m.Y H:i:s', started), stamp: started };
    const document = configOf([{ endpoint: 'users' }, { endpoint: 'orders' }], {}, { userData });
    const to = memory();
    await run(document, { to, dispatcher, onReceipt: () => clock.pass(90_000) });
    const run1 = { since: '09.09.2001 01:46:40', stamp: 1e9 };
    assert.equal(to.items(), [
      { id: 1, at: '01:46:40', ...run1 },
      { id: 2, at: '01:48:10', ...run1 },
    ]);
  }),
);

const spans: readonly (readonly [rule: string, params: object, state: object, target: string])[] = [
  [
    'from the last run to this one',
    { from: date('Y-m-d', before), to: date('Y-m-d', started) },
    { time: { previousStart: 999_734_400 } },
    '/changes?from=2001-09-06&to=2001-09-09',
  ],
  [
    'from the beginning of time where there was no run before',
    { from: date('Y-m-d', before), to: date('Y-m-d', started) },
    {},
    '/changes?from=1970-01-01&to=2001-09-09',
  ],
  [
    'of a day before this run',
    { from: date('Y-m-d', call('strtotime', '-1 day', started)), to: date('Y-m-d', started) },
    { time: { previousStart: 999_734_400 } },
    '/changes?from=2001-09-08&to=2001-09-09',
  ],
  [
    'of 90 minutes before this run, with the time',
    { from: date('Y-m-d H:i:s', call('strtotime', '-90 minutes', started)), to: date('U', started) },
    {},
    '/changes?from=2001-09-09+00%3A16%3A40&to=1000000000',
  ],
];

for (const [rule, params, state, target] of spans) {
  test(
    `a job requests the span ${rule}`,
    atMoment({ [`GET ${target}`]: json([1]) }, async ({ dispatcher, lines }) => {
      await run(configOf([{ endpoint: 'changes', params }]), { to: memory(), dispatcher, state });
      assert.equal(lines(), [`GET ${target}`]);
    }),
  );
}

test.run();
