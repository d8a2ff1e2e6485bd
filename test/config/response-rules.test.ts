import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configOf, documentOf, problemsOf } from './fakes.js';

const inApi = (responseRules: unknown) => ({ api: { responseRules } });
/** The name of the key, which no object literal may have. */
const key = 'then';
const does = (action: string) => ({ [key]: action });
const rule = (...more: readonly object[]) =>
  Object.assign({ when: { path: 'status', equals: 'failure' } }, does('fail'), ...more);

test('reads a rule, and the rules of a job before those of the API', () => {
  const own = { when: { status: 404 }, ...does('end') };
  const ofApi = rule(does('wait'), { wait: { path: 'retry_after' }, message: { header: 'X-Error' } });
  const { jobs } = configOf({
    api: { responseRules: [ofApi] },
    config: { jobs: [{ endpoint: 'a', responseRules: [own] }, { endpoint: 'b' }] },
  });
  const read = {
    when: { place: { segments: ['status'] }, test: { equals: 'failure' } },
    action: 'wait',
    path: 'api.responseRules[0]',
    wait: { segments: ['retry_after'] },
    message: { header: 'x-error' },
  };
  assert.equal(
    jobs.map(({ responseRules }) => responseRules),
    [
      [{ when: { status: [[404, 404]], test: {} }, action: 'end', path: 'config.jobs[0].responseRules[0]' }, read],
      [read],
    ],
  );
});

for (const none of [null, [], '', {}]) {
  test(`${JSON.stringify(none)} is no rule`, () => {
    assert.is(configOf(inApi(none)).jobs[0]?.responseRules, undefined);
  });
}

const actions = '"fail", "retry", "end", "skip", "wait" or "login"';
const refused: readonly (readonly [written: unknown, ...problems: string[]])[] = [
  ['x', 'api.responseRules: expected a list of rules, found a string'],
  [[5], 'api.responseRules[0]: expected an object, found a number'],
  [
    [{}],
    'api.responseRules[0].then: required: expected ACTIONS',
    'api.responseRules[0].when: required: expected an object',
  ],
  [[rule(does('fial'))], 'api.responseRules[0].then: expected ACTIONS, found "fial"; did you mean "fail"?'],
  [[rule({ whenn: {} })], 'api.responseRules[0].whenn: unknown key; did you mean "when"?'],
  [[rule({ when: { pth: 'a' } })], 'api.responseRules[0].when.pth: unknown key; did you mean "path"?'],
  [
    [rule({ when: { path: 'a' } })],
    'api.responseRules[0].when.path: has no test: add "equals", "in", "matches" or "exists"',
  ],
  [[rule({ wait: { seconds: 5 } })], 'api.responseRules[0].wait: only for "then": "wait" and "retry", not "fail"'],
  [[rule(does('wait'))], 'api.responseRules[0].wait: required: expected an object with "path", "header" or "seconds"'],
  [[rule(does('wait'), { wait: {} })], 'api.responseRules[0].wait: expected one of "path", "header", "seconds"'],
  [
    [rule(does('wait'), { wait: { seconds: 0 } })],
    'api.responseRules[0].wait.seconds: expected a whole number from 1 up, found a number',
  ],
  [
    [rule(does('wait'), { wait: { path: 'a', seconds: 1 } })],
    'api.responseRules[0].wait.path: cannot be used with api.responseRules[0].wait.seconds: remove one of them',
  ],
  [[rule({ message: { pathh: 'a' } })], 'api.responseRules[0].message.pathh: unknown key; did you mean "path"?'],
  [[rule({ message: 'error' })], 'api.responseRules[0].message: expected an object, found a string'],
];

for (const [written, ...problems] of refused) {
  test(`rejects ${JSON.stringify(written)}`, () => {
    assert.equal(
      [...problemsOf(documentOf(inApi(written)))].sort(),
      problems.map((each) => each.replace('ACTIONS', actions)).sort(),
    );
  });
}

test('a wrong rule of a child is reported at its path', () => {
  const child = { endpoint: '{id}', placeholders: { id: 'id' }, responseRules: [rule(does('x'))] };
  const problems = problemsOf(documentOf({ config: { jobs: [{ endpoint: 'a', children: [child] }] } }));
  assert.match(problems[0] ?? '', /^config\.jobs\[0\]\.children\[0\]\.responseRules\[0\]\.then: expected "fail"/);
});

test.run();
