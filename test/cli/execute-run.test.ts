import { finalize, Observable, of, Subject, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { executeRun } from '../../src/cli/execute-run.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import type { Notice } from '../../src/core/model/notice.js';
import type { Receipt } from '../../src/core/model/page.js';
import { fakeShell } from './fake-shell.js';
import { receiptOf } from './receipts.js';

/** Runs these receipts with sinks that close on demand. */
function start(receipts: Observable<Receipt>, closed: Promise<void> = Promise.resolve()) {
  const shell = fakeShell();
  const pages: number[] = [];
  const notices: Notice[] = [];
  const page = ({ index }: Receipt) => void pages.push(index);
  const stop = async () => {};
  const ended = executeRun({ receipts, closed, stop }, { page, notify: (notice) => void notices.push(notice) }, shell);
  return { shell, pages, notices, ended };
}

function gate() {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

test('a completed run has no failure, and every page was reported', async () => {
  const { pages, ended, shell } = start(of(receiptOf(0), receiptOf(1)));
  assert.equal(await ended, {});
  assert.equal(pages, [0, 1]);
  assert.is(shell.listeners(), 0);
});

test('a failure is handed on, and the signals are let go', async () => {
  const failure = new Error('broken');
  const { ended, shell } = start(throwError(() => failure));
  assert.equal(await ended, { failure });
  assert.is(shell.listeners(), 0);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} unsubscribes and waits for the sinks`, async () => {
    const log: string[] = [];
    const { promise, open } = gate();
    const running = new Subject<Receipt>().pipe(finalize(() => log.push('unsubscribed')));
    const { shell, notices, ended } = start(running, promise);
    const reported = ended.then((ending) => {
      log.push('ended');
      return ending;
    });
    shell.signal(signal);
    log.push('signalled');
    await Promise.resolve();
    log.push('sinks closed');
    open();
    const ending = await reported;
    assert.equal(log, ['unsubscribed', 'signalled', 'sinks closed', 'ended']);
    assert.is(ending.signal, signal);
    assert.is((ending.failure as ExtractError).code, 'ERR_ABORTED');
    assert.equal(
      notices.map(({ level, code }) => `${level} ${code}`),
      ['info interrupted'],
    );
    assert.equal(shell.exits, []);
  });
}

test('a second signal ends the process at once, by its own code', async () => {
  const { promise, open } = gate();
  const { shell, ended } = start(new Subject<Receipt>(), promise);
  shell.signal('SIGINT');
  assert.equal(shell.exits, []);
  shell.signal('SIGTERM');
  assert.equal(shell.exits, [143]);
  open();
  await ended;
});

test('sinks are waited for after a failure too', async () => {
  const { promise, open } = gate();
  let isOver = false;
  const { ended } = start(
    throwError(() => new Error('broken')),
    promise,
  );
  const reported = ended.then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(isOver, false);
  open();
  await reported;
});

test('receipts are subscribed to once', async () => {
  let subscriptions = 0;
  const receipts = new Observable<Receipt>((subscriber) => {
    subscriptions += 1;
    subscriber.complete();
  });
  await start(receipts).ended;
  assert.is(subscriptions, 1);
});

/** A run that is let come to the end of its page, within the time given. */
function draining(stopped: Promise<void>, drainMs: number) {
  const log: string[] = [];
  const receipts = new Subject<Receipt>();
  const running = receipts.pipe(finalize(() => log.push('unsubscribed')));
  const shell = fakeShell();
  const stop = () => {
    log.push('stop');
    return stopped;
  };
  const notices: Notice[] = [];
  const following = { page: () => {}, notify: (notice: Notice) => void notices.push(notice), drainMs };
  const ended = executeRun({ receipts: running, closed: Promise.resolve(), stop }, following, shell);
  return { shell, log, receipts, ended, notices };
}

test('if a state is kept, the first signal waits for the current page', async () => {
  const { promise, open } = gate();
  const { shell, log, ended, notices } = draining(promise, 60_000);
  shell.signal('SIGTERM');
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(log, ['stop']);
  open();
  assert.is((await ended).signal, 'SIGTERM');
  assert.equal(log, ['stop', 'unsubscribed']);
  assert.match(notices[0]?.message ?? '', /after the current page; a second signal stops it at once/);
});

test('it waits no longer than it may, and not for a page that fails to end', async () => {
  const { shell, log, ended } = draining(new Promise(() => {}), 1);
  shell.signal('SIGINT');
  assert.is((await ended).signal, 'SIGINT');
  assert.equal(log, ['stop', 'unsubscribed']);
  const failing = draining(Promise.reject(new Error('no')), 60_000);
  failing.shell.signal('SIGINT');
  assert.is((await failing.ended).signal, 'SIGINT');
});

test('a run that completes during the wait has succeeded', async () => {
  const { shell, receipts, ended } = draining(new Promise(() => {}), 60_000);
  shell.signal('SIGTERM');
  receipts.complete();
  assert.equal(await ended, {});
});

test('a second signal does not wait', async () => {
  const { promise, open } = gate();
  const { shell, ended } = draining(promise, 60_000);
  shell.signal('SIGTERM');
  shell.signal('SIGTERM');
  assert.equal(shell.exits, [143]);
  open();
  await ended;
});

test.run();
