/** Failures of a run with several sinks name the one that failed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { borrowing, isBorrowing } from '../../../sinks/borrowing.js';
import type { Sink } from '../../../sinks/contract.js';
import { all, sinksOf } from '../../../sinks/decorators/fan-out.js';
import { nameFailures } from '../../../sinks/decorators/name-failures.js';
import { memory } from '../../../sinks/memory.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { commandHere } from '../../blackbox/command.js';
import { json, startApi } from '../../loopback/api.js';
import { calm, earlierOf, pageEnd, rejection } from '../lib.js';

const full = new Error('the disk is full');

/** A sink whose calls fail, some at once and some later. */
const failing = (name?: string): Sink => ({
  ...(name === undefined ? {} : { name }),
  resume: () => Promise.reject(full),
  write() {
    throw full;
  },
  commit: () => Promise.reject(new ExtractError('ERR_RESUME', 'another output')),
  close: () => Promise.reject(full),
  abort() {},
});

test('each failure has the name of its sink, and its code', async () => {
  const own = nameFailures(all([memory(), failing('queue:b')]));
  for (const [work, code] of [
    [() => own.resume?.(earlierOf()), 'ERR_SINK'],
    [() => own.write(batchOf('t', [1]), calm), 'ERR_SINK'],
    [() => own.commit?.(pageEnd('t'), calm), 'ERR_RESUME'],
    [() => own.close(), 'ERR_SINK'],
  ] as const) {
    assert.is((await rejection(work, code)).where.sink, 'queue:b');
  }
  const [, nameless] = sinksOf(nameFailures(all([memory(), failing()])));
  assert.is((await rejection(() => nameless?.write(batchOf('t', [1]), calm), 'ERR_SINK')).where.sink, 'sink 2');
});

test('a failure between two calls is named too, an interruption is not', async () => {
  const [late] = sinksOf(
    nameFailures(
      all([
        {
          ...{ name: 'a', write() {}, close() {}, abort() {} },
          open: (_dataType, _job, { onFailure } = {}) => onFailure?.(full),
          commit: () => Promise.reject(new ExtractError('ERR_ABORTED', 'the write was interrupted')),
        },
        memory(),
      ]),
    ),
  );
  const found: unknown[] = [];
  await late?.open?.('t', 'j', { onFailure: (thrown) => found.push(thrown) });
  await late?.open?.('t', 'j');
  const [failure] = found;
  assert.ok(failure instanceof ExtractError);
  assert.equal([failure.where.sink, failure.cause], ['a', full]);
  assert.is((await rejection(() => late?.commit?.(pageEnd('t'), calm), 'ERR_ABORTED')).where.sink, undefined);
});

test('a single sink is unchanged, and one of several keeps its marks', () => {
  const sink = memory();
  assert.is(nameFailures(sink), sink);
  const [lent, other] = sinksOf(nameFailures(all([{ ...memory(), write: borrowing(() => {}) }, memory()])));
  assert.equal([isBorrowing(lent?.write ?? (() => {})), isBorrowing(other?.write ?? (() => {}))], [true, false]);
});

test('the command shows the sink that failed, of several', async () => {
  const api = await startApi(() => json([{ id: 1 }]));
  const receiver = await startApi(() => ({ status: 409 }));
  try {
    const document = JSON.stringify({ api: { baseUrl: api.origin }, config: { jobs: [{ endpoint: 'users' }] } });
    const uri = `${receiver.origin}/in#items=1`;
    const run = (...more: readonly string[]) => commandHere(['run', '-', '--to', uri, ...more], { stdin: document });
    assert.match((await run('--to', 'null:')).stderr, `\n  sink     ${uri}\n  job      users\n`);
    const [line = ''] = (await run('--to', 'null:', '--log', 'json')).stderr
      .split('\n')
      .filter((each) => /"error"/.test(each));
    assert.is(JSON.parse(line).sink, uri);
    assert.not.match((await run()).stderr, '  sink ');
  } finally {
    await Promise.all([api.close(), receiver.close()]);
  }
});

test.run();
