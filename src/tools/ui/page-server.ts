/** The server of the page: on this machine alone, for one browser with its token. It opens nothing. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type ServerResponse } from 'node:http';
import { asExtractError } from '../../core/errors/errors.js';
import { usageError } from '../../core/util/check-value.js';
import { listenOn } from '../local-server.js';
import { createPageAccess } from './page-access.js';
import type { ServedPage } from './page-html.js';
import type { PageFault } from './page-messages.js';

/** The JSON object of a request. */
export type PageInput = Readonly<Record<string, unknown>>;

/** Answers with an object, or with one a line. The signal aborts when the browser is gone. */
export type PageRoute = (input: PageInput, signal: AbortSignal) => Promise<object> | AsyncIterable<object>;

export interface PageServerOptions {
  /** 0: a free one. */
  readonly port: number;
  page(token: string): ServedPage;
  /** By their paths, such as `/api/file`: all that there is beside the page. */
  readonly routes: ReadonlyMap<string, PageRoute>;
  /** Hides what is secret in a message of an error. */
  mask(text: string): string;
}

export interface PageServer {
  /** With the token. */
  readonly address: string;
  /** Another address, which works once: for the arguments of a program, which other users see. */
  addressOnce(): string;
  close(): Promise<void>;
}

const host = '127.0.0.1';
/** Targets of requests are read against it. */
const base = 'http://page';

/** Rejects with ERR_USAGE if the port is taken. */
export async function servePage({ port: wanted, page, routes, mask }: PageServerOptions): Promise<PageServer> {
  const access = createPageAccess();
  let port = wanted;
  const streams = new Set<Promise<unknown>>();
  const server = createServer(async (request, response) => {
    const { url: target = '/' } = request;
    if (!URL.canParse(target, base)) return send(response, 400, plain, 'expected a path\n');
    const { pathname, searchParams } = new URL(target, base);
    const isPage = pathname === '/' && request.method === 'GET';
    const refusal = access.refusalOf({ headers: request.headers, token: searchParams.get('token'), isPage }, port);
    const route = routes.get(pathname);
    if (refusal !== undefined) return send(response, refusal.status, plain, `${refusal.text}\n`);
    if (isPage) {
      const { html, policy } = page(access.token);
      return send(response, 200, { 'content-type': 'text/html; charset=utf-8', ...policyHeader(policy) }, html);
    }
    if (route === undefined) return send(response, 404, plain, 'not found\n');
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    streams.add(closed);
    void closed.then(() => streams.delete(closed));
    await answer(route, request, response).catch((thrown: unknown) => {
      const { code, message } = asExtractError(thrown);
      const fault: PageFault = { code, message: mask(message) };
      if (response.headersSent) response.end(`${JSON.stringify({ fault })}\n`);
      else send(response, code === 'ERR_INTERNAL' ? 500 : 400, json, JSON.stringify(fault));
    });
  });
  const listening = await listenOn(server, { host, port });
  port = listening.port;
  const close = async () => {
    await withinASecond(Promise.all(streams)); // of what has ended
    await listening.close();
  };
  const at = (token: string) => `http://${host}:${port}/?token=${token}`;
  return { address: at(access.token), addressOnce: () => at(access.once()), close };
}

async function withinASecond(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 1000);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };
const json = { 'content-type': 'application/json' };
const policyHeader = (policy: string) => ({ 'content-security-policy': policy });

/** For each answer: nothing is kept, shown in a frame, guessed, or sent on to others. */
const always = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, text: string): void {
  response.writeHead(status, { ...always, ...headers }).end(text);
}

/** A configuration is smaller. */
const mostBytes = 16 * 1024 * 1024;

async function answer(route: PageRoute, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const result = route(await inputOf(request), gone.signal);
  if (!(Symbol.asyncIterator in result)) return send(response, 200, json, JSON.stringify(await result));
  response.writeHead(200, { ...always, 'content-type': 'application/x-ndjson' });
  response.flushHeaders();
  for await (const each of result) {
    if (gone.signal.aborted) return;
    if (!response.write(`${JSON.stringify(each)}\n`)) {
      await once(response, 'drain', { signal: gone.signal }).catch(() => {});
    }
  }
  response.end();
}

/** Rejects with ERR_USAGE for a request that is not the page's own. */
async function inputOf(request: IncomingMessage): Promise<PageInput> {
  const isJson = request.headers['content-type'] === 'application/json';
  if (request.method !== 'POST' || !isJson) throw usageError('expected a POST of application/json');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > mostBytes) throw usageError(`the request is larger than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  const input = parsed(Buffer.concat(chunks).toString());
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw usageError('expected a JSON object');
  return { ...input };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw usageError('expected a JSON object');
  }
}
