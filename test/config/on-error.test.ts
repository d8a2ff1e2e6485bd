/** `onError` of a job: which requests may fail. docs/04-child-jobs.md#when-a-child-fails. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configOf, documentOf, problemsOf } from './fakes.js';

const jobWith = (onError: unknown) => ({ config: { jobs: [{ endpoint: 'a', onError }] } });
const infinite = Number.POSITIVE_INFINITY;

for (const [given, read] of [
  ['skip', { statuses: new Map(), others: 'skip', max: infinite }],
  ['dead-letter', { statuses: new Map(), others: 'dead-letter', max: infinite }],
  ['fail', { statuses: new Map(), others: 'fail', max: infinite }],
  [{ 404: 'dead-letter' }, { statuses: new Map([[404, 'dead-letter']]), others: 'fail', max: infinite }],
  [{ 404: 'skip' }, { statuses: new Map([[404, 'skip']]), others: 'fail', max: infinite }],
  [
    { 403: 'fail', 500: 'skip', default: 'skip', max: 0 },
    {
      statuses: new Map([
        [403, 'fail'],
        [500, 'skip'],
      ]),
      others: 'skip',
      max: 0,
    },
  ],
] as const) {
  test(`reads ${JSON.stringify(given)}`, () => {
    assert.equal(configOf(jobWith(given)).jobs[0]?.onError, read);
  });
}

test('an empty rule is none', () => {
  for (const none of [null, '', {}, []]) assert.is(configOf(jobWith(none)).jobs[0]?.onError, undefined);
});

const choice = 'expected "skip", "dead-letter" or "fail"';
for (const [given, ...expected] of [
  ['ignore', `config.jobs[0].onError: ${choice}, found "ignore"`],
  [5, `config.jobs[0].onError: ${choice}, found a number`],
  [{ 404: true }, `config.jobs[0].onError.404: ${choice}, found true or false`],
  [{ 200: 'skip' }, 'config.jobs[0].onError.200: expected a status from 400 to 599, "default" or "max"'],
  [{ defalt: 'skip' }, 'config.jobs[0].onError.defalt: expected a status from 400 to 599, "default" or "max"'],
  [{ max: -1 }, 'config.jobs[0].onError.max: expected a whole number from 0 up, found a negative number'],
] as const) {
  test(`refuses ${JSON.stringify(given)}`, () => {
    assert.equal(problemsOf(documentOf(jobWith(given))), expected);
  });
}

test.run();
