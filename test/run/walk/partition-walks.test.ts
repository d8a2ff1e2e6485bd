/** A job with `each`: which requests its walks send, and what reaches the sink. docs/13-second-run.md#partitions. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type MemorySink, memory } from '../../../sinks/index.js';
import { fromPlain, isObject } from '../../../src/core/json/exact.js';
import { run } from '../../../src/run/extract.js';
import { planRun } from '../../../src/run/plan/make-plan.js';
import { inFolder, rejection } from '../../sinks/lib.js';
import { configOf, json, onNetwork } from '../../support/mock-network.js';

const textOf = ({ batches }: MemorySink): string => batches.map(({ bytes }) => Buffer.from(bytes).toString()).join('');

test(
  'walks each combination, the last key fastest: a key of the endpoint is filled in, another one is a parameter',
  onNetwork(
    {
      'GET /eu/sales?state=open&kind=1': json([{ a: 1 }]),
      'GET /eu/sales?state=open&kind=b+c': json([]),
      'GET /us/sales?state=open&kind=1': json([{ a: 2 }]),
      'GET /us/sales?state=open&kind=b+c': json([{ a: 3 }]),
    },
    async ({ dispatcher, lines }) => {
      const to = memory();
      const each = { region: ['eu', 'us'], kind: [1, 'b c'] };
      const job = { endpoint: '{region}/sales', dataType: 'sales', params: { state: 'open' }, each };
      const { jobs } = await run(configOf([job]), { to, dispatcher });
      assert.equal(
        lines().map((line) => line.replace('GET /', '').replace('/sales?state=open&kind=', ' ')),
        ['eu 1', 'eu b+c', 'us 1', 'us b+c'],
      );
      assert.is(textOf(to), '{"a":1}\n{"a":2}\n{"a":3}\n');
      assert.is(jobs.length, 1);
      assert.equal([jobs[0]?.items, jobs[0]?.requests], [3, 4]);
      assert.match(String(jobs[0]?.stop), /\(each of 4 walks\)$/);
    },
  ),
);

test(
  'the walks run side by side, and their items keep the order',
  onNetwork(
    { 'GET /a?n=1': json([1]), 'GET /a?n=2': json([2]), 'GET /a?n=3': json([3]) },
    async ({ dispatcher, inFlight }) => {
      const to = memory();
      await run(configOf([{ endpoint: 'a', each: { n: [1, 2, 3] } }]), { to, dispatcher, concurrency: 3 });
      assert.is(textOf(to), '1\n2\n3\n');
      assert.is(inFlight.most, 3);
    },
  ),
);

test(
  'each walk has its own pages, and its children know its values',
  onNetwork(
    {
      'GET /a?limit=1&page=1&n=x': json([{ id: 7 }]),
      'GET /a/x/7?limit=1&page=1': json([]),
      'GET /a?limit=1&page=2&n=x': json([]),
      'GET /a?limit=1&page=1&n=y': json([]),
    },
    async ({ dispatcher }) => {
      const children = [{ endpoint: 'a/{n}/{id}', placeholders: { id: 'id' } }];
      const jobs = [{ endpoint: 'a', each: { n: ['x', 'y'] }, children }];
      await run(configOf(jobs, { pagination: { method: 'pagenum', limit: 1 } }), { dispatcher });
    },
  ),
);

test(
  'values of another job: a walk for each of its items, without a member for them',
  onNetwork(
    {
      'GET /users': json([{ id: 1 }, { id: 2 }]),
      'GET /orders?user=1': json([{ o: 1 }]),
      'GET /orders?user=2': json([]),
    },
    async ({ dispatcher }) => {
      const to = memory();
      const orders = { endpoint: 'orders', dataType: 'orders', each: { user: { job: 'users', path: 'id' } } };
      const { jobs } = await run(configOf([orders, { endpoint: 'users' }]), { to, dispatcher });
      assert.is(textOf(to), '{"id":1}\n{"id":2}\n{"o":1}\n');
      assert.equal(
        jobs.map(({ job, parent }) => [job, parent]),
        [
          ['users', undefined],
          ['orders', 'users'],
        ],
      );
    },
  ),
);

test(
  'values of a column of a file, and of its lines',
  inFolder(async (dir) => {
    const [csv, list] = [join(dir, 'ids.csv'), join(dir, 'ids.txt')];
    writeFileSync(csv, '\ufeffname,id\r\n"a, ""b""",1\r\nc,\r\n"d\ne",2');
    writeFileSync(list, '7\n\n8\n');
    const routes = {
      'GET /a?n=1&m=7': json([]),
      'GET /a?n=1&m=8': json([]),
      'GET /a?n=2&m=7': json([]),
      'GET /a?n=2&m=8': json([]),
    };
    await onNetwork(routes, async ({ dispatcher }) => {
      const each = { n: { file: csv, column: 'id' }, m: { file: list } };
      await run(configOf([{ endpoint: 'a', each }]), { dispatcher });
    })();
  }),
);

const faults: readonly (readonly [rule: string, content: string | Buffer, says: RegExp])[] = [
  ['without the column', 'idd\n1', /there is no column "id"; did you mean "idd"\?/],
  ['without values', 'id\n', /has no values/],
  [
    'with a quote that is never closed',
    'id\n1\n"2',
    /invalid CSV at line 3, cell 1: the quote that is opened in line 3 is never closed/,
  ],
  ['with a row that lacks a cell', 'id,name\n1,a\n2', /invalid CSV at line 3: a row has 1 cells instead of 2/],
  ['that is not UTF-8', Buffer.of(0x69, 0x64, 0x0a, 0xff), /is not UTF-8/],
];
for (const [rule, content, says] of faults) {
  test(
    `a file ${rule} is an error before any request`,
    inFolder(async (dir) => {
      const file = join(dir, 'ids.csv');
      writeFileSync(file, content);
      const running = run(configOf([{ endpoint: 'a', each: { n: { file, column: 'id' } } }]));
      const error = await rejection(running, 'ERR_CONFIG', says);
      assert.is(error.problems[0]?.path, 'config.jobs[0].each.n');
    }),
  );
}

test(
  'limits count over all walks of the job',
  onNetwork({ 'GET /a?n=1': json([1, 2]) }, async ({ dispatcher }) => {
    const { jobs } = await run(configOf([{ endpoint: 'a', each: { n: [1, 2] } }]), { dispatcher, maxItems: 2 });
    assert.equal([jobs[0]?.items, jobs[0]?.bounded], [2, true]);
  }),
);

test('a plan shows the first walk, and how many there are', async () => {
  const document = fromPlain(configOf([{ endpoint: 'a/{n}', each: { n: [1, 2], m: ['x', 'y', 'z'] } }]));
  if (!isObject(document)) throw new Error('expected an object');
  const { plan } = await planRun(document, {});
  const [job] = plan.iterations[0]?.jobs ?? [];
  assert.is(job?.first?.url, 'https://api.example/a/1?m=x');
  assert.is(job?.walks, 'n=1 m=x, the first of 6 combinations');
  const m = job?.first?.values.find(({ name }) => name === 'm');
  assert.equal(m?.sources, [{ from: 'config.jobs[0].each.m', value: 'x' }]);
});

test('a plan counts windows and combinations, and names the source of each bound', async () => {
  const windows = { from: '2024-01-01', to: '2024-01-04', step: '1d', params: { from: 'since', to: 'until' } };
  const planned = async (job: object) => {
    const document = fromPlain(configOf([{ endpoint: 'a?flag', ...job }]));
    if (!isObject(document)) throw new Error('expected an object');
    const { plan } = await planRun(document, {});
    return plan.iterations[0]?.jobs[0];
  };
  const both = await planned({ windows, each: { n: [1, 2] } });
  assert.match(both?.walks ?? '', /, the first of 2 combinations with 3 windows$/);
  const alone = await planned({ windows });
  assert.match(alone?.walks ?? '', /, the first of 3 windows$/);
  const sources = alone?.first?.values.map(({ name, sources: [{ from } = { from: '' }] }) => `${name}: ${from}`) ?? [];
  assert.ok(sources.includes('since: config.jobs[0].windows.from'), sources.join('\n'));
  assert.ok(sources.includes('flag: config.jobs[0].endpoint'), sources.join('\n'));
});

test.run();
