/** Parameters of a job that are written as a list. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run } from '../../src/run/extract.js';
import { configOf, json, onNetwork } from '../support/mock-network.js';
import { documentOf, configOf as parsed, problemsOf } from './fakes.js';

const rows: readonly (readonly [method: string, line: string, body: string])[] = [
  ['GET', 'GET /a?1=b&2%5B0%5D=c', ''],
  ['POST', 'POST /a', '["first","b",["c"]]'],
  ['FORM', 'POST /a', '0=first&1=b&2%5B0%5D=c'],
];

for (const [method, line, body] of rows) {
  test(
    `a list of parameters is sent by ${method} as ${body === '' ? line : body}`,
    onNetwork({ [line]: json([]) }, async ({ dispatcher, asked }) => {
      const params = [{ attr: 'x' }, 'b', ['c']];
      await run(configOf([{ endpoint: 'a', method, params }], {}, { x: 'first' }), { dispatcher });
      assert.is(asked[0]?.body, body);
    }),
  );
}

test('an empty list is no parameters', () => {
  assert.is(parsed({ job: { params: [] } }).jobs[0]?.params.size, 0);
});

test('neither an object nor a list: a problem', () => {
  for (const [params, found] of [
    ['x', 'a string'],
    [5, 'a number'],
    [true, 'true or false'],
  ] as const) {
    assert.equal(problemsOf(documentOf({ job: { params } })), [
      `config.jobs[0].params: expected an object or a list, found ${found}`,
    ]);
  }
});

test.run();
