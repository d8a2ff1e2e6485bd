/** The generated API, without a network: pages in every way of paging, refusals and cuts from a seed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configurationFor, createGeneratedApi, type PlannedResponse } from '../../../src/tools/bench/generated-api.js';
import { type ApiShape, defaultShape, itemShapes, pagings } from '../../../src/tools/bench/shape.js';

const shaped = (more: Partial<ApiShape>): ApiShape => ({ ...defaultShape, pages: 3, items: 2, ...more });
const parsed = ({ body }: PlannedResponse) => JSON.parse(body.toString());

test('pages are asked for by number, offset, cursor or link, and are the same', () => {
  const { answer, counts } = createGeneratedApi(shaped({}));
  const second = answer('/items?page=2');
  assert.equal(parsed(second).meta, { page: '0000002', next: '0000003' });
  assert.is(second.headers.link, '</items?page=3>; rel="next"');
  for (const target of ['/items?offset=2&limit=2', '/items?cursor=0000002', '/items?cursor=2']) {
    assert.equal(answer(target).body, second.body, target);
  }
  assert.equal(parsed(answer('/items')).meta.page, '0000001');
  assert.equal(counts(), { requests: 5, pastEnd: 0, failed: 0 });
});

test('the last page has no next one, and pages after it are empty', () => {
  const { answer, counts } = createGeneratedApi(shaped({ cursor: 'last' }));
  const last = answer('/items?page=3');
  assert.is(parsed(last).meta.next, null);
  assert.is(last.headers.link, undefined);
  assert.is(parsed(last).data.length, 2);
  assert.equal(parsed(answer('/items?page=4')).data, []);
  assert.is(counts().pastEnd, 1);
});

test('the cursor comes before the items or after them', () => {
  const bodyOf = (cursor: ApiShape['cursor']) =>
    createGeneratedApi(shaped({ cursor })).answer('/items').body.toString();
  assert.match(bodyOf('first'), /^\{"meta"/);
  assert.match(bodyOf('last'), /^\{"data"/);
});

for (const item of itemShapes) {
  test(`items of the shape ${item} have ids, and pages differ`, () => {
    const { answer } = createGeneratedApi(shaped({ item, pages: 20 }));
    const [first, tenth] = [1, 9].map((page) => parsed(answer(`/items?page=${page}`)));
    assert.is(first.data.length, 2);
    assert.type(first.data[0].id, 'number');
    assert.not.equal(first, tenth);
  });
}

test('failures, limits and cuts come from the seed, and another attempt may succeed', () => {
  const shape = shaped({ pages: 200, failures: 0.2, limited: 0.2, cuts: 0.2, jitter: 100, latency: 5, body: 7 });
  const play = (seed: number) => {
    const { answer } = createGeneratedApi({ ...shape, seed });
    return Array.from({ length: 200 }, (_, page) => answer(`/items?page=${page + 1}`));
  };
  const answers = play(1);
  const count = (isIt: (each: PlannedResponse) => boolean) => answers.filter(isIt).length;
  for (const [what, found] of [
    ['503', count(({ status }) => status === 503)],
    ['429', count(({ status, headers }) => status === 429 && headers['retry-after'] === '1')],
    ['cut', count(({ cutAt }) => cutAt !== undefined)],
  ] as const) {
    assert.ok(found > 15 && found < 65, `${what}: ${found}`);
  }
  assert.ok(answers.every(({ delay }) => delay >= 5 && delay < 105));
  assert.equal(play(1), answers);
  assert.not.equal(play(2), answers);
  const { answer, counts } = createGeneratedApi(shape);
  const refused = answers.findIndex(({ status }) => status !== 200) + 1;
  const attempts = Array.from({ length: 20 }, () => answer(`/items?page=${refused}`).status);
  assert.ok(attempts[0] !== 200 && attempts.includes(200), attempts.join());
  assert.ok(counts().failed > 0);
});

test('each run gets the same failures, in whatever order it requests its pages', () => {
  const shape = shaped({ pages: 60, failures: 0.2, limited: 0.1, cuts: 0.2, jitter: 100 });
  const { answer } = createGeneratedApi(shape);
  /** Requests each page until it is whole. */
  const attemptsAt = (page: number) => {
    const attempts: string[] = [];
    for (;;) {
      const { status, cutAt, delay } = answer(`/items?page=${page}`);
      attempts.push(`${status} ${cutAt} ${delay}`);
      if (status === 200 && cutAt === undefined) return attempts;
    }
  };
  const pages = Array.from({ length: shape.pages }, (_, index) => index + 1);
  const run = (order: readonly number[]) => new Map(order.map((page) => [page, attemptsAt(page)]));
  const first = run(pages);
  assert.ok([...first.values()].some(({ length }) => length > 2));
  for (const order of [pages, pages.toReversed(), pages.toSorted((a, b) => (a % 7) - (b % 7))]) {
    assert.equal(new Map([...run(order)].sort(([a], [b]) => a - b)), first);
  }
});

test('a huge page is a block of items, repeated', () => {
  const { answer } = createGeneratedApi(shaped({}));
  const { body, endless } = answer('/huge?bytes=1000000');
  assert.is(endless?.bytes, 1_000_000);
  const data = JSON.parse(`${body}${endless?.block},${endless?.block}${endless?.end}`);
  assert.is(data.data.length, 400);
  assert.is(answer('/huge?bytes=x').endless?.bytes, 0);
  assert.is(answer('/other').status, 404);
});

test('each way of paging has its configuration', () => {
  const methods = pagings.map((paging) => configurationFor('http://localhost', shaped({ paging })));
  assert.is(new Set(methods.map((each) => JSON.stringify(each))).size, pagings.length);
});

test.run();
