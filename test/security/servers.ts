/**
 * One port that speaks HTTP and HTTPS, so that two origins can differ in nothing but their scheme; whatever comes is
 * kept.
 */
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Certificates } from '../loopback/certificates.js';

/** A request as it came, with the name on the certificate that its client showed. */
export interface Came {
  /** Scheme, host and port as the client meant them. */
  readonly origin: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly shown: string | undefined;
}

export interface TwoFaced {
  readonly port: number;
  readonly came: Came[];
  close(): void;
}

/** The first byte of a TLS connection. */
const handshake = 22;

/** Starts on a free port of 127.0.0.1 with these answers. */
export async function startTwoFaced(
  { ca, server }: Certificates,
  answer: (came: Came, response: ServerResponse) => void,
): Promise<TwoFaced> {
  const came: Came[] = [];
  const hear = async (request: IncomingMessage, response: ServerResponse) => {
    const one = await read(request);
    came.push(one);
    answer(one, response);
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => void hear(request, response);
  const plain = createHttp(listener);
  const secure = createHttps({ ...server, ca, requestCert: true, rejectUnauthorized: false }, listener);
  const sockets = new Set<Socket>();
  const front = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('readable', () => {
      const first: Buffer | null = socket.read();
      if (first === null) return;
      socket.unshift(first);
      (first[0] === handshake ? secure : plain).emit('connection', socket);
    });
  });
  front.listen(0);
  await once(front, 'listening');
  const address = front.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    came,
    close() {
      for (const socket of sockets) socket.destroy();
      front.close();
    },
  };
}

async function read(request: IncomingMessage): Promise<Came> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { socket, headers } = request;
  const isSecure = socket instanceof TLSSocket;
  const subject = isSecure ? socket.getPeerCertificate().subject : undefined;
  return {
    origin: `${isSecure ? 'https' : 'http'}://${headers.host ?? ''}`,
    target: request.url ?? '',
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(chunks).toString(),
    shown: subject?.CN === undefined ? undefined : String(subject.CN),
  };
}
