/** Who may have credentials. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../../../src/core/model/notice.js';
import { createOrigins } from '../../../src/core/url/origins.js';

const baseUrl = 'https://api.example/v1/';
const none = () => undefined;

const trust: readonly (readonly [what: string, endpoints: readonly string[], url: string, trusted: boolean])[] = [
  ['the base address', [], 'https://api.example/other', true],
  ['the base address in another spelling', [], 'HTTPS://API.example:443/x', true],
  ['another scheme', [], 'http://api.example/', false],
  ['another port', [], 'https://api.example:8443/', false],
  ['a subdomain', [], 'https://x.api.example/', false],
  ['a longer name', [], 'https://api.example.evil/', false],
  ['user information that looks like the base', [], 'https://api.example@evil.example/', false],
  ['an absolute endpoint', ['https://login.example/token'], 'https://login.example/', true],
  ['an endpoint without scheme', ['//login.example/token'], 'https://login.example/', true],
  ['a relative endpoint', ['login'], 'https://login/', false],
  ['a placeholder in the path', ['https://files.example/{id}'], 'https://files.example/7', true],
  ['a placeholder in the host', ['https://{tenant}.example/x'], 'https://evil.example/x', false],
  ['a placeholder behind the host', ['https://files.example{rest}'], 'https://files.example/x', false],
  ['an endpoint that cannot be resolved', ['users:search'], 'https://users/', false],
];

for (const [what, endpoints, url, trusted] of trust) {
  test(`${what} is ${trusted ? '' : 'not '}trusted`, () =>
    assert.is(createOrigins({ baseUrl, endpoints }, none).trusts(url), trusted));
}

test('credentialOrigins lists more', () => {
  const origins = createOrigins({ baseUrl, endpoints: [], credentialOrigins: ['https://cdn.example'] }, none);
  assert.ok(origins.trusts('https://cdn.example/page/2'));
});

test('warns once for each origin, and names the setting', () => {
  const notices: Notice[] = [];
  const origins = createOrigins({ baseUrl, endpoints: [] }, (notice) => notices.push(notice));
  for (const url of ['https://a.example/?token=1', 'https://a.example/2', 'https://b.example/']) origins.warn(url);
  assert.is(notices.length, 2);
  assert.match(notices[0]?.message ?? '', /^https:\/\/a\.example is not.*api\.http\.credentialOrigins/);
  assert.not.match(notices[0]?.message ?? '', 'token');
});

test('stops counting origins somewhere', () => {
  const notices: Notice[] = [];
  const origins = createOrigins({ baseUrl, endpoints: [] }, (notice) => notices.push(notice));
  for (let index = 0; index < 1000; index += 1) origins.warn(`https://h${index}.example/`);
  assert.is(notices.length, 100);
});

test.run();
