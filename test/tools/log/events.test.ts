import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { logEvents, logVersion, memberPaths } from '../../../src/tools/log/events.js';
import { jsonReport } from '../../../src/tools/log/report-json.js';
import { receiptOf } from '../../cli/receipts.js';
import { checkEvent, readLog } from '../../support/log-lines.js';
import { runningRow } from '../live/activities.js';

const skipped = { code: 'ERR_STATUS', status: 404, page: 1, request: 'GET http://api.test/', letter: true } as const;
const place = { job: 'users', dataType: 'users', walk: '0', page: 2, item: 4 };
const totals = { requests: 3, pages: 2, items: 2000, bytes: 680_000, retries: 1 };
const marks = { cached: 1, unchanged: 1, skipped: 1, letters: 1, skips: [skipped] };

/** Events with every member that there is. */
function allEvents(): string {
  const lines: string[] = [];
  const report = jsonReport({
    write: (line) => lines.push(line),
    mask: (text) => text,
    quiet: false,
    debug: true,
    color: false,
  });
  report.notice({ level: 'debug', code: 'request', message: 'GET http://api.test/' });
  report.notice({ level: 'warning', code: 'odd', message: 'an odd thing', job: 'users', sink: 'ndjson:a', page: 0 });
  report.page(receiptOf(1, { skipped, cached: true, unchanged: true, stop: 'the limit of 2 pages', bounded: true }), 0);
  report.progress(runningRow('users', { share: 0.5, leftMs: 1000 }));
  const where = { sink: 'ndjson:a', job: 'users', page: 0, request: 'GET http://api.test/', offset: 0, status: 500 };
  const more = {
    transport: 7,
    kept: true,
    login: true,
    problems: [{ path: 'api', message: 'expected an object' }],
  } as const;
  report.error(new ExtractError('ERR_STATUS', 'it failed', { ...where, ...more }), 'Look.');
  const output = { dataType: 'users', name: 'out/users.csv', items: 1, bytes: 1, size: 1, columns: 1 };
  report.summary(
    {
      ran: true,
      jobs: [{ job: 'users', parent: 'teams', dataType: 'users', ...totals, ...marks, stop: 'failed', bounded: true }],
      outputs: [{ ...output, changed: [{ column: 'a', from: 'bigint', to: 'text' }], unfinished: true, kept: true }],
      guarantee: 'exactly once',
      sinks: [{ name: 'csv:out', guarantee: 'exactly once' }],
      refused: [{ name: 'nats:x', items: 3, places: [{ ...place, error: 'too long' }] }],
      refusedSinceResume: true,
      drift: { items: 1, places: [{ ...place, path: 'a', change: 'type', message: '"a" is a text' }] },
      shapeChanges: [{ dataType: 'users', changes: ['"age" is new: integer'] }],
    },
    1,
  );
  return lines.join('\n');
}

/** The members of a value as `memberPaths` names them. */
function pathsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsIn(each).map((path) => `[]${path}`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [
    `.${name}`,
    ...pathsIn(each).map((path) => `.${name}${path}`),
  ]);
}

test('each event is one of the schema, and each member of the schema is written', () => {
  const events = readLog(allEvents());
  for (const [name, { rows }] of Object.entries(logEvents)) {
    const written = new Set(events.filter(({ event }) => event === name).flatMap(pathsIn));
    assert.equal(
      [...written].map((path) => path.slice(1)).sort(),
      ['event', 'level', 'version', ...memberPaths(rows).map(([path]) => path)].sort(),
      name,
    );
  }
});

test('an event that the schema does not have is refused', () => {
  const page = { event: 'notice', level: 'info', version: logVersion, code: 'a', message: 'b' };
  checkEvent(page);
  for (const wrong of [
    { ...page, more: 1 },
    { ...page, event: 'other' },
    { ...page, level: 'error' },
    { ...page, version: undefined },
    { ...page, page: 0 },
  ]) {
    assert.throws(() => checkEvent(JSON.parse(JSON.stringify(wrong))), /not an event of log\.schema\.json/);
  }
});

test('a program that knows this version accepts members of later ones', async () => {
  const { Ajv } = await import('ajv');
  const schema = JSON.parse(readFileSync(new URL('../../../log.schema.json', import.meta.url), 'utf8'));
  const validate = new Ajv().compile(schema);
  for (const event of readLog(allEvents())) assert.ok(validate({ ...event, later: 1 }));
});

test('the package exports the schema, and the lines of chapter 5 are events of it', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  assert.is(manifest.exports['./log.schema.json'], './log.schema.json');
  assert.ok(manifest.files.includes('log.schema.json'));
  const chapter = readFileSync(new URL('../../../docs/05-command-line.md', import.meta.url), 'utf8');
  assert.is(readLog((chapter.match(/^\{"event":.*$/gm) ?? []).join('\n')).length, 3);
});

test.run();
