/**
 * What the marble tests share: a strict scheduler, sources that differ by subscription, and a collector to measure
 * with.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defer, type Observable, throwError } from 'rxjs';
import { type RunHelpers, TestScheduler } from 'rxjs/testing';
import * as assert from 'uvu/assert';

/** Makes a test of a marble scenario in virtual time. */
export function marbles(scenario: (helpers: RunHelpers) => void): () => void {
  return () => new TestScheduler((actual, expected) => assert.equal(actual, expected)).run(scenario);
}

/** The nth subscription gets the nth source; one too many fails. */
export function inOrder<T>(...sources: readonly Observable<T>[]): Observable<T> {
  let subscribed = 0;
  return defer(() => {
    const source = sources[subscribed];
    subscribed += 1;
    return source ?? throwError(() => `subscribed to ${subscribed} times`);
  });
}

/** Runs the garbage collector and returns the bytes left on the heap. */
export function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
