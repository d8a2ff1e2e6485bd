import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { LoggerOptions } from '../../../src/tools/log/logger.js';
import { textReport } from '../../../src/tools/log/report-text.js';
import { receiptOf, summaryOf } from '../../cli/receipts.js';
import { runningRow } from '../../tools/live/activities.js';

function listen(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const plain = { write, mask: (text: string) => text, quiet: false, debug: false, color: false };
  return { lines, voice: textReport({ ...plain, ...options }) };
}

const hide = (text: string) => text.replaceAll('hush', '***');

test('a warning is labelled, with job and page counted from 1', () => {
  const { lines, voice } = listen();
  voice.notice({ level: 'warning', code: 'x', message: 'odd', job: 'users', page: 0 });
  voice.notice({ level: 'warning', code: 'x', message: 'odd' });
  assert.equal(lines, ['warning: users, page 1: odd [x]', 'warning: odd [x]']);
});

test('a wait is a plain line', () => {
  const { lines, voice } = listen();
  voice.notice({ level: 'info', code: 'retry', message: 'status 503, retrying in 4 s (2 of 10)', job: 'users' });
  assert.equal(lines, ['users: status 503, retrying in 4 s (2 of 10)']);
});

test('an error shows what failed, where, and what to do', () => {
  const { lines, voice } = listen();
  const where = { job: 'users', page: 2, request: 'GET http://api.test/users', offset: 17, kept: true } as const;
  voice.error(new ExtractError('ERR_JSON', 'the body is no JSON', where), 'Look at it.');
  assert.equal(lines, [
    'error: the body is no JSON',
    '  job      users',
    '  page     3',
    '  request  GET http://api.test/users',
    '  offset   byte 17',
    '  kept     items of this page stay in the output, because it cannot roll back',
    '  code     ERR_JSON',
    '  Look at it.',
  ]);
});

test('problems of a configuration are listed, a line each', () => {
  const { lines, voice } = listen();
  const problems = [
    { path: 'config.jobs[0].endpoint', message: 'expected a non-empty string, found a number' },
    { path: '', message: 'expected an object' },
  ];
  voice.error(new ExtractError('ERR_CONFIG', 'config.json: 2 problems', { problems }), 'Fix them.');
  assert.equal(lines.slice(0, 3), [
    'error: config.json: 2 problems',
    '  config.jobs[0].endpoint: expected a non-empty string, found a number',
    '  expected an object',
  ]);
});

test('a problem that equals the message is shown once', () => {
  const { lines, voice } = listen();
  const problems = [{ path: 'unknown-key', message: 'foo: unknown key' }];
  voice.error(new ExtractError('ERR_STRICT', 'foo: unknown key', { problems }), 'Fix it.');
  assert.equal(lines, ['error: foo: unknown key', '  warning  unknown-key', '  code     ERR_STRICT', '  Fix it.']);
});

test('the summary is a table of the jobs and one of the outputs', () => {
  const { lines, voice } = listen();
  voice.summary(summaryOf('an empty page'), 0);
  assert.equal(lines, [
    'job    requests  pages  items  retries  stopped because',
    'users         3      2  2,000        1  an empty page',
    '',
    'data type  output            items      size',
    'users      out/users.ndjson  2,000  680.0 kB',
  ]);
});

test('pages from the cache have a column if there are any', () => {
  const { lines, voice } = listen();
  const { jobs, outputs } = summaryOf('an empty page');
  const cached = jobs.map((each) => ({ ...each, job: 'orders', requests: 0, cached: 2 }));
  voice.summary({ ran: true, jobs: [...jobs, ...cached], outputs }, 0);
  assert.equal(lines.slice(0, 3), [
    'job     requests  cached  pages  items  retries  stopped because',
    'users          3       0      2  2,000        1  an empty page',
    'orders         0       2      2  2,000        1  an empty page',
  ]);
});

test('a table has its columns, and a file of another form its own size', () => {
  const { lines, voice } = listen();
  const { jobs, outputs } = summaryOf('an empty page');
  const [first = { dataType: 'users', name: 'out/users.ndjson', items: 1, bytes: 2 }] = outputs;
  const table = { ...first, name: 'out/users.csv', columns: 1234, size: 5_000_000 };
  voice.summary({ ran: true, jobs, outputs: [first, table] }, 0);
  assert.match(lines.at(-3) ?? '', /^data type +output +items +columns +size$/);
  assert.match(lines.at(-2) ?? '', /users\.ndjson +[\d,]+ +[\d.,]+ \w+$/);
  assert.match(lines.at(-1) ?? '', /users\.csv +[\d,]+ +1,234 +5\.0 MB$/);
});

test('the columns that changed type have a line each, ten at the most', () => {
  const { lines, voice } = listen();
  const { jobs } = summaryOf('an empty page');
  const changed = Array.from({ length: 12 }, (_, n) => ({ column: `c${n}`, from: 'bigint', to: 'text' }));
  voice.summary(
    { ran: true, jobs, outputs: [{ dataType: 'users', name: 't', items: 1, bytes: 2, columns: 12, changed }] },
    0,
  );
  assert.is(lines.at(-11), 'users: the column "c0" was widened from bigint to text');
  assert.is(lines.at(-1), 'users: 2 more columns changed type, see --log json');
});

test('the columns of a data type with several outputs name theirs', () => {
  const { lines, voice } = listen();
  const changed = [{ column: 'c', from: 'bigint', to: 'text' }];
  const output = { dataType: 'users', items: 1, bytes: 2, columns: 1 };
  const outputs = [
    { ...output, name: 'users in a.db', changed },
    { ...output, name: 'b/users.csv' },
    { ...output, name: 'c.db', dataType: 'orders', changed },
  ];
  voice.summary({ ran: true, jobs: summaryOf('an empty page').jobs, outputs }, 0);
  assert.equal(lines.slice(-2), [
    'users (users in a.db): the column "c" was widened from bigint to text',
    'orders: the column "c" was widened from bigint to text',
  ]);
});

test('the outputs of a run that failed are called unfinished', () => {
  const { lines, voice } = listen();
  voice.summary(summaryOf('failed'), 1);
  assert.match(lines.join('\n'), /output \(unfinished\)/);
});

test('unpublished output is labelled, and items beyond those of the jobs are explained', () => {
  const { lines, voice } = listen();
  const summary = summaryOf('failed');
  const more = { name: 'out/users.ndjson.partial', unfinished: true, items: 2500 } as const;
  voice.summary({ ...summary, outputs: summary.outputs.map((output) => ({ ...output, ...more })) }, 1);
  assert.equal(lines.slice(3), [
    'data type  output (unfinished, not published)  items      size',
    'users      out/users.ndjson.partial            2,500  680.0 kB',
    'Items of an incomplete page count in the output only.',
  ]);
});

for (const [why, stop, exit] of [
  ['nothing was started', 'not started', 1],
  ['the reader of standard output went away', 'failed', 141],
] as const) {
  test(`there is no summary when ${why}`, () => {
    const { lines, voice } = listen();
    voice.summary(summaryOf(stop), exit);
    assert.equal(lines, []);
  });
}

test('quiet leaves warnings and errors', () => {
  const { lines, voice } = listen({ quiet: true });
  voice.page(receiptOf(0), 0);
  voice.page(receiptOf(1), 5000);
  voice.notice({ level: 'info', code: 'x', message: 'a wait' });
  voice.notice({ level: 'warning', code: 'x', message: 'odd' });
  voice.error(new ExtractError('ERR_JSON', 'broken'), 'Look.');
  voice.summary(summaryOf('failed'), 1);
  assert.equal(lines, ['warning: odd [x]', 'error: broken', '  code     ERR_JSON', '  Look.']);
});

test('notices for developers show only with debug, and so do stack traces', () => {
  const debug = { level: 'debug', code: 'x', message: 'detail' } as const;
  const calm = listen();
  calm.voice.notice(debug);
  calm.voice.error(new ExtractError('ERR_JSON', 'broken'), 'Look.');
  assert.not(/detail|^\s+at /m.test(calm.lines.join('\n')));

  const loud = listen({ debug: true });
  loud.voice.notice(debug);
  loud.voice.error(new ExtractError('ERR_JSON', 'broken', { cause: new Error('beneath') }), 'Look.');
  assert.match(loud.lines.join('\n'), /^detail[\s\S]*^\s+at [\s\S]*beneath/m);
});

test('everything is masked', () => {
  const { lines, voice } = listen({ mask: hide, debug: true });
  voice.notice({ level: 'warning', code: 'x', message: 'hush', job: 'hush' });
  voice.page(receiptOf(0, { job: 'hush' }), 0);
  voice.page(receiptOf(1, { job: 'hush' }), 5000);
  const where = { job: 'hush', request: 'GET /hush', problems: [{ path: 'hush', message: 'hush' }] };
  voice.error(new ExtractError('ERR_JSON', 'hush\nhush', { ...where, cause: new Error('hush') }), 'Look.');
  voice.summary({ ran: true, jobs: [{ ...receiptTotals, job: 'hush', stop: 'hush' }], outputs: [hushed] }, 0);
  assert.ok(lines.length > 8);
  assert.not(lines.join('\n').includes('hush'));
});

const receiptTotals = { dataType: 'hush', requests: 1, pages: 1, items: 1, bytes: 1, retries: 0 };
const hushed = { dataType: 'hush', name: 'out/hush', items: 1, bytes: 1 };

test('control characters of a value do not reach the terminal', () => {
  const { lines, voice } = listen();
  voice.notice({ level: 'warning', code: 'x', message: 'a\u001b[2Jb\r\nc\u0007' });
  assert.equal(lines, ['warning: a [2Jb c  [x]']);
});

test('colour is for the two words that matter', () => {
  const { lines, voice } = listen({ color: true });
  voice.notice({ level: 'warning', code: 'x', message: 'odd' });
  voice.error(new ExtractError('ERR_JSON', 'broken'), 'Look.');
  assert.equal(lines.slice(0, 2), ['\u001b[1;33mwarning:\u001b[0m odd [x]', '\u001b[1;31merror:\u001b[0m broken']);
});

test('if a state is kept, the summary ends with its guarantee', () => {
  const { lines, voice } = listen();
  voice.summary({ ...summaryOf('an empty page'), guarantee: 'exactly once' }, 0);
  assert.equal(lines.slice(-2), ['', 'Each item is in the output exactly once.']);
});

test('with several sinks each guarantee is shown, if they differ', () => {
  const { lines, voice } = listen();
  const file = { name: 'ndjson:out', guarantee: 'exactly once' } as const;
  const sinks = [file, { name: 'queue', guarantee: 'at least once' }] as const;
  voice.summary({ ...summaryOf('an empty page'), guarantee: 'at least once', sinks }, 0);
  assert.is(lines.at(-1), 'Each item is in ndjson:out exactly once, in queue at least once.');
  voice.summary({ ...summaryOf('an empty page'), guarantee: 'exactly once', sinks: [file, file] }, 0);
  assert.is(lines.at(-1), 'Each item is in the output exactly once.');
});

test('an interrupted run shows the guarantee after a resume', () => {
  const { lines, voice } = listen();
  voice.summary({ ...summaryOf('failed'), guarantee: 'exactly once' }, 1);
  assert.is(lines.at(-1), 'After --resume, each item will be in the output exactly once.');
});

test('a running job is one line, estimates said to be such', () => {
  const { lines, voice } = listen({ mask: hide });
  voice.progress(runningRow('users', { rate: undefined }));
  voice.progress(runningRow('hush\u0007', { share: 0.4599, leftMs: 32_900 }));
  assert.equal(lines, [
    'users: 12 pages, 12,000 items, 4.1 MB',
    '*** : 12 pages, 12,000 items, 4.1 MB, 1,250 items/s, about 45 % done, about 0:32 left',
  ]);
});

test('after a resume the summary says that it counts refused items of this process only', () => {
  for (const refused of [[], [{ name: 'nats:x', items: 1, places: [] }]]) {
    const { lines, voice } = listen();
    voice.summary({ ...summaryOf('complete'), refused, refusedSinceResume: true }, 0);
    assert.is(lines.at(-1), 'Items that were refused before this resume are not counted.');
  }
});

test('the summary names refused items, with the first of them', () => {
  const { lines, voice } = listen({ mask: hide });
  const place = { job: 'users', dataType: 'users', walk: '0', page: 2, item: 4, error: 'hush is too long' };
  const refused = [
    { name: 'nats:x', items: 3, places: [place] },
    { name: 'redis:x', items: 1, places: [] },
  ];
  voice.summary({ ...summaryOf('complete'), refused }, 0);
  assert.equal(lines.slice(-3), [
    '',
    'nats:x refused 3 items in this process; the first: users, page 3, item 4: *** is too long',
    'redis:x refused 1 item in this process',
  ]);
});

test('the summary says how many requests that failed are dead letters', () => {
  const { jobs, ...rest } = summaryOf('complete');
  for (const [letters, end] of [
    [undefined, ''],
    [1, ', 1 of them as a dead letter'],
    [2, ', stored as dead letters'],
  ] as const) {
    const { lines, voice } = listen();
    const left = { skipped: 2, ...(letters === undefined ? {} : { letters }) };
    voice.summary({ ...rest, jobs: jobs.slice(0, 1).map((job) => ({ ...job, ...left })) }, 0);
    assert.ok(
      lines.some((line) => line.endsWith(`: 2 requests failed and were left out${end}`)),
      String(letters),
    );
  }
});

test('the summary says how items differ from those of earlier runs, without secrets', () => {
  const { lines, voice } = listen({ mask: hide });
  const shapeChanges = [{ dataType: 'users', changes: ['"age" is new: integer', '"hush" is missing'] }];
  voice.summary({ ...summaryOf('an empty page'), shapeChanges }, 0);
  const at = lines.indexOf('Items differ from those of earlier runs');
  assert.equal(lines[at + 1], '  users: "age" is new: integer; "***" is missing');
});

test.run();
