/** What the page knows of a run, for each reader from its beginning. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobSummary } from '../../../src/core/model/job-stats.js';
import { createProgressReporter } from '../../../src/page/progress.js';
import type { PageRunLine } from '../../../src/tools/ui/page-messages.js';
import { createRunFeed, type RunFeed } from '../../../src/tools/ui/run-feed.js';

const job = (name: string, more: Partial<JobSummary> = {}): JobSummary => ({
  job: name,
  dataType: name,
  requests: 1,
  pages: 1,
  items: 10,
  bytes: 100,
  retries: 0,
  stop: 'running',
  ...more,
});

const read = async (feed: RunFeed, isLast: (line: PageRunLine) => boolean): Promise<readonly PageRunLine[]> => {
  const lines: PageRunLine[] = [];
  for await (const line of feed.watch(new AbortController().signal)) {
    lines.push(line);
    if (isLast(line)) break;
  }
  return lines;
};

const isEnded = ({ head }: PageRunLine) => head.status === 'ended';

test('a run has figures, jobs by their names, and a log', async () => {
  const feed = createRunFeed();
  const reading = read(feed, isEnded);
  feed.open('config.json');
  assert.ok(feed.isRunning());
  const observer = feed.observer((text) => text.replace('secret', '***'));
  const jobs = [
    job('a secret'),
    job('b', { parent: 'a secret', stop: 'a short page' }),
    job('b', { parent: 'c', stop: 'not started', items: 0 }),
  ];
  observer.begin({ jobs: () => jobs });
  const page = observer.job('a secret').page(0);
  const [first, second] = [1, 2].map(() => page.request({} as never));
  first?.responds(200);
  first?.ends();
  const login = observer.login({ host: 'h', port: 1 }).request({} as never);
  createProgressReporter('a secret', 0, observer.onActivity).now('answer');
  feed.log('{"event":"notice"}');
  feed.stopping();
  second?.responds(200);
  page.commit().ends(undefined);
  page.succeeds({ count: 1, bytes: 1 });
  page.fails(undefined);
  observer.job('a secret').job('b').ends(undefined);
  observer.login({ host: 'h', port: 1 }).succeeds({ expiresAt: 1 });
  observer.login({ host: 'h', port: 1 }).fails('ERR_LOGIN');
  observer.remembers([]);
  observer.end(undefined);
  login.ends();
  feed.finish(0);
  const lines = await reading;
  const last = lines.at(-1);
  assert.not.ok(feed.isRunning());
  assert.equal([last?.head.label, last?.head.exit], ['config.json', 0]);
  assert.equal(
    lines.flatMap(({ log }) => log),
    ['{"event":"notice"}'],
  );
  const rows = lines.flatMap((line) => line.jobs).map(({ job: name, parent, phase }) => [name, parent, phase]);
  assert.equal(rows, [
    ['a ***', undefined, 'running'],
    ['b', 'a ***', 'done'],
    ['b', 'c', 'waiting'],
  ]);
  const [tick] = lines.flatMap(({ ticks }) => ticks);
  assert.equal([tick?.items, tick?.requests, tick?.inFlight], [20, 3, 1]);
  assert.ok((tick?.p50 ?? -1) >= 0 && (tick?.p95 ?? -1) >= 0);
});

test('each reader begins at the beginning, in parts, and another run replaces the first', async () => {
  const feed = createRunFeed();
  feed.open('one');
  for (let line = 0; line < 12_000; line += 1) feed.log(String(line));
  feed.finish(1);
  for (const _ of [1, 2]) {
    let count = 0;
    const lines = await read(feed, ({ log }) => {
      count += log.length;
      return count === 12_000;
    });
    assert.is(lines.length, 3);
    assert.equal(
      lines.map(({ isNew }) => isNew),
      [true, false, false],
    );
  }
  feed.open('two');
  const reading = read(feed, isEnded);
  feed.finish(0);
  const [first] = await reading;
  assert.equal([first?.head.label, first?.head.id, first?.log.length], ['two', 2, 0]);
});

test('the oldest lines of a long log are forgotten', async () => {
  const feed = createRunFeed();
  feed.open('long');
  for (let line = 0; line <= 110_000; line += 1) feed.log(String(line));
  feed.finish(0);
  let last = '';
  const lines = await read(feed, ({ log }) => {
    last = log.at(-1) ?? last;
    return last === '110000';
  });
  const all = lines.flatMap(({ log }) => log);
  assert.equal([all.length, all[0]], [100_000, '10001']);
});

test('a reader ends when no more follows, and when it is gone', async () => {
  const feed = createRunFeed();
  const gone = new AbortController();
  const reading = (async () => {
    let count = 0;
    for await (const _ of feed.watch(gone.signal)) count += 1;
    return count;
  })();
  await new Promise(setImmediate);
  gone.abort();
  assert.is(await reading, 1);
  feed.close();
  assert.is((await read(feed, () => false)).length, 1);
});

test.run();
