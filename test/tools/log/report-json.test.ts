import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { LoggerOptions } from '../../../src/tools/log/logger.js';
import { jsonReport } from '../../../src/tools/log/report-json.js';
import { receiptOf, summaryOf } from '../../cli/receipts.js';
import { runningRow } from '../../tools/live/activities.js';

function listen(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const plain = { write, mask: (text: string) => text, quiet: false, debug: false, color: false };
  return { lines, events: () => lines.map((line) => JSON.parse(line)), voice: jsonReport({ ...plain, ...options }) };
}

test('a notice has its level, code and place, pages counted from 1', () => {
  const { events, voice } = listen();
  voice.notice({ level: 'warning', code: 'odd', message: 'an odd thing', job: 'users', page: 0 });
  voice.notice({ level: 'info', code: 'wait', message: 'a wait' });
  assert.equal(events(), [
    { event: 'notice', level: 'warning', version: 1, code: 'odd', message: 'an odd thing', job: 'users', page: 1 },
    { event: 'notice', level: 'info', version: 1, code: 'wait', message: 'a wait' },
  ]);
});

test('each page is an event, the last of a job with the reason of its end', () => {
  const { events, voice } = listen();
  voice.page(receiptOf(0), 0);
  voice.page(receiptOf(1, { stop: 'an empty page', requests: 3, retries: 2 }), 0);
  voice.page(receiptOf(2, { requests: 0, cached: true }), 0);
  const page = {
    event: 'page',
    level: 'info',
    version: 1,
    job: 'users',
    dataType: 'users',
    items: 1000,
    bytes: 340_000,
  };
  assert.equal(events(), [
    { ...page, page: 1, requests: 1, retries: 0, delivered: true },
    { ...page, page: 2, requests: 3, retries: 2, delivered: true, stop: 'an empty page' },
    { ...page, page: 3, requests: 0, retries: 0, cached: true, delivered: true },
  ]);
});

test('progress is an event of each running job, with estimates where there are some', () => {
  const { events, voice } = listen();
  voice.progress(runningRow('users', { rate: undefined }));
  voice.progress(runningRow('users', { share: 0.45999, leftMs: 32_900 }));
  const counts = { pages: 12, items: 12_000, bytes: 4_100_000, retries: 1 };
  const progress = { event: 'progress', level: 'info', version: 1, job: 'users', ...counts };
  assert.equal(events(), [progress, { ...progress, itemsPerSecond: 1250, share: 0.459, secondsLeft: 33 }]);
});

test('an error has its code, place and remedy', () => {
  const { events, voice } = listen();
  const where = { job: 'users', page: 2, request: 'GET http://api.test/', status: 404 };
  voice.error(new ExtractError('ERR_STATUS', 'two\nlines', where), 'Look.');
  assert.equal(events(), [
    {
      event: 'error',
      level: 'error',
      version: 1,
      code: 'ERR_STATUS',
      message: 'two\nlines',
      job: 'users',
      page: 3,
      request: 'GET http://api.test/',
      status: 404,
      remedy: 'Look.',
    },
  ]);
});

test('problems of a configuration are a list', () => {
  const { events, voice } = listen();
  const problems = [{ path: 'api', message: 'expected an object' }];
  voice.error(new ExtractError('ERR_CONFIG', 'config.json: 1 problem', { problems }), 'Fix it.');
  assert.equal(events()[0].problems, problems);
});

test('the summary has jobs, outputs and the exit code, also when quiet', () => {
  const { events, voice } = listen({ quiet: true });
  voice.page(receiptOf(0), 0);
  voice.notice({ level: 'info', code: 'wait', message: 'a wait' });
  voice.notice({ level: 'warning', code: 'odd', message: 'odd' });
  voice.summary(summaryOf('failed'), 1);
  assert.equal(
    events().map(({ event }) => event),
    ['notice', 'summary'],
  );
  assert.equal(events()[1], { event: 'summary', level: 'info', version: 1, ...summaryOf('failed'), exit: 1 });
});

test('stack traces show under debug alone', () => {
  for (const debug of [false, true]) {
    const { events, voice } = listen({ debug });
    voice.error(new ExtractError('ERR_JSON', 'broken', { cause: new Error('beneath') }), 'Look.');
    assert.is(/at [\s\S]*beneath/.test(events()[0].stack ?? ''), debug);
  }
});

test('every text is masked, and a secret that is a word of ours breaks nothing', () => {
  const { lines, events, voice } = listen({
    mask: (text) => text.replaceAll(/hush|page|summary|3000/g, '***'),
    debug: true,
  });
  voice.notice({ level: 'warning', code: 'odd', message: 'hush', job: 'hush', page: 0 });
  voice.page(receiptOf(0, { job: 'hush', dataType: 'hush', stop: 'hush', bytes: 3000 }), 0);
  const where = { job: 'hush', request: 'GET /hush', problems: [{ path: 'hush', message: 'hush' }] };
  voice.error(new ExtractError('ERR_JSON', 'hush', { ...where, cause: new Error('hush') }), 'Look.');
  voice.summary({ ran: true, jobs: [], outputs: [{ dataType: 'hush', name: 'hush', items: 1, bytes: 1 }] }, 0);
  assert.not(lines.join('\n').includes('hush'));
  assert.equal(
    events().map(({ event }) => event),
    ['notice', 'page', 'error', 'summary'],
  );
  assert.is(events()[1].bytes, 3000);
});

test('the summary has refused items with their pages from 1', () => {
  const { voice, events } = listen();
  const place = { job: 'users', dataType: 'users', walk: '0', page: 2, item: 4, error: 'too long' };
  voice.summary({ ran: true, jobs: [], outputs: [], refused: [{ name: 'nats:x', items: 3, places: [place] }] }, 0);
  assert.equal(events()[0].refused, [{ name: 'nats:x', items: 3, places: [{ ...place, page: 3 }] }]);
});

test('if a state is kept, the summary has its guarantee', () => {
  const { lines, voice } = listen({ quiet: true });
  voice.summary({ ran: true, jobs: [], outputs: [], guarantee: 'at least once' }, 0);
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    [
      {
        event: 'summary',
        level: 'info',
        version: 1,
        ran: true,
        jobs: [],
        outputs: [],
        guarantee: 'at least once',
        exit: 0,
      },
    ],
  );
});

test('with several sinks it has the guarantee of each', () => {
  const { lines, voice } = listen({ quiet: true });
  const sinks = [{ name: 'ndjson:out', guarantee: 'exactly once' }] as const;
  voice.summary({ ran: true, jobs: [], outputs: [], guarantee: 'at least once', sinks }, 0);
  assert.equal(JSON.parse(lines[0] ?? '').sinks, sinks);
});

test('the summary has what differs from earlier runs', () => {
  const { events, voice } = listen();
  const shapeChanges = [{ dataType: 'users', changes: ['"age" is new: integer'] }];
  voice.summary({ ran: true, jobs: [], outputs: [], shapeChanges }, 0);
  assert.equal(events()[0].shapeChanges, shapeChanges);
});

test.run();
