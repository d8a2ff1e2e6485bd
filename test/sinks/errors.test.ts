/** Interrupted writes: what becomes of the work, and what their error says. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureBefore, noteFailure, orAborted } from '../../sinks/errors.js';
import { repeated } from '../../sinks/servers/reconnect.js';
import { rejection, turns } from './lib.js';

test('work that fails after its signal has aborted is no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (thrown: unknown) => void unhandled.push(thrown);
  process.on('unhandledRejection', note);
  try {
    const controller = new AbortController();
    const failsLater = async () => {
      await turns(1);
      throw new Error('the server is gone');
    };
    const waiting = rejection(orAborted(failsLater(), controller.signal), 'ERR_ABORTED');
    controller.abort();
    await waiting;
    await rejection(orAborted(failsLater(), controller.signal), 'ERR_ABORTED');
    await turns();
    assert.equal(unhandled, []);
  } finally {
    process.off('unhandledRejection', note);
  }
});

test('the error of an interrupted write has the failure for which it was repeated', async () => {
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('the server is gone');
  };
  const interruptedAt = async (controller: AbortController) => {
    controller.abort();
    return rejection(orAborted(Promise.resolve(), controller.signal), 'ERR_ABORTED');
  };
  const failing = new AbortController();
  noteFailure(failing.signal, new Error('the server is gone'));
  const error = await interruptedAt(failing);
  assert.is(error.message, 'the write was interrupted after a failure: the server is gone');
  assert.is(failureBefore(error)?.code, 'ERR_SINK');

  const recovered = new AbortController();
  await repeated(work, { isTemporary: () => true, signal: recovered.signal });
  assert.is(attempts, 2);
  assert.is(failureBefore(await interruptedAt(recovered)), undefined);
  assert.is(failureBefore(failing), undefined);
});

test.run();
