/** A run on its way to a board that others use at the same moment. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Board, RunSpec } from '../../../src/checkpoint/board/board.js';
import { parseDocument } from '../../../src/config/document.js';
import { prepareShare, submitOrJoin } from '../../../src/tools/board/submit-run.js';
import { memoryBoard } from '../../checkpoint/board/memory-board.js';
import { rejection } from '../../sinks/lib.js';

const text = JSON.stringify({ api: { baseUrl: 'http://127.0.0.1:9/' }, config: { jobs: [{ endpoint: 'users' }] } });

const specOf = async (): Promise<RunSpec> => {
  const configuration = parseDocument(text, 'config.json');
  return (await prepareShare({ name: 'nightly', configuration, options: { to: 'null:', env: {} } })).spec;
};

/** The board of a process that has looked for the run before another one submitted it. */
const late = (board: Board): Board => {
  let hasLooked = false;
  return {
    ...board,
    async find(name) {
      if (hasLooked) return board.find(name);
      hasLooked = true;
      return undefined;
    },
  };
};

test('of two processes that submit a run at the same moment, one joins it', async () => {
  const board = memoryBoard().connect();
  assert.is(await submitOrJoin(board, await specOf(), {}), 'submitted');
  assert.is(await submitOrJoin(late(board), await specOf(), {}), 'joined');
});

test('a run with another state is not joined', async () => {
  const board = memoryBoard().connect();
  await submitOrJoin(board, await specOf(), {});
  const other = { ...(await specOf()), state: { name: 'orders', generation: 0 } };
  await rejection(submitOrJoin(board, other, {}), 'ERR_USAGE', /"nightly" has other options \(state\)/);
});

test('what prevents a run from being submitted is its error', async () => {
  const board = memoryBoard().connect();
  const old = { ...(await specOf()), state: { name: 'orders', generation: 7 } };
  await rejection(submitOrJoin(board, old, {}), 'ERR_STATE', /the state "orders" changes/);
});

test.run();
