/** `init` for APIs that make reports: what it writes is a job with `await` that has read the report, or nothing. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDocument } from '../../../src/config/document.js';
import { type Exact, isArray, isObject, stringifyExact } from '../../../src/core/json/exact.js';
import { commandHere, filesIn, inTemporary } from '../../blackbox/command.js';
import { type ReportApiName, reportApis } from '../../chaos/report-servers.js';
import { type Answer, items, json, type RecordedRequest, startApi } from '../../loopback/api.js';

type Words = (address: string) => readonly string[];

/** Runs `init` against an API, then what it has written. */
const initAt = (answer: (request: RecordedRequest, origin: string) => ReturnType<Answer>, words: Words) =>
  inTemporary(async (folder) => {
    let origin = '';
    const api = await startApi((request) => answer(request, origin));
    origin = api.origin;
    const file = join(folder, 'c.json');
    try {
      const found = await commandHere(['init', '--out', file, ...words(origin)]);
      const asked = api.requests.map(({ method, target }) => `${method} ${target}`);
      const text = await readFile(file, 'utf8').catch(() => '');
      const run = () =>
        commandHere(['run', file, '--set', 'config.jobs[0].await.poll.every=0.005', '--to', `ndjson:${folder}/out`], {
          env: { API_USER: 'key' },
        });
      const ran = text === '' ? undefined : await run();
      return { ...found, asked, text, ran, files: await filesIn(join(folder, 'out')) };
    } finally {
      await api.close();
    }
  });

/** The key `await` of what was written. */
function awaitIn(text: string) {
  const member = (value: Exact | undefined, name: string) =>
    isObject(value ?? null) ? (value as Map<string, Exact>).get(name) : undefined;
  const jobs = member(member(parseDocument(text, 'c.json'), 'config'), 'jobs');
  const report = member(isArray(jobs ?? null) ? (jobs as readonly Exact[])[0] : undefined, 'await');
  return JSON.parse(stringifyExact(report ?? null));
}

const created = (asked: readonly string[]): number => asked.filter((each) => each.startsWith('POST')).length;
const nine = Array.from({ length: 9 }, (_, id) => `${JSON.stringify({ id: String(id), name: `row "${id}"` })}\n`).join(
  '',
);

const salesforce = { operation: 'query', query: 'SELECT id, name FROM Row' };

/** How the request of each API is given, and what `await` must be. */
const apis: Readonly<Record<ReportApiName, readonly [words: Words, report: object]>> = {
  salesforce: [
    (origin) => [`${origin}/services/data/v60.0/jobs/query`, '--allow-post', '--body', JSON.stringify(salesforce)],
    {
      create: { endpoint: 'jobs/query', params: salesforce },
      poll: { endpoint: 'jobs/query/{id}' },
      done: { path: 'state', equals: 'JobComplete' },
      fetch: { endpoint: 'jobs/query/{id}/results' },
    },
  ],
  stripe: [
    (origin) => [
      '--allow-post',
      '--',
      'curl',
      '-u',
      'key:',
      `${origin}/v1/reporting/report_runs`,
      '-d',
      'report_type=a.1',
    ],
    {
      create: { endpoint: 'reporting/report_runs', method: 'FORM', params: { report_type: 'a.1' } },
      poll: { endpoint: 'reporting/report_runs/{id}' },
      done: { path: 'status', equals: 'succeeded' },
      fetch: { path: 'result.url' },
    },
  ],
  sellingPartner: [
    (origin) => [`${origin}/reports/2021-06-30/reports`, '--allow-post', '--body', '{"reportType": "GET_ORDERS"}'],
    {
      create: { endpoint: 'reports/2021-06-30/reports', params: { reportType: 'GET_ORDERS' } },
      poll: { endpoint: 'reports/2021-06-30/reports/{reportId}' },
      done: { path: 'processingStatus', equals: 'DONE' },
      fetch: { endpoint: 'reports/2021-06-30/documents/{reportDocumentId}', path: 'url' },
    },
  ],
  sendGrid: [
    (origin) => [`${origin}/v3/marketing/contacts/exports`, '--allow-post', '--body', '{"file_type": "csv"}'],
    {
      create: { endpoint: 'marketing/contacts/exports', params: { file_type: 'csv' } },
      poll: { endpoint: 'marketing/contacts/exports/{id}' },
      done: { path: 'status', equals: 'ready' },
      fetch: { path: 'urls' },
    },
  ],
};

/** The API, whose pages have so many rows. */
function served(name: ReportApiName, rowsOfPage: number) {
  const api = reportApis[name](9);
  return (request: RecordedRequest, origin: string) => {
    const url = new URL(request.target, origin);
    if (url.pathname.endsWith('/results')) url.searchParams.set('maxRecords', String(rowsOfPage));
    return api.answer(request, url);
  };
}

for (const [name, [words, report]] of Object.entries(apis)) {
  test(`${name}: the report is created once, and what is written reads all of it`, async () => {
    const outcome = await initAt(served(name as ReportApiName, 100), words); // a key of both
    assert.is(outcome.exit, 0, outcome.stderr);
    assert.is(created(outcome.asked), 1, outcome.stderr);
    const { failed, ...found } = awaitIn(outcome.text);
    assert.equal(found, report);
    assert.equal(failed, { path: found.done.path, matches: '/fail|error|cancel|abort|fatal|expired/i' });
    assert.equal([outcome.ran?.exit, Object.values(outcome.files)], [0, [nine]], outcome.ran?.stderr);
  });
}

test('a report without --allow-post is not created: no request is sent', async () => {
  const [words] = apis.sendGrid;
  const without: Words = (origin) => words(origin).filter((word) => word !== '--allow-post');
  const { exit, stderr, asked, text } = await initAt(served('sendGrid', 100), without);
  assert.equal([exit, asked, text], [1, [], ''], stderr);
  assert.match(stderr, /--allow-post/);
});

test('a locator in a header of the items is a warning: they have more pages', async () => {
  const { exit, stderr } = await initAt(served('salesforce', 4), apis.salesforce[0]);
  assert.is(exit, 0, stderr);
  assert.match(stderr, /pagination: none found, although "sforce-locator" announces more items/i);
});

/** A place that says 202 until the third request, then has the items or leads to them. */
function placeOf(header: string, third: (origin: string) => ReturnType<typeof json>) {
  let polls = 0;
  return ({ target }: RecordedRequest, origin: string) => {
    if (target.startsWith('/reports'))
      return json({ accepted: true }, { status: 202, headers: { [header]: `${origin}/work/7` } });
    if (target === '/items') return json(items(1, 3));
    polls += 1;
    return polls < 3 ? { status: 202 } : third(origin);
  };
}

const post: Words = (origin) => [`${origin}/reports`, '--allow-post', '--body', '{"kind": "a"}'];
const create = { endpoint: 'reports', params: { kind: 'a' } };
const redirect = (origin: string) => ({ status: 303, headers: { location: `${origin}/items` } });

const places: readonly (readonly [string, string, Words, object, Parameters<typeof placeOf>[1]])[] = [
  ['an address in Location that has the items in the end', 'Location', post, create, () => json(items(1, 3))],
  ['one that redirects to the items in the end', 'Location', post, create, redirect],
  ['one in the header of Azure', 'Operation-Location', post, create, redirect],
  [
    'a GET that creates a report',
    'Location',
    (origin) => [`${origin}/reports?kind=a`],
    { ...create, method: 'GET' },
    redirect,
  ],
];

for (const [what, header, words, creation, third] of places) {
  test(`${what}: what is written reads the items`, async () => {
    const { exit, stderr, asked, text, ran, files } = await initAt(placeOf(header, third), words);
    assert.is(exit, 0, stderr);
    assert.is(asked.filter((each) => each.includes('/reports')).length, 1);
    const endpoint = `{header:${header}}`;
    assert.equal(awaitIn(text), { create: creation, poll: { endpoint }, done: { status: 200 }, fetch: { endpoint } });
    assert.equal([ran?.exit, Object.values(files)], [0, ['{"id":1}\n{"id":2}\n{"id":3}\n']], ran?.stderr);
  });
}

/** What `init` says about a report that it cannot prove, by what its polls say. */
const unproven: readonly (readonly [string, object, readonly string[], RegExp])[] = [
  [
    'is never done',
    { status: 'queued' },
    ['--max-requests', '6'],
    /is not done after 2 polls \("status": "queued"\).*add "done", "fetch"/,
  ],
  ['has failed', { status: 'FAILED' }, [], /the report has failed: "status" is "FAILED"/],
  [
    'is done, and does not say where',
    { status: 'done' },
    [],
    /its items were not found \(tried: .*\).*"done" by "status": "done"; add "fetch"/,
  ],
];

for (const [what, body, more, message] of unproven) {
  test(`a report that ${what} is an error with what is known of \`await\`, and nothing is written`, async () => {
    const answer = ({ method, target }: RecordedRequest) => {
      if (method === 'POST') return json({ id: 5, status: 'queued' });
      return target === '/reports/5' ? json({ id: 5, ...body }) : { status: 404 };
    };
    const { exit, stderr, asked, text } = await initAt(answer, (origin) => [...post(origin), ...more]);
    assert.equal([exit, created(asked), text], [1, 1, ''], stderr);
    assert.match(stderr, message);
  });
}

test('a report without a place of its polls is an error with the addresses that were tried', async () => {
  const answer = ({ method }: RecordedRequest) =>
    method === 'POST' ? json({ id: 5 }, { status: 202 }) : { status: 404 };
  const { exit, stderr, text } = await initAt(answer, post);
  assert.equal([exit, text], [1, ''], stderr);
  assert.match(stderr, /how far it is was not found: GET reports\/\{id\} \(404\).*add "poll", "done", "fetch"/);
});

test.run();
