/** The report of a run, of facts that are known and of runs through the command. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { createLatencies } from '../../../src/tools/bench/latencies.js';
import { type RunFacts, runPage } from '../../../src/tools/report/run-page.js';
import { openRunReport } from '../../../src/tools/report/run-report.js';
import { inTemporary } from '../../blackbox/command.js';
import { rejection } from '../../sinks/lib.js';
import { resultOf } from '../bench/sample.js';

const { machine, runs } = resultOf();
const [run] = runs;
const totals = { dataType: 'users', requests: 13, pages: 12, items: 1200, bytes: 3_000_000, retries: 1 };
const complete: RunFacts['summary'] = {
  ran: true,
  jobs: [{ job: 'users', ...totals, stop: 'an empty page' }],
  outputs: [{ dataType: 'users', name: 'out/users.ndjson', items: 1200, bytes: 3_000_000 }],
};

function latencies() {
  const one = createLatencies();
  one.record(12e6);
  return { firstByte: one, body: one, total: one };
}

function factsOf(more: Partial<RunFacts> = {}): RunFacts {
  assert.ok(run);
  const { seconds, cpuSeconds, peakMemoryBytes, shares, eventLoopDelay, timeline } = run;
  const record = {
    ...{ seconds, cpuSeconds, peakMemoryBytes, shares, eventLoopDelay, timeline },
    latencies: latencies(),
    answers: new Map([
      [
        'https://api.example.com',
        new Map([
          [500, 1],
          [200, 12],
        ]),
      ],
    ]),
    reading: { phases: shares, received: 3_200_000, calls: 100 },
  };
  return {
    label: 'config.json',
    options: {},
    machine,
    startedAt: '2026-11-28T10:00:00.000Z',
    record,
    notices: [],
    moreNotices: 0,
    summary: complete,
    error: undefined,
    remedy: '',
    signal: undefined,
    ...more,
  };
}

const hide = (text: string) => text.replaceAll('hush', '***');
/** The text of the page without its markup. */
async function textOf(facts: RunFacts): Promise<string> {
  const [body = ''] = /<body>[\s\S]*?<script/.exec(await runPage(facts, hide)) ?? [];
  return body
    .replace(/<\/(?:p|tr|h\d|div|pre)>|<br>/g, '\n')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/ +/g, ' ');
}

test('the page says what came, where it is, from where, and how fast', async () => {
  const text = await textOf(factsOf());
  for (const part of [
    'Run of config.json',
    'Began at 2026-11-28T10:00:00.000Z, took 0:01.',
    'complete : all jobs have ended, and their output is published',
    'items 1,200 1,200 a second',
    'job items pages requests retries bytes stopped because \n users 1,200 12 13 1 3.0 MB an empty page',
    'users out/users.ndjson published 1,200 3.0 MB',
    'Nothing: no warning, and nothing was left out.',
    'https://api.example.com 200 12',
    'https://api.example.com 500 1',
    '80 % of the time: waiting (for the first byte of a response).',
    'first byte 12.0 12.0 12.0 12.0 1',
  ]) {
    assert.ok(text.includes(part), `${part}\n${text}`);
  }
});

test('the page of a run that failed has the error and its remedy, masked', async () => {
  const error = new ExtractError('ERR_STATUS', 'the API says hush', { job: 'users', page: 3 });
  const outputs = [
    { dataType: 'users', name: 'out/users.ndjson.partial', items: 7, bytes: 70, unfinished: true as const },
  ];
  const summary = { ...complete, outputs, guarantee: 'exactly once' as const };
  const text = await textOf(factsOf({ error, remedy: 'Ask hush.', summary }));
  assert.match(text, /failed : .*the API says \*\*\*/);
  assert.match(text, /Ask \*\*\*\./);
  assert.match(text, /users\.ndjson\.partial not published/);
  assert.match(text, /After --resume, each item will be in the output exactly once\./);
  assert.not.match(text, /hush/);
});

test('an interrupt and a limit are said', async () => {
  assert.match(
    await textOf(factsOf({ signal: 'SIGINT', error: new ExtractError('ERR_ABORTED', 'x') })),
    /interrupted : by SIGINT/,
  );
  const jobs = [{ job: 'users', ...totals, stop: 'maxPages', bounded: true as const }];
  assert.match(
    await textOf(factsOf({ summary: { ...complete, jobs } })),
    /ended by a limit : items may be missing: users/,
  );
});

test('the page has warnings, what was left out, options, and jobs below others', async () => {
  const notices: readonly Notice[] = [
    { level: 'warning', code: 'round-end', message: 'ended at <1200> items', job: 'users', page: 11 },
    { level: 'info', code: 'retry', message: 'hush came again', job: 'users' },
  ];
  const jobs = [
    { job: 'users', ...totals, cached: 4, stop: 'an empty page' },
    { job: 'details', parent: 'users', ...totals, skipped: 1, skips: [], stop: 'a short page' },
  ];
  const outputs = [{ dataType: 'users', name: 'out/users.ndjson', items: 5, bytes: 50, kept: true as const, size: 20 }];
  const facts = {
    notices,
    moreNotices: 1,
    options: { jobs: 'users', full: '' },
    summary: { ...complete, jobs, outputs },
  };
  const text = await textOf(factsOf(facts));
  assert.match(text, /Options: --jobs users --full\./);
  assert.match(text, /round-end .*ended at <1200> items/);
  assert.match(text, /retry .*\*\*\* came again/);
  assert.match(text, /1 more message is not listed/);
  assert.match(text, /1 request failed and was left out/);
  assert.match(text, /details users 1,200 12 13 1 0 1 3\.0 MB a short page/);
  assert.match(text, /out\/users\.ndjson of an earlier run 5 20 B/);
  assert.match(await textOf(factsOf({ moreNotices: 2 })), /2 more messages are not listed/);
});

test('a run that has sent nothing has neither origins nor latencies', async () => {
  const { record } = factsOf();
  const none = createLatencies();
  const empty = { ...record, answers: new Map(), latencies: { firstByte: none, body: none, total: none } };
  const text = await textOf(factsOf({ record: empty, summary: { ...complete, outputs: [] } }));
  for (const head of ['From where', 'Latency', 'Where it is']) assert.not.match(text, new RegExp(head));
});

test('the page needs no network, and no text of the run is markup', async () => {
  const page = await runPage(factsOf({ label: '</script><script src="http://x">' }), hide);
  assert.not.match(page, /<script src|<link|url\(|@import/);
  assert.match(page, /Run of &#60;\/script&#62;/);
});

test('a long run keeps the first 1,000 messages, and none for developers', () =>
  inTemporary(async (directory) => {
    const path = join(directory, 'run.html');
    const report = await openRunReport(path, { label: 'x', options: {} });
    const ending = { summary: complete, remedyOf: () => '', mask: hide };
    await report.write(ending);
    assert.equal(await readdir(directory), []);
    report.begin(0);
    report.notice({ level: 'debug', code: 'd', message: 'for developers' });
    for (let at = 0; at < 1003; at += 1) report.notice({ level: 'info', code: 'n', message: `message ${at}` });
    await report.write(ending);
    const page = await readFile(path, 'utf8');
    assert.match(page, /message 999</);
    assert.not.match(page, /message 1000<|for developers/);
    assert.match(page, /3 more messages are not listed/);
  }));

test('its folder is made before the run; one that cannot be made is an error', () =>
  inTemporary(async (directory) => {
    const path = join(directory, 'a', 'b', 'run.html');
    await openRunReport(path, { label: 'x', options: {} });
    assert.equal(await readdir(join(directory, 'a')), ['b']);
    await writeFile(path, '');
    await rejection(
      openRunReport(join(path, 'run.html'), { label: 'x', options: {} }),
      'ERR_USAGE',
      /--report .*run\.html: cannot be written/,
    );
  }));

test('a file that cannot be written is an error after it', () =>
  inTemporary(async (directory) => {
    const path = join(directory, 'run.html');
    const report = await openRunReport(path, { label: 'x', options: {} });
    report.begin(0);
    await mkdir(path);
    await rejection(
      report.write({ summary: complete, remedyOf: () => '', mask: hide }),
      'ERR_USAGE',
      /--report .*EISDIR|directory/,
    );
  }));

test.run();
