/**
 * Real proxies on loopback: HTTP and HTTPS with CONNECT and forwarding, and SOCKS5 over node:net. They resolve every
 * name to 127.0.0.1.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createNetServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Pair } from './certificates.js';

export interface TestProxy {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** What was asked for, in order: `CONNECT host:port`, `GET http://host:port/path`, `SOCKS host:port`. */
  readonly asked: readonly string[];
  /** `user:password` of each of these; empty: none came. */
  readonly users: readonly string[];
  /** Of forwarded requests: names and values as they came. */
  readonly headers: readonly (readonly string[])[];
  /** Connections that there have been. */
  connections(): number;
  close(): Promise<void>;
}

export interface HttpProxyOptions {
  /** `user:password` that it demands; absent: it takes all. */
  readonly demands?: string;
  readonly tls?: Pair;
  /** In the place of connecting: what goes out to a CONNECT; nothing: the connection is closed. */
  readonly connectAnswer?: string;
}

/** Starts a proxy of HTTP on a free port. */
export async function startHttpProxy({ demands, tls, connectAnswer }: HttpProxyOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const users: string[] = [];
  const headers: string[][] = [];
  const note = (incoming: IncomingMessage): boolean => {
    asked.push(`${incoming.method} ${incoming.url}`);
    headers.push(incoming.rawHeaders);
    const [, encoded = ''] = /^Basic (.*)$/.exec(incoming.headers['proxy-authorization'] ?? '') ?? [];
    const user = Buffer.from(encoded, 'base64').toString();
    users.push(user);
    return demands === undefined || user === demands;
  };
  const server = tls === undefined ? createServer(forward) : createTlsServer(tls, forward);
  server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    const mayPass = note(incoming);
    if (connectAnswer !== undefined) socket.end(connectAnswer);
    else if (mayPass) join(socket, head, portIn(incoming.url ?? ''), 'HTTP/1.1 200 Connection established\r\n\r\n');
    else socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
  });
  return { asked, users, headers, ...(await listening(server)) };

  function forward(incoming: IncomingMessage, response: ServerResponse): void {
    if (!note(incoming)) {
      response.writeHead(407, { 'Proxy-Authenticate': 'Basic' }).end('who are you?');
      return;
    }
    const { port, pathname, search } = new URL(incoming.url ?? '');
    const { 'proxy-authorization': _, ...passed } = incoming.headers;
    const options = { host: '127.0.0.1', port, path: pathname + search, method: incoming.method, headers: passed };
    const onward = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    incoming.pipe(onward);
  }
}

export interface SocksOptions {
  /** `user:password` that it demands; absent: it takes all. */
  readonly demands?: string;
  /** The reply to a request to connect; 0: it connects. RFC 1928 6. */
  readonly reply?: number;
  /** Closes the connection in the place of its first answer. */
  readonly closes?: 'at once';
}

/** Starts a proxy of SOCKS5 on a free port. RFC 1928, RFC 1929. */
export async function startSocks({ demands, reply = 0, closes }: SocksOptions = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const users: string[] = [];
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined);
    void serve(socket);
  });
  return { asked, users, headers: [], ...(await listening(server)) };

  async function serve(socket: Socket): Promise<void> {
    const methods = await message(socket);
    if (closes !== undefined) {
      socket.end();
      return;
    }
    const method = demands === undefined ? 0 : 2;
    const isOffered = methods.subarray(2).includes(method);
    socket.write(Buffer.from([5, isOffered ? method : 0xff]));
    if (!isOffered) {
      socket.end();
      return;
    }
    let user = '';
    if (demands !== undefined) {
      const given = await message(socket);
      const length = given[1] ?? 0;
      user = `${given.toString('utf8', 2, 2 + length)}:${given.toString('utf8', 3 + length)}`;
      socket.write(Buffer.from([1, user === demands ? 0 : 1]));
      if (user !== demands) return;
    }
    const wanted = await message(socket);
    users.push(user);
    const { host, port } = addressIn(wanted);
    asked.push(`SOCKS ${host}:${port}`);
    const answer = Buffer.from([5, reply, 0, 1, 127, 0, 0, 1, 0, 0]);
    if (reply !== 0) socket.end(answer);
    else join(socket, Buffer.alloc(0), port, answer);
  }
}

/** What comes in one piece, as the messages of SOCKS do on loopback. */
const message = (socket: Socket): Promise<Buffer> => new Promise((resolve) => socket.once('data', resolve));

function addressIn(bytes: Buffer): { readonly host: string; readonly port: number } {
  const kind = bytes[3];
  if (kind === 3) {
    const length = bytes[4] ?? 0;
    return { host: bytes.toString('latin1', 5, 5 + length), port: bytes.readUInt16BE(5 + length) };
  }
  const end = kind === 1 ? 8 : 20;
  return { host: kind === 1 ? [...bytes.subarray(4, 8)].join('.') : '[IPv6]', port: bytes.readUInt16BE(end) };
}

function join(near: Duplex, head: Buffer, port: number, answer: string | Buffer): void {
  const far = connect(port, '127.0.0.1', () => {
    near.write(answer);
    far.write(head);
    near.pipe(far);
    far.pipe(near);
  });
  far.on('error', () => near.destroy());
  far.on('close', () => near.destroy());
  near.on('close', () => far.destroy());
}

const portIn = (authority: string): number => Number(/:(\d+)$/.exec(authority)?.[1]);

async function listening(server: Server): Promise<Pick<TestProxy, 'host' | 'connections' | 'close'>> {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    host: `127.0.0.1:${port}`,
    connections: () => count,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
