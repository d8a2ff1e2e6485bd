/** Repeated work: how long it is tried again, and what ends it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repeated } from '../../../sinks/servers/reconnect.js';
import { rejection } from '../lib.js';

const broken = new Error('broken');
const isTemporary = (thrown: unknown) => thrown === broken;

/** Fails so many times with the error. */
function failing(times: number, thrown: unknown = broken) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw thrown;
    return calls;
  };
}

test('work that fails for a while is tried again, with the waits of a minute', async () => {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  assert.is(await repeated(failing(5), { isTemporary, wait }), 6);
  assert.equal(waits, [0, 50, 100, 200, 500]);
  const last = await repeated(failing(99), { isTemporary, wait }).catch((thrown: unknown) => thrown);
  assert.is(last, broken);
  assert.is(
    waits.slice(5).reduce((sum, ms) => sum + ms, 0),
    59_850,
  );
});

test('work may ask for a longer wait', async () => {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  await repeated(failing(2), { isTemporary, leastWait: () => 70, wait });
  assert.equal(waits, [70, 70]);
});

test('another error ends it at once, and so does the signal', async () => {
  const other = await repeated(failing(1, 'other'), { isTemporary }).catch((thrown: unknown) => thrown);
  assert.is(other, 'other');
  await rejection(() => repeated(failing(9), { isTemporary, signal: AbortSignal.abort() }), 'ERR_ABORTED');
  const controller = new AbortController();
  const waiting = repeated(failing(9), { isTemporary, leastWait: () => 60_000, signal: controller.signal });
  setImmediate(() => controller.abort());
  await rejection(waiting, 'ERR_ABORTED');
});

test('a wait that fails is the failure', async () => {
  const wait = () => Promise.reject(new Error('no timer'));
  const thrown = await repeated(failing(1), { isTemporary, wait }).catch((error: Error) => error.message);
  assert.is(thrown, 'no timer');
});

test('it waits by itself', async () => {
  assert.is(await repeated(failing(2), { isTemporary, signal: new AbortController().signal }), 3);
  assert.is(await repeated(failing(1), { isTemporary }), 2);
});

test.run();
