/** `rehearse`: each fault over real connections, and its verdict; the recording is written here. */
import { writeFile } from 'node:fs/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareOutputs } from '../../../src/tools/rehearse/compare-outputs.js';
import { type FaultName, faultNames } from '../../../src/tools/rehearse/faults.js';
import { command, commandHere, inTemporary } from '../../blackbox/command.js';
import { inCwd } from '../../support/in-cwd.js';

const size = 2;
const total = 5;

interface Line {
  readonly fault: FaultName;
  readonly verdict: string;
  readonly place: string;
  readonly lost?: number;
  readonly repeated?: number;
  readonly code?: string;
  readonly cures: readonly { readonly key: string; readonly value?: string }[];
}

const url = (page: number) => `https://api.example.com/users?page=${page}&limit=${size}`;
const body = (page: number) => {
  const rest = total - (page - 1) * size;
  const items = Array.from({ length: Math.min(size, rest) }, (_, index) => ({ id: (page - 1) * size + index + 1 }));
  return JSON.stringify({ data: items });
};

/** A recorded run of three pages. */
const recording = (bodies: readonly string[]) =>
  [
    { line: 'recording', format: 1, startedAt: 1_700_000_000_000, seed: 1 },
    ...bodies.flatMap((value, index) => {
      const [exchange, at] = [index + 1, 1_700_000_000_000];
      const headers = { 'user-agent': ['rxtract'], 'x-key': ['***'] };
      return [
        { line: 'request', exchange, at, method: 'GET', url: url(exchange), headers },
        { line: 'response', exchange, at, status: 200, headers: { 'content-type': 'application/json' } },
        { line: 'text', exchange, value },
        { line: 'end', exchange, at },
      ];
    }),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

const config = (more: object = {}) => ({
  api: {
    baseUrl: 'https://api.example.com/',
    pagination: { method: 'pagenum', limit: size },
    http: { headers: { 'X-Key': { env: 'KEY' } } },
    ...more,
  },
  config: { jobs: [{ endpoint: 'users', dataField: 'data', dataType: 'users' }] },
});

const inScene = (work: () => Promise<void>) => () =>
  inTemporary((folder) =>
    inCwd(folder, async () => {
      await writeFile('run.jsonl', recording([1, 2, 3].map(body)));
      await writeFile('config.json', JSON.stringify(config()));
      await work();
    }),
  );

const env = { KEY: 'a-secret-value' };

async function rehearsed(...words: readonly string[]) {
  const args = ['rehearse', 'config.json', '--replay', 'run.jsonl', '--seed', '7', '--json', ...words];
  // The process that is killed is one of the built command.
  const { exit, stdout, stderr } = words.includes('killed')
    ? await command(args, { env })
    : await commandHere(args, { env });
  const lines = stdout.split('\n').filter((line) => line !== '');
  assert.not.match(stdout + stderr, env.KEY);
  return { exit, stderr, results: lines.slice(0, -1).map((line): Line => JSON.parse(line)), last: lines.at(-1) ?? '' };
}

/** The verdicts at the first, middle and last page. */
const expected: Readonly<Record<FaultName, readonly string[]>> = {
  'rate-limited': ['held', 'held', 'held'],
  'rate-limited-plain': ['held', 'held', 'held'],
  'server-error': ['held', 'held', 'held'],
  refused: ['held', 'held', 'held'],
  cut: ['held', 'held', 'held'],
  short: ['held', 'held', 'held'],
  slow: ['held', 'held', 'held'],
  stalled: ['held', 'held', 'held'],
  expired: ['ended', 'ended', 'ended'],
  forbidden: ['ended', 'ended', 'ended'],
  'half-json': ['ended', 'ended', 'ended'],
  html: ['ended', 'ended', 'ended'],
  'error-in-200': ['lost', 'lost', 'lost'],
  'empty-page': ['lost', 'lost', 'lost'],
  repeated: ['lost', 'lost'],
  cycle: ['lost', 'lost'],
  inserted: ['repeated', 'repeated'],
  deleted: ['lost', 'lost'],
  killed: ['held', 'held', 'held'],
};

for (const name of faultNames) {
  test(
    `the verdicts of ${name}`,
    inScene(async () => {
      const { exit, results, stderr } = await rehearsed('--only', name);
      assert.equal(
        results.map(({ verdict }) => verdict),
        expected[name],
        stderr,
      );
      const isFinding = expected[name].some((verdict) => verdict !== 'held' && verdict !== 'ended');
      assert.is(exit, isFinding ? 1 : 0);
    }),
  );
}

test(
  'a cure is proven',
  inScene(async () => {
    const { results } = await rehearsed('--only', 'error-in-200');
    for (const { cures } of results) {
      assert.equal(cures, [
        { key: 'api.responseRules', value: '[{"when":{"path":"error","exists":true},"then":"retry"}]' },
      ]);
    }
    const [first] = results;
    assert.is(first?.lost, total);
  }),
);

test(
  'a configuration without retries ends, and its cure holds; rules that it has are kept',
  inScene(async () => {
    const result = 'then';
    const rules = [{ when: { path: 'gone', exists: true }, [result]: 'end' }];
    await writeFile('config.json', JSON.stringify(config({ retryConfig: { maxRetries: 0 }, responseRules: rules })));
    const { exit, results } = await rehearsed('--only', 'cut, server-error,error-in-200');
    assert.is(exit, 1);
    const broken = results.filter(({ fault }) => fault !== 'error-in-200');
    assert.is(broken.length, 6);
    for (const { verdict, cures } of broken) {
      assert.is(verdict, 'ended');
      assert.equal(
        cures.map(({ key }) => key),
        ['api.retryConfig'],
      );
    }
  }),
);

test(
  'text says what was lost, what helps, what was not tried, and the seed',
  inScene(async () => {
    await writeFile('run.jsonl', recording([body(3)]));
    const words = ['rehearse', 'config.json', '--replay', 'run.jsonl', '--except', 'slow,stalled,killed'];
    const { exit, stdout } = await commandHere(words, { env });
    assert.is(exit, 1);
    assert.match(stdout, 'lost 1 item: empty-page at the first page (1); see api.pagination.nextPageFlag');
    assert.match(stdout, 'held with api.responseRules: [');
    assert.match(stdout, 'not tried: repeated: no walk has a second page');
    assert.match(stdout, 'not tried: inserted: no page is asked for by its number or offset');
    assert.match(stdout, /compared with 1 item of 1 page; waits were 50 times shorter; --seed \d+/);
  }),
);

test(
  'bodies without items, and requests that were not recorded',
  inScene(async () => {
    await writeFile('run.jsonl', recording(['{"data":[]}']));
    const { last } = await rehearsed('--only', 'empty-page');
    assert.match(last, 'no page has a list of objects');
    await writeFile('run.jsonl', recording([body(1)]));
    const { exit, stderr } = await rehearsed('--only', 'cut');
    assert.is(exit, 1);
    assert.match(stderr, 'the recording has no such request');
  }),
);

test(
  'names of faults are checked, and listed',
  inScene(async () => {
    const { stdout } = await commandHere(['rehearse', '--list'], { env });
    for (const name of faultNames) assert.match(stdout, name);
    const wrong = await rehearsed('--only', 'stale');
    assert.match(wrong.stderr, '"stale" is no fault');
    assert.match((await rehearsed('--except', 'stalld')).stderr, 'did you mean "stalled"?');
    const without = await commandHere(['rehearse', 'config.json'], { env });
    assert.match(without.stderr, '--replay is missing');
  }),
);

test('outputs are compared as bytes, then as items', () => {
  const files = (text: string) => new Map([['a', text]]);
  assert.is(compareOutputs(files('1\n2\n'), files('1\n2\n')), undefined);
  assert.is(compareOutputs(files('1\n2\n'), files('2\n1\n'))?.isReordered, true);
  assert.is(compareOutputs(files('1\n2\n'), files('1\n3\n'))?.changed, 1);
  assert.is(compareOutputs(files('1\n'), files('1\n1\n'))?.repeated, 1);
  assert.is(compareOutputs(files('1\n'), new Map())?.lost, 1);
});

test.run();
