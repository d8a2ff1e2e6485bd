import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configOf, documentOf, problemsOf, warningsOf } from './fakes.js';

const child = { endpoint: 'a/{id}', placeholders: { id: 'id' } };
const remembering = { incremental: { path: 'updated', param: 'since' } };

const wrong: readonly (readonly [job: object, problem: string])[] = [
  [
    { children: [{ ...child, each: { n: { job: 'users', path: 'id' } } }] },
    'config.jobs[0].children[0].each.n.job: a child has `placeholders` for the items of another job',
  ],
  [
    { children: [{ ...child, each: 5 }] },
    'config.jobs[0].children[0].each: expected an object of lists, found a number',
  ],
  [{ params: { a: { time: [] } } }, 'config.jobs[0].params.a.time: expected a path, found an empty list'],
  [{ params: { a: { time: true } } }, 'config.jobs[0].params.a.time: expected a path, found true or false'],
  [
    { ...remembering, params: { a: { incremental: 'x' } } },
    'config.jobs[0].params.a.incremental: there is no such incremental, expected one of "value"',
  ],
];

for (const [job, problem] of wrong) {
  test(`${JSON.stringify(job)} is a problem`, () => assert.equal(problemsOf(documentOf({ job })), [problem]));
}

const sources: readonly (readonly [given: object, source: object])[] = [
  [{ path: 'a.b' }, { kind: 'path', text: 'a.b', segments: ['a', 'b'] }],
  [{ response: 'meta.link' }, { kind: 'response', text: 'meta.link', segments: ['meta', 'link'] }],
  [{ response: '@odata.deltaLink' }, { kind: 'response', text: '@odata.deltaLink', segments: ['@odata.deltaLink'] }],
  [{ header: 'X-Next' }, { kind: 'header', text: 'x-next' }],
];

for (const [given, source] of sources) {
  test(`the remembered value of ${JSON.stringify(given)} has its place`, () =>
    assert.equal(
      configOf({ job: { incremental: { ...given, param: 'since' } } }).jobs[0]?.incremental?.source,
      source,
    ));
}

const path = { path: 'updated' };
const value = { incremental: 'value' };

/** What carries the remembered value. */
const carrying: readonly object[] = [
  { incremental: { ...path, param: 'since' } },
  { incremental: path, params: { since: value } },
  { incremental: path, params: { query: { args: [{ function: 'concat', args: ['a', value] }] } } },
  { incremental: path, headers: { 'If-Modified-Since': value } },
  { incremental: path, endpoint: 'a/{incremental}' },
  {
    incremental: path,
    windows: {
      from: '2026-01-01',
      to: '2026-02-01',
      step: '1d',
      params: { from: 'a', to: 'b' },
    },
  },
];

for (const job of carrying) {
  test(`a value that a request carries has no warning: ${JSON.stringify(job)}`, () =>
    assert.not.ok(warningsOf(documentOf({ job })).some((text) => text.includes('no request carries the value'))));
}

test('a value that no request carries is a warning', () => {
  const [warning, ...others] = warningsOf(documentOf({ job: { incremental: path, params: { a: 'incremental' } } }));
  assert.match(warning ?? '', /config\.jobs\[0\]\.incremental: no request carries the value, so each run asks for/);
  assert.equal(others, []);
});

test.run();
