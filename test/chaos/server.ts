/** The API of a chaos run on a real socket: pages through a world, injects faults, and records what it has sent. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Dice } from './dice.js';
import type { Fault, Faults } from './faults.js';
import { type Listing, password, type World } from './world.js';

export interface Account {
  /** Pages by address that went out whole, once for each time. */
  readonly pages: ReadonlyMap<string, number>;
  readonly requests: number;
  readonly logins: number;
  readonly revocations: number;
  readonly faults: number;
  /** Logins that nothing had made necessary: no revocation and no new process since the one before. */
  readonly needlessLogins: number;
}

export interface ChaosServer {
  readonly origin: string;
  readonly account: Account;
  /** Settles when nothing of an ended process is left on the way here; from then on one login more is due. */
  beginProcess(): Promise<void>;
  /** Calls `then` when so many requests more have come: at the moment they come, or when they are answered. */
  after(requests: number, when: 'asked' | 'answered', then: () => void): void;
  close(): Promise<void>;
}

interface Counts {
  pages: Map<string, number>;
  requests: number;
  logins: number;
  revocations: number;
  faults: number;
  needlessLogins: number;
}

export async function startChaosServer(world: World, faults: Faults, dice: Dice): Promise<ChaosServer> {
  const account: Counts = { pages: new Map(), requests: 0, logins: 0, revocations: 0, faults: 0, needlessLogins: 0 };
  const tokens = new Set<string>();
  let due = 0;
  /** What is refused at its first use twice running is no revoked token but a wrong one, and ends a run. */
  let mayRevoke = true;
  let hooks: { left: number; readonly when: 'asked' | 'answered'; readonly then: () => void }[] = [];
  const count = (when: 'asked' | 'answered') => {
    for (const hook of hooks) if (hook.when === when) hook.left -= 1;
    const ready = hooks.filter(({ left }) => left <= 0);
    hooks = hooks.filter(({ left }) => left > 0);
    for (const { then } of ready) then();
  };

  const login = async (request: IncomingMessage, response: ServerResponse) => {
    const body: unknown = JSON.parse(await textOf(request));
    if (JSON.stringify(body) !== JSON.stringify({ password })) return reply(response, 403, { error: 'wrong password' });
    account.logins += 1;
    if (due > 0) due -= 1;
    else account.needlessLogins += 1;
    const token = `token-${account.logins}-${dice.between(1, 1e9)}`;
    tokens.add(token);
    return reply(response, 200, { token, lifetime: 3600 });
  };

  const page = (request: IncomingMessage, response: ServerResponse, url: URL) => {
    if (!tokens.has(String(request.headers['x-token']))) return reply(response, 401, { error: 'who are you?' });
    const listing = world.listing(url.pathname.slice(1));
    if (listing === undefined) return reply(response, 404, { error: 'no such list' });
    const address = url.pathname + url.search;
    const drawn = faults.next(address);
    const fault = drawn === 'revoke' && !mayRevoke ? undefined : drawn;
    if (fault === 'revoke') {
      mayRevoke = false;
      account.revocations += 1;
      due += tokens.size === 0 ? 0 : 1;
      tokens.clear();
      return reply(response, 401, { error: 'revoked' });
    }
    const body = pageOf(listing, url, world.pageSize);
    if (fault !== undefined) {
      account.faults += 1;
      return wrong[fault](response, body, dice);
    }
    mayRevoke = true;
    response.on('finish', () => account.pages.set(address, (account.pages.get(address) ?? 0) + 1));
    return give(response, body, dice.happens(0.3));
  };

  const server = createServer((request, response) => {
    account.requests += 1;
    count('asked');
    response.on('close', () => count('answered'));
    const url = new URL(request.url ?? '/', origin);
    if (url.pathname === '/login') void login(request, response);
    else page(request, response, url);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const origin = await listen(server);
  return {
    origin,
    account,
    async beginProcess() {
      await knock(origin);
      while (sockets.size > 0) await Promise.all([...sockets].map((socket) => once(socket, 'close')));
      due = 1;
      tokens.clear();
    },
    after: (left, when, then) => void hooks.push({ left, when, then }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Resolves to the origin. */
export function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('the server has no port');
      resolve(`http://127.0.0.1:${address.port}`);
    });
  });
}

/** Settles when all who came before have been let in: they are in line. */
async function knock(origin: string): Promise<void> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').resume();
  socket.end();
  await once(socket, 'close');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A page of the list, with the way to the next one. */
function pageOf({ scroller, pages, repeatsLast }: Listing, { pathname, searchParams }: URL, pageSize: number): Buffer {
  const at = scroller === 'pages' ? Number(searchParams.get('page')) - 1 : Number(searchParams.get('from') ?? 0);
  if (scroller === 'pages' && searchParams.get('limit') !== String(pageSize)) throw new Error(`limit of ${pathname}`);
  const rows = pages[at] ?? [];
  const last = at >= pages.length - 1;
  const next = last ? (repeatsLast ? at : undefined) : at + 1;
  const body =
    scroller === 'links'
      ? { rows, links: next === undefined ? {} : { next: `${pathname}?from=${next}` } }
      : { ...(scroller === 'cursor' && next !== undefined ? { next: String(next) } : {}), rows };
  // Numbers of more digits than JSON.stringify can write.
  return Buffer.from(JSON.stringify(body).replace(/"big":"(\d+)"/g, '"big":$1'));
}

function reply(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function give(response: ServerResponse, body: Buffer, packed: boolean): void {
  const headers = { 'content-type': 'application/json', ...(packed ? { 'content-encoding': 'gzip' } : {}) };
  response.writeHead(200, headers).end(packed ? gzipSync(body) : body);
}

/** A moment that has passed: try again at once. */
const atOnce = { 'retry-after': '-1' };

type Wrong = (response: ServerResponse, body: Buffer, dice: Dice) => void;

const json = { 'content-type': 'application/json' };
const partOf = (body: Buffer, dice: Dice): Buffer => body.subarray(0, dice.between(0, body.length - 1));
const busy =
  (status: number): Wrong =>
  (response, _, dice) =>
    reply(response, status, { error: 'slow down' }, dice.happens(0.8) ? atOnce : {});

const wrong: Readonly<Record<Exclude<Fault, 'revoke'>, Wrong>> = {
  429: busy(429),
  503: busy(503),
  500: (response) => reply(response, 500, { error: 'trouble' }, atOnce),
  reset: (response) => void response.socket?.resetAndDestroy(),
  'reset in the body': (response, body, dice) =>
    void response.writeHead(200, json).write(partOf(body, dice), () => response.socket?.resetAndDestroy()),
  'cut body': (response, body, dice) =>
    void response
      .writeHead(200, { ...json, 'content-length': body.length })
      .write(partOf(body, dice), () => response.socket?.end()),
  'chunks without an end': (response, body, dice) =>
    void response.writeHead(200, json).write(partOf(body, dice), () => response.socket?.end()),
  'too long a length': (response, body) =>
    void response
      .writeHead(200, { ...json, 'content-length': body.length + 7 })
      .write(body, () => response.socket?.end()),
  'cut gzip': (response, body) => {
    const packed = gzipSync(body);
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(packed.subarray(0, packed.length - 9));
  },
  stall: () => undefined,
  'stall in the body': (response, body, dice) => void response.writeHead(200, json).write(partOf(body, dice)),
};
