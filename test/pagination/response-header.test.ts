import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Job } from '../../src/core/model/job.js';
import type { GivenOptions } from '../../src/core/options/kind.js';
import { responseHeader } from '../../src/pagination/response-header.js';
import { isStop } from '../../src/pagination/types.js';
import { job, made, objectOf, page, show } from './walk.js';

interface Case {
  readonly rule: string;
  readonly options?: Partial<GivenOptions<typeof responseHeader.fields>>;
  readonly job?: Job;
  /** The values of the header in each response. */
  readonly values: readonly (readonly string[] | undefined)[];
  readonly requests: readonly string[];
}

const cases: readonly Case[] = [
  {
    rule: 'sends each value with the next request, without the parameters of the job, until there is no header',
    job: job({ q: 1 }),
    values: [['a'], ['b'], undefined],
    requests: ['users {"q":1}', 'users {"cursor":"a"}', 'users {"cursor":"b"}'],
  },
  {
    rule: 'an empty header ends it, 0 does not',
    options: { includeParams: true },
    job: job({ cursor: 'start', q: 1 }),
    values: [['0'], [' ']],
    requests: ['users {"cursor":"start","q":1}', 'users {"cursor":"0","q":1}'],
  },
  {
    rule: 'the first of several counts, and following requests are the scroll request',
    options: { scrollRequest: { endpoint: 'more', method: 'GET', params: objectOf({ size: 5 }) } },
    job: job({ q: 1 }, { method: 'POST' }),
    values: [['a', 'b'], undefined],
    requests: ['POST users {"q":1}', 'GET more {"size":5,"cursor":"a"}'],
  },
];

const paginatorOf = (options: Partial<GivenOptions<typeof responseHeader.fields>> = {}) =>
  made(responseHeader, { header: 'X-Next-Cursor', queryParam: 'cursor', ...options });

for (const { rule, options, job: given = job(), values, requests } of cases) {
  test(rule, () => {
    const paginator = paginatorOf(options);
    assert.equal(paginator.headers, ['x-next-cursor']);
    const sent = [paginator.first(given)];
    for (const [index, value] of values.entries()) {
      const headers = new Map(value === undefined ? [] : [['x-next-cursor', value]]);
      const next = paginator.next(
        given,
        page(paginator, sent[index] ?? paginator.first(given), index, 1, null, { headers }),
      );
      if (isStop(next)) {
        assert.is(next.stop, 'no value in the header "X-Next-Cursor"');
        assert.is(next.warning, undefined);
        assert.is(index, values.length - 1);
      } else sent.push(next);
    }
    assert.equal(sent.map(show), requests);
  });
}

test('a first response without the header is a warning, one with an empty header is none', () => {
  const paginator = paginatorOf();
  const after = (headers: ReadonlyMap<string, readonly string[]>) =>
    paginator.next(job(), page(paginator, paginator.first(job()), 0, 1, null, { headers }));
  const absent = after(new Map());
  assert.ok(isStop(absent));
  assert.is(absent.warning?.code, 'missing-response-param');
  assert.match(absent.warning?.message ?? '', 'the first page has no header "X-Next-Cursor" (`header`)');
  const empty = after(new Map([['x-next-cursor', ['']]]));
  assert.ok(isStop(empty) && empty.warning === undefined);
});

test.run();
