/**
 * The origin matrix: every credential, every way that leads elsewhere, every part in which an origin can differ. 0
 * leaks.
 */
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/run/extract.js';
import { makeCertificates } from '../loopback/certificates.js';
import { unchecked } from '../unchecked.js';
import { finds } from './finding.js';
import { type Came, startTwoFaced } from './servers.js';

const token = 'Tok3n-planted-9x';
const certificates = makeCertificates();
const here = await startTwoFaced(certificates, (came, response) => route(came, response));
const there = await startTwoFaced(certificates, (came, response) => route(came, response));

/** What the way at hand answers; set before each run. */
let route: (came: Came, response: ServerResponse) => void = () => undefined;

interface Parts {
  readonly api?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly job?: Readonly<Record<string, unknown>>;
  readonly document?: Readonly<Record<string, unknown>>;
  /** Stands before the host of the base address. */
  readonly user?: string;
  /** It goes with requests to the base address of HTTPS alone. */
  readonly secureOnly?: true;
}

const key = { attr: '#token' };
const bearer = { function: 'concat', args: ['Bearer ', key] };
const loginRequest = { endpoint: 'login', method: 'POST', params: { password: key } };
const login = (apiRequest: object) => ({ api: { authentication: { type: 'login', loginRequest, apiRequest } } });
const oauth = (data: string) => ({
  authorization: { oauth_api: { credentials: { appKey: 'app', '#appSecret': 'of the app', '#data': data } } },
});

const credentials: Readonly<Record<string, Parts>> = {
  'a header of the login': login({ headers: { 'X-Token': { response: 'token' } } }),
  'a parameter of the login': login({ query: { key: { response: 'token' } } }),
  basic: { api: { authentication: { type: 'basic' } }, config: { username: 'joe', password: token } },
  bearer: { api: { authentication: { type: 'bearer', token: key } } },
  'an API key in a header': { api: { authentication: { type: 'api-key', name: 'X-Api-Key', value: key } } },
  'an API key in the query': { api: { authentication: { type: 'api-key', in: 'query', name: 'key', value: key } } },
  'a parameter that is computed': { api: { authentication: { type: 'query', query: { key } } } },
  'OAuth 1.0': {
    api: { authentication: { type: 'oauth10' } },
    document: oauth(JSON.stringify({ oauth_token: token, oauth_token_secret: 'too' })),
  },
  'OAuth 2.0': {
    api: { authentication: { type: 'oauth20', headers: { Authorization: { authorization: 'data' } } } },
    document: oauth(token),
  },
  'a signature for AWS': {
    document: {
      aws: {
        signature: {
          credentials: { accessKeyId: token, '#secretKey': 'k', serviceName: 'es', regionName: 'eu-central-1' },
        },
      },
    },
  },
  'a header of the client': { api: { http: { headers: { Authorization: bearer } } } },
  'a cookie': { api: { http: { headers: { Cookie: { function: 'concat', args: ['session=', key] } } } } },
  'a header of config.http': { config: { http: { headers: { 'X-Key': token } } } },
  'a default header': { api: { http: { defaultOptions: { headers: { 'X-Key': token } } } } },
  'a default parameter': { api: { http: { defaultOptions: { params: { key: token } } } } },
  'a header of a job': { job: { headers: { 'X-Key': token } } },
  'a parameter of a job': { job: { params: { key } } },
  'user information': { user: `joe:${token}@` },
  'a client certificate': {
    api: { '#clientCertificate': `${certificates.client.cert}${certificates.client.key}` },
    secureOnly: true,
  },
};

/** Requests after the first one lead to `target`, an origin. */
interface Way {
  readonly parts?: Parts;
  readonly first: (response: ServerResponse, target: string) => void;
  /** Where it leads goes as its own request: a redirect that is not followed is none. */
  readonly refuses?: (isTrusted: boolean) => boolean;
}

const json = (response: ServerResponse, value: unknown, headers = {}) =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
const redirect = (status: number): Way => ({
  first: (response, target) => response.writeHead(status, { location: `${target}/elsewhere` }).end(),
});
const posted = (status: number): Way => ({
  ...redirect(status),
  parts: { job: { method: 'POST', params: { plain: 'body', key } } },
  refuses: (isTrusted) => status > 303 && !isTrusted,
});

const ways: Readonly<Record<string, Way>> = {
  'a redirect 301': redirect(301),
  'a redirect 302': redirect(302),
  'a redirect 303': redirect(303),
  'a redirect 307': redirect(307),
  'a redirect 308': redirect(308),
  'a redirect 302 of a POST': posted(302),
  'a redirect 307 of a POST': posted(307),
  'a redirect 308 of a POST': posted(308),
  'a next link': {
    parts: { api: { pagination: { method: 'response.url', urlKey: 'next', includeParams: true } } },
    first: (response, target) => json(response, { next: `${target}/elsewhere`, data: [1] }),
  },
  'a next link of a Link header': {
    parts: { api: { pagination: { method: 'link-header' } } },
    first: (response, target) => json(response, [1], { link: `<${target}/elsewhere>; rel="next"` }),
  },
};

const ports = { here: here.port, there: there.port };
interface Target {
  readonly origin: (scheme: string) => string;
  readonly isTrusted: boolean;
  /** It is in `credentialOrigins`. */
  readonly isListed?: true;
}

const targets: Readonly<Record<string, Target>> = {
  'the same origin': { origin: (scheme) => `${scheme}://localhost:${ports.here}`, isTrusted: true },
  'the same origin in capitals': {
    origin: (scheme) => `${scheme.toUpperCase()}://LOCALHOST:${ports.here}`,
    isTrusted: true,
  },
  'another scheme': {
    origin: (scheme) => `${scheme === 'http' ? 'https' : 'http'}://localhost:${ports.here}`,
    isTrusted: false,
  },
  'another host': { origin: (scheme) => `${scheme}://127.0.0.1:${ports.here}`, isTrusted: false },
  'another port': { origin: (scheme) => `${scheme}://localhost:${ports.there}`, isTrusted: false },
  'another host that is listed': {
    origin: (scheme) => `${scheme}://127.0.0.1:${ports.there}`,
    isTrusted: true,
    isListed: true,
  },
};

/** A document whose first request goes to the base address, and the way that leads on. */
function documentOf(scheme: string, credential: Parts, way: Parts = {}, credentialOrigins: readonly string[] = []) {
  const each = [credential, way];
  const job = Object.assign({ endpoint: 'users', dataType: 'users' }, ...each.map((parts) => parts.job));
  const api = Object.assign({}, ...each.map((parts) => parts.api));
  const config = Object.assign({ '#token': token, jobs: [job] }, ...each.map((parts) => parts.config));
  return {
    api: {
      baseUrl: `${scheme}://${credential.user ?? ''}localhost:${ports.here}/`,
      caCertificate: certificates.ca,
      retryConfig: { maxRetries: 0 },
      ...api,
      http: { ...api.http, credentialOrigins },
    },
    config,
    ...credential.document,
  };
}

/** What a client without any configuration may send. */
const bareNames = new Set(['host', 'connection', 'user-agent', 'accept-encoding', 'content-type', 'content-length']);

const saysWho = ({ target, headers, body, shown }: Came): boolean =>
  shown !== undefined ||
  finds(JSON.stringify([target, headers, body]), token) ||
  Object.keys(headers).some((name) => !bareNames.has(name)) ||
  headers['user-agent']?.startsWith('rxtract/') !== true;

/** Runs, and returns the requests after the first. */
async function beyond(document: object, way: Way, target: string): Promise<readonly Came[]> {
  here.came.length = 0;
  there.came.length = 0;
  route = (came, response) => {
    if (came.target.startsWith('/login')) json(response, { token });
    else if (came.target.startsWith('/elsewhere')) json(response, []);
    else way.first(response, target);
  };
  await run(unchecked(document)).catch(() => undefined);
  return [...here.came, ...there.came].filter((came) => came.target.startsWith('/elsewhere'));
}

for (const [what, way] of Object.entries(ways)) {
  for (const [where, { origin, isTrusted, isListed }] of Object.entries(targets)) {
    test(`${what} to ${where}: ${isTrusted ? 'with credentials' : '0 leaks'}`, async () => {
      const wrong: string[] = [];
      for (const [name, credential] of Object.entries(credentials)) {
        const scheme = credential.secureOnly === true ? 'https' : 'http';
        const target = origin(scheme);
        const document = documentOf(scheme, credential, way.parts, isListed === true ? [target] : []);
        const came = await beyond(document, way, target);
        if (came.length !== (way.refuses?.(isTrusted) === true ? 0 : 1)) wrong.push(`${name}: ${came.length} requests`);
        if (came.some((each) => saysWho(each) !== expected(isTrusted, name, what))) wrong.push(name);
      }
      assert.equal(wrong, []);
    });
  }
}

/**
 * An address that a redirect or a link gives takes the place of the one that was asked, its parameters and user
 * information too.
 */
function expected(isTrusted: boolean, credential: string, way: string): boolean {
  if (!isTrusted || /30[78] of a POST/.test(way)) return isTrusted;
  if (credential === 'a default parameter') return way.startsWith('a next link');
  if (credential === 'a parameter of a job') return way === 'a next link'; // that of a `Link` header is whole
  return credential !== 'user information';
}

const nextLink: Way = {
  parts: { api: { pagination: { method: 'response.url', urlKey: 'next' } } },
  first: (response, target) => json(response, { next: target, data: [1] }),
};

for (const link of [
  `//127.0.0.1:${ports.there}/elsewhere`,
  `http://localhost:${ports.here}@127.0.0.1:${ports.there}/elsewhere`,
  `http://joe:x@127.0.0.1:${ports.there}/elsewhere`,
  `http://localhost:${ports.here}.127.0.0.1:${ports.there}/elsewhere`,
  `http://localhost:${ports.here}\\@127.0.0.1:${ports.there}/elsewhere`,
  `\\\\127.0.0.1:${ports.there}/elsewhere`,
  `http:\\\\127.0.0.1:${ports.there}/elsewhere`,
  `http:///127.0.0.1:${ports.there}/elsewhere`,
  `http://127.0.0.1:${ports.there}#@localhost:${ports.here}/elsewhere`,
  `http://127.0.0.1:${ports.there}?@localhost:${ports.here}/elsewhere`,
  `ht\ttp://127.0.0.1:${ports.there}/elsewhere`,
  ` http://127.0.0.1:${ports.there}/elsewhere`,
  `file:///etc/passwd`,
  `data:application/json,[]`,
]) {
  test(`a next link of an odd form sends no credential elsewhere: ${JSON.stringify(link)}`, async () => {
    for (const name of ['a header of the login', 'a cookie', 'user information']) {
      await beyond(documentOf('http', credentials[name] ?? {}, nextLink.parts), nextLink, link);
      const leaked = there.came.filter(({ headers, ...came }) =>
        finds(JSON.stringify([came, { ...headers, authorization: '' }]), token),
      );
      assert.equal([leaked, here.came.filter((came) => !came.origin.includes('localhost'))], [[], []]);
    }
  });
}

for (const endpoint of [
  '{1:link}',
  'http://{1:host}/elsewhere',
  `http://localhost:${ports.here}{1:at}/elsewhere`,
  '//{1:host}/elsewhere',
  '{1:slashes}',
  `http://joe:${token}@{1:host}/elsewhere`,
]) {
  test(`a placeholder sends no credential elsewhere: ${endpoint}`, async () => {
    const host = `127.0.0.1:${ports.there}`;
    const row = { link: `http://${host}/elsewhere`, host, at: `@${host}`, slashes: `//${host}/elsewhere` };
    const placeholders = { '1:link': 'link', '1:host': 'host', '1:at': 'at', '1:slashes': 'slashes' };
    const way: Way = {
      parts: { job: { dataType: 'parents', children: [{ endpoint, dataType: 'children', placeholders }] } },
      first: (response) => json(response, [row]),
    };
    await beyond(documentOf('http', credentials['a cookie'] ?? {}, way.parts), way, '');
    assert.ok(here.came.length > 0);
    assert.equal(there.came.filter(saysWho), []);
  });
}

for (const [status, method, requests] of [
  [302, 'POST', 1],
  [303, 'POST', 1],
  [307, 'POST', 0],
  [308, 'POST', 0],
  [302, 'GET', 1],
  [307, 'GET', 1],
] as const) {
  test(`a login by ${method} that is redirected (${status}) elsewhere carries nothing`, async () => {
    const parts = { api: { authentication: { type: 'login', loginRequest: { ...loginRequest, method } } } };
    const document = documentOf('http', parts, { api: {}, config: { http: { headers: { 'X-Key': token } } } });
    here.came.length = 0;
    there.came.length = 0;
    route = (came, response) => {
      if (came.target.startsWith('/elsewhere')) json(response, { token: 'x' });
      else if (came.target.startsWith('/login'))
        response.writeHead(status, { location: `http://localhost:${ports.there}/elsewhere` }).end();
      else json(response, []);
    };
    await run(unchecked(document)).catch(() => undefined);
    assert.equal([there.came.length, there.came.filter(saysWho)], [requests, []]);
  });
}

test('configured origins get credentials: a login elsewhere has its own, and so has a job', async () => {
  const origin = `http://localhost:${ports.there}`;
  const authentication = {
    type: 'login',
    loginRequest: { ...loginRequest, endpoint: `${origin}/login` },
    apiRequest: { headers: { 'X-Token': { response: 'token' } } },
  };
  here.came.length = 0;
  there.came.length = 0;
  route = (came, response) => json(response, came.target === '/login' ? { token } : []);
  await run(documentOf('http', { api: { authentication }, job: { endpoint: `${origin}/users` } }));
  assert.equal(
    there.came.map(({ target, headers, body }) => [target, headers['x-token'], body]),
    [
      ['/login', undefined, JSON.stringify({ password: token })],
      ['/users', token, ''],
    ],
  );
});

test.after(() => {
  here.close();
  there.close();
});

test.run();
