/**
 * A true authorization server, oidc-provider, and beside it an API that takes its tokens alone. Both go by the clock of
 * this process.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Token } from 'oidc-provider';

/** Seconds for which every access token is good. */
export const lifetime = 100;

export const client = { id: 'orders:reader', secret: 's3cret: +%/&=word' };

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const registered = {
  client_id: client.id,
  client_secret: client.secret,
  grant_types: ['client_credentials', 'refresh_token', 'authorization_code', deviceGrant],
  application_type: 'native', // any port of this machine
  redirect_uris: ['http://127.0.0.1/callback'],
  response_types: ['code'],
};

export interface AuthorizationServer {
  readonly origin: string;
  /** What came of each token request: the grant, and the error if it was one. */
  readonly grants: readonly string[];
  /** The statuses of the API's answers. */
  readonly statuses: readonly number[];
  /** A refresh token of a new consent. */
  consent(): Promise<string>;
  /** Opens an authorization URL as a browser does, and follows it to its end; the user agrees. */
  agree(url: string): Promise<string>;
  /** The user enters the code of a device, and agrees. */
  agreeToDevice(userCode: string): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  /** How the client has to show itself. */
  readonly shown?: 'client_secret_basic' | 'client_secret_post';
  /** Of each list there are so many pages, of an item each; the next one is empty. */
  readonly pages: number;
  /** Called when a page has been answered. */
  readonly onPage?: (page: number, token: Token) => void | Promise<void>;
}

/** Tokens at `/token`, lists of `{id: page}` below `/api/`. A refresh token that is used twice counts as stolen. */
export async function startAuthorizationServer(options: Options): Promise<AuthorizationServer> {
  const statuses: number[] = [];
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/interaction/')) return finishInteraction(provider, request, response);
    if (!request.url?.startsWith('/api/')) return answer(request, response);
    const [status, body] = await pageFor(request, provider, options);
    statuses.push(status);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const origin = `http://127.0.0.1:${port}`;
  const { provider, grants } = quietly(() => startProvider(origin, options));
  const answer = provider.callback();
  return {
    origin,
    grants,
    statuses,
    consent: () => consentOf(provider),
    agree: visit,
    async agreeToDevice(userCode) {
      const code = await provider.DeviceCode.findByUserCode(userCode.replace('-', ''));
      if (code === undefined) throw new Error('there is no such device');
      const grantId = await grantOf(provider);
      Object.assign(code, { accountId: 'ada', grantId, scope, claims: {}, authTime: Math.floor(Date.now() / 1000) });
      await code.save();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function startProvider(issuer: string, { shown = 'client_secret_basic' }: Options) {
  const provider = new Provider(issuer, {
    clients: [{ ...registered, token_endpoint_auth_method: shown }],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
    },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['test'] },
    scopes: ['openid', 'offline_access', 'orders'],
    ttl: { AccessToken: lifetime, ClientCredentials: lifetime, IdToken: lifetime, RefreshToken: 86_400, Grant: 86_400 },
    rotateRefreshToken: true,
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  const grants: string[] = [];
  provider.on('grant.success', ({ oidc }) => void grants.push(`${oidc.params?.grant_type}`));
  provider.on('grant.error', ({ oidc }, error) => void grants.push(`${oidc.params?.grant_type}: ${error?.message}`));
  return { provider, grants };
}

/** It warns that it keeps everything in memory, which is intended here. */
function quietly<T>(work: () => T): T {
  const { info, warn } = console;
  Object.assign(console, { info: () => undefined, warn: () => undefined });
  try {
    return work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

const scope = 'openid offline_access';

async function grantOf({ Grant }: Provider): Promise<string> {
  const grant = new Grant({ accountId: 'ada', clientId: client.id });
  grant.addOIDCScope(scope);
  return grant.save();
}

/** The pages of login and consent: the user agrees at once. */
async function finishInteraction(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  await provider.interactionDetails(request, response);
  const grantId = await grantOf(provider);
  await provider.interactionFinished(request, response, { login: { accountId: 'ada' }, consent: { grantId } });
}

/** Follows redirects with the cookies of one browser. Returns the text of the last page. */
async function visit(first: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let url = first; ; ) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) return response.text();
    url = new URL(next, url).href;
  }
}

/** As if a user had agreed in a browser. */
async function consentOf(provider: Provider): Promise<string> {
  const { Client, RefreshToken } = provider;
  const [grantId, found] = [await grantOf(provider), await Client.find(client.id)];
  const authTime = Math.floor(Date.now() / 1000);
  const kind = { accountId: 'ada', gty: 'authorization_code', claims: {} };
  return new RefreshToken({ ...kind, client: found, grantId, scope, authTime }).save();
}

async function pageFor(
  { url = '', headers }: IncomingMessage,
  { AccessToken, ClientCredentials }: Provider,
  { pages, onPage }: Options,
): Promise<readonly [status: number, body: unknown]> {
  const value = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const token = (await AccessToken.find(value)) ?? (await ClientCredentials.find(value));
  if (token === undefined) return [401, { error: 'invalid_token', quoted: value }];
  const page = Number(/[?&]page=(\d+)/.exec(url)?.[1]);
  await onPage?.(page, token);
  return [200, page > pages ? [] : [{ id: page }]];
}
