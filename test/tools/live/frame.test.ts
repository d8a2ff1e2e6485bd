import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { frame } from '../../../src/tools/live/frame.js';
import type { Paint } from '../../../src/tools/live/layout.js';
import type { DisplayRow } from '../../../src/tools/live/model.js';
import { widthOf } from '../../../src/tools/text/cells.js';
import { activityOf, doneRow, runningRow, waitingRow } from './activities.js';

const bare: Paint = (text) => text;
const draw = (rows: readonly DisplayRow[], columns: number, height = 24) =>
  frame(rows, { columns, rows: height }, 65_000, bare).join('\n');

const three = [
  doneRow('users'),
  runningRow('orders', { activity: { ...activityOf('retry', { ms: 4000 }), quietMs: 0 } }),
  waitingRow('invoices'),
];

const shapes: readonly (readonly [columns: number, frame: string])[] = [
  [
    120,
    `
job       pages    items  items/s      size  retries   time  waits for
users        12   12,000    1,250    4.1 MB        1   0:12  done: an empty page
orders       12   12,000    1,250    4.1 MB        1   0:12  retry of page 1 in 4 s
invoices                                                     its turn
total        24   24,000    1,250    8.2 MB        2   1:05  1 of 3 done`,
  ],
  [
    80,
    `
job       pages    items  items/s      size  retries   time  waits for
users        12   12,000    1,250    4.1 MB        1   0:12  done
orders       12   12,000    1,250    4.1 MB        1   0:12  retry in 4 s
invoices                                                     its turn
total        24   24,000    1,250    8.2 MB        2   1:05  1 of 3 done`,
  ],
  [
    70,
    `
job       pages    items  items/s      size   time  waits for
users        12   12,000    1,250    4.1 MB   0:12  done
orders       12   12,000    1,250    4.1 MB   0:12  retry in 4 s
invoices                                            its turn
total        24   24,000    1,250    8.2 MB   1:05  1 of 3 done`,
  ],
  [
    50,
    `
job       pages    items  items/s  waits for
users        12   12,000    1,250  done
orders       12   12,000    1,250  retry in 4 s
invoices                           its turn
total        24   24,000    1,250  1 of 3 done`,
  ],
  [
    24,
    `
job       waits for
users     done
orders    retry in 4 s
invoices  its turn
total     1 of 3 done`,
  ],
  [
    16,
    `
job   waits for
us…s  done
or…s  retry in …
in…s  its turn
to…l  1 of 3 do…`,
  ],
];

for (const [columns, expected] of shapes) {
  test(`${columns} columns`, () => {
    assert.is(draw(three, columns), expected.trimStart());
  });
}

const estimated = [
  doneRow('users'),
  runningRow('orders', { share: 0.4599, leftMs: 95_400 }),
  runningRow('lines', { isChild: true }),
];

const estimatedShapes: readonly (readonly [columns: number, frame: string])[] = [
  [
    120,
    `
job     pages    items  items/s      size  retries   time   done    left  waits for
users      12   12,000    1,250    4.1 MB        1   0:12                 done: an empty page
orders     12   12,000    1,250    4.1 MB        1   0:12  ~45 %   ~1:35  response to page 13
lines      12   12,000    1,250    4.1 MB        1   0:12                 response to page 13
total      36   36,000    2,500   12.3 MB        3   1:05  ~63 %   ~0:11  1 of 3 done`,
  ],
  [
    80,
    `
job     pages    items  items/s      size   time   done    left  waits for
users      12   12,000    1,250    4.1 MB   0:12                 done
orders     12   12,000    1,250    4.1 MB   0:12  ~45 %   ~1:35  response
lines      12   12,000    1,250    4.1 MB   0:12                 response
total      36   36,000    2,500   12.3 MB   1:05  ~63 %   ~0:11  1 of 3 done`,
  ],
  [
    60,
    `
job     pages    items   done    left  waits for
users      12   12,000                 done
orders     12   12,000  ~45 %   ~1:35  response
lines      12   12,000                 response
total      36   36,000  ~63 %   ~0:11  1 of 3 done`,
  ],
  [
    30,
    `
job      done  waits for
users          done
orders  ~45 %  response
lines          response
total   ~63 %  1 of 3 done`,
  ],
];

for (const [columns, expected] of estimatedShapes) {
  test(`${columns} columns with estimates`, () => {
    assert.is(draw(estimated, columns), expected.trimStart());
  });
}

test('all jobs have a share if each that is not done has one', () => {
  const totalOf = (...rows: readonly DisplayRow[]) =>
    draw([doneRow('users'), ...rows], 120)
      .split('\n')
      .at(-1) ?? '';
  assert.not.match(totalOf(runningRow('a', { share: 0.5 }), runningRow('b')), '~');
  assert.not.match(totalOf(runningRow('a', { share: 0.5 }), waitingRow('b')), '~');
  assert.match(totalOf(runningRow('a', { share: 0.5, rate: 0 })), /~66 % +1 of 2 done/);
  assert.not.match(totalOf(doneRow('a')), '~');
});

test('one job has no sum', () => {
  assert.is(
    draw([runningRow('users')], 80),
    `job    pages    items  items/s      size  retries   time  waits for
users     12   12,000    1,250    4.1 MB        1   0:12  response`,
  );
});

test('a long name is cut in its middle, before a column leaves for more than 16 cells of it', () => {
  const rows = [runningRow('customers-of-the-northern-branch-2026'), runningRow('顧客データ一覧')];
  assert.is(
    draw(rows, 80),
    `job                     pages    items  items/s      size   time  waits for
customers-o…ranch-2026     12   12,000    1,250    4.1 MB   0:12  response
顧客データ一覧             12   12,000    1,250    4.1 MB   0:12  response
total                      24   24,000    2,500    8.2 MB   1:05  0 of 2 done`,
  );
});

const thirty = Array.from({ length: 30 }, (_, at) =>
  at < 3 ? doneRow(`part-${at}`) : at < 6 ? runningRow(`part-${at}`) : waitingRow(`part-${at}`),
);

test('more jobs than rows: those at work, and a line for the others', () => {
  assert.is(
    draw(thirty, 80),
    `job      pages    items  items/s      size  retries   time  waits for
part-3      12   12,000    1,250    4.1 MB        1   0:12  response
part-4      12   12,000    1,250    4.1 MB        1   0:12  response
part-5      12   12,000    1,250    4.1 MB        1   0:12  response
24 more waiting, 3 done
total       72   72,000    3,750   24.6 MB        6   1:05`,
  );
});

test('more at work than rows are counted too', () => {
  const lines = draw(thirty, 80, 6).split('\n');
  assert.equal(
    lines.map((line) => line.split('  ')[0]),
    ['job', 'part-3', 'part-4', '1 more at work, 24 more waiting, 3 done', 'total'],
  );
});

test('a frame leaves a row for the cursor, and no line is wider than the terminal', () => {
  const rows = [...thirty, runningRow('顧客データ一覧'.repeat(9)), runningRow('👩‍👩‍👧'.repeat(30))];
  for (let columns = 1; columns <= 130; columns += 1) {
    for (const height of [1, 2, 3, 4, 10, 24, 60]) {
      const lines = frame(rows, { columns, rows: height }, 1e9, bare);
      assert.ok(lines.length <= Math.max(1, height - 1), `${lines.length} lines in ${height} rows`);
      for (const line of lines) assert.ok(widthOf(line) <= columns, `${widthOf(line)} cells in ${columns}: ${line}`);
    }
  }
});

test('columns keep their place while numbers grow', () => {
  const small = runningRow('users', { pages: 0, items: 0, bytes: 0, rate: undefined, elapsedMs: 0 });
  const large = runningRow('users', { pages: 9999, items: 999_999, bytes: 999_900_000, rate: 99_999 });
  const [before, after] = [small, large].map((row) => draw([row], 80).split('\n')[0]);
  assert.is(before, after);
});

test('tones reach the painter: heads and waiting jobs faint, retries and results in their own', () => {
  const tones: string[] = [];
  frame(three, { columns: 80, rows: 24 }, 0, (text, tone) => {
    tones.push(`${tone}: ${text.trim().slice(0, 12)}`);
    return text;
  });
  assert.equal(tones.sort(), [
    'attention: retry in 4 s',
    'faint: invoices    ',
    'faint: job       pa',
    'good: done',
    'plain: 1 of 3 done',
  ]);
});

const shared = (workers: number) => ({
  totals: [],
  tasks: { ready: 0, leased: 4, done: 10, failed: 0 },
  workers: Array.from({ length: workers }, (_, at) => ({ name: `host-${at}/77`, tasks: 1 + (at % 2) })),
});

test('a shared run has a line for its tasks, and one for each worker', () => {
  assert.is(
    frame([runningRow('users')], { columns: 80, rows: 24 }, 65_000, bare, shared(2)).join('\n'),
    `job        pages    items  items/s      size  retries   time  waits for
users         12   12,000    1,250    4.1 MB        1   0:12  response
tasks                                                         10 of 14
host-0/77                                                     1 task
host-1/77                                                     2 tasks`,
  );
});

test('the total of a shared run says nothing of jobs that are done: they are when the run is', () => {
  const lines = frame(three, { columns: 80, rows: 24 }, 0, bare, shared(1));
  assert.match(lines.join('\n'), /^total /m);
  assert.not.match(lines.join('\n'), ' of 3 done');
});

test('more workers than rows are counted, and leave room for the jobs', () => {
  const heads = (height: number) =>
    frame(thirty, { columns: 80, rows: height }, 65_000, bare, shared(9)).map((line) => line.split('  ')[0]);
  assert.equal(heads(12).slice(-5), ['tasks', 'host-0/77', 'host-1/77', 'host-2/77', '6 more']);
  assert.equal(heads(4), ['3 more at work, 24 more waiting, 3 done', 'total', 'tasks']);
  for (let columns = 1; columns <= 130; columns += 1) {
    for (const height of [1, 2, 3, 4, 5, 6, 10, 24, 60]) {
      const lines = frame(thirty, { columns, rows: height }, 1e9, bare, shared(30));
      assert.ok(lines.length <= Math.max(1, height - 1), `${lines.length} lines in ${height} rows`);
      for (const line of lines) assert.ok(widthOf(line) <= columns, `${widthOf(line)} cells in ${columns}: ${line}`);
    }
  }
});

test.run();
