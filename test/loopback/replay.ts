/** Two loopback servers that replay a written conversation in order, and compare requests with it. */
import { type Api, headerOf, json, type RecordedRequest, type Reply, startApi } from './api.js';

/** Stands for the main server in configurations, replies and expectations. */
export const mainOrigin = 'http://api.test';
/** Stands for a second server, at another address. */
export const otherOrigin = 'http://login.test';

/** One exchange of a conversation. */
export interface Step {
  /** `GET /users?page=1`; on the second server `GET http://login.test/token`. */
  readonly request: string;
  /** Headers that must be there with this value; null: must not be there. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** The body to the byte; absent: none. */
  readonly body?: string;
  readonly reply: Reply;
}

export interface Replay {
  /** Replaces the two placeholders by real addresses. */
  readonly resolve: (text: string) => string;
  /** What was asked, written in the form of `expected`, one line a request. */
  asked(): string;
  expected(): string;
  close(): Promise<void>;
}

/** Starts both servers. Replies go out in order, whether or not the request was the expected one; then 404. */
export async function startReplay(steps: readonly Step[]): Promise<Replay> {
  const log: { readonly prefix: string; readonly request: RecordedRequest }[] = [];
  const servers: Api[] = [];
  const resolve = (text: string) =>
    [mainOrigin, otherOrigin].reduce(
      (so, origin, index) => so.replaceAll(origin, servers[index]?.origin ?? origin),
      text,
    );
  const serve = (prefix: string) =>
    startApi((request) => {
      const step = steps[log.push({ prefix, request }) - 1];
      return step === undefined
        ? json({ error: 'no one expected this request' }, { status: 404 })
        : resolved(step.reply, resolve);
    });
  servers.push(await serve(''), await serve(otherOrigin));

  return {
    resolve,
    asked: () => log.map(({ prefix, request }, index) => asWritten(prefix, request, steps[index])).join('\n'),
    expected: () => steps.map((step) => expectation(step, resolve)).join('\n'),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

function resolved(reply: Reply, resolve: (text: string) => string): Reply {
  const headers = Object.entries(reply.headers ?? {}).map(([name, value]) => [name, resolve(value)]);
  const body = typeof reply.body === 'string' ? resolve(reply.body) : reply.body;
  return { ...reply, headers: Object.fromEntries(headers), ...(body === undefined ? {} : { body }) };
}

function expectation({ request, headers = {}, body = '' }: Step, resolve: (text: string) => string): string {
  return line(request, Object.entries(headers), resolve(body));
}

function asWritten(prefix: string, request: RecordedRequest, step: Step | undefined): string {
  const named = Object.keys(step?.headers ?? {}).map((name) => [name, headerOf(request, name) ?? null] as const);
  return line(`${request.method} ${prefix}${request.target}`, named, request.body);
}

function line(request: string, headers: readonly (readonly [string, string | null])[], body: string): string {
  const named = headers.map(([name, value]) => ` | ${name}: ${value === null ? '(none)' : value}`);
  return `${request}${named.join('')}${body === '' ? '' : ` | ${body}`}`;
}
