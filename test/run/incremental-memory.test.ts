/** What runs remember and ask for, without an API: one walk and its memory at a time. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../src/config/parse-config.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { ExactNumber, fromPlain } from '../../src/core/json/exact.js';
import type { Notice } from '../../src/core/model/notice.js';
import { mostRecent, type Reached } from '../../src/incremental/reached.js';
import type { Remembered, RunMemory } from '../../src/incremental/run-memory.js';
import { createIncrementalRun, type IncrementalRunOptions } from '../../src/run/incremental-run.js';
import { sourceOf } from '../../src/run/incremental-sources.js';
import { onlyOf } from '../config/fakes.js';

const jobsOf = (job: object) =>
  onlyOf(
    parseConfig(fromPlain({ api: { baseUrl: 'http://localhost/' }, config: { jobs: [{ endpoint: 'rows', ...job }] } })),
  ).jobs;

const incremental = { path: 'at', param: 'since', lookback: '1h' };

/** A run of the job `rows`, and what it notifies. */
function runOf(options: Partial<IncrementalRunOptions>, job: object = { incremental }) {
  const notices: Notice[] = [];
  const jobs = jobsOf(job);
  const run = createIncrementalRun({
    jobs,
    startedAt: 0,
    secrets: { mask: (text) => text },
    notify: (notice) => void notices.push(notice),
    ...options,
  });
  const [first] = jobs;
  if (first === undefined) throw new Error('there is no job');
  return { run, job: first, notices };
}

const memoryOf = (value: Partial<Remembered>, by = ''): RunMemory => ({
  format: 1,
  jobs: {
    rows: {
      source: sourceOf(runOf({}).job),
      filters: {},
      values: { [by]: { value: '"2026-01-02"', order: 'date', recent: [], at: 0, ...value } },
    },
  },
});

const nothing: Reached = { recent: [], known: 0, late: 0, beyond: 0 };

const misused: readonly (readonly [options: object, job: object, says: string])[] = [
  [{ full: true }, {}, 'full: no job of the run has `incremental`'],
  [{ remember: true }, { incremental }, 'remember: belongs to a backfill'],
];

for (const [options, job, says] of misused) {
  test(`${JSON.stringify(options)} is refused: ${says}`, () =>
    assert.throws(
      () => runOf(options, job),
      (thrown: unknown) =>
        thrown instanceof ExtractError && thrown.code === 'ERR_USAGE' && thrown.message.includes(says),
    ));
}

test('`since` has the type of the first value, and begins there', () => {
  const numbers = { incremental: { ...incremental, lookback: undefined, initial: 5 } };
  const since = (text: string) => {
    const { run, job } = runOf({ since: text }, numbers);
    return run?.begin(job, new Map(), undefined)?.range.value;
  };
  assert.equal(since('12'), new ExactNumber('12'));
  assert.is(since('1e3'), '1e3');
});

test('a remembered value that is none of its order is an error of the state', () => {
  const { run, job } = runOf({ remembered: memoryOf({ value: '"x"', order: 'number' }) });
  assert.throws(
    () => run?.begin(job, new Map(), undefined),
    (thrown: unknown) => thrown instanceof ExtractError && thrown.code === 'ERR_STATE',
  );
});

test('the values of the named placeholders name the parent; one that is not bound is null', () => {
  const job = {
    incremental: { path: 'at' },
    children: [
      { endpoint: 'x/{id}', placeholders: { id: 'id' }, incremental: { path: 'at', param: 'since', by: ['id'] } },
    ],
  };
  const { run, job: parent } = runOf({}, job);
  const [child] = parent.children;
  if (child === undefined) throw new Error('there is no child');
  const binding = (name: string) => new Map([[name, { value: '7', text: '7' }]]);
  assert.is(run?.begin(child, binding('id'), undefined)?.by, '["7"]');
  assert.is(run?.begin(child, binding('other'), undefined)?.by, '[null]');
});

test('a value that is a secret is not kept, and the warning does not show it', () => {
  const { run, notices } = runOf({ secrets: { mask: (text) => text.replace('hunter22', '***') } });
  const reached = { ...nothing, value: '"hunter22"', order: 'text' } as const;
  assert.equal(run?.remember([{ job: 'rows', by: '', reached, isComplete: true }])?.jobs, {});
  assert.equal(
    notices.map(({ code, job }) => [code, job]),
    [['value-not-kept', 'rows']],
  );
});

test('items that cannot be recognised in the next run are counted in a warning', () => {
  const { run, notices } = runOf({});
  const recent = [['"2026-01-02"', 'a'.repeat(16 * (mostRecent + 3))]] as const;
  const reached = { ...nothing, value: '"2026-01-02"', order: 'date', recent } as const;
  run?.remember([{ job: 'rows', by: '', reached, isComplete: true }]);
  assert.match(notices.find(({ code }) => code === 'recent-not-kept')?.message ?? '', /^3 items have recent values/);
});

test('late items of all walks of a job are one notice, with the look-back that suffices for the latest', () => {
  const remembered: RunMemory = {
    format: 1,
    jobs: {
      rows: {
        source: sourceOf(runOf({}).job),
        filters: {},
        values: Object.fromEntries(
          ['["1"]', '["2"]', '["3"]'].map((by) => [by, { value: '"2026-01-02"', order: 'date', recent: [], at: 0 }]),
        ),
      },
    },
  };
  const { run, notices } = runOf({ remembered });
  const late = (by: string, latest: string, order: 'date' | 'text' = 'date') => ({
    job: 'rows',
    by,
    reached: { ...nothing, value: '"2026-01-02"', order, late: 1, latest: JSON.stringify(latest) },
    isComplete: true,
  });
  run?.remember([late('["1"]', '2026-01-01'), late('["2"]', '2026-01-01T12:00:00Z'), late('["3"]', '2025-12-31')]);
  const found = notices.filter(({ code }) => code === 'late-items').map(({ message }) => message);
  assert.equal(found, ['3 items were late, by up to 2d: a look-back of 2d suffices for them']);
  notices.length = 0;
  run?.remember([late('["1"]', 'a', 'text')]);
  assert.equal(
    notices.map(({ message }) => message),
    ['1 item was late'],
  );
});

test('the method, the order and the parent are part of what a value belongs to', () => {
  const plain = runOf({}).job;
  const other = runOf(
    {},
    { method: 'POST', dataField: 'a.b', incremental: { ...incremental, compare: 'date', by: [] } },
  ).job;
  const added = Object.keys(sourceOf(other)).filter((key) => !Object.hasOwn(sourceOf(plain), key));
  assert.equal(added.sort(), ['dataField', 'incremental.by', 'incremental.compare', 'method']);
});

test.run();
