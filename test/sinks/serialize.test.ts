import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createTurns } from '../../sinks/serialize.js';
import { rejection, turns } from './lib.js';

/** Work that records its beginning, and ends when the test ends it. */
function held(name: string, log: string[]) {
  let end = () => {};
  let fail = (_: Error) => {};
  const over = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const work = async () => {
    log.push(name);
    await over;
    return name;
  };
  return { work, end: () => end(), fail: (thrown: Error) => fail(thrown) };
}

test('one piece of work after another, in the order in which they came', async () => {
  const log: string[] = [];
  const inTurn = createTurns();
  const [a, b] = [held('a', log), held('b', log)];
  const both = Promise.all([inTurn(a.work), inTurn(b.work)]);
  await turns();
  assert.equal(log, ['a']);
  a.end();
  b.end();
  assert.equal(await both, ['a', 'b']);
});

test('work runs at once if none is in progress: it returns or throws what the work does', async () => {
  const log: string[] = [];
  const inTurn = createTurns();
  assert.is(
    inTurn(() => 'a'),
    'a',
  );
  const broken = () => {
    throw new Error('broken');
  };
  assert.throws(() => inTurn(broken), 'broken');
  const b = held('b', log);
  const first = inTurn(b.work);
  const second = inTurn(() => log.push('c'));
  assert.is(inTurn.isFree(), false);
  assert.instance(second, Promise);
  assert.equal(log, ['b']);
  b.end();
  await Promise.all([first, second]);
  assert.equal(log, ['b', 'c']);
  assert.is(inTurn.isFree(), true);
  assert.is(
    inTurn(() => 'd'),
    'd',
    'at once again',
  );
});

test('work does not run at once if it was aborted before', async () => {
  const log: string[] = [];
  const inTurn = createTurns();
  await rejection(async () => inTurn(() => log.push('a'), AbortSignal.abort()), 'ERR_ABORTED', /interrupted/);
  assert.equal(log, []);
});

test('work that failed keeps no other from its turn', async () => {
  const log: string[] = [];
  const inTurn = createTurns();
  const a = held('a', log);
  const failing = Promise.resolve(inTurn(a.work)).catch(({ message }) => message);
  const next = inTurn(async () => 'b');
  a.fail(new Error('broken'));
  assert.equal(await Promise.all([failing, next]), ['broken', 'b']);
});

test('who is aborted while waiting leaves the line, and who stands behind waits for those before', async () => {
  const log: string[] = [];
  const inTurn = createTurns();
  const [a, b, c] = [held('a', log), held('b', log), held('c', log)];
  const first = inTurn(a.work);
  const controller = new AbortController();
  const left = inTurn(b.work, controller.signal);
  const last = inTurn(c.work);
  controller.abort();
  await rejection(() => left, 'ERR_ABORTED', /interrupted/);
  await turns();
  assert.equal(log, ['a']);
  a.end();
  c.end();
  await Promise.all([first, last]);
  assert.equal(log, ['a', 'c']);
});

test.run();
