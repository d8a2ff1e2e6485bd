/** The progress that a run reports to listeners. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { defined } from '../../src/core/util/defined.js';
import { pageStages } from '../../src/page/page-pipeline.js';
import {
  type Activity,
  createProgressReporter,
  listeningTogether,
  measuring,
  type ProgressReporter,
} from '../../src/page/progress.js';
import { run } from '../../src/run/extract.js';
import { rejection } from '../sinks/lib.js';
import { comeAgain, configOf, json, login, onNetwork, pagenum, password } from '../support/mock-network.js';

/** `onActivity`, and its states, consecutive equal ones once. */
function hearing() {
  const activities: Activity[] = [];
  const words = (job: string) =>
    activities
      .filter((activity) => activity.job === job)
      .map(({ page, state }) => `${page} ${state}`)
      .filter((word, at, all) => word !== all[at - 1]);
  return { activities, words, onActivity: (activity: Activity) => void activities.push(activity) };
}

const taken = (page: number) => ['answer', 'page', 'sink', 'turn', 'sink', 'page'].map((state) => `${page} ${state}`);

test(
  'reports for each page what it waits for',
  onNetwork({ 'GET /a?page=1': json([1]), 'GET /a?page=2': json([]) }, async ({ dispatcher }) => {
    const { words, onActivity } = hearing();
    await run(configOf([{ endpoint: 'a' }], pagenum()), { dispatcher, onActivity });
    assert.equal(words('a'), [...taken(0), '1 answer', '1 page']);
  }),
);

test(
  'while the sink commits a page, its bytes are shown as unconfirmed',
  onNetwork({ 'GET /a': json([1, 2]) }, async ({ dispatcher }) => {
    const { activities, onActivity } = hearing();
    const to = { ...memory(), commit: async () => {} };
    await run(configOf([{ endpoint: 'a' }]), { dispatcher, onActivity, to });
    const { state, items, bytes } = activities.at(-1) ?? {};
    assert.equal([state, items, bytes], ['sink', 2, '1\n2\n'.length]);
  }),
);

test(
  'reports the login, and the turn if there is a login before each request',
  onNetwork({ 'POST /login': [1, 2].map((at) => json({ token: `token ${at}` })), 'GET /a': json([1]) }, async (net) => {
    const { words, onActivity } = hearing();
    const options = { dispatcher: net.dispatcher, onActivity };
    await run(configOf([{ endpoint: 'a' }], login(), password), options);
    assert.equal(words('a'), ['0 login', ...taken(0)]);
    net.dispatcher.get('https://api.example').intercept({ path: '/b', method: 'GET' }).reply(200, '[1]');
    await run(configOf([{ endpoint: 'b' }], login({ expires: 0 }), password), options);
    assert.equal(words('b'), ['0 turn', '0 login', ...taken(0)]);
  }),
);

test(
  'reports the wait before another attempt, which counts from zero again',
  onNetwork({ 'GET /a': [comeAgain(503), json([1, 2])] }, async ({ dispatcher }) => {
    const { activities, words, onActivity } = hearing();
    await run(configOf([{ endpoint: 'a' }]), { dispatcher, onActivity });
    assert.equal(words('a'), ['0 answer', '0 retry', ...taken(0)]);
    assert.equal(
      activities.find(({ state }) => state === 'retry'),
      { job: 'a', page: 0, state: 'retry', received: 0, items: 0, bytes: 0, ms: 0 },
    );
    const { received, items, bytes } = activities.at(-1) ?? {};
    assert.equal([received, items, bytes], ['[1,2]'.length, 2, '1\n2\n'.length]);
  }),
);

test(
  'counts the items of a page that the sink has accepted, without rolled back ones',
  onNetwork(
    { 'GET /a': { body: `[${Array.from({ length: 2500 }, () => JSON.stringify('x'.repeat(1020)))}` } },
    async ({ dispatcher }) => {
      const { activities, onActivity } = hearing();
      const config = configOf([{ endpoint: 'a' }], { retryConfig: { maxRetries: 0 } });
      await rejection(run(config, { dispatcher, onActivity, to: memory() }), 'ERR_JSON');
      const counts = [...new Set(activities.map(({ items }) => items))];
      assert.is(counts.length, 3, 'nothing, one slab, two slabs');
      for (const { items, bytes } of activities) assert.is(bytes, items * 1023);
      assert.is(activities.at(-1)?.items, 0);
    },
  ),
);

/** A reporter that records what it is called with. */
function recording(words: string[]): ProgressReporter {
  const word = (text: string) => () => void words.push(text);
  return {
    now: (state) => void words.push(state),
    retry: word('retry'),
    limit: word('limit'),
    received: word('received'),
    taken: word('taken'),
    takenBack: word('taken back'),
    reading: (body) => ({
      read: (take) =>
        body.read((chunk) => {
          words.push('chunk');
          const waiting = take(chunk);
          words.push('chunk done');
          return waiting;
        }),
    }),
    commits: word('commits'),
    follow(attempt) {
      const end = () => void words.push('end');
      attempt.then(end, end);
    },
  };
}

test(
  'a listener that measures has a reporter for each attempt, and sees chunks, commits and ends',
  onNetwork({ 'GET /a': [comeAgain(503), json([1])] }, async ({ dispatcher }) => {
    const attempts: string[][] = [];
    const onActivity = measuring((job, page) => {
      attempts.push([`${job} ${page}`]);
      return recording(attempts.at(-1) ?? []);
    });
    const to = { ...memory(), commit: async () => {}, rollback: async () => {} };
    await run(configOf([{ endpoint: 'a' }]), { dispatcher, onActivity, to });
    const read = ['page', 'chunk', 'received', 'chunk done', 'sink', 'turn', 'sink', 'taken', 'commits', 'end'];
    assert.equal(attempts, [
      ['a 0', 'answer', 'end'],
      ['a 0', 'retry'],
      ['a 0', 'answer', ...read],
    ]);
  }),
);

test('without a listener there is one reporter for all, and no stage', () => {
  assert.is(createProgressReporter('a', 0, undefined), createProgressReporter('b', 1, undefined));
  const stages = { paginator: {}, isLimited: false, rows: undefined, columns: undefined };
  assert.equal(pageStages({ ...stages, isObserved: false }), []);
  assert.is(pageStages({ ...stages, isObserved: true }).length, 1);
});

test(
  'several listeners get what each one gets alone',
  onNetwork({ 'GET /a': [comeAgain(503), json([1, 2]), comeAgain(503), json([1, 2])] }, async ({ dispatcher }) => {
    const [alone, first] = [hearing(), hearing()];
    const to = () => ({ ...memory(), commit: async () => {} });
    await run(configOf([{ endpoint: 'a' }]), { dispatcher, onActivity: alone.onActivity, to: to() });
    let [scanned, followed] = [0, 0];
    const measured = measuring((job, page) => ({
      ...createProgressReporter(job, page, undefined),
      reading: (body) => ({
        read: (take) =>
          body.read((chunk) => {
            scanned += chunk.length;
            return take(chunk);
          }),
      }),
      follow: () => {
        followed += 1;
      },
    }));
    const onActivity = listeningTogether([first.onActivity, measured]);
    await run(configOf([{ endpoint: 'a' }]), { dispatcher, ...defined({ onActivity }), to: to() });
    const withoutTime = ({ activities }: ReturnType<typeof hearing>) => activities.map(({ ms: _, ...rest }) => rest);
    assert.equal(withoutTime(first), withoutTime(alone));
    assert.equal([scanned, followed], ['[1,2]'.length, 2]);
  }),
);

test('one listener stays as it is', () => {
  const { onActivity } = hearing();
  assert.is(listeningTogether([undefined, onActivity]), onActivity);
  assert.is(listeningTogether([undefined]), undefined);
});

test('several listeners hear of limits and of pages that are taken back', () => {
  const [one, other] = [hearing(), hearing()];
  const reporter = createProgressReporter('a', 0, listeningTogether([one.onActivity, other.onActivity]));
  reporter.limit(5);
  reporter.takenBack();
  assert.equal(one.words('a'), ['0 limit', '0 page']);
  assert.equal(other.activities, one.activities);
});

test.run();
