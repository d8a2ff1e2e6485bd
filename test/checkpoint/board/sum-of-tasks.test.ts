/** The sum of the journals of a shared run is what one process would have recorded. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sumOfTasks } from '../../../src/checkpoint/board/sum-of-tasks.js';
import { mostKept } from '../../../src/checkpoint/left-out.js';
import { createPosition } from '../../../src/checkpoint/position.js';
import {
  type BeginRecord,
  format,
  type PageRecord,
  type StateRecord,
  textOf,
} from '../../../src/checkpoint/records.js';

const begin: BeginRecord = {
  type: 'begin',
  format,
  version: '1',
  run: 'abc',
  epoch: 0,
  sinks: ['cut'],
  startedAt: 5,
  marks: {},
  task: { name: 'publish' },
};

interface Made extends Omit<Partial<PageRecord>, 'took'> {
  readonly took?: Partial<PageRecord['took']>;
}

const page = ({ took = {}, ...more }: Made): PageRecord => ({
  type: 'page',
  job: 0,
  at: [],
  begun: 7,
  page: 0,
  time: 8,
  print: 'a',
  ...more,
  took: { job: 0, requests: 2, retries: 1, count: 3, bytes: 9, delivered: true, ...took },
});

const tasks = (all: Readonly<Record<string, readonly StateRecord[]>>) =>
  (async function* () {
    for (const [task, records] of Object.entries(all)) yield { task, records: records.map(textOf) };
  })();

const none = { reasons: 0, reason: '', isOneReason: true };

test('totals add up, and members of the totals that few jobs have', async () => {
  const { shares, count, time, lanes, jobs } = await sumOfTasks(
    begin,
    tasks({
      J0: [page({ took: { cached: true, stop: 'no more' } }), page({ time: 90, took: { unfound: true } })],
      J1: [page({ took: { cached: true, unchanged: true, failed: true, stop: 'a limit', bounded: true } })],
      J2: [page({ took: { job: 4 } }), page({ took: { stop: 'a limit', unfound: true } })],
      J3: [page({ took: { skipped: { message: 'gone', letter: true } as never } }), { type: 'job-done', job: 0 }],
    }),
  );
  const sums = { requests: 10, retries: 5, pages: 5, items: 15, bytes: 45 };
  const few = { cached: 2, unchanged: 1, failed: 1, unfound: 2, skipped: 1, letters: 1, bound: 'a limit' };
  assert.equal(shares, [
    [0, { ...sums, reasons: 3, reason: 'a limit', isOneReason: false, ...few }],
    [4, { requests: 2, retries: 1, pages: 1, items: 3, bytes: 9, ...none }],
  ]);
  assert.equal([count, time, lanes, jobs], [7, 90, [], []]);
});

const reachedAt = (value: string, more: object = {}) => ({
  by: 'x',
  value,
  order: 'text' as const,
  recent: [],
  known: 0,
  late: 1,
  beyond: 0,
  ...more,
});

test('a value has advanced if each task that has walked a part of it is over, and no limit has cut one', async () => {
  const of = async (...all: readonly object[]) => {
    const journals = all.map((more, index) => [`J${index}`, [page({ reached: reachedAt(`"${index}"`, more) })]]);
    const { reached = [] } = await sumOfTasks(begin, tasks(Object.fromEntries(journals)));
    return reached.map(([, , { isOver, isCut, value, late }]) => [value, late, isOver, isCut]);
  };
  assert.equal(await of({ isOver: true }, { isOver: true }), [['"1"', 2, true, undefined]]);
  assert.equal(await of({ isOver: true }, {}, { isOver: true }), [['"2"', 3, undefined, undefined]]);
  assert.equal(await of({ isOver: true, isCut: true }, { isOver: true }), [['"1"', 2, true, true]]);
});

test('checkpoints stay those of their members, and the task that publishes continues with them', async () => {
  const sum = await sumOfTasks(
    begin,
    tasks({ J0: [page({ outputs: [[0, 1, '"three"']] }), { type: 'weakened', sink: 2 }], J1: [page({})] }),
  );
  assert.equal([sum.members, sum.weakened, sum.outputs], [[['J0', [[0, 1, '"three"']]]], [2], []]);
  const position = createPosition(begin);
  position.apply(sum);
  assert.is(position.phase, 'written');
  assert.equal(position.members, sum.members);
});

test('requests that were left out are kept up to their limit, and pages by their keys', async () => {
  const failure = { message: 'x' } as never;
  const pages = Array.from({ length: mostKept / 2 + 1 }, () => page({ took: { skipped: failure } }));
  const sum = await sumOfTasks(
    begin,
    tasks({ J0: [...pages, page({ validated: ['k', 'a'] })], J1: [...pages, page({ validated: ['l', 'b'] })] }),
  );
  assert.equal(
    [sum.failures?.length, sum.pages],
    [
      mostKept,
      [
        [0, 0, 'k', 'a'],
        [0, 0, 'l', 'b'],
      ],
    ],
  );
});

test.run();
