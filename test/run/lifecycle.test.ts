/** When the sink is opened, closed and aborted, however the run ends. */
import { EMPTY, lastValueFrom, NEVER, Observable, of, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { createDrain } from '../../src/run/drain.js';
import { aborted, createLifecycle, subscribeOnce } from '../../src/run/lifecycle.js';
import { rejection, turns } from '../sinks/lib.js';

const outputs = [
  { name: 'users', dataType: 'people' },
  { name: 'orders', dataType: 'orders' },
];

/** A lifecycle that writes down what happens, in order; parts of the sink can be replaced. */
function staged(part: Partial<Sink> = {}) {
  const calls: string[] = [];
  const inFlight = createDrain();
  const secrets = createSecrets();
  const sink: Sink = {
    open: (dataType, job) => void calls.push(`open ${dataType} for ${job}`),
    write: () => {},
    close: () => void calls.push('close'),
    abort: (reason) => void calls.push(`abort ${reason instanceof ExtractError ? reason.code : reason}`),
    ...part,
  };
  const release = async () => void calls.push('release');
  const totals = { halt: (reason: string) => void calls.push(`halt ${reason}`), jobs: () => [] };
  const lifecycle = createLifecycle({ sink, inFlight, secrets, release }, outputs, totals);
  return { calls, inFlight, secrets, ...lifecycle };
}

const opened = ['open people for users', 'open orders for orders'];

/** A step that ends on demand. */
function gate() {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}

test('opens every data type, runs, closes, and lets go', async () => {
  const { calls, around, closed } = staged();
  const run = new Observable<number>((subscriber) => {
    calls.push('run');
    subscriber.next(7);
    subscriber.complete();
  });
  assert.is(await lastValueFrom(around(run)), 7);
  await closed;
  assert.equal(calls, [...opened, 'run', 'close', 'release']);
});

test('completes only after the sink has been closed', async () => {
  const publishing = gate();
  const { around } = staged({ close: () => publishing.promise });
  let isDone = false;
  const done = lastValueFrom(around(of(1))).then(() => {
    isDone = true;
  });
  await turns();
  assert.is(isDone, false);
  publishing.open();
  await done;
});

test('aborts with the error, masked, and only then passes it on', async () => {
  const { calls, around, closed, secrets } = staged();
  secrets.add('hidden value');
  const failing = throwError(() => new ExtractError('ERR_JSON', 'at hidden value'));
  const ran = lastValueFrom(around(failing)).finally(() => calls.push('reported'));
  await rejection(ran, 'ERR_JSON', /^at \*\*\*$/);
  await closed;
  assert.equal(calls.slice(2, 4), ['halt the run failed', 'abort ERR_JSON']);
  assert.equal(calls.slice(4).sort(), ['release', 'reported']);
});

test('running jobs end by the failure of another job, or by that of the run', async () => {
  for (const [where, reasons] of [
    [{ job: 'users' }, ['halt failed', 'halt another job failed']],
    [{}, ['halt the run failed']],
  ] as const) {
    const { calls, around } = staged();
    await rejection(lastValueFrom(around(throwError(() => new ExtractError('ERR_STATE', 'full', where)))), 'ERR_STATE');
    assert.equal(
      calls.filter((call) => call.startsWith('halt')),
      reasons,
    );
  }
});

test('waits for current work before it aborts', async () => {
  const { calls, around, inFlight } = staged();
  const takingBack = gate();
  inFlight.track(takingBack.promise.then(() => calls.push('taken back')));
  const ran = lastValueFrom(around(throwError(() => new ExtractError('ERR_JSON', 'broken'))));
  ran.catch(() => {});
  await turns();
  assert.not.ok(calls.includes('abort ERR_JSON'));
  takingBack.open();
  await rejection(ran, 'ERR_JSON');
  assert.ok(calls.indexOf('taken back') < calls.indexOf('abort ERR_JSON'));
});

test('aborts once when the subscriber leaves while an error is being dealt with, and settles after that', async () => {
  const aborting = gate();
  const calls: string[] = [];
  const abort = async () => {
    calls.push('abort');
    await aborting.promise;
    calls.push('aborted');
  };
  const { around, closed } = staged({ abort });
  const subscription = around(throwError(() => new Error('broken'))).subscribe({ error: () => {} });
  await turns();
  subscription.unsubscribe();
  closed.then(() => calls.push('closed'));
  await turns();
  assert.equal(calls, ['abort']);
  aborting.open();
  await closed;
  await turns();
  assert.equal(calls, ['abort', 'aborted', 'closed']);
});

test('aborts when the subscriber leaves', async () => {
  const { calls, around, closed } = staged();
  const subscription = around(NEVER).subscribe();
  await turns();
  subscription.unsubscribe();
  await closed;
  assert.equal(calls, [...opened, 'halt interrupted', 'abort ERR_ABORTED', 'release']);
});

test('does not abort while the sink is being opened', async () => {
  const opening = gate();
  const { calls, around, closed } = staged({ open: () => opening.promise });
  around(NEVER).subscribe().unsubscribe();
  await turns();
  assert.equal(calls, ['halt interrupted']);
  opening.open();
  await closed;
  assert.equal(calls, ['halt interrupted', 'abort ERR_ABORTED', 'release']);
});

test('does not abort published output, though the subscriber left meanwhile', async () => {
  const publishing = gate();
  const { calls, around, closed } = staged({ close: () => publishing.promise });
  const subscription = around(EMPTY).subscribe();
  await turns();
  subscription.unsubscribe();
  publishing.open();
  await closed;
  assert.not.ok(
    calls.some((call) => call.startsWith('abort')),
    calls.join(),
  );
});

test('aborts a sink that cannot be opened or closed, and keeps its first error', async () => {
  const fail = (words: string) => () => Promise.reject(new Error(words));
  for (const part of [{ open: fail('first') }, { close: fail('first') }]) {
    let aborts = 0;
    const abort = () => {
      aborts += 1;
      return Promise.reject(new Error('second'));
    };
    const { around, closed } = staged({ ...part, abort });
    await rejection(lastValueFrom(around(of(1))), 'ERR_SINK', /first/);
    await closed;
    assert.is(aborts, 1);
  }
});

test('lets one subscription through', async () => {
  const source = subscribeOnce(of(1));
  assert.is(await lastValueFrom(source), 1);
  await rejection(lastValueFrom(source), 'ERR_USAGE');
});

test('fails when a signal is aborted, with its reason, and listens no longer than it is listened to', async () => {
  const controller = new AbortController();
  const ending = lastValueFrom(aborted(controller.signal));
  aborted(controller.signal)
    .subscribe({ error: () => assert.unreachable() })
    .unsubscribe();
  controller.abort('enough');
  assert.is((await rejection(ending, 'ERR_ABORTED')).cause, 'enough');
});

test.run();
