/** Pages buffered before their turn: order, memory, and that nothing is left. */
import { firstValueFrom, lastValueFrom, type Observable, of, Subject } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { memoryBytes } from '../../../src/page/buffer/temp-file.js';
import { createDrain } from '../../../src/run/drain.js';
import { type BufferBudget, createPageBuffer, type PageBuffer } from '../../../src/run/walk/page-buffer.js';
import type { PageTarget, TargetSource } from '../../../src/run/walk/page-target.js';
import { itemsOf, withTemporaryFiles } from '../../page/lib.js';
import { calm, pageEnd } from '../../sinks/lib.js';
import { batchOf, heavy, write } from '../children/targets.js';

const budget = (): BufferBudget => ({ kept: 0 });
const aheadOf = (of: BufferBudget): PageBuffer => createPageBuffer(of, createDrain());
const drained = (pages: Observable<never>) => lastValueFrom(pages, { defaultValue: undefined });

/** An output that records calls, in order. */
function telling() {
  const events: string[] = [];
  const sink: Sink = {
    write: (batch) => void events.push(`${batch.job} ${batch.dataType} ${JSON.stringify(itemsOf(batch))}`),
    close() {},
    abort() {},
  };
  const acquire: PageTarget['acquire'] = async (dataType) => {
    events.push(`turn of ${dataType}`);
    return () => void events.push('left');
  };
  let pages = 0;
  const output: TargetSource = {
    page() {
      pages += 1;
      events.push(`page ${pages}`);
      return of({ sink, acquire, commit: () => 'done' });
    },
  };
  return { output, events };
}

/** An output with this sink. */
const outputOf = (write: Sink['write']): TargetSource => ({
  page: () => of({ sink: { write, close() {}, abort() {} }, acquire: async () => () => {}, commit: () => 'done' }),
});

test('hands on page after page, batch after batch, each page in its turn', async () => {
  const ahead = aheadOf(budget());
  await write(ahead.next(), batchOf('a', 1, 2), batchOf('a', 3));
  ahead.next();
  await write(ahead.next(), batchOf('b', 4));
  const { output, events } = telling();
  await drained(ahead.drain(output));
  assert.equal(events, [
    ...['page 1', 'turn of a', 'job a [1,2]', 'job a [3]', 'left'],
    'page 2',
    ...['page 3', 'turn of b', 'job b [4]', 'left'],
  ]);
});

test(
  'a buffered page that a sink has lost at its commit is written again from memory or file, and its file removed',
  withTemporaryFiles(async (left) => {
    for (const bytes of [10, memoryBytes + 1]) {
      const charged = budget();
      const ahead = aheadOf(charged);
      const page = ahead.next();
      await write(page, batchOf('a', 1), heavy('a', bytes), batchOf('a', 2));
      await page.commit(pageEnd('a'), undefined, calm);
      const offsets: number[] = [];
      const { sink, acquire } = await firstValueFrom(outputOf(({ offset }) => void offsets.push(offset)).page());
      let lost = 2;
      const commit = () => {
        lost -= 1;
        return lost >= 0 ? 'again' : 'done';
      };
      await drained(ahead.drain({ page: () => of({ sink, acquire, commit }) }));
      assert.equal(offsets, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
      assert.equal([charged.kept, left()], [0, []]);
    }
  }),
);

test(
  'a buffered page whose second writing is left is forgotten',
  withTemporaryFiles(async (left) => {
    const inFlight = createDrain();
    const ahead = createPageBuffer(budget(), inFlight);
    const page = ahead.next();
    await write(page, heavy('a', memoryBytes + 1));
    await page.commit(pageEnd('a'), undefined, calm);
    const { sink, acquire } = await firstValueFrom(outputOf(() => {}).page());
    const again = new Subject<PageTarget>();
    let pages = 0;
    const output: TargetSource = {
      page() {
        pages += 1;
        return pages === 1 ? of({ sink, acquire, commit: () => 'again' }) : again;
      },
    };
    const subscription = ahead.drain(output).subscribe();
    while (!again.observed) await new Promise(setImmediate);
    subscription.unsubscribe();
    await inFlight.idle();
    assert.equal(left(), []);
  }),
);

test('what is known of a batch is known when its turn comes', async () => {
  const ahead = aheadOf(budget());
  const batch = { ...batchOf('a', 1), columns: ['parent_id'] };
  await write(ahead.next(), batch);
  const seen: unknown[] = [];
  await drained(ahead.drain(outputOf((found) => void seen.push(Object.keys(found), found.columns))));
  assert.equal(seen, [Object.keys(batch), ['parent_id']]);
});

test('passes on what was added since, and nothing twice', async () => {
  const ahead = aheadOf(budget());
  const { output, events } = telling();
  await drained(ahead.drain(output));
  await write(ahead.next(), batchOf('a', 1));
  await drained(ahead.drain(output));
  await drained(ahead.drain(output));
  assert.equal(events, ['page 1', 'turn of a', 'job a [1]', 'left']);
});

test('a rolled back page is forgotten, and if it starts anew is there once', async () => {
  const of = budget();
  const ahead = aheadOf(of);
  const { sink } = ahead.next();
  await sink.write(batchOf('a', 'broken'), calm);
  await sink.rollback?.('a');
  assert.is(of.kept, 0);
  await sink.write(batchOf('a', 'whole'), calm);
  const { output, events } = telling();
  await drained(ahead.drain(output));
  assert.equal(events.slice(1, -1), ['turn of a', 'job a ["whole"]']);
});

test('all that share a budget are full together, and have room again when one is drained', async () => {
  const shared = budget();
  const [one, other] = [aheadOf(shared), aheadOf(shared)];
  await write(one.next(), heavy('a', memoryBytes / 2));
  assert.equal([one.isFull(), other.isFull()], [false, false]);
  await write(other.next(), heavy('a', memoryBytes / 2));
  assert.equal([one.isFull(), other.isFull()], [true, true]);
  await drained(one.drain(telling().output));
  assert.equal([one.isFull(), other.isFull()], [false, false]);
  await other.clear();
  assert.is(shared.kept, 0);
});

test('empty pages make it full too, in the end', () => {
  const ahead = aheadOf(budget());
  let pages = 0;
  for (; !ahead.isFull() && pages < 100_000; pages++) ahead.next();
  assert.is(pages, memoryBytes / 1024);
});

test(
  'beyond 8 MiB of all walks batches are in files, and return in order',
  withTemporaryFiles(async (files) => {
    const shared = budget();
    const [one, other] = [aheadOf(shared), aheadOf(shared)];
    const [first, second] = [one.next(), other.next()];
    const part = Math.floor(memoryBytes / 3);
    await write(first, heavy('a', part), heavy('a', part));
    assert.equal(files(), []);
    await write(second, heavy('b', part), batchOf('b', 'last'));
    assert.is(files().filter((name) => name.endsWith('held')).length, 1);

    const { output, events } = telling();
    await drained(other.drain(output));
    assert.equal(
      events.map((line) => line.slice(0, 16)),
      ['page 1', 'turn of b', 'job b ["xxxxxxxx', 'job b ["last"]', 'left'],
    );
    assert.equal(files(), []);
    await one.clear();
  }),
);

const full = async () => {
  const shared = { kept: memoryBytes };
  const ahead = aheadOf(shared);
  await write(ahead.next(), batchOf('a', 1), batchOf('a', 2));
  await write(ahead.next(), batchOf('a', 3));
  return { ahead, shared };
};

test(
  'files go, and the room that they took, when it is cleared',
  withTemporaryFiles(async (files) => {
    const { ahead, shared } = await full();
    assert.is.not(files().length, 0);
    await ahead.clear();
    assert.equal([files(), shared.kept], [[], memoryBytes]);
  }),
);

test(
  'files of pages before and after one that the sink rejects are removed',
  withTemporaryFiles(async (files) => {
    const { ahead, shared } = await full();
    const refusing = outputOf(() => Promise.reject(new Error('no')));
    await drained(ahead.drain(refusing)).then(assert.unreachable, ({ code, message }) =>
      assert.equal([code, message], ['ERR_SINK', 'no']),
    );
    await ahead.clear();
    assert.equal([files(), shared.kept], [[], memoryBytes]);
  }),
);

test(
  'files are removed of pages that are no longer needed, also of the current one',
  withTemporaryFiles(async (files) => {
    const inFlight = createDrain();
    const ahead = createPageBuffer({ kept: memoryBytes }, inFlight);
    await write(ahead.next(), batchOf('a', 1), batchOf('a', 2));
    await write(ahead.next(), batchOf('a', 3));
    const got: unknown[] = [];
    let aborted = false;
    const entered = new Subject<void>();
    const slow = outputOf(async (batch, signal) => {
      got.push(...itemsOf(batch));
      entered.next();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted = signal.aborted;
      throw signal.reason;
    });
    const isIn = firstValueFrom(entered);
    const subscription = ahead.drain(slow).subscribe();
    await isIn;
    subscription.unsubscribe();
    await ahead.clear();
    await inFlight.idle();
    assert.equal([got, aborted, files()], [[1], true, []]);
  }),
);

test(
  'a sink is not called for pages that are no longer needed',
  withTemporaryFiles(async (files) => {
    const inFlight = createDrain();
    const ahead = createPageBuffer({ kept: memoryBytes }, inFlight);
    await write(ahead.next(), batchOf('a', 1));
    const got: unknown[] = [];
    const subscription = ahead.drain(outputOf((batch) => void got.push(...itemsOf(batch)))).subscribe();
    subscription.unsubscribe();
    await ahead.clear();
    await inFlight.idle();
    assert.equal([got, files()], [[], []]);
  }),
);

test(
  'a write in progress during a clear leaves no file',
  withTemporaryFiles(async () => {
    const ahead = aheadOf({ kept: memoryBytes });
    const writing = ahead.next().sink.write(batchOf('a', 1), calm);
    await ahead.clear();
    await writing;
  }),
);

test.run();
