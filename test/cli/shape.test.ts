/** `rxtract shape` and `run --shape`: what is printed and written, and what is refused before the first request. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, type Ended, inTemporary } from '../blackbox/command.js';
import { json, startApi } from '../loopback/api.js';

interface Scene {
  readonly folder: string;
  readonly requests: () => number;
  call(...words: readonly string[]): Promise<Ended>;
}

/** Two pages; the second has a member that the first has not. */
const inScene = (work: (scene: Scene) => Promise<void>) => () =>
  inTemporary(async (folder) => {
    const api = await startApi(({ target }) => {
      if (target.includes('page=1'))
        return json([
          { id: 1, name: 'secret-name' },
          { id: 2, name: null },
        ]);
      return json(target.includes('page=2') ? [{ id: 3, name: 'c', late: true }] : []);
    });
    const config = {
      api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum' } },
      config: { jobs: [{ endpoint: 'users' }] },
    };
    const call = (...words: readonly string[]) => commandHere(words, { stdin: JSON.stringify(config) });
    const requests = () => api.requests.length;
    await work({ folder, requests, call }).finally(() => api.close());
  });

const membersOf = (text: string) => Object.keys(JSON.parse(text).$defs.users.properties);

test(
  'the shape of the first page goes to standard output, alone',
  inScene(async ({ call, requests }) => {
    const { exit, stdout, stderr } = await call('shape', '-');
    assert.equal([exit, stderr, requests()], [0, '', 1]);
    const { $schema, $defs } = JSON.parse(stdout);
    assert.is($schema, 'https://json-schema.org/draft/2020-12/schema');
    assert.equal($defs.users, {
      type: 'object',
      properties: {
        id: { type: 'integer', 'x-seen': { count: 2, range: [1, 2] } },
        name: { type: ['string', 'null'], 'x-seen': { count: 2, null: 1, length: [11, 11] } },
      },
      required: ['id', 'name'],
      additionalProperties: false,
      'x-seen': { count: 2 },
    });
  }),
);

test(
  'all pages, some pages, a file and a recording',
  inScene(async ({ call, folder }) => {
    const [out, recording] = [join(folder, 'a', 'shape.json'), join(folder, 'run.jsonl')];
    const whole = await call('shape', '-', '--whole', '--out', out, '--record', recording);
    assert.equal([whole.exit, whole.stdout], [0, '']);
    const text = await readFile(out, 'utf8');
    assert.equal(membersOf(text), ['id', 'name', 'late']);
    assert.is((await call('shape', '-', '--pages', '2')).stdout, text);
    assert.is((await call('shape', '-', '--replay', recording)).stdout, text);
    assert.equal(membersOf((await call('shape', '-', '--replay', recording, '--pages', '1')).stdout), ['id', 'name']);
    assert.equal(membersOf((await call('shape', '-', '--select', 'id')).stdout), ['id']);
    assert.is((await call('shape', '--from', out)).stdout, text);
    assert.match(
      (await call('shape', '--from', out, '--as', 'ts')).stdout,
      /^export interface Users \{\n {2}id: number;/,
    );
    assert.match(
      (await call('shape', '-', '--as', 'sql:duckdb')).stdout,
      /^CREATE TABLE "users" \(\n {2}"id" BIGINT NOT NULL,/,
    );
  }),
);

test(
  'nothing is written if the run fails',
  inScene(async ({ call, folder }) => {
    const out = join(folder, 'shape.json');
    await writeFile(out, 'before');
    const { exit } = await call(
      'shape',
      '-',
      '--out',
      out,
      '--set',
      'api.baseUrl=http://127.0.0.1:9/',
      '--set',
      'api.retryConfig={"maxRetries":0}',
    );
    assert.is(exit, 1);
    assert.is(await readFile(out, 'utf8'), 'before');
  }),
);

test(
  'a run says which page and item first differed',
  inScene(async ({ call, folder }) => {
    const shape = join(folder, 'shape.json');
    await call('shape', '-', '--out', shape);
    const before = await readFile(shape, 'utf8');
    const run = (...words: readonly string[]) => call('run', '-', '--to', 'null:', '--shape', shape, ...words);
    const warned = await run();
    assert.is(warned.exit, 0);
    assert.match(
      warned.stderr,
      'warning: users, page 2: item 0 of the page (from 0) differs from its shape: "late" is new: boolean [drift]',
    );
    assert.match(
      warned.stderr,
      '1 item of this process differs from the shape; first\n  users, page 2, item 0: "late" is new: boolean\n',
    );
    const failed = await run('--on-drift', 'fail');
    assert.is(failed.exit, 1);
    assert.match(failed.stderr, /error: .*"late" is new: boolean(?:.|\n)*ERR_SHAPE/);
    const logged = await run('--log', 'json', '--allow', 'drift');
    const summary = JSON.parse(logged.stderr.trim().split('\n').at(-1) ?? '');
    assert.equal([summary.drift.items, summary.drift.places[0].page, summary.drift.places[0].item], [1, 2, 0]);
    assert.is(await readFile(shape, 'utf8'), before);
    const evolved = await run('--on-drift', 'evolve');
    assert.is(evolved.exit, 0, evolved.stderr);
    const after = await readFile(shape, 'utf8');
    assert.equal(membersOf(after), ['id', 'name', 'late']);
    assert.not.match((await run('--strict')).stderr, 'drift');
    await run('--on-drift', 'evolve');
    assert.is(await readFile(shape, 'utf8'), after, 'nothing has differed');
  }),
);

const refused: readonly (readonly [what: string, text: string | undefined, message: RegExp])[] = [
  ['a file that is not there', undefined, /^error: .*shape\.json: cannot be read: .*\n/],
  ['a file that is not JSON', '{', /^error: .*shape\.json: /],
  ['a file that is no shape', '{"api":{}}', /^error: .*shape\.json is no shape: expected "\$defs"/],
  [
    'an unknown keyword',
    '{"$defs":{"users":{"type":"object","maxProperties":3}}}',
    /\$defs\.users\.maxProperties: unknown keyword/,
  ],
  [
    'another data type',
    '{"$defs":{"user":{"type":"object"}}}',
    /there is none of the data type "users"; did you mean "user"\?/,
  ],
];

for (const [what, text, message] of refused) {
  test(
    `is refused before the first request: ${what}`,
    inScene(async ({ call, folder, requests }) => {
      const shape = join(folder, 'shape.json');
      if (text !== undefined) await writeFile(shape, text);
      const { exit, stderr } = await call('run', '-', '--to', 'null:', '--shape', shape);
      assert.equal([exit, requests()], [1, 0], stderr);
      assert.match(stderr, message);
      if (what === 'another data type') return;
      assert.match((await call('shape', '--from', shape, '--as', 'ts')).stderr, message);
    }),
  );
}

test(
  'options that do not belong together are refused',
  inScene(async ({ call, requests }) => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['run', '-', '--on-drift', 'warn'], /--on-drift needs --shape FILE/],
      [
        ['run', '-', '--on-drift', 'stop', '--shape', 'x'],
        /--on-drift is warn, fail, drop, dead-letter or evolve, found "stop"/,
      ],
      [['shape', '-', '--from', 'x'], /--from takes the place of CONFIG/],
      [['shape', '-', '--whole', '--pages', '2'], /exclude each other/],
      [['shape', '-', '--as', 'sql'], /--as is json, ts, sql:postgres, sql:duckdb or dbt, found "sql"/],
      [['shape'], /CONFIG is missing/],
    ];
    for (const [words, message] of cases) {
      const { exit, stderr } = await call(...words);
      assert.is(exit, 1, words.join(' '));
      assert.match(stderr, message);
    }
    assert.is(requests(), 0);
  }),
);

test.run();
