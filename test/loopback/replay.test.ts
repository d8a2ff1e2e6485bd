import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { json, plain } from './api.js';
import { type Step, startReplay } from './replay.js';

const steps: readonly Step[] = [
  { request: 'GET /a?x=%20', headers: { 'x-token': 't', 'x-none': null }, reply: plain('see http://login.test/b') },
  { request: 'POST http://login.test/b', body: '{"a":1}', reply: json([1], { status: 201 }) },
];

test('a conversation that was held as written reads the same on both sides', async () => {
  const replay = await startReplay(steps);
  const first = await fetch(replay.resolve('http://api.test/a?x=%20'), { headers: { 'X-Token': 't' } });
  const address = (await first.text()).replace('see ', '');
  const second = await fetch(address, { method: 'POST', body: '{"a":1}' });
  assert.is(second.status, 201);
  assert.equal(await second.json(), [1]);
  await replay.close();
  assert.is(replay.asked(), replay.expected());
});

test('differences are shown: address, header, body, server, a request too many and one too few', async () => {
  const cases: readonly (readonly [string, RequestInit])[] = [
    ['http://api.test/a?x=+', { headers: { 'X-Token': 't' } }],
    ['http://api.test/a?x=%20', { headers: { 'X-Token': 'u' } }],
    ['http://api.test/a?x=%20', { headers: { 'X-Token': 't', 'X-None': '' } }],
    ['http://api.test/a?x=%20', { headers: { 'X-Token': 't' }, method: 'POST', body: '-' }],
    ['http://login.test/a?x=%20', { headers: { 'X-Token': 't' } }],
  ];
  for (const [address, init] of cases) {
    const replay = await startReplay(steps.slice(0, 1));
    await (await fetch(replay.resolve(address), init)).text();
    await replay.close();
    assert.is.not(replay.asked(), replay.expected(), `${address} ${JSON.stringify(init)}`);
  }
  const none = await startReplay(steps.slice(0, 1));
  await none.close();
  assert.is.not(none.asked(), none.expected());
});

test('an unexpected request gets 404', async () => {
  const replay = await startReplay([]);
  assert.is((await fetch(replay.resolve('http://api.test/'))).status, 404);
  await replay.close();
  assert.is(replay.asked(), 'GET /');
});

test.run();
