import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noStats, withPage } from '../../src/core/model/job-stats.js';
import type { Receipt } from '../../src/core/model/page.js';
import { createStatsRecorder, type StatsRecorder } from '../../src/run/job-stats.js';

const jobs = [
  { name: 'users', dataType: 'people', children: [] },
  { name: 'orders', dataType: 'orders', children: [] },
];

const receipt: Receipt = {
  job: 'users',
  dataType: 'people',
  index: 0,
  count: 3,
  bytes: 30,
  delivered: true,
  requests: 2,
  retries: 1,
};

const none = { requests: 0, pages: 0, items: 0, bytes: 0, retries: 0 };

test('lists every job from the start', () => {
  assert.equal(createStatsRecorder(jobs).jobs(), [
    { job: 'users', dataType: 'people', ...none, stop: 'not started' },
    { job: 'orders', dataType: 'orders', ...none, stop: 'not started' },
  ]);
});

test('adds up receipts; a page that was not delivered does not count', () => {
  const totals = createStatsRecorder(jobs);
  totals.start('users');
  totals.add(receipt);
  assert.is(totals.jobs()[0]?.stop, 'running');
  totals.add({ ...receipt, index: 1, count: 0, bytes: 0, delivered: false, stop: 'repeated' });
  totals.end('users');
  const sums = { ...none, pages: 1, items: 3, bytes: 30, stop: 'repeated' };
  assert.equal(totals.jobs()[0], { job: 'users', dataType: 'people', ...sums });
  assert.is(totals.jobs()[1]?.pages, 0);
});

test('requests count when they are sent, with or without a page', () => {
  const totals = createStatsRecorder(jobs);
  totals.start('users');
  totals.spend('users', { requests: 11, retries: 10 });
  const sums = { ...none, requests: 11, retries: 10, stop: 'running' };
  assert.equal(totals.jobs()[0], { job: 'users', dataType: 'people', ...sums });
});

test('halts the jobs that were running, and no others', () => {
  const totals = createStatsRecorder([...jobs, { name: 'items', dataType: 'items', children: [] }]);
  totals.start('users');
  totals.start('orders');
  totals.add({ ...receipt, stop: 'a short page' });
  totals.end('users');
  totals.halt('failed');
  totals.halt('interrupted');
  assert.equal(stopsOf(totals), ['a short page', 'failed', 'not started']);
});

const stopsOf = (totals: StatsRecorder) => totals.jobs().map(({ stop }) => stop);

/** `a` with `b` below it, and `c` below that; `d` beside `b`. */
const family = ['a', 'b', 'c', 'd'].map((name) => ({
  name,
  dataType: name,
  children: { a: [{ name: 'b' }, { name: 'd' }], b: [{ name: 'c' }] }[name] ?? [],
}));
const pageOf = (job: string, count: number, stop?: string): Receipt => ({
  ...receipt,
  job,
  count,
  ...(stop === undefined ? {} : { stop }),
});

test('names the parent of a child', () => {
  const parents = createStatsRecorder(family)
    .jobs()
    .map(({ parent }) => parent);
  assert.equal(parents, [undefined, 'a', 'b', 'a']);
});

test('a job runs until its children are over, and a child until its parent is', () => {
  const totals = createStatsRecorder(family);
  totals.start('a');
  totals.add(pageOf('a', 2, 'no pagination'));
  totals.start('b');
  totals.add(pageOf('b', 1, 'an empty page'));
  totals.end('b');
  assert.equal(stopsOf(totals), ['running', 'running', 'not started', 'not started'], 'other rows may follow');
  totals.end('a');
  assert.equal(stopsOf(totals).slice(0, 2), ['no pagination', 'an empty page']);
});

test('a child that was never walked shows why', () => {
  const totals = createStatsRecorder(family);
  totals.start('a');
  totals.add(pageOf('a', 2, 'no pagination'));
  totals.start('b');
  totals.add(pageOf('b', 0, 'no pagination'));
  totals.end('b');
  totals.end('a');
  assert.equal(stopsOf(totals).slice(2), ['its parent had no items', 'no item of its parent matched']);
});

test('a child without items names the paths of its filter that no item had', () => {
  const totals = createStatsRecorder(family);
  totals.start('a');
  totals.add(pageOf('a', 2, 'no pagination'));
  const near = [
    ['stat', 'state'],
    ['kind', undefined],
    ['sometimes', 'some'],
  ] as const;
  totals.leaveOut('b', new Map([...near, ['stat', undefined]]));
  totals.leaveOut('b', new Map(near.slice(0, 2)));
  totals.end('a');
  assert.is(stopsOf(totals)[1], 'no item of its parent matched: none has "stat" (did you mean "state"?), "kind"');
});

for (const [stops, said] of [
  [['an empty page'], 'an empty page'],
  [['an empty page', 'an empty page'], 'an empty page (each of 2 walks)'],
  [['an empty page', 'a short page'], 'a short page (last of 2 walks)'],
  [['an empty page', 'a short page', 'an empty page'], 'an empty page (last of 3 walks)'],
] as const) {
  test(`a child whose walks ended by ${stops.join(', ')} shows ${said}`, () => {
    const totals = createStatsRecorder(family);
    totals.start('a');
    for (const stop of stops) {
      totals.start('b');
      totals.add(pageOf('b', 1, stop));
      totals.end('b');
    }
    totals.add(pageOf('a', 1, 'no pagination'));
    totals.end('a');
    assert.is(stopsOf(totals)[1], said);
  });
}

test('the end of a run ends a child between two of its walks, but not one that never began', () => {
  const totals = createStatsRecorder(family);
  totals.start('a');
  totals.start('b');
  totals.add(pageOf('b', 1, 'an empty page'));
  totals.end('b');
  totals.start('d');
  totals.halt('failed', ['d']);
  totals.halt('a child job failed', ['a']);
  totals.halt('another job failed');
  assert.equal(stopsOf(totals), ['a child job failed', 'another job failed', 'not started', 'failed']);
});

test('a job that starts anew runs, even if it was stopped before', () => {
  const totals = createStatsRecorder(family);
  totals.start('a');
  totals.halt('failed');
  totals.start('a');
  assert.is(stopsOf(totals)[0], 'running');
  totals.add(pageOf('a', 1, 'no pagination'));
  totals.end('a');
  assert.is(stopsOf(totals)[0], 'no pagination');
});

test('returns data that does not change any more', () => {
  const totals = createStatsRecorder(jobs);
  const before = totals.jobs();
  totals.add(receipt);
  assert.is(before[0]?.items, 0);
});

test('ignores a job that it does not know', () => {
  const totals = createStatsRecorder([]);
  totals.add(receipt);
  assert.equal(totals.jobs(), []);
});

test('continues the sums and reasons of an earlier run', () => {
  const [first] = [
    withPage(withPage(noStats, receipt), { ...receipt, delivered: false, stop: 'the end', bounded: true }),
  ];
  const totals = createStatsRecorder(jobs);
  totals.resume(
    new Map([
      ['users', first],
      ['unknown', first],
    ]),
  );
  totals.start('users');
  totals.add(receipt);
  totals.spend('users', { requests: 1, retries: 0 });
  const sums = { requests: 5, pages: 2, items: 9, bytes: 90, retries: 2 };
  assert.equal(totals.jobs()[0], { job: 'users', dataType: 'people', ...sums, stop: 'running', bounded: true });
  totals.end('users');
  assert.is(totals.jobs()[0]?.stop, 'the end');
  assert.is(totals.jobs()[1]?.stop, 'not started');
});

test('a job that an earlier run had ended is over', () => {
  const totals = createStatsRecorder(jobs);
  totals.resume(new Map([['users', withPage(noStats, { ...receipt, stop: 'an empty page' })]]));
  assert.is(totals.jobs()[0]?.stop, 'an empty page');
});

test('knows whether a page had a place for items; a child without a page counts as its parent', () => {
  const family = [
    { name: 'groups', dataType: 'groups', children: [{ name: 'users' }] },
    { name: 'users', dataType: 'users', children: [] },
  ];
  const page = (job: string, more: Partial<Receipt>) => ({ ...receipt, job, count: 0, bytes: 0, ...more });
  const totals = createStatsRecorder(family);
  const found = () => family.map(({ name }) => totals.answerTo(name));
  assert.equal(found(), ['not asked', 'not asked']);
  totals.add(page('groups', { unfound: true }));
  assert.equal(found(), ['nothing', 'nothing']);
  totals.add(page('groups', { delivered: false, unfound: true }));
  assert.equal(found(), ['nothing', 'nothing'], 'a page that repeats another is none');
  totals.add(page('groups', {}));
  assert.equal(found(), ['list', 'no rows']);
  totals.bound('users', 'maxDuration: 1 second');
  assert.equal(found(), ['list', 'not asked']);
  totals.add(page('users', { unfound: true }));
  assert.equal(found(), ['list', 'nothing']);
  assert.is(totals.answerTo('unknown'), 'not asked');
});

test('says what is missing in a job none of whose pages has a place for items: the first of its notices', () => {
  const notice = (message: string) => ({ level: 'warning', code: 'no-data', message }) as const;
  const page = (more: Partial<Receipt>) => ({ ...receipt, count: 0, bytes: 0, ...more });
  const totals = createStatsRecorder(jobs);
  totals.missPlace('users', notice('a'));
  assert.is(totals.missingPlace('users'), undefined, 'the page has not counted yet');
  totals.add(page({ unfound: true }));
  totals.missPlace('users', notice('b'));
  totals.add(page({ unfound: true }));
  assert.equal(totals.missingPlace('users'), notice('a'));
  assert.is(totals.missingPlace('orders'), undefined);
  totals.add(page({}));
  assert.is(totals.missingPlace('users'), undefined);
});

test.run();
