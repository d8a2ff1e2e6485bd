import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { memory } from '../../sinks/memory.js';
import { nullSink } from '../../sinks/null.js';
import { calm, earlierOf, pageEnd, rejection } from './lib.js';

test('counts what it drops, and uncounts what is taken back', async () => {
  const sink = nullSink();
  sink.open?.('empty', 'job');
  await sink.write(batchOf('users', [1, 2]), calm);
  await sink.commit?.(pageEnd('users'), calm);
  await sink.write(batchOf('users', [3]), calm);
  await sink.rollback?.('users');
  await sink.close();
  assert.equal(sink.summary?.(), [
    { dataType: 'empty', name: 'dropped', items: 0, bytes: 0 },
    { dataType: 'users', name: 'dropped', items: 2, bytes: 4 },
  ]);
});

test('uncounts all if nothing was committed', async () => {
  const sink = nullSink();
  await sink.write(batchOf('users', [1, 2]), calm);
  await sink.rollback?.('users');
  assert.equal(sink.summary?.(), [{ dataType: 'users', name: 'dropped', items: 0, bytes: 0 }]);
});

test('continues its counts, and refuses the state of another sink', async () => {
  const earlier = { run: 'r', epoch: 2, isStored: true, phase: 'writing' } as const;
  const first = nullSink();
  await first.resume?.({ ...earlier, epoch: 1, checkpoints: new Map() });
  await first.write(batchOf('users', [1, 2]), calm);
  const checkpoint = (await first.commit?.(pageEnd('users'), calm)) ?? null;
  const sink = nullSink();
  await sink.resume?.({ ...earlier, checkpoints: new Map([['users', checkpoint]]) });
  await sink.write(batchOf('users', [3]), calm);
  assert.equal(sink.summary?.(), [{ dataType: 'users', name: 'dropped', items: 3, bytes: 6 }]);
  for (const other of ['text', ['other', 'x']]) {
    const resume = async () => nullSink().resume?.({ ...earlier, checkpoints: new Map([['users', other]]) });
    await rejection(resume, 'ERR_RESUME', /another sink than `null:`: give the --to of the first run/);
  }
});

test('reports the sum of the members of a shared run', async () => {
  const checkpointOf = async (items: readonly unknown[]) => {
    const sink = nullSink();
    await sink.resume?.(earlierOf({ member: 'J0' }));
    await sink.write(batchOf('users', items), calm);
    return (await sink.commit?.(pageEnd('users'), calm)) ?? null;
  };
  const [one, two] = [await checkpointOf([1, 2]), await checkpointOf([3])];
  const members = new Map([
    ['J0', new Map([['users', one]])],
    ['J1', new Map([['users', two]])],
  ]);
  for (const sink of [nullSink(), all([nullSink(), memory()])]) {
    const nested = new Map(
      [...members].map(([name, own]) => [name, new Map([['users', [[own.get('users') ?? null], []]]])]),
    );
    await sink.resume?.(earlierOf({ members: sink.name === 'null:' ? members : nested }));
    await sink.close();
    assert.equal(sink.summary?.()[0], { dataType: 'users', name: 'dropped', items: 3, bytes: 6 });
  }
});

test.run();
