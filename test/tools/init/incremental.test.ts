/** `rxtract init` proposes `incremental` only where a request has proven it; later runs then ask for what is new. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noQuestions } from '../../../src/tools/init/ask.js';
import { isSinceName, sinceNamesFor } from '../../../src/tools/init/known-names.js';
import { findConfiguration, type InitOptions } from '../../../src/tools/init/run-init.js';
import { commandHere, inTemporary } from '../../blackbox/command.js';
import { type Answer, json, startApi } from '../../loopback/api.js';

type Row = Readonly<Record<string, unknown>>;

/** The forms of a value that grows; each is in the order of the number. */
const forms = {
  'a date and a time': (at: number) => new Date(Date.UTC(2026, 0, 1, 0, at)).toISOString(),
  'a date': (at: number) => new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10),
  'Unix seconds': (at: number) => 1_767_225_600 + at * 60,
  milliseconds: (at: number) => 1_767_225_600_000 + at * 60_000,
  'a number': (at: number) => 7 + at,
} as const;
type Form = (at: number) => string | number;

/** Rows in an order of their own, two of each moment. */
const rowsOf = (form: Form, count = 40, member = 'updated_at'): readonly Row[] =>
  Array.from({ length: count }, (_, id) => ({ id, [member]: form(((id * 7) % count) >> 1), name: `row ${id}` }));

interface Filter {
  readonly rows: readonly Row[];
  readonly param?: string;
  readonly keeps?: (value: string | number, asked: string | number) => boolean;
  readonly member?: string;
  readonly sort?: 1 | -1;
}

const from = (value: string | number, asked: string | number) => value >= asked;
const above = (value: string | number, asked: string | number) => value > asked;

/** An API with pages of 20 that filters by one parameter. */
const filtering =
  ({ rows, param = 'updated_since', keeps = from, member = 'updated_at', sort }: Filter): Answer =>
  ({ target }) => {
    const { searchParams } = new URL(target, 'http://x');
    const asked = searchParams.get(param);
    const growing = (row: Row) => row[member] as string | number;
    const isNumber = typeof rows[0]?.[member] === 'number';
    const left = rows.filter((row) => asked === null || keeps(growing(row), isNumber ? Number(asked) : asked));
    const sorted = sort === undefined ? left : [...left].sort((a, b) => (growing(a) < growing(b) ? -sort : sort));
    const page = Number(searchParams.get('page') ?? 1);
    return json({ data: sorted.slice((page - 1) * 20, page * 20) });
  };

async function found(answer: Answer, more: Partial<InitOptions> & { readonly query?: string } = {}) {
  const { query = '', ...options } = more;
  const api = await startApi(answer);
  const said: string[] = [];
  try {
    const made = await findConfiguration([`${api.origin}/rows${query}`], {
      maxRequests: 20,
      notify: ({ message }) => void said.push(message),
      ...options,
    });
    const text = made.text.replaceAll(/\s+/g, ' ');
    const [, incremental] = /"incremental": (\{[^}]*\})/.exec(text) ?? [];
    return { text: made.text, incremental, said, isIncremental: made.isIncremental, targets: api.requests };
  } finally {
    await api.close();
  }
}

for (const [name, form] of Object.entries(forms)) {
  const filters = { 'up from the value': from, 'above the value': above };
  for (const [keeps, filter] of Object.entries(filters)) {
    for (const sort of [undefined, 1, -1] as const) {
      test(`${name}, items ${keeps}, order ${sort ?? 'none'}: it is proposed`, async () => {
        const { incremental, said } = await found(
          filtering({ rows: rowsOf(form), keeps: filter, ...(sort && { sort }) }),
        );
        const step = name === 'a date' ? '1d' : typeof form(0) === 'string' ? '1s' : '1';
        const lookback = filter === from ? '' : `, "lookback": "${step}"`;
        assert.is(incremental, `{ "path": "updated_at", "param": "updated_since"${lookback} }`, said.join('\n'));
      });
    }
  }
}

const unproven: readonly { name: string; answer: Answer; says: RegExp }[] = [
  {
    name: 'an API that ignores it',
    answer: filtering({ rows: rowsOf(forms['a date']), param: 'nothing' }),
    says: /no known parameter leaves out items below a value/,
  },
  {
    name: 'an API that rejects what it does not know',
    answer: (request, index) =>
      /since|after|from|min|gte|start/.test(request.target)
        ? json({ error: 'unknown' }, { status: 400 })
        : filtering({ rows: rowsOf(forms['a date']), param: 'nothing' })(request, index),
    says: /no known parameter leaves out items below a value/,
  },
];

for (const { name, answer, says } of unproven) {
  test(`${name}: nothing is proposed, and it says why`, async () => {
    const { incremental, said } = await found(answer);
    assert.is(incremental, undefined);
    assert.ok(
      said.some((line) => line.startsWith('incremental: no') && says.test(line)),
      said.join('\n'),
    );
  });
}

const given: readonly { name: string; answer: Answer; says: RegExp }[] = [
  {
    name: 'which has no effect',
    answer: filtering({ rows: rowsOf(forms['a date']), param: 'nothing' }),
    says: /no known parameter leaves out items below a value/,
  },
  {
    name: 'which is about another member',
    answer: ({ target }) => {
      const asked = new URL(target, 'http://x').searchParams.get('updated_since') ?? '';
      const rows = rowsOf(forms['a date']).map((row, id) => ({
        ...row,
        made: id % 5 === 0 ? '2025-12-02' : row.updated_at,
      }));
      return json({ data: rows.filter(({ made }) => String(made) >= asked).slice(0, 20) });
    },
    says: /it leaves out \d+ of the first items although they are above the value/,
  },
  {
    name: 'which rejects the form of the value',
    answer: ({ target }) =>
      /since=2026-01-0[2-9]/.test(target)
        ? json({ error: 'give Unix seconds' }, { status: 422 })
        : json({ data: rowsOf(forms['a date'], 8) }),
    says: /no known parameter leaves out items below a value/,
  },
];

for (const { name, answer, says } of given) {
  test(`a parameter of the query, ${name}, is not proposed`, async () => {
    const { incremental, said, text } = await found(answer, { query: '?updated_since=2025-12-01' });
    assert.is(incremental, undefined, text);
    assert.match(text, '"updated_since": "2025-12-01"');
    assert.ok(
      said.some((line) => says.test(line)),
      said.join('\n'),
    );
  });
}

test('a parameter of the query becomes the first value, under its own name', async () => {
  const answer = filtering({ rows: rowsOf(forms['a date and a time']), param: 'changedAfter' });
  const { incremental, text } = await found(answer, { query: '?changedAfter=2025-12-31T00:00:00Z&kind=all' });
  assert.is(incremental, '{ "path": "updated_at", "param": "changedAfter", "initial": "2025-12-31T00:00:00Z" }');
  assert.match(text, '"params": { "kind": "all" }');
});

test('a member of a member is found, and a time of change before one of creation', async () => {
  const form = forms['a date and a time'];
  const rows = rowsOf(form).map(({ id, updated_at: at }) => ({ id, made: { created: '2025-01-01', updatedAt: at } }));
  const answer: Answer = ({ target }) => {
    const asked = new URL(target, 'http://x').searchParams.get('updatedAfter') ?? '';
    return json(rows.filter(({ made }) => String(made.updatedAt) >= asked));
  };
  const { incremental } = await found(answer);
  assert.is(incremental, '{ "path": "made.updatedAt", "param": "updatedAfter" }');
});

/** Pages go by the same parameter: each begins at the last value of the one before. */
const byTime =
  (rows: readonly Row[]): Answer =>
  ({ target }) => {
    const { searchParams } = new URL(target, 'http://x');
    const asked = searchParams.get('updated_since') ?? '';
    const size = Math.min(20, Number(searchParams.get('limit') ?? 20));
    const sorted = [...rows].sort((a, b) => (String(a.updated_at) < String(b.updated_at) ? -1 : 1));
    return json({ data: sorted.filter((row) => String(row.updated_at) >= asked).slice(0, size) });
  };

test('the pages may go by the same parameter', async () => {
  const { incremental, text, said } = await found(byTime(rowsOf(forms['a date and a time'])));
  assert.match(text, '"method": "keyset"');
  assert.is(incremental, '{ "path": "updated_at", "param": "updated_since" }', said.join('\n'));
});

test('a time of creation is proposed with what it cannot show', async () => {
  const rows = rowsOf(forms['a date and a time'], 40, 'created_at');
  const { incremental, text, said } = await found(filtering({ rows, member: 'created_at', param: 'created_after' }));
  assert.is(incremental, '{ "path": "created_at", "param": "created_after" }', said.join('\n'));
  assert.match(text, '// Items that change later are not asked for again');
});

test('items without such a member cost no request', async () => {
  const rows = (more: Row) => Array.from({ length: 5 }, (_, id) => ({ id, name: `row ${id}`, ...more }));
  const plain = await found(() => json(rows({})));
  const { said, targets } = await found(() => json(rows({ updated_by: 'ada', updated: null, changed: true })));
  assert.not.match(said.join('\n'), 'incremental');
  assert.is(targets.length, plain.targets.length);
});

test('on a terminal it is a question, after the proof', async () => {
  const answer = filtering({ rows: rowsOf(forms['a date']) });
  const asked: string[] = [];
  const answering = (yes: boolean) => ({
    questions: {
      ...noQuestions,
      confirm: async (question: string) => {
        asked.push(question);
        return yes;
      },
    },
  });
  assert.is((await found(answer, answering(false))).incremental, undefined);
  assert.ok((await found(answer, answering(true))).isIncremental);
  assert.match(asked[0] ?? '', 'only for items with a newer "updated_at", by "updated_since"?');
  assert.is(asked.length, 2);
});

test('with a limit of requests nothing unproven is written', async () => {
  const answer = filtering({ rows: rowsOf(forms['a date']) });
  for (let most = 2; most < 16; most++) {
    const { incremental, targets } = await found(answer, { maxRequests: most });
    assert.ok(targets.length <= most);
    const isAsked = targets.some(({ target }) => /^\/rows\?updated_since=[^&]+$/.test(target));
    assert.ok(incremental === undefined || isAsked, `${most}: ${incremental}`);
  }
});

const document = (origin: string) => ({
  openapi: '3.1.0',
  servers: [{ url: origin }],
  paths: {
    '/rows': {
      get: {
        operationId: 'listRows',
        parameters: [
          { name: 'dirtyFromDate', in: 'query', schema: { type: 'string', format: 'date' } },
          { name: 'page', in: 'query', schema: { type: 'integer' } },
        ],
        responses: { '200': { content: { 'application/json': { schema: { type: 'array', items: {} } } } } },
      },
    },
  },
});

test('a parameter that a document describes is asked for, and proven', () =>
  inTemporary(async (folder) => {
    const api = await startApi(filtering({ rows: rowsOf(forms['a date']), param: 'dirtyFromDate' }));
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document(api.origin)));
    const made = await findConfiguration([file], { maxRequests: 20, operation: 'listRows' });
    await api.close();
    assert.match(made.text, '"incremental": { "path": "updated_at", "param": "dirtyFromDate" }');
  }));

const later: Readonly<Record<string, (rows: readonly Row[]) => Answer>> = {
  'items from the value on': (rows) => filtering({ rows }),
  'items above the value': (rows) => filtering({ rows, keeps: above }),
  'pages by the same parameter': byTime,
};

for (const [name, answer] of Object.entries(later)) {
  test(`what it writes asks for what is new, and loses and doubles nothing: ${name}`, () =>
    inTemporary(async (folder) => {
      const form = forms['a date and a time'];
      const rows = [...rowsOf(form)];
      const api = await startApi(answer(rows));
      const file = join(folder, 'config.json');
      const made = await commandHere(['init', `${api.origin}/rows`, '--yes', '--out', file]);
      assert.is(made.exit, 0, made.stderr);
      assert.match(made.stderr, '--state st --resume');
      const pull = async () => {
        const before = api.requests.length;
        const to = ['--to', `ndjson:${join(folder, 'out')}?mode=append`, '--state', join(folder, 'st')];
        const ended = await commandHere(['run', file, ...to]);
        assert.is(ended.exit, 0, ended.stderr);
        return api.requests.slice(before).map(({ target }) => target);
      };
      assert.not.match((await pull())[0] ?? '', 'updated_since');
      // One at the last moment, and one after it.
      rows.push({ id: 100, updated_at: form(19) }, { id: 101, updated_at: form(30) });
      assert.match((await pull())[0] ?? '', 'updated_since=2026-01-01T00');
      await pull();
      const shown = await commandHere(['state', 'show', join(folder, 'st'), '--json']);
      assert.match(JSON.parse(shown.stdout)[0].value, String(form(30)));
      const names = await readdir(join(folder, 'out'));
      const lines = (await Promise.all(names.map((name) => readFile(join(folder, 'out', name), 'utf8'))))
        .join('')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id);
      assert.equal(
        lines.sort((a, b) => a - b),
        [...rows.map(({ id }) => Number(id))].sort((a, b) => a - b),
      );
      await api.close();
    }));
}

test('names of parameters are known by their words, and never those of pages', () => {
  const known = 'since updated_since updatedAfter created[gte] date_from fromDate start_time updatedMin modified_after';
  for (const name of known.split(' ')) assert.ok(isSinceName(name), name);
  for (const name of 'startAt start from after since_id updated_before page offset until'.split(' '))
    assert.not.ok(isSinceName(name), name);
  assert.equal(sinceNamesFor('made.updatedAt').slice(0, 3), ['updatedSince', 'updatedAfter', 'since']);
  assert.equal(sinceNamesFor('modified').slice(0, 2), ['modified_since', 'modified_after']);
});

test.run();
