/** A run in a data folder as a black box: the files it reads and writes, and those it leaves after a failure. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { items, json, type Reply, startApi } from '../loopback/api.js';
import { posixMissing, testWhere } from '../where.js';
import { command, type Ended, filesIn, inTemporary, ownCommand, type RunOptions } from './command.js';
import { lines } from './row.js';

type Parts = Readonly<Record<string, unknown>>;

interface Case {
  readonly api?: Parts;
  readonly config?: Parts;
  /** Members of the document beside `api` and `config`. */
  readonly more?: Parts;
  /** Files of the folder by path, also in the place of config.json. */
  readonly files?: Readonly<Record<string, string>>;
  readonly answer?: (target: string) => Reply;
  /** Default: `run --data-dir DIR`, with items as NDJSON. */
  readonly words?: (directory: string) => readonly string[];
  readonly options?: (directory: string) => RunOptions;
}

interface Outcome extends Ended {
  readonly targets: readonly string[];
  readonly out: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, string>>;
  readonly stateMode: number | undefined;
}

/** Items as they are, in the place of the tables. */
const toFiles = (directory: string) => ['--to', `ndjson:${join(directory, 'out', 'tables')}`];

const users = { endpoint: 'users', dataType: 'users' };
const since = { ...users, params: { since: { time: 'previousStart' } } };

function play({ api, config, more, files, answer, words, options }: Case): Promise<Outcome> {
  return inTemporary(async (directory) => {
    const server = await startApi(({ target }) => (answer ?? (() => json(items(1, 1))))(target));
    try {
      const jobs = { jobs: [users], ...config };
      const document = { api: { baseUrl: `${server.origin}/`, ...api }, config: jobs, ...more };
      const all = { 'config.json': JSON.stringify(document), ...files };
      for (const [path, content] of Object.entries(all)) {
        await mkdir(join(directory, path, '..'), { recursive: true });
        if (content !== '') await writeFile(join(directory, path), content);
      }
      const chosen = words?.(directory) ?? ['run', '--data-dir', directory, ...toFiles(directory)];
      const given = options?.(directory) ?? {};
      const needsOwn = given.onStart !== undefined || chosen.includes('stdout:');
      const ended = await (needsOwn ? ownCommand : command)(chosen, { cwd: directory, ...given });
      const out = join(directory, 'out');
      const state = await stat(join(out, 'state.json')).catch(() => undefined);
      return {
        ...ended,
        targets: server.requests.map(({ target }) => target),
        out: await filesIn(out),
        tables: await filesIn(join(out, 'tables')),
        stateMode: state === undefined ? undefined : state.mode & 0o777,
      };
    } finally {
      await server.close();
    }
  });
}

const stateOf = ({ out }: Outcome) => out['state.json'] ?? '';

test('the state of the last run is read, and that for the next one written, all else in it kept to the digit', async () => {
  const before = Math.floor(Date.now() / 1000);
  const state = '{"own": {"n": 12345678901234567890}, "time": {"previousStart": 1492606006, "mark": "x"}}';
  const outcome = await play({ config: { jobs: [since] }, files: { 'in/state.json': state } });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.not.match(outcome.stderr, /warning/);
  assert.equal(outcome.targets, ['/users?since=1492606006']);
  assert.equal(outcome.tables, { 'users.ndjson': lines(...items(1, 1)) });
  const [, start = ''] = /"previousStart":(\d+)/.exec(stateOf(outcome)) ?? [];
  assert.ok(Number(start) >= before && Number(start) <= Date.now() / 1000, `previousStart ${start}`);
  assert.is(stateOf(outcome), `{"own":{"n":12345678901234567890},"time":{"mark":"x","previousStart":${start}}}\n`);
});

testWhere(posixMissing)('the state may be read by its owner alone', async () => {
  const outcome = await play({ files: { 'in/state.json': '{}', 'out/state.json': '{"old": 1}' } });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.is(outcome.stateMode, 0o600);
  assert.not.match(stateOf(outcome), /old/);
  assert.equal(Object.keys(outcome.out), ['state.json']);
});

test('a missing state of a first run is reported without a warning, so that a strict run succeeds', async () => {
  const words = (directory: string) => ['run', '--strict', '--data-dir', directory, ...toFiles(directory)];
  const outcome = await play({ config: { jobs: [since] }, words });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.match(outcome.stderr, /^no \S+in\/state\.json: this is the first run$/m);
  assert.not.match(outcome.stderr, /warning/);
  assert.equal(outcome.targets, ['/users?since=0']);
  assert.match(stateOf(outcome), /^\{"time":\{"previousStart":\d+\}\}\n$/);
});

const unusable = [
  {
    what: 'no JSON',
    files: { 'in/state.json': '{"time": ' },
    says: /in\/state\.json: no state: invalid JSON at byte 9/,
  },
  {
    what: 'one of another time',
    files: { 'in/state.json': '{"time": {"previousStart": "soon"}}' },
    says: /in\/state\.json: no state: expected a Unix time at "time\.previousStart"/,
  },
  { what: 'a list', files: { 'in/state.json': '[1]' }, says: /in\/state\.json: no state: expected an object/ },
  { what: 'a folder', files: { 'in/state.json/x': '' }, says: /in\/state\.json: cannot be read: illegal operation/ },
];

for (const { what, files, says } of unusable) {
  test(`a state that is ${what} is a warning, and counts as missing`, async () => {
    const outcome = await play({ config: { jobs: [since] }, files });
    assert.is(outcome.exit, 0, outcome.stderr);
    assert.match(outcome.stderr, /warning/);
    assert.match(outcome.stderr, says);
    assert.equal(outcome.targets, ['/users?since=0']);
    assert.match(stateOf(outcome), /^\{"time":\{"previousStart":\d+\}\}\n$/);
  });

  test(`a state that is ${what} ends a strict run before any request`, async () => {
    const words = (directory: string) => ['run', '--strict', '--data-dir', directory, ...toFiles(directory)];
    const outcome = await play({ files, words });
    assert.is(outcome.exit, 1, outcome.stderr);
    assert.match(outcome.stderr, /ERR_STRICT/);
    assert.equal([outcome.targets, outcome.out, outcome.tables], [[], {}, {}]);
  });
}

test('a limit that ended a job leaves no state, because the next run would skip the missing items', async () => {
  const answer = () => json(items(1, 2));
  const words = (directory: string) => ['run', '--data-dir', directory, '--max-items', '1', ...toFiles(directory)];
  const outcome = await play({ files: { 'in/state.json': '{}' }, answer, words });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.match(outcome.stderr, /no state is written, because a limit of this run ended a job/);
  assert.equal(outcome.tables, { 'users.ndjson': lines(...items(1, 1)) });
  assert.equal(stateOf(outcome), '');
});

test('an empty list is an empty state', async () => {
  const outcome = await play({ files: { 'in/state.json': '[]' } });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.not.match(outcome.stderr, /warning/);
});

test('KBC_DATADIR names the folder of a run without CONFIG, with or without a slash at its end', async () => {
  for (const slash of ['', '/']) {
    const outcome = await play({
      files: { 'in/state.json': '{}' },
      words: (directory) => ['run', ...toFiles(directory)],
      options: (directory) => ({ env: { KBC_DATADIR: `${directory}${slash}` } }),
    });
    assert.is(outcome.exit, 0, outcome.stderr);
    assert.equal(Object.keys(outcome.tables), ['users.ndjson']);
  }
});

test('CONFIG takes precedence over KBC_DATADIR', async () => {
  const outcome = await play({
    words: () => ['run', 'config.json', '--to', 'stdout:'],
    options: (directory) => ({ env: { KBC_DATADIR: directory } }),
  });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.is(outcome.stdout, lines(...items(1, 1)));
  assert.equal([outcome.out, outcome.tables], [{}, {}]);
});

const broken: readonly (Case & { readonly what: string; readonly exit: number; readonly says: RegExp })[] = [
  {
    what: 'a missing config.json',
    files: { 'config.json': '' },
    exit: 2,
    says: /config\.json: cannot be read: no such/,
  },
  { what: 'a config.json that is no JSON', files: { 'config.json': '{"api": }' }, exit: 2, says: /config\.json:1:9: / },
  { what: 'a config.json that is no object', files: { 'config.json': '[]' }, exit: 1, says: /ERR_CONFIG\n/ },
  {
    what: 'a faulty configuration',
    config: { jobs: [{}] },
    exit: 1,
    says: /jobs\[0\]\.endpoint: required[\s\S]*ERR_CONFIG\n/,
  },
  {
    what: 'CONFIG beside the folder',
    words: (directory) => ['run', 'config.json', '--data-dir', directory],
    exit: 1,
    says: /remove "config\.json" or --data-dir[\s\S]*ERR_USAGE/,
  },
  {
    what: '--cache-dir beside the folder',
    words: (directory) => ['run', '--data-dir', directory, '--cache-dir', 'cache'],
    exit: 1,
    says: /remove --cache-dir[\s\S]*ERR_USAGE/,
  },
  {
    what: 'an empty name for the folder',
    words: () => ['run', '--data-dir', ''],
    exit: 1,
    says: /--data-dir needs a folder[\s\S]*ERR_USAGE/,
  },
];

for (const { what, exit, says, ...rest } of broken) {
  test(`${what} exits with ${exit}, before any request and without a state`, async () => {
    const outcome = await play({ ...rest });
    assert.is(outcome.exit, exit, outcome.stderr);
    assert.match(outcome.stderr, says);
    assert.equal([outcome.targets, outcome.out, outcome.tables], [[], {}, {}]);
    assert.is(exit === 2, /ERR_DATA_FOLDER/.test(outcome.stderr), outcome.stderr);
  });
}

const api = { pagination: { method: 'pagenum' }, retryConfig: { maxRetries: 0 } };
const earlier = { 'out/tables/users.ndjson': 'earlier\n', 'out/state.json': '{"earlier":true}' };

test('a failed run publishes nothing and keeps earlier files', async () => {
  const answer = (target: string) => (target.endsWith('page=1') ? json(items(1, 1)) : json({}, { status: 500 }));
  const outcome = await play({ api, answer, files: earlier });
  assert.is(outcome.exit, 1, outcome.stderr);
  assert.equal(outcome.targets.length, 2);
  assert.equal(outcome.tables, { 'users.ndjson': 'earlier\n' });
  assert.equal(outcome.out, { 'state.json': '{"earlier":true}' });
});

test('an interrupted run publishes nothing and keeps earlier files', async () => {
  let interrupt = () => {};
  const answer = (target: string): Reply =>
    target.endsWith('page=1') ? json(items(1, 1)) : { body: () => interrupt() };
  const options = () => ({
    onStart: (signal: (name: NodeJS.Signals) => void) => {
      interrupt = () => signal('SIGINT');
    },
  });
  const outcome = await play({ api, answer, files: earlier, options });
  assert.is(outcome.exit, 130, outcome.stderr);
  assert.equal(outcome.tables, { 'users.ndjson': 'earlier\n' });
  assert.equal(outcome.out, { 'state.json': '{"earlier":true}' });
});

test('a run of some jobs writes no state', async () => {
  const config = { jobs: [users, { endpoint: 'orders' }] };
  const words = (directory: string) => ['run', '--data-dir', directory, '--job', 'users', ...toFiles(directory)];
  const outcome = await play({ config, words });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.match(outcome.stderr, /no state is written, because only some of the jobs have run/);
  assert.equal([Object.keys(outcome.tables), outcome.out], [['users.ndjson'], {}]);
});

const buckets: readonly (Case & { readonly what: string; readonly names: readonly string[] })[] = [
  { what: 'outputBucket', config: { outputBucket: 'shop' }, names: ['shop.users.ndjson'] },
  { what: 'outputBucket before id', config: { outputBucket: 'shop', id: 7 }, names: ['shop.users.ndjson'] },
  { what: 'id', config: { id: '7' }, names: ['ex-api-generic-7.users.ndjson'] },
  { what: 'api.name and id', api: { name: 'crm' }, config: { id: 7 }, names: ['ex-api-crm-7.users.ndjson'] },
  { what: 'neither', config: { outputBucket: '', id: 0 }, names: ['users.ndjson'] },
  {
    what: 'iterations of two buckets and of none',
    more: { iterations: [{ outputBucket: 'one' }, { outputBucket: 'two' }, {}] },
    names: ['one.users.ndjson', 'two.users.ndjson', 'users.ndjson'],
  },
];

for (const { what, names, ...rest } of buckets) {
  test(`names of files by ${what}`, async () => {
    const outcome = await play({ ...rest, files: { 'in/state.json': '{}' } });
    assert.is(outcome.exit, 0, outcome.stderr);
    assert.equal(outcome.tables, Object.fromEntries(names.map((name) => [name, lines(...items(1, 1))])));
    assert.match(outcome.stderr, /^users /m);
  });
}

test('iterations of one bucket share a file', async () => {
  const more = { iterations: [{ n: 1 }, { n: 2 }] };
  const config = { outputBucket: 'shop', jobs: [{ ...users, params: { n: { attr: 'n' } } }] };
  const answer = (target: string) => json(items(Number(target.at(-1)), 1));
  const outcome = await play({ more, config, answer });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.equal(outcome.tables, { 'shop.users.ndjson': lines(...items(1, 2)) });
});

test('without a data folder a bucket names no file, with a notice', async () => {
  const config = { outputBucket: 'shop', incrementalOutput: true, compatLevel: 2 };
  const words = (directory: string) => ['run', 'config.json', '--to', `ndjson:${join(directory, 'out', 'tables')}`];
  const outcome = await play({ config, words });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.equal(Object.keys(outcome.tables), ['users.ndjson']);
  assert.match(
    outcome.stderr,
    /in a data folder \(`--data-dir`\): "outputBucket"; .* "incrementalOutput", "compatLevel"\n/,
  );
  assert.not.match(outcome.stderr, /warning/);
});

test('an empty table replaces that of an earlier run, even if no page had anything at `dataField`', async () => {
  const { exit, tables, stderr } = await play({
    config: { jobs: [{ ...users, dataField: 'data' }] },
    files: { 'out/tables/users.ndjson': 'earlier\n' },
    answer: () => json({ items: [] }),
  });
  assert.is(exit, 0, stderr);
  assert.equal(tables, { 'users.ndjson': '' });
  assert.not.match(stderr, /not-replaced/);
});

test('repeated items on every page are a warning, and end no job', async () => {
  const outcome = await play({
    api: { pagination: { method: 'pagenum' } },
    answer: (target) => {
      const page = Number(/page=(\d+)/.exec(target)?.[1]);
      return json({ page, items: page <= 14 ? items(1, 1) : [] });
    },
  });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.is(outcome.stderr.match(/\[repeated-items\]/g)?.length, 1);
  assert.equal(outcome.tables, { 'users.ndjson': lines(...Array.from({ length: 14 }, () => items(1, 1)[0])) });
});

const tags = [
  { id: 1, name: 'Ada', tags: ['a', 'b'], address: { city: 'X' } },
  { id: 2, name: 'Bob', late: true },
];
const tables = (directory: string) => ['run', '--data-dir', directory];

test('tables with manifests are the output without --to, and the state keeps their columns', async () => {
  const outcome = await play({
    config: { outputBucket: 'shop', incrementalOutput: true },
    answer: () => json(tags),
    words: tables,
  });
  assert.is(outcome.exit, 0, outcome.stderr);
  const [, id = ''] = /(users_[0-9a-f]{32})/.exec(outcome.tables['shop.users'] ?? '') ?? [];
  assert.equal(outcome.tables, {
    'shop.users': `"id","name","tags","address_city","late"\n"1","Ada","${id}","X",""\n"2","Bob","","","1"\n`,
    'shop.users.manifest': '{"destination":"in.c-shop.users","incremental":true}',
    'shop.users_tags': `"data","JSON_parentId"\n"a","${id}"\n"b","${id}"\n`,
    'shop.users_tags.manifest': '{"destination":"in.c-shop.users_tags","incremental":true}',
  });
  assert.match(stateOf(outcome), /"json_parser.struct":\{"data":\{"_users":.*"json_parser.structVersion":3\}\n$/);
  assert.not.match(outcome.stderr, /table-settings|warning/);
  assert.equal(Object.keys(outcome.out), ['state.json']);
});

test('columns of an earlier state come first', async () => {
  const first = await play({ answer: () => json([{ old: 1, id: 2 }]), words: tables });
  const second = await play({
    answer: () => json([{ id: 3, fresh: 4 }]),
    files: { 'in/state.json': stateOf(first) },
    words: tables,
  });
  assert.is(second.tables.users, '"old","id","fresh"\n"","3","4"\n');
});

test('an item that fits no table ends the run at its page, and publishes nothing', async () => {
  const answer = (target: string) => json(target.endsWith('page=1') ? [{ a: 1 }] : [{ a: { b: 2 } }]);
  const outcome = await play({ api, answer, words: tables, files: { 'out/tables/users': 'earlier' } });
  assert.is(outcome.exit, 1, outcome.stderr);
  assert.match(outcome.stderr, /"a" of "users" is an object, and was a single value in an earlier item/);
  assert.match(outcome.stderr, /ERR_TABLE/);
  assert.is(outcome.targets.length, 2);
  assert.equal(outcome.tables, { users: 'earlier' });
});

test('mappings choose the columns and tables; one without rows has its header', async () => {
  const mappings = {
    users: {
      id: { mapping: { destination: 'id', primaryKey: true } },
      name: 'title',
      tags: { type: 'table', destination: 'tag', tableMapping: { '.': { mapping: { destination: 'tag' } } } },
    },
    others: { id: { mapping: { destination: 'key' } } },
  };
  const outcome = await play({ config: { mappings }, answer: () => json(tags), words: tables });
  assert.is(outcome.exit, 0, outcome.stderr);
  assert.equal(outcome.tables, {
    users: '"id","title"\n"1","Ada"\n"2","Bob"\n',
    'users.manifest': '{"incremental":false,"primary_key":["id"]}',
    tag: '"tag","users_pk"\n"a","1"\n"b","1"\n"","2"\n',
    'tag.manifest': '{"incremental":false}',
    others: '"key"\n',
    'others.manifest': '{"incremental":false}',
  });
  assert.not.match(stateOf(outcome), /json_parser/);
});

test.run();
