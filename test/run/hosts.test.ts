/** The option `hosts`: no request goes to another host, whatever the configuration and the API say. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { parseConfiguration } from '../../src/run/parse-configuration.js';
import { json, startApi } from '../loopback/api.js';

/** Two servers; `/moved` of the first leads to the second, and so does the next link of `/linked`. */
async function onServers(work: (first: string, second: string, asked: () => readonly string[]) => Promise<void>) {
  const second = await startApi(() => json([{ id: 2 }]));
  const first = await startApi(({ target }) => {
    if (target === '/moved') return { status: 307, headers: { location: `${second.origin}/users` } };
    return json({ data: [{ id: 1 }], next: `${second.origin}/users` });
  });
  const asked = () => [...first.requests, ...second.requests].map(({ target }) => target);
  await work(first.origin, second.origin, asked).finally(() => Promise.all([first.close(), second.close()]));
}

const configurationOf = (baseUrl: string, endpoint: string, api: object = {}) => ({
  api: { baseUrl: `${baseUrl}/`, retryConfig: { maxRetries: 0 }, ...api },
  config: { jobs: [{ endpoint, dataField: endpoint === 'moved' ? '.' : 'data' }] },
});

const failureOf = (configuration: object, options: RunOptions) =>
  run(parseConfiguration(configuration), options).then(
    () => undefined,
    (thrown: unknown) => thrown as { readonly code: string; readonly message: string },
  );

test('the host of the API is enough for its pages, in any case, with a port or an origin', () =>
  onServers(async (first) => {
    const { host } = new URL(first);
    for (const given of ['127.0.0.1', host, first, `${first}/`, first.replace('http', 'HTTP')]) {
      assert.is(
        await failureOf(configurationOf(first, 'users'), { hosts: ['other.example', given] }),
        undefined,
        given,
      );
    }
  }));

test('another host, port or scheme is refused before a request', () =>
  onServers(async (first, second, asked) => {
    for (const given of ['localhost', '127.0.0.1:1', second, first.replace('http', 'https'), '[::1]']) {
      const failure = await failureOf(configurationOf(first, 'users'), { hosts: [given] });
      assert.is(failure?.code, 'ERR_HOST', given);
      assert.match(failure?.message ?? '', 'this host is none of those that were given with --host');
    }
    assert.is((await failureOf(configurationOf(first, 'users'), { hosts: [] }))?.code, 'ERR_HOST');
    assert.equal(asked(), []);
  }));

test('redirects, next links and logins do not leave the hosts', () =>
  onServers(async (first, second, asked) => {
    const hosts = [new URL(first).host];
    assert.is((await failureOf(configurationOf(first, 'moved'), { hosts }))?.code, 'ERR_HOST');
    const pagination = { method: 'response.url', urlKey: 'next' };
    assert.is((await failureOf(configurationOf(first, 'linked', { pagination }), { hosts }))?.code, 'ERR_HOST');
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: `${second}/login`, method: 'POST' },
      apiRequest: { headers: { 'X-Token': 'token' } },
    };
    assert.is((await failureOf(configurationOf(first, 'users', { authentication }), { hosts }))?.code, 'ERR_HOST');
    assert.equal(asked(), ['/moved', '/linked']);
  }));

test('what is no host, and a tunnel, are errors of usage', async () => {
  const said = async (hosts: readonly string[]) => {
    const failure = await failureOf(configurationOf('http://127.0.0.1:1', 'users'), { hosts });
    return `${failure?.code} ${failure?.message}`;
  };
  for (const given of ['', 'a/b', 'user@host', 'ftp://host', 'a b']) {
    assert.is(
      await said([given]),
      `ERR_USAGE hosts: expected a host such as "api.example.com", found "${given}"`,
      given,
    );
  }
  const sshProxy = { host: 'bastion.example', port: 22, user: 'joe', '#privateKey': 'x' };
  const tunnelled = { ...configurationOf('http://127.0.0.1:1', 'users'), sshProxy };
  const failure = await failureOf(tunnelled, { hosts: ['127.0.0.1'] });
  assert.match(`${failure?.code} ${failure?.message}`, /^ERR_USAGE.*cannot be used with `sshProxy`/);
});

test.run();
