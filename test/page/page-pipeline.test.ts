/** How the stages of a walk are put together: their order, and what each of them is asked for. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain, isObject } from '../../src/core/json/exact.js';
import { composeStages, pageStages } from '../../src/page/page-pipeline.js';
import type { PageStage } from '../../src/page/page-stage.js';
import { attemptOf, draftOf, slabOf } from './lib.js';

function recorded(waits: boolean) {
  const calls: string[] = [];
  const stage = (name: string): PageStage => ({
    begin: () => void calls.push(`${name} begin`),
    see: () => void calls.push(`${name} see`),
    write(slab, next) {
      calls.push(`${name} write`);
      return waits ? Promise.resolve().then(() => next(slab)) : next(slab);
    },
    rollback: () => void calls.push(`${name} rollback`),
    report: () => void calls.push(`${name} report`),
    discard: () => void calls.push(`${name} discard`),
  });
  const writer = {
    begin: () => void calls.push('sink begin'),
    write: () => void calls.push('sink write'),
    rollback: () => void calls.push('sink rollback'),
    complete() {},
    end() {},
    leave: () => () => {},
  };
  return { calls, pipeline: composeStages([stage('a'), {}, stage('b')], writer) };
}

for (const waits of [false, true]) {
  test(`items pass the stages in order, and are rolled back from the sink on; a stage ${waits ? 'waits' : 'does not wait'}`, async () => {
    const { calls, pipeline } = recorded(waits);
    pipeline.begin(attemptOf());
    pipeline.see(Buffer.from('x'));
    const waiting = pipeline.write(slabOf(1));
    assert.is(waiting !== undefined, waits, 'a promise only where a stage waits');
    await waiting;
    await pipeline.rollback();
    pipeline.report(draftOf());
    assert.is(pipeline.discard(), undefined);
    const expected = ['sink begin', 'a begin', 'b begin', 'a see', 'b see', 'a write', 'b write', 'sink write'];
    const back = ['sink rollback', 'b rollback', 'a rollback', 'a report', 'b report', 'a discard', 'b discard'];
    assert.equal(calls, [...expected, ...back]);
  });
}

test('a walk has the stages that it needs, and no other', () => {
  const none = { paginator: {}, isLimited: false, rows: undefined, columns: undefined, isObserved: false };
  const columns = fromPlain({ run: 1 });
  const paginator = { fold: () => null, volume: true as const, repeated: () => 0 };
  const rows = { paths: ['id'], responseFilter: [] };
  assert.is(pageStages(none).length, 0);
  assert.is(pageStages({ ...none, columns: isObject(columns) ? columns : undefined, isLimited: true }).length, 2);
  assert.is(pageStages({ ...none, paginator: paginator, rows, isObserved: true }).length, 5);
});

test.run();
