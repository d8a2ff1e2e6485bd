/** What the tests of sinks on real servers share. */
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import type { CheckOptions, RestartCall } from '../../sinks/conformance/bench.js';
import { checkSink } from '../../sinks/conformance.js';
import type { Earlier, Sink } from '../../sinks/contract.js';
import type { SinkContext } from '../../sinks/entry.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { aMinute, calm, earlierOf, pageEnd, rejection } from '../sinks/lib.js';
import type { TestServer } from '../support/servers.js';

/** A sink that has begun its run; `part` replaces members of what it resumes. */
export async function begun(uri: string, part: Partial<Earlier> = {}, context: SinkContext = {}): Promise<Sink> {
  const sink = sinkFromUri(uri, context);
  await sink.resume?.(earlierOf(part));
  return sink;
}

/** A run that has ended is begun by no older process, and by none that still has items to write. */
export async function mustStayEnded(uri: string): Promise<void> {
  const begin = (part: Partial<Earlier>) => begun(uri, { run: 'done', ...part });
  const newer = await begin({ epoch: 2 });
  await newer.write(batchOf('t', [1]), calm);
  await newer.commit?.(pageEnd('t', { keep: 'k' }), calm);
  await newer.close();
  await rejection(begin({}), 'ERR_RESUME', /another process has resumed this run/);
  await rejection(begin({ epoch: 3 }), 'ERR_RESUME', /the run "done" has ended/);
  await (await begin({ epoch: 4, phase: 'publishing' })).close();
  await rejection(begin({ epoch: 3 }), 'ERR_RESUME', /another process has resumed this run/);
}

/** A run that another one replaces is never begun, even if no process of it has been here. Returns the other. */
export async function mustStayReplaced(uri: string): Promise<Sink> {
  const next = await begun(uri, { run: 'next', replaces: ['never-begun'] });
  await rejection(begun(uri, { run: 'never-begun' }), 'ERR_RESUME', /another process has resumed this run/);
  return next;
}

/** The run of `old` was replaced: it stores no page, and does not end. */
export async function mustBeReplaced(old: Sink): Promise<void> {
  await old.write(batchOf('t', ['old']), calm);
  await rejection(async () => old.commit?.(pageEnd('t', { keep: 'old' }), calm), 'ERR_RESUME', /another process/);
  await rejection(async () => old.close(), 'ERR_RESUME', /another process/);
}

/** The options of the kit for a server that ends and starts again. */
export const restarting = (server: Pick<TestServer, 'kill' | 'start'>): CheckOptions => ({
  restart: () => server.kill().then(() => server.start()),
});

/**
 * Runs the conformance kit on the sink of an address. A transaction must be stored once, also without an answer.
 * `refused`: an item that the destination refuses. `server`: it is ended and started again between any two calls, or
 * after the last of some.
 */
export async function mustKeepRules(
  uri: string,
  read: (dataType: string) => Promise<readonly string[]>,
  isTransaction: boolean,
  refused?: unknown,
  server?: Pick<TestServer, 'kill' | 'start'>,
  restartAfter?: readonly RestartCall[],
): Promise<void> {
  const make = () => sinkFromUri(uri);
  const unanswered = () => {
    const sink = make();
    const commit: Sink['commit'] = async (...given) => {
      await sink.commit?.(...given);
      throw new Error('no answer');
    };
    return { ...sink, commit };
  };
  const checks = await checkSink(make, read, {
    ...(isTransaction ? { unanswered } : {}),
    ...(server === undefined ? {} : restarting(server)),
    ...(restartAfter === undefined ? {} : { restartAfter }),
    ...{ refused, tooLong: aMinute },
  });
  assert.equal(
    checks.filter(({ outcome }) => outcome === 'fail'),
    [],
  );
}
