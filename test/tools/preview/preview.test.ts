/** `rxtract preview`: screens of several widths, what follows a page, and what it leaves alone. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import { fieldsOf, type SampledItem, sampleItem } from '../../../src/tools/preview/fields.js';
import { type PreviewedPage, pageLines } from '../../../src/tools/preview/preview-text.js';
import { widthOf } from '../../../src/tools/text/cells.js';
import { commandHere, inTemporary } from '../../blackbox/command.js';
import { type Answer, items, json, startApi } from '../../loopback/api.js';

const sampled = (value: unknown): SampledItem => sampleItem(batchOf('items', [value]), 0);

const types: readonly [value: unknown, type: string][] = [
  [null, 'null'],
  [true, 'boolean'],
  [12, 'integer'],
  [1.5, 'decimal'],
  [[1], 'list'],
  [{}, 'object'],
  ['abc', 'text'],
  ['2026-01-31', 'date'],
  ['2026-01-31T10:00:00Z', 'timestamptz'],
  ['2026-01-31 10:00:00.5', 'timestamp'],
  ['2026-01-31 10:00', 'text'],
  ['2026-01-31T10:00:00+02:00', 'text'],
  ['0b8a5f3e-7d6c-4b2a-9e1f-3c5d7a9b1e2f', 'uuid'],
  ['https://h.example/a', 'address'],
];

for (const [value, type] of types) {
  test(`the type of ${JSON.stringify(value)} is ${type}`, () => {
    assert.equal(fieldsOf([sampled({ value }), sampled(value)]).find(({ name }) => name === 'value')?.types[0], type);
  });
}

test('a long value is cut between its characters and its escapes', () => {
  const of = (value: unknown) => sampled({ value }).get('value');
  const wide = of('é'.repeat(150));
  assert.equal([wide?.isCut, /^é{99,100}$/.test(wide?.text ?? '')], [true, true]);
  const escaped = of('\u0001'.repeat(60));
  assert.equal([escaped?.isCut, new Set(escaped?.text).size], [true, 1]);
  const quotes = of('"'.repeat(150));
  assert.equal([quotes?.isCut, new Set(quotes?.text).size], [true, 1]);
  const list = of(['é'.repeat(150)]);
  assert.equal([list?.type, list?.isCut, list?.text.includes('\ufffd')], ['list', true, false]);
  assert.is(of(`https://h.example/${'a'.repeat(300)}`)?.type, 'address');
  assert.is(of('a '.repeat(200))?.type, 'text');
});

test('of many fields the first ones are counted', () => {
  const item = (first: number) =>
    sampled(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f${first + index}`, 1])));
  const fields = fieldsOf([item(0), item(300), item(0)]);
  assert.is(fields.length, 500);
  assert.equal([fields[0]?.count, fields[499]?.count], [2, 1]);
});

test('texts of several forms are texts, as in a column of them', () => {
  const typesOf = (...values: readonly unknown[]) => fieldsOf(values.map(sampled)).map(({ types }) => types.join());
  const [day, instant] = ['2026-01-31', '2026-01-31T10:00:00Z'];
  assert.equal(typesOf(day, null, '2026-02-01'), ['date,null']);
  assert.equal(typesOf(day, instant), ['text']);
  assert.equal(typesOf(instant, '2026-01-31T10:00:00+02:00'), ['text']);
  assert.equal(typesOf(day, 'https://h.example/a'), ['text,address']);
  assert.equal(typesOf('', day), ['text']);
});

test('fields have all types and a count, an item that is no object is a value', () => {
  assert.equal(fieldsOf([{ a: 1 }, { b: 'x', a: null }, 7].map(sampled)), [
    { name: 'a', types: ['integer', 'null'], count: 2 },
    { name: 'b', types: ['text'], count: 1 },
    { name: 'value', types: ['integer'], count: 1 },
  ]);
  assert.is(sampled('a').get('value')?.text, 'a');
  assert.is(sampled([1, 'b']).get('value')?.text, '[1,"b"]');
});

const request = { method: 'GET', url: `https://api.example/v1/users?q=${'x'.repeat(150)}`, trusted: true, values: [] };
const previewed: PreviewedPage = {
  ...{ job: 'users', index: 0, count: 12, bytes: 3400, requests: 3, retries: 1 },
  items: Array.from({ length: 12 }, (_, id) =>
    sampled({
      id,
      name: `名前${'長'.repeat(id)}`,
      text: 'lorem ipsum '.repeat(id),
      ...(id > 3 ? { mail: 'a@b.c', tags: ['x'] } : {}),
    }),
  ),
  page: {
    request,
    head: { status: 200, headers: { 'content-type': 'application/json', link: '<https://h/>; rel="next"', via: 'x' } },
    next: { ...request, values: [{ in: 'query', name: 'page', value: '2', sources: [{ from: 'api.pagination' }] }] },
  },
};

for (const width of [60, 80, 120]) {
  test(`no line is wider than ${width} columns`, () => {
    const lines = pageLines(previewed, { width, rows: 5, clean: (text) => text });
    assert.equal(
      lines.filter((line) => widthOf(line) > width),
      [],
    );
    const text = lines.join('\n');
    assert.match(text, '12 items, 3.4 kB, 3 requests, 1 of them retried');
    assert.match(text, '... and 7 items');
    assert.match(text, /mail {2}text, missing in 4 of 12/);
    assert.match(text, 'page = 2, from api.pagination');
    assert.not.match(text, 'via');
    assert.is(text.includes('not shown: '), width < 80);
  });
}

test('a page without items has no table', () => {
  const page = { request, head: { status: 200, headers: {} }, next: { stop: 'an empty page' } };
  const [title, address, ...rest] = pageLines(
    { ...previewed, count: 0, items: [], page },
    { width: 200, rows: 5, clean: (text) => text },
  );
  assert.is(title, 'users, page 1');
  assert.match(address ?? '', /^ {2}GET/);
  assert.equal(rest, [
    '  status 200',
    '  0 items, 3.4 kB, 3 requests, 1 of them retried',
    '',
    '  The pagination ends here: an empty page.',
  ]);
});

const documentOf = (origin: string, api: object = {}, job: object = {}) =>
  JSON.stringify({
    api: { baseUrl: `${origin}/`, retryConfig: { maxRetries: 0 }, ...api },
    config: { '#key': 'hunter2-hunter2', jobs: [{ endpoint: 'users', ...job }] },
  });

async function previewOf(answer: Answer, words: readonly string[] = [], api: object = {}, job: object = {}) {
  const server = await startApi(answer);
  try {
    const ended = await commandHere(['preview', '-', ...words], { stdin: documentOf(server.origin, api, job) });
    return { ...ended, stdout: ended.stdout.replaceAll(server.origin, 'O'), requests: server.requests.length };
  } finally {
    await server.close();
  }
}

const pagenum = { pagination: { method: 'pagenum', limit: 2 } };

test('one page of each job is requested, and what would follow is shown', async () => {
  const { exit, stdout, stderr, requests } = await previewOf(() => json(items(1, 2)), [], pagenum);
  assert.equal([exit, requests, stderr], [0, 1, '']);
  assert.match(
    stdout,
    'users, page 1\n  GET O/users?page=1&limit=2\n  status 200\n  content-type: application/json\n  2 items, ',
  );
  assert.match(
    stdout,
    'The pagination would request next:\n    GET O/users?page=2&limit=2\n    page = 2, from api.pagination',
  );
});

test('two pages are requested, and the reason for the end is shown', async () => {
  const answer: Answer = ({ target }) => json(target.includes('page=1') ? items(1, 2) : items(3, 1));
  const { stdout, requests } = await previewOf(answer, ['--pages', '2', '--items', '1'], pagenum);
  assert.is(requests, 2);
  assert.match(stdout, '  id\n  1\n  ... and 1 item\n');
  assert.match(stdout, 'The pagination ends here: a page shorter than the limit (1 of 2).');
});

test('--max-item-bytes bounds an item', async () => {
  const { exit, stderr } = await previewOf(() => json(items(1, 2)), ['--max-item-bytes', '1']);
  assert.is(exit, 1);
  assert.match(stderr, 'ERR_ITEM_SIZE');
});

test('each page is shown with its own request, also if the configuration requests pages ahead', async () => {
  const ahead = { pagination: { ...pagenum.pagination, prefetch: 2 } };
  const answer: Answer = ({ target }) => json(items(10 * Number(/page=(\d)/.exec(target)?.[1]), 2));
  const { stdout } = await previewOf(answer, ['--pages', '3'], ahead);
  assert.equal(stdout.match(/page \d\n.*page=\d/g), [
    'page 1\n  GET O/users?page=1',
    'page 2\n  GET O/users?page=2',
    'page 3\n  GET O/users?page=3',
  ]);
});

test('children of the first item are shown too', async () => {
  const children = [{ endpoint: 'users/{id}/orders', dataType: 'orders', placeholders: { id: 'id' } }];
  const { stdout } = await previewOf(() => json(items(7, 2)), [], {}, { children });
  assert.match(stdout, 'orders, page 1\n  GET O/users/7/orders');
});

test('a link of the response is the source of the next request', async () => {
  const api = { pagination: { method: 'response.url', urlKey: 'next' } };
  const answer: Answer = () => json({ data: items(1, 1), next: 'users?after=1' });
  const { stdout } = await previewOf(answer, [], api, { dataField: 'data' });
  assert.match(stdout, 'after = 1, from the link in the response before');
});

test('secrets and control characters are not shown', async () => {
  const { stdout } = await previewOf(() => json([{ a: 'hunter2-hunter2', b: '\u001b[31mred' }]));
  assert.not.ok(stdout.includes('hunter2') || stdout.includes('\u001b'));
  assert.match(stdout, '***');
});

test('warnings and failures are those of a run', async () => {
  const missing = await previewOf(() => json({ data: [] }), [], {}, { dataField: 'dta' });
  assert.match(missing.stderr, 'did you mean "data"?');
  const failed = await previewOf(() => ({ status: 500, body: 'no' }));
  assert.equal([failed.exit, failed.stdout], [1, '']);
  assert.match(failed.stderr, 'ERR_STATUS');
});

for (const [name, value] of [
  ['pages', '0'],
  ['items', 'x'],
] as const) {
  test(`--${name} ${value} is refused`, async () => {
    const { exit, stderr } = await previewOf(() => json([]), [`--${name}`, value]);
    assert.is(exit, 1);
    assert.match(stderr, `--${name} is a whole number from 1 to 999999, found "${value}"`);
  });
}

test('nothing is written but a recording, which previews without the API', () =>
  inTemporary(async (folder) => {
    const path = join(folder, 'run.jsonl');
    const server = await startApi(() => json(items(1, 2)));
    const stdin = documentOf(server.origin, pagenum, { params: { k: { env: 'K' } } });
    const first = await commandHere(['preview', '-', '--record', path], { stdin, env: { K: 'some-key' } });
    await server.close();
    const second = await commandHere(['preview', '-', '--replay', path, '--job', 'users'], {
      stdin,
      env: { COLUMNS: '10' },
    });
    assert.equal([first.exit, second.exit], [0, 0], second.stderr);
    assert.match(second.stdout, 'users, page 1');
    assert.ok(second.stdout.split('\n').every((line) => line.length <= 40));
    assert.equal(await readdir(folder), ['run.jsonl']);
  }));

test('a warning of a recording can be allowed', () =>
  inTemporary(async (folder) => {
    for (const [index, words] of [[], ['--allow', 'recording-masked']].entries()) {
      const path = join(folder, `run${index}.jsonl`);
      const { exit, stderr } = await previewOf(() => json([{ a: 'hunter2-hunter2' }]), ['--record', path, ...words]);
      assert.is(exit, 0);
      assert.is(stderr.includes('warning: secrets are masked in 1 response'), index === 0);
    }
  }));

test('a next request names what it changes, a link as its source, and nothing else', () => {
  const screen = { width: 80, rows: 5, clean: (text: string) => text };
  const given = { ...request, url: 'https://api.example/a', values: [pageValue('1')] };
  const next = (value: string) => {
    const after = { ...given, values: [pageValue(value)] };
    return pageLines({ ...previewed, page: { ...previewed.page, request: given, next: after } }, screen);
  };
  const shown = ['  The pagination would request next:', '    GET https://api.example/a'];
  assert.equal(next('1').slice(-2), shown);
  assert.equal(next('2').slice(-3), [...shown, '    page = 2, from the link in the response']);
  const last = { ...previewed.page, request: given, next: { stop: 'an empty page' } };
  assert.not.ok(pageLines({ ...previewed, page: last }, screen).some((line) => line.includes('next:')));
});

const pageValue = (value: string) => ({ in: 'query', name: 'page', value, sources: [] }) as const;

test('a page that came without a retry says nothing of retries, a repeated header is one line', () => {
  const head = { status: 200, headers: { link: ['<https://h/1>', '<https://h/2>'] } };
  const lines = pageLines(
    { ...previewed, retries: 0, page: { ...previewed.page, head } },
    { width: 80, rows: 20, clean: (text) => text },
  );
  assert.ok(lines.includes('  12 items, 3.4 kB, 3 requests'));
  assert.ok(lines.includes('  link: <https://h/1>, <https://h/2>'));
  assert.not.ok(lines.some((line) => line.includes('... and')));
});

for (const columns of ['0', 'wide', '']) {
  test(`a terminal of "${columns}" columns has the usual width`, async () => {
    const server = await startApi(() => json([{ id: 1, text: 'x'.repeat(200) }]));
    const stdin = documentOf(server.origin, {}, { params: { long: 'y'.repeat(120) } });
    const { exit, stdout } = await commandHere(['preview', '-'], { stdin, env: { COLUMNS: columns } });
    await server.close();
    assert.is(exit, 0);
    assert.is(Math.max(...stdout.split('\n').map((line) => line.length)), 80);
  });
}

test('of items that are arrays the list of their names is proposed, and only then', () =>
  inTemporary(async (folder) => {
    const bodies = {
      named: {
        columns: ['id', 'n'],
        rows: [
          [1, 'a'],
          [2, 'b'],
        ],
      },
      plain: { columns: ['id'], rows: [[1, 2]] },
    };
    const api = await startApi(({ target }) => json(target.startsWith('/named') ? bodies.named : bodies.plain));
    const path = join(folder, 'config.json');
    const previewOf = async (endpoint: string, response?: object) => {
      const jobs = [{ endpoint, dataField: 'rows', ...(response && { response }) }];
      await writeFile(path, JSON.stringify({ api: { baseUrl: `${api.origin}/` }, config: { jobs } }));
      const { stdout } = await commandHere(['preview', path]);
      return stdout.replace(/\s+/g, ' ');
    };
    assert.match(await previewOf('named'), '"response": { "columns": "columns" } of the job makes objects');
    const named = await previewOf('named', { columns: 'columns' });
    assert.not.match(named, 'response":');
    assert.match(named, 'id integer n text');
    assert.not.match(await previewOf('plain'), 'response":');
    await api.close();
  }));

test.run();
