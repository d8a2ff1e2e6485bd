import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inTurn } from '../../operators/in-turn.js';
import type { PageEnd, Sink } from '../../sinks/contract.js';
import { memory } from '../../sinks/index.js';
import { createPageWriter } from '../../src/page/page-writer.js';
import type { Slab } from '../../src/page/scanner/scanner.js';
import { calm, rejection, turns } from '../sinks/lib.js';
import { attemptOf, slabOf } from './lib.js';

/** An attempt at a page; errors that the writer throws at once become rejections. */
function page(sink: Sink, acquire = async () => () => {}) {
  const { begin, write, rollback, end } = createPageWriter({ job: 'users', dataType: 'people', run: 'r', walk: '0' });
  begin(attemptOf({ sink, acquire }));
  return {
    end,
    write: async (slab: Slab) => write(slab),
    rollback: async () => rollback(),
  };
}

const pageEnd: PageEnd = {
  ...{ run: 'r', walk: '0', page: 0, job: 'users', dataType: 'people', count: 1, bytes: 2, lane: '0' },
};

/** A sink that records calls. */
function recorder(part: Partial<Sink> = {}) {
  const calls: string[] = [];
  const sink: Sink = {
    write: ({ count }) => void calls.push(`write ${count}`),
    commit: () => void calls.push('commit'),
    rollback: (dataType) => void calls.push(`rollback ${dataType}`),
    close: () => {},
    abort: () => {},
    ...part,
  };
  return { calls, sink };
}

test('does not call the sink before the first batch, and leaves the commit to others', async () => {
  const { calls, sink } = recorder();
  const { write, rollback, end } = page(sink);
  await rollback();
  assert.equal(calls, []);
  await write(slabOf(1, 2));
  await write(slabOf(3));
  end();
  assert.equal(calls, ['write 2', 'write 1']);
});

test('names job and data type, and hands on the signal', async () => {
  const given: unknown[] = [];
  const { sink } = recorder({
    write: ({ job, dataType }, signal) => void given.push(job, dataType, signal),
  });
  await page(sink).write(slabOf(1));
  assert.equal(given, ['users', 'people', calm]);
});

test('rolls back to the last commit, as often as something was written since', async () => {
  const { calls, sink } = recorder();
  const { write, rollback } = page(sink);
  await write(slabOf(1));
  await rollback();
  await rollback();
  await write(slabOf(2));
  await rollback();
  const back = 'rollback people';
  assert.equal(calls, ['write 1', back, 'write 1', back]);
});

test('rolls back only its own page', async () => {
  const sink = memory();
  const first = page(sink);
  await first.write(slabOf(1));
  await sink.commit?.(pageEnd, calm);
  first.end();
  const second = page(sink);
  await second.write(slabOf(2));
  await second.write(slabOf(3));
  await second.rollback();
  assert.equal(sink.items(), [1]);
});

test('rolls back what a failed write may have left', async () => {
  const { calls, sink } = recorder({ write: () => Promise.reject(new Error('half of it')) });
  const { write, rollback } = page(sink);
  await rejection(write(slabOf(1)), 'ERR_SINK', /half of it/);
  await rollback();
  assert.equal(calls, ['rollback people']);
});

const { commit: _, ...unmarked } = recorder().sink;
const { rollback: __, ...oneWay } = recorder().sink;

for (const [what, sink] of [
  ['neither commits', unmarked],
  ['nor takes back', oneWay],
] as const) {
  test(`fails with ERR_ROLLBACK for a sink that ${what}, only if something was written`, async () => {
    const { write, rollback } = page(sink);
    await rollback();
    await write(slabOf(1));
    await rejection(rollback(), 'ERR_ROLLBACK', /"people"/);
  });
}

const fail = () => Promise.reject(new Error('refused'));

test('turns every failure of the sink into ERR_SINK', async () => {
  for (const part of [{ write: fail }, { rollback: fail }]) {
    const { write, rollback } = page(recorder(part).sink);
    await rejection(write(slabOf(1)).then(rollback), 'ERR_SINK', /refused/);
  }
});

test('holds the turn of its data type from its first batch to its end', async () => {
  const turn = inTurn();
  const { calls, sink } = recorder();
  const [first, second] = [page(sink, () => turn.acquire()), page(sink, () => turn.acquire())];
  await first.write(slabOf(1));
  const waiting = second.write(slabOf(1, 2));
  await turns();
  await first.write(slabOf(1));
  first.end();
  await waiting;
  second.end();
  assert.equal(calls, ['write 1', 'write 1', 'write 2']);
});

test('one writer serves one page after the other, each with its own turn', async () => {
  const { calls, sink } = recorder();
  let left = 0;
  const attempt = attemptOf({ sink, acquire: async () => () => void left++ });
  const writer = createPageWriter({ job: 'users', dataType: 'people', run: 'r', walk: '0' });
  for (const slab of [slabOf(1), slabOf(2, 3)]) {
    writer.begin(attempt);
    await writer.write(slab);
    writer.end();
  }
  writer.begin(attempt);
  await writer.rollback();
  writer.end();
  assert.equal([calls, left], [['write 1', 'write 2'], 2]);
});

test('does not wait if its sink does not', async () => {
  const { sink } = recorder();
  const writer = createPageWriter({ job: 'users', dataType: 'people', run: 'r', walk: '0' });
  writer.begin(attemptOf({ sink }));
  await writer.write(slabOf(1));
  assert.is(writer.write(slabOf(2)), undefined);
  assert.is(writer.rollback(), undefined);
});

test('ends without ever having had a turn', async () => {
  let asked = 0;
  page(recorder().sink, async () => {
    asked += 1;
    return () => {};
  }).end();
  assert.is(asked, 0);
});

test.run();
