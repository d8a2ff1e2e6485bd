/**
 * A true authorization server, oidc-provider, and beside it an API that takes its tokens alone. Both go by the clock of
 * this process.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Token } from 'oidc-provider';

/** Seconds for which every access token is good. */
export const lifetime = 100;

export const client = { id: 'orders:reader', secret: 's3cret: +%/&=word' };

const registered = {
  client_id: client.id,
  client_secret: client.secret,
  grant_types: ['client_credentials', 'refresh_token', 'authorization_code'],
  redirect_uris: ['https://client.example/back'],
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
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
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

/** As if a user had agreed in a browser. */
async function consentOf({ Client, Grant, RefreshToken }: Provider): Promise<string> {
  const scope = 'openid offline_access';
  const grant = new Grant({ accountId: 'ada', clientId: client.id });
  grant.addOIDCScope(scope);
  const [grantId, found] = [await grant.save(), await Client.find(client.id)];
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
