/**
 * Many jobs under several rates at once, on connections that are slow to come and often lost: what goes out in any
 * window, and how much of the rates is used.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { memory } from '../../sinks/index.js';
import { run } from '../../src/run/extract.js';
import { unchecked } from '../unchecked.js';
import type { Dice } from './dice.js';
import type { ServerGiven, ServerSeen } from './limits-server.js';

/** `text` is how the configuration writes it. */
export interface StatedRate {
  readonly text: string;
  readonly most: number;
  readonly ms: number;
}

export interface Rush extends Omit<ServerGiven, 'seed'> {
  readonly jobs: number;
  readonly rates: readonly StatedRate[];
  /**
   * Ms until a connection is there, at the most, for as many as there are jobs; those that come later are there within
   * 20.
   */
  readonly slowest: number;
}

export interface Rushed extends Omit<ServerSeen, 'arrived'> {
  readonly requests: number;
  readonly connections: number;
  /** One begins at each request, for each rate. */
  readonly windows: number;
  /** The most in any window, by rate: of sent requests, and of requests received by the server. */
  readonly sent: Readonly<Record<string, number>>;
  readonly arrived: Readonly<Record<string, number>>;
  /** The longest, in ms, that one was on its way. */
  readonly late: number;
  /** The share of the tightest rate that went out once the slow connections were there. */
  readonly used: number;
}

/** Throws the error of a failed job. */
export async function rush(given: Rush, dice: Dice): Promise<Rushed> {
  const { jobs, rates, pages, ms, slowest } = given;
  const sent: number[] = [];
  const { agent, connections } = createSlowAgent(given, dice);
  const dispatcher = agent.compose(noting(() => void sent.push(performance.timeOrigin + performance.now())));
  const server = fork(fileURLToPath(new URL('./limits-server.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  try {
    const origin: string = await replyTo(server, { seed: dice.between(0, 2 ** 31), pages, ms } satisfies ServerGiven);
    await run(unchecked(configuration(origin, given)), { to: memory(), concurrency: jobs, dispatcher });
    await agent.destroy();
    const { arrived, closed, broken }: ServerSeen = await replyTo(server, 'over');
    const crowds = (moments: readonly number[]) =>
      Object.fromEntries(rates.map((rate) => [rate.text, crowd(moments, rate.ms)]));
    const settled = sent.filter((at) => at >= (sent[0] ?? 0) + 2 * slowest);
    return {
      requests: sent.length,
      connections: connections(),
      closed,
      broken,
      windows: sent.length * rates.length,
      sent: crowds(sent),
      arrived: crowds(arrived),
      late: Math.round(Math.max(...sent.map((at, index) => (arrived[index] ?? at) - at))),
      used: Math.max(...rates.map((rate) => share(settled, rate))),
    };
  } finally {
    server.kill();
  }
}

/** What the server answers to a message. */
async function replyTo<T>(server: ChildProcess, message: ServerGiven | 'over'): Promise<T> {
  const answered = once(server, 'message');
  server.send(message);
  const [answer]: readonly T[] = await answered;
  if (answer === undefined) throw new Error('the server said nothing');
  return answer;
}

function createSlowAgent({ jobs, slowest }: Rush, dice: Dice) {
  let made = 0;
  const atOnce = buildConnector({});
  const connect: typeof atOnce = (target, callback) => {
    made += 1;
    setTimeout(() => atOnce(target, callback), dice.between(0, made <= jobs ? slowest : 20));
  };
  return { agent: new Agent({ connect }), connections: () => made };
}

/** Records each request just before it is written, before any other listener. */
const noting =
  (note: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (request, handler) =>
    dispatch(request, {
      onRequestStart(controller, context) {
        note();
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    });

/** The most moments within any window, open at its end. */
function crowd(moments: readonly number[], ms: number): number {
  let [first, most] = [0, 0];
  for (const [index, at] of moments.entries()) {
    while (at - (moments[first] ?? at) >= ms) first += 1;
    most = Math.max(most, index + 1 - first);
  }
  return most;
}

/** The time that as many whole windows take at the full rate, of the time that they took. Fewer than two windows: 0. */
function share(moments: readonly number[], { most, ms }: StatedRate): number {
  const windows = Math.floor((moments.length - 1) / most);
  const [from = 0, until = 0] = [moments[0], moments[windows * most]];
  return windows < 2 ? 0 : (windows * ms) / (until - from);
}

function configuration(origin: string, { jobs, rates }: Rush): object {
  return {
    api: {
      baseUrl: `${origin}/`,
      http: { rateLimit: rates.map(({ text }) => text) },
      pagination: { method: 'pagenum', limit: 1 },
    },
    config: { jobs: Array.from({ length: jobs }, (_, index) => ({ endpoint: `list-${index}` })) },
  };
}
