/**
 * Signatures as requests carry them: which of them are signed, when, and on top of what.
 * docs/01-configuration.md#requests-to-aws.
 */
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import type { AwsCredentials } from '../../src/config/aws.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { createAwsSigner } from '../../src/http/interceptors/aws-signature.js';
import { run } from '../../src/run/extract.js';
import { rejection } from '../sinks/lib.js';
import {
  type AskedFor,
  assertHidden,
  comeAgain,
  configOf,
  home,
  json,
  login,
  onNetwork,
  password,
} from '../support/mock-network.js';
import { startClock } from '../support/virtual-clock.js';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  '#secretKey': 'a very secret key',
  serviceName: 'service',
  regionName: 'us-east-1',
};
const signed = (config: ReturnType<typeof configOf>) => ({ ...config, aws: { signature: { credentials } } });

/** Added after signing: intermediaries may change it. */
const unsigned = ['authorization', 'accept-encoding'];

/** What the request should have carried, given all else that it carried. */
function expected({ line, headers, body }: AskedFor, time: number): string | undefined {
  const [method = '', target = ''] = line.split(' ');
  const { '#secretKey': secretKey, ...named } = credentials;
  const keys: AwsCredentials = { ...named, secretKey };
  const others = Object.entries(headers).filter(([name]) => !unsigned.includes(name));
  const clock = mock.method(Date, 'now', () => time);
  const request = createAwsSigner(
    keys,
    createSecrets(),
  )({
    method,
    url: new URL(target, home).href,
    headers: new Map(others.map(([name, value]) => [name, [value]])),
    ...(body === '' ? {} : { body }),
  });
  clock.mock.restore();
  return request.headers.get('Authorization')?.[0];
}

function assertSigned(asked: AskedFor, time: number) {
  assert.is(asked.headers.authorization, expected(asked, time), asked.line);
}

test(
  'a login is signed, and its credentials are signed with every later request',
  onNetwork(
    { 'POST /login': json({ token: 'tok-1' }), 'POST /users?key=tok-1': json([{ id: 1 }]) },
    async ({ dispatcher, asked }) => {
      const clock = startClock();
      const apiRequest = {
        headers: { Authorization: { response: 'token' }, 'X-Token': { response: 'token' } },
        query: { key: { response: 'token' } },
      };
      const jobs = [{ endpoint: 'users', method: 'POST', params: { name: 'ř' } }];
      await run(signed(configOf(jobs, login({ apiRequest }), password)), { to: memory(), dispatcher });
      clock.stop();
      assert.is(asked.length, 2);
      for (const each of asked) assertSigned(each, 1e12);
      assert.match(asked[1]?.headers.authorization ?? '', /SignedHeaders=content-type;host;x-amz-date;x-token,/);
      assert.is(asked[1]?.headers['x-amz-date'], '20010909T014640Z');
    },
  ),
);

test(
  'a retry is signed anew, at its own time',
  onNetwork({ 'GET /users': [{ status: 503 }, json([{ id: 1 }])] }, async ({ dispatcher, asked }) => {
    const clock = startClock();
    const notify = () => clock.passSoon(1000);
    await run(signed(configOf([{ endpoint: 'users' }])), { to: memory(), dispatcher, notify });
    clock.stop();
    assert.equal(
      asked.map(({ headers }) => headers['x-amz-date']),
      ['20010909T014640Z', '20010909T014641Z'],
    );
    for (const [index, each] of asked.entries()) assertSigned(each, 1e12 + index * 1000);
    assert.is.not(asked[0]?.headers.authorization, asked[1]?.headers.authorization);
  }),
);

test(
  'a redirect to a trusted origin is signed, others carry nothing',
  onNetwork(
    {
      'GET /users': { status: 302, headers: { Location: '/moved?a=b+c' } },
      'GET /moved?a=b%20c': { status: 302, headers: { Location: 'https://foreign.example/users' } },
      'GET https://foreign.example/users': json([{ id: 1 }]),
    },
    async ({ dispatcher, asked }) => {
      const clock = startClock();
      await run(signed(configOf([{ endpoint: 'users' }])), { to: memory(), dispatcher });
      clock.stop();
      assert.is(asked.length, 3);
      for (const each of asked.slice(0, 2)) assertSigned(each, 1e12);
      assert.is(asked[2]?.headers.authorization, undefined);
      assert.is(asked[2]?.headers['x-amz-date'], undefined);
    },
  ),
);

test(
  'a response that quotes the secret key or the signature shows neither',
  onNetwork({ 'GET /users': { status: 403, body: 'a very secret key' } }, async ({ dispatcher }) => {
    const thrown = await rejection(
      run(signed(configOf([{ endpoint: 'users' }])), { to: memory(), dispatcher }),
      'ERR_STATUS',
      /403: \*\*\*$/,
    );
    assertHidden('very secret', [String(thrown)]);
  }),
);

test(
  'without aws no request is signed',
  onNetwork({ 'GET /users': [comeAgain(503), json([])] }, async ({ dispatcher, asked }) => {
    await run(configOf([{ endpoint: 'users' }]), { to: memory(), dispatcher });
    assert.equal(
      asked.map(({ headers }) => headers.authorization ?? headers['x-amz-date']),
      [undefined, undefined],
    );
  }),
);

test.run();
