/** A server for a few short answers: the end of a login in a browser, and the health of a process. It opens nothing. */
import { createServer, type ServerResponse } from 'node:http';
import { ExtractError } from '../core/errors/errors.js';
import { describeSystemError } from '../core/errors/system-error.js';

export interface LocalAnswer {
  readonly status: number;
  readonly text: string;
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
  readonly answer: (target: string) => LocalAnswer | undefined;
}

/** Listens until `close`. Rejects with ERR_USAGE if the port is taken. */
export async function listenLocally({ host, port, answer }: LocalServerOptions): Promise<LocalServer> {
  const server = createServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    send(response, (isRead ? answer(request.url ?? '') : undefined) ?? { status: 404, text: 'not found' });
  });
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

function send(response: ServerResponse, { status, text, onSent }: LocalAnswer): void {
  if (onSent !== undefined) response.once('close', onSent);
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
      'cache-control': 'no-store',
    })
    .end(`${text}\n`);
}
