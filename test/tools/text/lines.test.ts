/** Text of a terminal, and the log of a run against golden files: `RXTRACT_GOLDEN=write` writes them anew. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import type { Summary } from '../../../src/run/job-stats.js';
import { textReport } from '../../../src/tools/log/report-text.js';
import { fitLine, fitTable, printable, quotedForShell, table, wrap } from '../../../src/tools/text/lines.js';
import { runningRow } from '../live/activities.js';

test('columns have one width, those of numbers end together', () => {
  const rows = [
    ['job', 'items', 'stop'],
    ['a', '1,000', 'an empty page'],
    ['users', '7', 'failed'],
  ];
  assert.equal(table(rows, new Set([1])), [
    'job    items  stop',
    'a      1,000  an empty page',
    'users      7  failed',
  ]);
});

test('wide characters take two columns, also in lines that wrap', () => {
  const rows = [
    ['顧客データ', '7'],
    ['users', '\u{1F600}'],
  ];
  assert.equal(table(rows, new Set([1])), ['顧客データ   7', 'users       \u{1F600}']);
  assert.equal(wrap('顧客 データ 顧客', '', '', 12), ['顧客 データ', '顧客']);
  assert.equal(fitLine('データ  顧客 データ 顧客 データ', 20), ['データ  顧客 データ', '        顧客 データ']);
});

test('a text is masked and cut, and does not control the terminal', () => {
  const secrets = createSecrets();
  secrets.add('hunter2-hunter2');
  assert.is(printable('a\u001b[2J\nb hunter2-hunter2', secrets.mask), 'a [2J b ***');
  assert.is(printable('abcdef', secrets.mask, 6), 'abcdef');
  assert.is(printable('abc\u{1F600}def', secrets.mask, 4), 'abc...');
});

test('a secret that the cut divides is masked', () => {
  const secrets = createSecrets();
  secrets.add('hunter2-hunter2');
  for (let most = 3; most < 30; most += 1) {
    const shown = printable(`abc hunter2-hunter2 def ${'x'.repeat(100)}`, secrets.mask, most);
    assert.not.match(shown, 'hunt', `${most}: ${shown}`);
  }
});

test('no rows are no lines', () => assert.equal(table([], new Set()), []));

const words = (count: number) => Array.from({ length: count }, () => 'four').join(' ');

test('a text that fits stays one line', () => {
  assert.equal(wrap('a b', '- ', '  '), ['- a b']);
  assert.equal(wrap('', '- ', '  '), ['- ']);
});

test('breaks before the word that would go beyond 100 columns', () => {
  assert.equal(wrap(words(20), '', ''), [words(20)]);
  assert.equal(wrap(words(20), '> ', '    '), [`> ${words(19)}`, '    four']);
});

test('a longer word gets its own line', () => {
  const long = 'x'.repeat(120);
  assert.equal(wrap(`a ${long} b`, '', '  '), ['a', `  ${long}`, '  b']);
});

test('code stays in one line, an open backtick is a character', () => {
  assert.equal(wrap(`${words(19)} \`{ "a": 1 }\`, b`, '', ''), [words(19), '`{ "a": 1 }`, b']);
  assert.equal(wrap('a ` b', '', ''), ['a ` b']);
});

test('a path is a word of a shell', () => {
  assert.equal(['a/b.json', "it's a.json"].map(quotedForShell), ['a/b.json', "'it'\\''s a.json'"]);
});

const golden = (columns: number): URL => new URL(`./golden/log-${columns}.txt`, import.meta.url);

const totals = { requests: 15, pages: 14, items: 13_400, bytes: 4_600_000, retries: 1 };
const summary: Summary = {
  ran: true,
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
