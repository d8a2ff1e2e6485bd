/**
 * A server for a few short answers: the end of a login in a browser, the health and the metrics of a process. It opens
 * nothing.
 */

import type { IncomingMessage, Server } from 'node:http';
import { createServer, type ServerResponse } from 'node:http';
import { ExtractError } from '../core/errors/errors.js';
import { describeSystemError } from '../core/errors/system-error.js';

export interface LocalAnswer {
  readonly status: number;
  readonly text: string;
  /** Absent: plain text. */
  readonly contentType?: string;
  /** Called when the answer was sent: the server may be closed. */
  readonly onSent?: () => void;
}

export interface LocalServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface LocalServerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Answers a request for a path with its query; undefined: 404. */
  readonly answer: AnswerLocally;
}

export type AnswerLocally = (target: string) => LocalAnswer | Promise<LocalAnswer> | undefined;

/** Listens until `close`. Rejects with ERR_USAGE if the port is taken. */
export async function listenLocally({ host, port, answer }: LocalServerOptions): Promise<LocalServer> {
  const answerTo = async ({ method, url = '' }: IncomingMessage): Promise<LocalAnswer> => {
    const isRead = method === 'GET' || method === 'HEAD';
    return (isRead ? await answer(url) : undefined) ?? { status: 404, text: 'not found' };
  };
  const server = createServer((request, response) => {
    void answerTo(request)
      .catch((): LocalAnswer => ({ status: 500, text: 'there is no answer' }))
      .then((found) => send(response, found));
  });
  return listenOn(server, { host, port });
}

/** Listens until `close`. Rejects with ERR_USAGE if the port is taken. */
export async function listenOn(
  server: Server,
  { host, port }: Pick<LocalServerOptions, 'host' | 'port'>,
): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (thrown) => {
      const message = `cannot listen on ${host}:${port}: ${describeSystemError(thrown)}`;
      reject(new ExtractError('ERR_USAGE', message, { cause: thrown }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Servers of one process: those at one place are one server. */
export interface LocalServers {
  /** As `listenLocally`. At a port that another caller has, both answer: the first that knows the path. */
  listen(options: LocalServerOptions): Promise<LocalServer>;
}

export function createLocalServers(): LocalServers {
  const places = new Map<string, { readonly answers: Set<AnswerLocally>; readonly server: Promise<LocalServer> }>();
  return {
    async listen({ host, port, answer }) {
      const key = JSON.stringify([host, port]);
      const answers = places.get(key)?.answers ?? new Set();
      const first = (target: string) => {
        for (const each of answers) {
          const found = each(target);
          if (found !== undefined) return found;
        }
        return undefined;
      };
      const place = places.get(key) ?? { answers, server: listenLocally({ host, port, answer: first }) };
      answers.add(answer);
      places.set(key, place);
      const server = await place.server;
      return {
        port: server.port,
        async close() {
          answers.delete(answer);
          if (answers.size > 0) return;
          places.delete(key);
          await server.close();
        },
      };
    },
  };
}

function send(response: ServerResponse, { status, text, contentType, onSent }: LocalAnswer): void {
  if (onSent !== undefined) response.once('close', onSent);
  response
    .writeHead(status, {
      'content-type': contentType ?? 'text/plain; charset=utf-8',
      connection: 'close',
      'cache-control': 'no-store',
    })
    .end(`${text}\n`);
}
