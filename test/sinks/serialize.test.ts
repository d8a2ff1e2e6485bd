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

test('work that failed keeps nobody from his turn', async () => {
  const log: string[] = [];
  const inTurn = createTurns();
  const a = held('a', log);
  const failing = inTurn(a.work).catch(({ message }) => message);
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
