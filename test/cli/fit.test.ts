/** The log of a run on terminals of several widths, against golden files: `RXTRACT_GOLDEN=write` writes them anew. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fitLine, fitTable } from '../../src/cli/fit.js';
import { textReport } from '../../src/cli/report-text.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Summary } from '../../src/run/job-stats.js';
import { runningRow } from './live/activities.js';

const golden = (columns: number): URL => new URL(`./golden/log-${columns}.txt`, import.meta.url);

const totals = { requests: 15, pages: 14, items: 13_400, bytes: 4_600_000, retries: 1 };
const summary: Summary = {
  jobs: [
    { job: 'users', dataType: 'users', ...totals, stop: 'a page shorter than the limit (400 of 1000)' },
    { job: 'orders', dataType: 'orders', ...totals, items: 0, stop: 'an empty page' },
  ],
  outputs: [
    { dataType: 'users', name: 'out/users.ndjson', items: 13_400, bytes: 4_600_000 },
    { dataType: 'orders', name: 'out/orders.ndjson', items: 0, bytes: 0 },
  ],
  guarantee: 'exactly once',
};

/** What a run writes that waits, warns, goes on, fails, and another one that ends well. */
function logAt(columns: number): readonly string[] {
  const lines: string[] = [];
  const log = textReport({
    write: (line) => void lines.push(line),
    mask: (text) => text,
    ...{ quiet: false, debug: false, color: false, columns: () => columns },
  });
  const place = { job: 'orders', page: 2 };
  log.notice({
    ...{ level: 'info', code: 'retry', ...place },
    message:
      'GET https://api.example.com/orders?page=3 failed with status 503: try later; retrying in 6 s (1 of 10, as `api.retryConfig.maxRetries` allows)',
  });
  log.notice({
    ...{ level: 'warning', code: 'total-mismatch', ...place },
    message: 'the API reports 250000 items ("meta.total"), but 10000 arrived',
  });
  log.progress(runningRow('users', { share: 0.45, leftMs: 32_000 }));
  const request = 'GET https://api.example.com/orders?page=3';
  log.error(
    new ExtractError('ERR_STATUS', `${request} failed with status 403: no access`, { ...place, request }),
    'Check the credentials and their permissions.',
  );
  log.summary(summary, 0);
  return lines;
}

for (const columns of [30, 60, 80, 120]) {
  test(`the log in ${columns} columns`, () => {
    const lines = logAt(columns);
    if (process.env.RXTRACT_GOLDEN === 'write') {
      mkdirSync(new URL('.', golden(columns)), { recursive: true });
      writeFileSync(golden(columns), `${lines.join('\n')}\n`);
    }
    assert.fixture(`${lines.join('\n')}\n`, readFileSync(golden(columns), 'utf8'));
    for (const line of lines) assert.ok(line.length <= columns || !/\S +\S/.test(line), line);
  });
}

test('without a terminal each message is one line, and a table as wide as it is', () => {
  assert.equal(logAt(Number.POSITIVE_INFINITY).length, logAt(400).length);
  assert.equal(fitLine('word '.repeat(1000), Number.POSITIVE_INFINITY), ['word '.repeat(1000)]);
});

test('words on one line keep the spaces between them, since a value may have several', () => {
  const value = '    q  two  spaces   and "three   of them"  from params.q';
  assert.equal(fitLine(value, 44), ['    q  two  spaces   and "three   of them"', '       from params.q']);
});

test('at every width each word stays, in order', () => {
  const words = (lines: readonly string[]) =>
    lines
      .join(' ')
      .split(/\s+/)
      .filter((word) => word !== '');
  const line = '  request  GET https://api.example.com/orders?page=3 failed with `status 503`: try later';
  for (let columns = 1; columns <= 130; columns += 1) assert.equal(words(fitLine(line, columns)), words([line]));
});

test('an empty cell is no part of a list', () => {
  const rows = [
    ['job', 'columns', 'size'],
    ['a name that is longer than the terminal', '', '1 B'],
  ];
  assert.equal(fitTable(rows, new Set([1, 2]), 20), ['a name that is longer than the terminal', '  size: 1 B']);
});

test.run();
