/** Pages in memory, with a server that a test decides: what is stored, counted, refused and dropped. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { RefusedItem, Sink } from '../../../sinks/contract.js';
import { createMessageSink, describing, messagesFrom } from '../../../sinks/servers/message-sink.js';
import { boundByMemory, mostPageBytes, pageTransactions } from '../../../sinks/servers/page-transactions.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { calm, pageEnd, rejection } from '../lib.js';

interface Message {
  readonly value: unknown;
}

const describe = (action: string, thrown: unknown) =>
  new ExtractError('ERR_SINK', `test: cannot ${action}: ${String(thrown)}`, { cause: thrown });

/** A sink whose server writes a line for each call. Negative numbers are refused; a page has 100 bytes at the most. */
function sinkOf(store: () => Promise<void> = async () => {}) {
  const calls: string[] = [];
  const call = async (name: string) => void calls.push(name);
  const form = { resume() {}, open() {}, messagesOf: () => [], textsOf: () => [] };
  const once = <T>(work: (connection: string) => Promise<T>) => work('connection');
  const base = createMessageSink<string>({
    ...{ sink: 'test', form, shown: 'test://h', inServer: describing(describe) },
    nameOf: (dataType) => `${dataType} at h`,
    createLine: () => ({ once, end: () => void calls.push('end check') }),
    verify: () => call('verify'),
    end: () => void calls.push('end'),
  });
  const sink = pageTransactions<Message>({
    base,
    session: {
      begin: () => call('begin'),
      positions: async () => new Map([['0', 'k']]),
      async store(messages, lane, position) {
        await store();
        await call(`store ${messages.map(({ value }) => value)} at ${lane} ${position}`);
      },
      forget: () => call('forget'),
    },
    prepare: () => call('prepare'),
    messagesOf: (batch) =>
      messagesFrom<unknown, Message>(batch, batch.values(), base.errors, (value) =>
        Number(value) < 0 ? { reason: 'is negative' } : { value },
      ),
    mustFit({ bytes, messages }, { job }) {
      if (bytes > 100) throw new ExtractError('ERR_SINK', `test: ${messages} messages have ${bytes} bytes`, { job });
    },
  });
  return { sink, calls };
}

const countOf = (sink: Sink) => sink.summary?.().map(({ items, bytes }) => [items, bytes]);

test('a page is stored with its position, or the place of the page without one', async () => {
  const { sink, calls } = sinkOf();
  await sink.resume?.({ run: 'r', epoch: 1, isStored: true, phase: 'writing', checkpoints: new Map() });
  await sink.open?.('t', 'j');
  await sink.write(batchOf('t', [1, 2]), calm);
  await sink.write(batchOf('t', [3]), calm);
  assert.equal(countOf(sink), [[0, 0]]);
  await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
  await sink.write(batchOf('t', [4]), calm);
  await sink.commit?.(pageEnd('t', { page: 1 }), calm);
  await sink.commit?.(pageEnd('t', { page: 2, keep: 'k2' }), calm);
  await sink.commit?.(pageEnd('t', { page: 3 }), calm);
  await sink.close();
  const stored = ['store 1,2,3 at 0 k', 'store 4 at 0 0 1', 'store  at 0 k2'];
  assert.equal(calls, ['prepare', 'begin', ...stored, 'forget', 'end']);
  assert.equal(countOf(sink), [[4, 8]]);
  assert.equal([...((await sink.positions?.()) ?? [])], [['0', 'k']]);
});

test('refused items are left out, and a batch without others takes no room', async () => {
  const { sink, calls } = sinkOf();
  const places: number[] = [];
  const onItemError = ({ batch, index }: RefusedItem) => void places.push(batch.offset + index);
  await sink.open?.('t', 'j', { onItemError });
  await sink.write(batchOf('t', new Array<number>(60).fill(-1)), calm);
  await sink.write(batchOf('t', [1, -22, 3], { offset: 60 }), calm);
  await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
  assert.equal(places.slice(-2), [59, 61]);
  assert.equal(calls, ['store 1,3 at 0 k']);
  assert.equal(countOf(sink), [[2, 4]]);
});

test('a page that is too large is refused, and the next one is accepted', async () => {
  const { sink, calls } = sinkOf();
  const large = batchOf('t', ['x'.repeat(60)]);
  await sink.write(large, calm);
  await rejection(async () => sink.write(large, calm), 'ERR_SINK', /^test: 2 messages have 126 bytes$/);
  await sink.rollback?.('t');
  await sink.write(batchOf('t', [1]), calm);
  await sink.commit?.(pageEnd('t', { keep: 'k' }), calm);
  assert.equal(calls, ['store 1 at 0 k']);
  assert.equal(countOf(sink), [[1, 2]]);
});

test('a page whose commit fails is not counted, and is not in the next one', async () => {
  let failures = 1;
  const { sink, calls } = sinkOf(async () => {
    if (failures-- > 0) throw new Error('no answer');
  });
  await sink.write(batchOf('t', [1]), calm);
  const end = pageEnd('t', { keep: 'k' });
  await rejection(async () => sink.commit?.(end, calm), 'ERR_SINK', /^test: cannot store a page: Error: no answer$/);
  await sink.write(batchOf('t', [2]), calm);
  await sink.commit?.(end, calm);
  assert.equal(calls, ['store 2 at 0 k']);
  assert.equal(countOf(sink), [[1, 2]]);
});

test('an aborted run without a state leaves no position, and one with a state keeps it', async () => {
  for (const [isStored, left] of [
    [false, ['prepare', 'begin', 'forget', 'end', 'end']],
    [true, ['prepare', 'begin', 'end', 'end']],
  ] as const) {
    const { sink, calls } = sinkOf();
    await sink.resume?.({ run: 'r', epoch: 1, isStored, phase: 'writing', checkpoints: new Map() });
    await sink.abort(undefined);
    await sink.abort(undefined);
    assert.equal(calls, left);
  }
});

test('it is verified on a connection of its own, and accepts nothing after its end', async () => {
  const { sink, calls } = sinkOf();
  await sink.check?.();
  await rejection(async () => sink.write(batchOf('t', [1]), AbortSignal.abort()), 'ERR_ABORTED');
  await sink.abort(undefined);
  await rejection(async () => sink.write(batchOf('t', [1]), calm), 'ERR_SINK', /the test sink is closed/);
  assert.equal(calls, ['verify', 'end check', 'end']);
});

test('a page that memory cannot hold is an error with its job and its page, and says what to do', async () => {
  const bound = boundByMemory('test', 'use transactions=false');
  const batch = batchOf('t', [1]);
  bound({ messages: 1, bytes: mostPageBytes }, batch);
  const work = async () => bound({ messages: 1, bytes: mostPageBytes + 1 }, batch);
  const { where } = await rejection(work, 'ERR_SINK', /^test: a page of "t" has more .*, or use transactions=false$/);
  assert.equal([where.job, where.page], [batch.job, batch.page]);
});

test.run();
