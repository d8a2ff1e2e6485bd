/** What the tests of sinks on real servers share. */
import * as assert from 'uvu/assert';
import type { CheckOptions, RestartCall } from '../../sinks/conformance/bench.js';
import { checkSink } from '../../sinks/conformance.js';
import type { Earlier, Sink } from '../../sinks/contract.js';
import type { SinkContext } from '../../sinks/entry.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { aMinute, earlierOf } from '../sinks/lib.js';
import type { TestServer } from '../support/servers.js';

/** A sink that has begun its run; `part` replaces members of what it resumes. */
export async function begun(uri: string, part: Partial<Earlier> = {}, context: SinkContext = {}): Promise<Sink> {
  const sink = sinkFromUri(uri, context);
  await sink.resume?.(earlierOf(part));
  return sink;
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
