/**
 * Servers that reject every client, and repeat its password in their error: each speaks just enough of its protocol. A
 * connection gets the error after its credentials, and ends.
 */
import { createServer, type Socket } from 'node:net';
import { startApi } from '../loopback/api.js';

export interface EchoServer {
  readonly port: number;
  /** All that clients have sent. */
  received(): string;
  close(): Promise<void>;
}

/** Starts a server whose error is this text. */
export type StartEcho = (error: string) => Promise<EchoServer>;

/** What a server answers to the bytes of a connection so far. It takes what it has answered. */
type Talk = (received: Buffer, error: string, taken: number) => Answer | undefined;

interface Answer {
  readonly bytes: Buffer | string;
  /** Bytes that it answers. */
  readonly takes: number;
  readonly ends?: true;
}

/** A server of TCP. `greeting` is sent to each new connection. */
const talking =
  (talk: Talk, greeting = ''): StartEcho =>
  async (error) => {
    const chunks: Buffer[] = [];
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      if (greeting !== '') socket.write(greeting);
      let waiting = Buffer.alloc(0);
      let taken = 0;
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        waiting = Buffer.concat([waiting, chunk]);
        for (let answer = talk(waiting, error, taken); answer !== undefined; answer = talk(waiting, error, taken)) {
          waiting = waiting.subarray(answer.takes);
          taken += answer.takes;
          if (answer.ends) return void socket.end(answer.bytes);
          socket.write(answer.bytes);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return {
      port: typeof address === 'object' && address !== null ? address.port : 0,
      received: () => Buffer.concat(chunks).toString('latin1'),
      async close() {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  };

/** Redis: each command is a list of texts. `AUTH` is the one that is rejected. */
const redis = talking((received, error) => {
  const [head = ''] = /^\*\d+\r\n/.exec(received.toString('latin1')) ?? [];
  if (head === '') return undefined;
  let end = head.length;
  const words: string[] = [];
  for (let left = Number(head.slice(1)); left > 0; left -= 1) {
    const [, size] = /^\$(\d+)\r\n/.exec(received.subarray(end).toString('latin1')) ?? [];
    if (size === undefined) return undefined;
    const from = end + size.length + 3;
    end = from + Number(size) + 2;
    if (received.length < end) return undefined;
    words.push(received.subarray(from, end - 2).toString());
  }
  return { bytes: words[0] === 'AUTH' ? `-ERR ${error}\r\n` : '+OK\r\n', takes: end };
});

const natsInfo = {
  server_id: 'E',
  version: '2.12.0',
  proto: 1,
  max_payload: 1048576,
  auth_required: true,
  headers: true,
};

const nats = talking(
  (received, error) => {
    const [line] = /^[^\r]*\r\n/.exec(received.toString('latin1')) ?? [];
    if (line === undefined) return undefined;
    const isConnect = line.startsWith('CONNECT ');
    return { bytes: isConnect ? `-ERR '${error}'\r\n` : '', takes: line.length, ...(isConnect ? { ends: true } : {}) };
  },
  `INFO ${JSON.stringify(natsInfo)}\r\n`,
);

/** A message of PostgreSQL: its type, and its length with the four bytes of the length itself. */
const postgresMessage = (type: string, body: Buffer) =>
  Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);

/** It asks for a password in clear text, without TLS. */
const postgres = talking((received, error, taken) => {
  const from = taken === 0 ? 0 : 1;
  if (received.length < from + 4 || received.length < from + received.readInt32BE(from)) return undefined;
  const takes = from + received.readInt32BE(from);
  if (from === 0) return { bytes: postgresMessage('R', int32(3)), takes };
  const fields = ['SFATAL', 'VFATAL', 'C28P01', `M${error}`].map((each) => `${each}\0`).join('');
  return { bytes: postgresMessage('E', Buffer.from(`${fields}\0`)), takes, ends: true };
});

/** A method of AMQP on channel 0. */
function amqpFrame(method: number, body: readonly Buffer[]): Buffer {
  const payload = Buffer.concat([int16(10), int16(method), ...body]);
  return Buffer.concat([Buffer.from([1, 0, 0]), int32(payload.length), payload, Buffer.from([0xce])]);
}

const longText = (text: string) => Buffer.concat([int32(Buffer.byteLength(text)), Buffer.from(text)]);

/** After `AMQP` and four bytes it starts a connection, and then closes it. */
const amqp = talking((received, error, taken) => {
  if (taken === 0) {
    const start = [Buffer.from([0, 9]), int32(0), longText('PLAIN'), longText('en_US')];
    return received.length < 8 ? undefined : { bytes: amqpFrame(10, start), takes: 8 };
  }
  if (received.length < 7 || received.length < 8 + received.readInt32BE(3)) return undefined;
  const text = Buffer.from(error).subarray(0, 255);
  const close = [int16(403), Buffer.from([text.length]), text, int32(0)];
  return { bytes: amqpFrame(50, close), takes: received.length, ends: true };
});

const saslHandshake = 17;

/** Two requests: the first chooses a mechanism, the second has user and password. */
const kafka = talking((received, error) => {
  if (received.length < 12 || received.length < 4 + received.readInt32BE(0)) return undefined;
  const correlation = received.subarray(8, 12);
  const isHandshake = received.readInt16BE(4) === saslHandshake;
  const mechanism = Buffer.concat([int16(0), int32(1), int16(5), Buffer.from('PLAIN')]);
  const text = Buffer.from(error);
  const length = Buffer.from([((text.length + 1) & 0x7f) | 0x80, (text.length + 1) >> 7]);
  const refusal = Buffer.concat([
    Buffer.from([0]),
    int16(58),
    length,
    text,
    Buffer.from([1]),
    Buffer.alloc(8),
    Buffer.from([0]),
  ]);
  const body = Buffer.concat([correlation, isHandshake ? mechanism : refusal]);
  return { bytes: Buffer.concat([int32(body.length), body]), takes: 4 + received.readInt32BE(0) };
});

/** A server of HTTP with this answer to every request. */
const web =
  (status: number, bodyOf: (error: string) => string): StartEcho =>
  async (error) => {
    const api = await startApi(() => ({ status, body: bodyOf(error) }));
    return {
      port: Number(new URL(api.origin).port),
      received: () => JSON.stringify(api.requests),
      close: api.close,
    };
  };

const http = web(401, (error) => error);

/** It answers in the place of the API. */
const proxy = web(400, (error) => error);

const s3 = web(403, (error) => `<Error><Code>AccessDenied</Code><Message>${error}</Message></Error>`);

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** By the name of their sink, and a proxy. */
export const echoServers = { redis, nats, postgres, amqp, kafka, http, s3, 'parts+s3': s3, proxy };
