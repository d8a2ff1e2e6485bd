/** A real HTTP server on loopback that records its requests, for black-box tests. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  readonly method: string;
  /** As in the request line, byte for byte. */
  readonly target: string;
  /** Name and value pairs as they came, in their order. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** What to answer. A function as the body writes the answer itself, for faults and slow pages. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | ((response: ServerResponse) => void | Promise<void>);
}

/** Answers request number `index`, counted from 0. */
export type Answer = (request: RecordedRequest, index: number) => Reply | Promise<Reply>;

/** Replies by `METHOD target`; a list is used up in order, its last reply staying. */
export type Routes = Readonly<Record<string, Reply | readonly Reply[]>>;

export interface Api {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly origin: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** A reply with the value as JSON, or with a text that is JSON already. */
export function json(value: unknown, more: Reply = {}): Reply {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(value), ...more };
}

/** A reply with this text, for JSON whose digits or blanks matter. */
export const rawJson = (body: string | Uint8Array): Reply => ({
  headers: { 'content-type': 'application/json' },
  body,
});

/** A reply of plain text. */
export const plain = (body: string): Reply => ({ headers: { 'content-type': 'text/plain' }, body });

/** `{id: from}`, `{id: from + 1}`, ... : `count` items. */
export const items = (from: number, count: number): readonly { id: number }[] =>
  Array.from({ length: count }, (_, index) => ({ id: from + index }));

/** The first value of a header, its name compared without case. */
export function headerOf(request: RecordedRequest, name: string): string | undefined {
  return request.headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startApi(answers: Answer | Routes): Promise<Api> {
  const answer = typeof answers === 'function' ? answers : byRoute(answers);
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const request = await record(incoming);
      const index = requests.push(request) - 1;
      await send(await answer(request, index), response);
    })().catch((thrown: unknown) => response.destroy(thrown instanceof Error ? thrown : new Error(String(thrown))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${portOf(server.address())}`, requests, close };

  function close(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const headers: [string, string][] = [];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    headers.push([incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '']);
  }
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

async function send({ status = 200, headers = {}, body = '' }: Reply, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers);
  if (typeof body === 'function') await body(response);
  else response.end(body);
}

function byRoute(routes: Routes): Answer {
  const used = new Map<string, number>();
  return ({ method, target }) => {
    const line = `${method} ${target}`;
    const route = routes[line];
    if (route === undefined) return json({ error: `no route ${line}` }, { status: 404 });
    if (!isList(route)) return route;
    const turn = used.get(line) ?? 0;
    used.set(line, turn + 1);
    return route[Math.min(turn, route.length - 1)] ?? json({ error: 'an empty list of replies' }, { status: 404 });
  };
}

const isList = (route: Reply | readonly Reply[]): route is readonly Reply[] => Array.isArray(route);
