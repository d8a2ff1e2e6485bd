/** A server that is not there, in virtual time: how long a run asks for it again, and what ends that rule. */
import { MockAgent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../src/core/model/notice.js';
import { run } from '../src/run/extract.js';
import type { RunOptions } from '../src/run/options.js';
import { failure } from './support/failure.js';
import { configOf, home, login } from './support/mock-network.js';
import { startClock, type VirtualClock } from './support/virtual-clock.js';

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });

type Step = Error | string;

interface Network {
  readonly dispatcher: MockAgent;
  readonly clock: VirtualClock;
  /** Messages of the waits. */
  readonly waits: readonly string[];
  /** Seconds since the start. */
  seconds(): number;
  options(more?: RunOptions): RunOptions;
}

/** Lends a network of answers by path, an error for what fails to connect; the last of a list stays. */
async function on(paths: Readonly<Record<string, readonly Step[]>>, work: (network: Network) => Promise<void>) {
  const clock = startClock();
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  const start = Date.now();
  for (const [path, steps] of Object.entries(paths)) {
    steps.forEach((step, index) => {
      const mocked = dispatcher.get(home).intercept({ path, method: path === '/login' ? 'POST' : 'GET' });
      const scope = typeof step === 'string' ? mocked.reply(200, step) : mocked.replyWithError(step);
      if (index === steps.length - 1) scope.persist();
    });
  }
  const waits: string[] = [];
  const notify = ({ code, message }: Notice) => {
    if (code !== 'retry') return;
    waits.push(message);
    clock.passSoon(Number(/retrying in ([\d.]+) s/.exec(message)?.[1]) * 1000);
  };
  const seconds = () => (Date.now() - start) / 1000;
  try {
    await work({ dispatcher, clock, waits, seconds, options: (more = {}) => ({ dispatcher, notify, ...more }) });
  } finally {
    clock.stop();
    await dispatcher.close();
  }
}

const jobs = [{ endpoint: 'users' }];

for (const [what, error, transport] of [
  ['that refuses connections', refused, 7],
  ['whose name is not found', unknown, 6],
] as const) {
  test(`a server ${what} is retried for 10 seconds in all`, () =>
    on({ '/users': [error] }, async ({ options, waits, seconds }) => {
      const { where } = await failure(run(configOf(jobs), options()));
      assert.equal([where.transport, waits.length, seconds()], [transport, 4, 10]);
      assert.match(waits[0] ?? '', /retrying in 1 s \(for 10 s in total, because the server has not responded yet/);
      assert.match(waits[3] ?? '', /retrying in 3 s \(for 10 s in total\)/);
    }));
}

test('a server that starts within that time is used', () =>
  on({ '/users': [refused, refused, '[1]'] }, async ({ options, seconds }) => {
    const { jobs: done } = await run(configOf(jobs), options());
    assert.equal([done[0]?.items, seconds()], [1, 3]);
  }));

test('a login waits no longer, and its jobs not once more', () =>
  on({ '/login': [refused], '/users': ['[1]'] }, async ({ options, seconds }) => {
    const { where } = await failure(
      run(configOf(jobs, login(), { '#password': 'correct horse' }), options({ concurrency: 2 })),
    );
    assert.equal([where.login, seconds()], [true, 10]);
  }));

test('jobs share the 10 seconds of an origin', () =>
  on({ '/users': [refused], '/orders': [refused] }, async ({ options, seconds, waits }) => {
    const ignoring = { http: { ignoreErrors: [0] } };
    const { jobs: done } = await run(configOf([...jobs, { endpoint: 'orders' }], ignoring), options());
    assert.equal(
      done.map(({ requests }) => requests),
      [5, 1],
    );
    assert.equal([seconds(), waits.length], [10, 4]);
  }));

test('once it has answered, maxRetries counts', () =>
  on({ '/users': ['[1]'], '/orders': [refused] }, async ({ options, seconds, waits }) => {
    await failure(run(configOf([...jobs, { endpoint: 'orders' }]), options()));
    assert.equal([seconds(), waits.length], [1023, 10]);
    assert.match(waits[0] ?? '', /1 of 10, as `api.retryConfig.maxRetries` allows/);
  }));

test('an error status counts as a response', () =>
  on({ '/users': ['[1]'], '/orders': [refused] }, async ({ dispatcher, options, waits }) => {
    dispatcher.get(home).intercept({ path: '/broken' }).reply(404, '');
    const api = { http: { ignoreErrors: [404] } };
    await failure(run(configOf([{ endpoint: 'broken' }, { endpoint: 'orders' }], api), options()));
    assert.is(waits.length, 10);
  }));

for (const [what, api, more, seconds, retries] of [
  ['maxRetries is written as the default', { retryConfig: { maxRetries: 10 } }, {}, 1023, 10],
  ['maxRetries is written', { retryConfig: { maxRetries: 5 } }, {}, 31, 5],
  ['maxRetries is 0', { retryConfig: { maxRetries: 0 } }, {}, 0, 0],
  ['the run is one of a data folder', {}, { dataFolder: true }, 1023, 10],
  ['only other keys are written', { retryConfig: { maxDelay: 2 } }, {}, 10, 6],
] as const) {
  test(`a missing server is tried ${retries} times if ${what}`, () =>
    on({ '/users': [refused] }, async ({ options, ...network }) => {
      await failure(run(configOf(jobs, api), options(more)));
      assert.equal([network.seconds(), network.waits.length], [seconds, retries]);
    }));
}

test('a failure of another kind is tried as often as ever', () =>
  on({ '/users': [Object.assign(new Error('reset'), { code: 'ECONNRESET' })] }, async ({ options, waits }) => {
    await failure(run(configOf(jobs), options()));
    assert.is(waits.length, 10);
  }));

test('an ignored failure becomes the page only after the 10 seconds', () =>
  on({ '/users': [refused] }, async ({ options, seconds }) => {
    const { jobs: done } = await run(configOf(jobs, { http: { ignoreErrors: [0] } }), options());
    assert.equal([done[0]?.items, seconds()], [0, 10]);
  }));

test.run();
