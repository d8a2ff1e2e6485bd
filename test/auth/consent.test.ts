/** The consent of a user: what its requests carry, and what the answers of servers come to. */
import { firstValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createConsent } from '../../src/auth/consent.js';
import type { OAuth2Options } from '../../src/auth/oauth2-fields.js';
import { authenticateClient } from '../../src/auth/oauth2-token.js';
import type { AuthContext } from '../../src/auth/types.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { rejection } from '../sinks/lib.js';
import { objectOf } from './auth-context.js';

function consentOf(context: Partial<AuthContext> = {}) {
  const options = { tokenEndpoint: '/token', tokenStore: 'tokens.json', deviceEndpoint: '/device' };
  return createConsent({
    options: options as OAuth2Options, // the others have no part in it
    texts: { clientId: 'app' },
    client: authenticateClient({ id: 'app', secret: 'hunter22', authentication: 'body' }),
    params: objectOf({ scope: 'orders', audience: 7 }),
    context: { secrets: createSecrets(), ...context } as AuthContext, // the same
  });
}

const reply = (body: unknown) => ({ status: 200, body: Buffer.from(JSON.stringify(body)) });

test('the address of a consent has texts of all parameters', () =>
  assert.equal(
    [...consentOf().params],
    [
      ['client_id', 'app'],
      ['scope', 'orders'],
      ['audience', '7'],
    ],
  ));

const device = { device_code: 'd', user_code: 'ABCD', verification_uri: 'https://x.example/go' };
const devices: readonly (readonly [more: object, address: string, interval: number])[] = [
  [{ interval: 9 }, 'https://x.example/go', 9],
  [{}, 'https://x.example/go', 5],
  [{ interval: 'soon' }, 'https://x.example/go', 5],
  [{ interval: -1, verification_uri_complete: 'https://x.example/go?c=ABCD' }, 'https://x.example/go?c=ABCD', 5],
];

for (const [more, address, interval] of devices) {
  test(`a device with ${JSON.stringify(more)} asks every ${interval} s`, () =>
    assert.equal(consentOf().readDevice(reply({ ...device, ...more })), {
      deviceCode: 'd',
      userCode: 'ABCD',
      address,
      interval,
    }));
}

for (const missing of ['device_code', 'user_code', 'verification_uri'] as const) {
  test(`a response without ${missing} is no device`, async () => {
    const { [missing]: _, ...rest } = device;
    await rejection(() => consentOf().readDevice(reply(rest)), 'ERR_LOGIN', /expected a response with `device_code`/);
  });
}

test('a login without a refresh token, or without a place for it, is an error', async () => {
  const keep = (body: object) => () => firstValueFrom(consentOf().keep(reply(body)));
  await rejection(keep({ access_token: 'a' }), 'ERR_LOGIN', /gave no refresh token/);
  await rejection(keep({ refresh_token: 'r' }), 'ERR_LOGIN', /no place for the refresh token/);
});

test.run();
