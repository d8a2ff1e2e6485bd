/**
 * Child jobs: which are walked, in what order, and what reaches the sink. docs/12-compatibility.md#pagination,
 * docs/04-child-jobs.md#placeholders.
 */
import { lastValueFrom, take, tap } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type MemorySink, memory } from '../../../sinks/index.js';
import { extract, run } from '../../../src/run/extract.js';
import { json as loopbackJson, startApi } from '../../loopback/api.js';
import { withTemporaryFiles } from '../../page/lib.js';
import { rejection, turns } from '../../sinks/lib.js';
import { configOf, json, onNetwork } from '../../support/mock-network.js';

const pagination = { method: 'pagenum', limit: 1 };
const byId = { id: 'id' };
const child = (endpoint: string, more: object = {}) => ({ endpoint, placeholders: byId, ...more });

/** The lines that reached the sink, by data type. */
function linesOf({ batches }: MemorySink): Readonly<Record<string, readonly string[]>> {
  const lines: Record<string, string[]> = {};
  for (const { dataType, bytes } of batches) {
    lines[dataType] = [...(lines[dataType] ?? []), ...Buffer.from(bytes).toString().split('\n').slice(0, -1)];
  }
  return lines;
}

test(
  'walks depth first: a page, all its children with theirs, then the next page',
  onNetwork(
    {
      'GET /a?limit=1&page=1': json([{ id: 1 }]),
      'GET /a/1?limit=1&page=1': json([{ x: 'p' }]),
      'GET /a/1?limit=1&page=2': json([]),
      'GET /a/1/p?limit=1&page=1': json([]),
      'GET /b/1?limit=1&page=1': json([]),
      'GET /a?limit=1&page=2': json([{ id: 2 }]),
      'GET /a/2?limit=1&page=1': json([]),
      'GET /b/2?limit=1&page=1': json([]),
      'GET /a?limit=1&page=3': json([]),
    },
    async ({ dispatcher, lines }) => {
      const grandchild = { endpoint: 'a/{2:id}/{x}', placeholders: { '2:id': 'id', x: 'x' } };
      const jobs = [{ endpoint: 'a', children: [child('a/{id}', { children: [grandchild] }), child('b/{id}')] }];
      await run(configOf(jobs, { pagination }), { dispatcher });
      assert.equal(
        lines().map((line) => line.replace('GET /', '').replace('limit=1&page=', '')),
        ['a?1', 'a/1?1', 'a/1/p?1', 'a/1?2', 'b/1?1', 'a?2', 'a/2?1', 'b/2?1', 'a?3'],
      );
    },
  ),
);

test(
  'a child that no item led to names the member that its filter may have meant',
  onNetwork({ 'GET /a': json([{ id: 1, state: 'open' }, { id: 2 }]) }, async ({ dispatcher }) => {
    const jobs = [{ endpoint: 'a', children: [child('a/{id}', { recursionFilter: 'stat==open' })] }];
    const summary = await run(configOf(jobs), { dispatcher });
    assert.is(summary.jobs[1]?.stop, 'no item of its parent matched: none has "stat" (did you mean "state"?)');
  }),
);

test(
  'a child adds its parents to each item, in the order of its placeholders',
  onNetwork(
    {
      'GET /users': { body: '[{"id": 12345678901234567890, "info": {"name": "x"}}]' },
      'GET /users/12345678901234567890/x': json([{ a: 1 }, 'text', {}]),
    },
    async ({ dispatcher }) => {
      const to = memory();
      const jobs = [
        {
          endpoint: 'users',
          children: [
            {
              endpoint: 'users/{user}/{name}',
              dataType: 'detail',
              placeholders: { user: 'id', name: 'info.name' },
              userData: 'u',
            },
          ],
        },
      ];
      const { jobs: totals } = await run(configOf(jobs, {}, { userData: { of: 'config' } }), { to, dispatcher });
      assert.equal(linesOf(to), {
        users: ['{"id":12345678901234567890,"info":{"name":"x"},"of":"config"}'],
        detail: [
          '{"a":1,"job_parent_id":"u","parent_id":12345678901234567890,"parent_info.name":"x"}',
          '{"data":"text","job_parent_id":"u","parent_id":12345678901234567890,"parent_info.name":"x"}',
          '{"job_parent_id":"u","parent_id":12345678901234567890,"parent_info.name":"x"}',
        ],
      });
      const written = linesOf(to).detail?.join('\n').length ?? 0;
      assert.equal(totals.map(({ job, items, bytes }) => [job, items, bytes]).at(-1), ['detail', 3, written + 1]);
    },
  ),
);

test(
  'a list makes an instance an element, several lists each with each; an empty one none',
  onNetwork(
    {
      'GET /rows': json([
        { n: [1, 2], s: ['a', 'b'] },
        { n: [], s: ['c'] },
      ]),
      'GET /c/1-a': json([]),
      'GET /c/1-b': json([]),
      'GET /c/2-a': json([]),
      'GET /c/2-b': json([]),
    },
    async ({ dispatcher, lines }) => {
      const children = [{ endpoint: 'c/{n}-{s}', placeholders: { n: 'n', s: 's' } }];
      await run(configOf([{ endpoint: 'rows', children }]), { dispatcher });
      assert.equal(lines().slice(1), ['GET /c/1-a', 'GET /c/1-b', 'GET /c/2-a', 'GET /c/2-b']);
    },
  ),
);

test(
  'a recursion filter chooses rows, a placeholder may be computed, and a filtered field is JSON text',
  onNetwork(
    {
      'GET /rows': json([
        { id: 7, kind: 'x', o: { a: 1 } },
        { id: 8, kind: 'y', o: { a: 2 } },
      ]),
      'GET /c/007/%7B%22a%22:1%7D': json([]),
    },
    async ({ dispatcher, lines }) => {
      const id = { path: 'id', function: 'sprintf', args: ['%03d', { placeholder: 'value' }] };
      const children = [{ endpoint: 'c/{id}/{o}', placeholders: { id, o: 'o' }, recursionFilter: 'kind==x' }];
      await run(configOf([{ endpoint: 'rows', responseFilter: 'o', children }]), { dispatcher });
      assert.is(lines().length, 2);
    },
  ),
);

test(
  'a child inherits the values of its parent, and never runs without any',
  onNetwork(
    { 'GET /a': json([{ id: 1 }]), 'GET /a/1': json([{ k: 2 }]), 'GET /a/1/c': json([]) },
    async ({ dispatcher, lines }) => {
      const jobs = [
        { endpoint: 'a', children: [child('a/{id}', { children: [{ endpoint: 'a/{id}/c' }] }), { endpoint: 'alone' }] },
      ];
      const notices: string[] = [];
      await run(configOf(jobs), { dispatcher, notify: ({ code, message }) => notices.push(`${code} ${message}`) });
      assert.is(lines().length, 3);
      assert.equal(notices, [
        'never-walked config.jobs[0].children[1]: a child job without `placeholders` (its own or of a parent) never runs',
      ]);
    },
  ),
);

test(
  'a failure in a child names the child, and ends the run',
  onNetwork({ 'GET /a': json([{ id: 1 }]), 'GET /a/1': { status: 404, body: 'gone' } }, async ({ dispatcher }) => {
    const jobs = [{ endpoint: 'a', children: [child('a/{id}')] }, { endpoint: 'b' }];
    const extraction = extract(configOf(jobs), { dispatcher });
    const error = await rejection(lastValueFrom(extraction.receipts), 'ERR_STATUS');
    assert.is(error.where.job, 'a/{id}');
    assert.equal(
      extraction.summary().jobs.map(({ job, stop }) => [job, stop]),
      [
        ['a', 'a child job failed'],
        ['a/{id}', 'failed'],
        ['b', 'not started'],
      ],
    );
  }),
);

test(
  'a row without the value of a placeholder is an error with its name, level and the nearest path',
  onNetwork({ 'GET /a': json([{ idd: 1 }]) }, async ({ dispatcher }) => {
    const jobs = [{ endpoint: 'a', children: [child('a/{id}')] }];
    const message = /placeholder "id" \(level 1\).*no value at "id"; did you mean "idd"\?/;
    const error = await rejection(run(configOf(jobs), { dispatcher }), 'ERR_PLACEHOLDER', message);
    assert.is(error.where.job, 'a/{id}');
  }),
);

test(
  'a value that is too long for an address is an error with its job, row and placeholder, and no request',
  onNetwork(
    { 'GET /a': json([{ id: 1 }, { id: 'x'.repeat(65_537) }]), 'GET /a/1': json([]) },
    async ({ dispatcher }) => {
      const jobs = [{ endpoint: 'a', children: [child('a/{id}')] }];
      const message =
        /^placeholder "id" \(level 1\): the value has 65537 bytes; a URL can contain at most 65536 \(row 2 of page 1 of job "a"\)$/;
      const error = await rejection(run(configOf(jobs), { dispatcher }), 'ERR_PLACEHOLDER', message);
      assert.is(error.where.job, 'a/{id}');
    },
  ),
);

const rows = Array.from({ length: 6 }, (_, index) => ({ id: index + 1 }));
const wide = {
  'GET /a': json(rows),
  ...Object.fromEntries(
    rows.flatMap(({ id }) => [
      [`GET /a/${id}?limit=1&page=1`, json([{ page: 1 }])],
      [`GET /a/${id}?limit=1&page=2`, json([])],
      [`GET /a/${id}/x?limit=1&page=1`, json([{ x: id }])],
      [`GET /a/${id}/x?limit=1&page=2`, json([])],
    ]),
  ),
};

for (const concurrency of [1, 2, 4, 8]) {
  test(
    `with ${concurrency} at once children run concurrently within that limit, and arrive in order`,
    onNetwork(wide, async ({ dispatcher, inFlight }) => {
      const to = memory();
      const multiple = { method: 'multiple', scrollers: { many: pagination } };
      const many = { scroller: 'many' };
      const jobs = [
        {
          endpoint: 'a',
          children: [
            child('a/{id}', { ...many, dataType: 'd', children: [{ endpoint: 'a/{id}/x', dataType: 'x', ...many }] }),
          ],
        },
      ];
      const receipts: string[] = [];
      await run(configOf(jobs, { pagination: multiple }), {
        to,
        dispatcher,
        concurrency,
        onReceipt: ({ job, count }) => receipts.push(`${job} ${count}`),
      });
      assert.equal(
        linesOf(to).d,
        rows.map(({ id }) => `{"page":1,"parent_id":${id}}`),
      );
      assert.equal(
        linesOf(to).x,
        rows.map(({ id }) => `{"x":${id},"parent_id":${id}}`),
      );
      assert.equal(receipts, ['a 6', ...rows.flatMap(() => ['d 1', 'x 1', 'x 0', 'd 0'])]);
      assert.is(inFlight.most, Math.min(concurrency, rows.length));
    }),
  );
}

test('of 100,000 rows no more children begin than may run concurrently, however slow the first is', async () => {
  const concurrency = 4;
  let letGo = () => {};
  const first = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const asked: string[] = [];
  const api = await startApi(async ({ target }) => {
    if (target === '/a') return loopbackJson(Array.from({ length: 100_000 }, (_, id) => ({ id })));
    asked.push(target);
    if (target === '/a/0') await first;
    return loopbackJson([{ x: 1 }]);
  });
  try {
    const to = memory();
    const job = { endpoint: 'a', children: [child('a/{id}', { dataType: 'd' })] };
    const { receipts } = extract(configOf([job], { baseUrl: `${api.origin}/` }), { to, concurrency });
    let done = 0;
    const over = lastValueFrom(
      receipts.pipe(
        tap(() => {
          done += 1;
          assert.ok(asked.length - (done - 1) <= concurrency, `${asked.length} asked, ${done} done`);
        }),
        take(200),
      ),
    );
    while (asked.length < concurrency) await turns(1);
    await turns(50);
    assert.equal([asked.length, done], [concurrency, 1]);
    letGo();
    await over;
    const parents = linesOf(to).d?.slice(0, 199);
    assert.equal(
      parents,
      Array.from({ length: 199 }, (_, id) => `{"x":1,"parent_id":${id}}`),
    );
  } finally {
    await api.close();
  }
});

test(
  'a page whose rows are in a file leaves none when it ends the run',
  withTemporaryFiles(async (files) => {
    const body = JSON.stringify(Array.from({ length: 9 }, (_, at) => ({ id: `${at}${'x'.repeat(1024 * 1024)}` })));
    const missing = { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'at' } };
    await onNetwork({ 'GET /a': { body } }, async ({ dispatcher }) => {
      const job = { endpoint: 'a', children: [child('a/{id}')] };
      const spooled = new Set<string>();
      const onActivity = () => files().forEach((name) => void spooled.add(name));
      const ran = run(configOf([job], missing), { dispatcher, strict: true, onActivity });
      await rejection(ran, 'ERR_STRICT', /missing|next/);
      assert.ok(spooled.size > 0, 'the rows were in a file');
    })();
  }),
);

test.run();
