/**
 * A closed network for tests of the engine: replies are given by request line and used up in order; one that is left
 * over is a failure.
 */
import { MockAgent } from 'undici';
import * as assert from 'uvu/assert';
import type { Configuration } from '../../src/config/configuration.js';
import type { Notice } from '../../src/core/model/notice.js';
import { turns } from '../sinks/lib.js';
import { unchecked } from '../unchecked.js';

export const home = 'https://api.example';

export interface MockReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** By `METHOD target`; a target that is no absolute address belongs to `home`. */
export type MockRoutes = Readonly<Record<string, MockReply | readonly MockReply[]>>;

export interface AskedFor {
  /** `METHOD target`, as in the routes. */
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Network {
  readonly dispatcher: MockAgent;
  readonly asked: readonly AskedFor[];
  /** The lines of `asked`. */
  lines(): readonly string[];
  /** Requests that wait for their answer at this moment, and the most there ever were. */
  readonly inFlight: { now: number; most: number };
}

/** Makes a test on a network of its own, with all notices that a run gave on the way. */
export function onNetwork(routes: MockRoutes, work: (network: Network) => Promise<void>): () => Promise<void> {
  return async () => {
    const dispatcher = new MockAgent();
    dispatcher.disableNetConnect();
    const asked: AskedFor[] = [];
    const network = { dispatcher, asked, lines: () => asked.map(({ line }) => line), inFlight: { now: 0, most: 0 } };
    for (const [line, replies] of Object.entries(routes)) {
      for (const reply of [replies].flat()) expect(network, line, reply);
    }
    try {
      await work(network);
      dispatcher.assertNoPendingInterceptors();
    } finally {
      await dispatcher.close();
    }
  };
}

function expect({ dispatcher, asked, inFlight }: Network & { asked: AskedFor[] }, line: string, reply: MockReply) {
  const [method = '', target = ''] = line.split(' ');
  const { origin, pathname, search } = new URL(target, home);
  const answer = async ({ headers, body }: { readonly headers?: unknown; readonly body?: unknown }) => {
    asked.push({ line, headers: namesAndValues(headers), body: String(body ?? '') });
    inFlight.now += 1;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    await turns(3); // Who could ask meanwhile does.
    inFlight.now -= 1;
    return reply.body ?? '';
  };
  dispatcher
    .get(origin)
    .intercept({ path: pathname + search, method })
    .reply(reply.status ?? 200, answer, { headers: { ...reply.headers } });
}

function namesAndValues(headers: unknown): Record<string, string> {
  const pairs = Array.isArray(headers) ? pairsOf(headers) : Object.entries(headers ?? {});
  return Object.fromEntries(pairs.map(([name, value]) => [String(name).toLowerCase(), String(value)]));
}

const pairsOf = (list: readonly unknown[]) =>
  list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]] as const] : []));

/** A reply with the value as JSON. */
export const json = (value: unknown, more: Omit<MockReply, 'body'> = {}): MockReply => ({
  ...more,
  body: JSON.stringify(value),
});

/** A reply with this status that may be retried at once: its Retry-After has passed long ago. */
export const comeAgain = (status: number): MockReply => ({
  status,
  headers: { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' },
});

/** A configuration of an API at `home`. */
export const configOf = (jobs: readonly object[], api: object = {}, config: object = {}): Configuration =>
  unchecked({ api: { baseUrl: `${home}/`, ...api }, config: { jobs, ...config } });

/** An `api` section: pages are numbered, and the first short one ends the walk. */
export const pagenum = (limit?: number) => ({
  pagination: { method: 'pagenum', ...(limit === undefined ? {} : { limit }) },
});

/** Logs in with the key `#password`; the token of the reply goes into a header. */
export const login = (more: object = {}) => ({
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
    apiRequest: { headers: { 'X-Token': { response: 'token' } } },
    ...more,
  },
});

export const password = { '#password': 'correct horse' };

/** `list` is passed as `notify`; `codes` are the codes it received. */
export function listener() {
  const notices: Notice[] = [];
  const codes = () => notices.filter(({ level }) => level === 'warning').map(({ code }) => code);
  return { notices, codes, notify: (notice: Notice) => void notices.push(notice) };
}

/** Fails unless every text is free of the secret. */
export function assertHidden(secret: string, texts: readonly (string | undefined)[]): void {
  for (const text of texts) assert.not.ok(text?.includes(secret), `a secret shows: ${text}`);
}
