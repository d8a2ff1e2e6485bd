import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain } from '../../../src/core/json/exact.js';
import { readCondition } from '../../../src/language/condition/read-condition.js';
import { meets, viewOf } from '../../../src/language/condition/response-condition.js';
import { createDiagnostics } from '../../../src/language/config-path.js';

function conditionOf(written: unknown) {
  const found = createDiagnostics();
  const condition = readCondition(found.root.at('when'), fromPlain(written));
  return { condition, problems: found.problems.map(({ path, message }) => `${path}: ${message}`) };
}

const headers = { 'x-state': 'Stale', 'set-cookie': ['a', 'b'] };
const body = { status: 'failure', code: 7, big: 1e21, ok: false, none: null, list: [{ id: 'a.b' }], error: {} };
const response = viewOf(200, headers, fromPlain(body));

const judged: readonly (readonly [written: object, isMet: boolean])[] = [
  [{ status: 200 }, true],
  [{ status: '200-299' }, true],
  [{ status: [404, '200-204'] }, true],
  [{ status: [404, '500-599'] }, false],
  [{ path: 'status', equals: 'failure' }, true],
  [{ path: 'status', equals: 'fail' }, false],
  [{ path: ['status'], in: ['error', 'failure'] }, true],
  [{ path: 'status', in: [] }, false],
  [{ path: 'code', equals: 7 }, true],
  [{ path: 'code', equals: '7' }, true],
  [{ path: 'big', equals: 1e21 }, true],
  [{ path: 'ok', equals: false }, true],
  [{ path: 'ok', equals: 'false' }, true],
  [{ path: 'ok', equals: 0 }, false],
  [{ path: 'status', matches: '^fail' }, true],
  [{ path: 'status', matches: '^FAIL' }, false],
  [{ path: 'status', matches: '/^FAIL/i' }, true],
  [{ path: 'code', matches: '^\\d$' }, true],
  [{ path: 'error', matches: '.' }, false],
  [{ path: 'none', matches: '.' }, false],
  [{ path: 'none', exists: true }, false],
  [{ path: 'none', exists: false }, true],
  [{ path: 'absent.deep', exists: false }, true],
  [{ path: 'absent', equals: 'x' }, false],
  [{ path: 'list.0.id', equals: 'a.b' }, true],
  [{ path: 'error', exists: true }, true],
  [{ header: 'X-State', matches: '/stale/i' }, true],
  [{ header: 'set-cookie', equals: 'a, b' }, true],
  [{ header: 'x-other', exists: true }, false],
  [{ status: 200, path: 'status', equals: 'failure', matches: '^x' }, false],
  [{ status: 404, path: 'status', equals: 'failure' }, false],
];

for (const [written, isMet] of judged) {
  test(`${JSON.stringify(written)} is ${isMet ? 'met' : 'not met'}`, () => {
    const { condition, problems } = conditionOf(written);
    assert.equal(problems, []);
    assert.is(condition !== undefined && meets(condition, response), isMet);
  });
}

const expected = '"status", "path", "header", "equals", "in", "matches", "exists"';
const status = 'a status such as 404, or a range such as "200-299"';
const refused: readonly (readonly [written: unknown, ...problems: string[]])[] = [
  ['x', 'when: expected an object, found a string'],
  [null, 'when: required: expected an object'],
  [{}, 'when: expected at least one of "status", "path", "header"'],
  [{ path: 'a', equal: 1 }, 'when.equal: unknown key; did you mean "equals"?'],
  [{ path: 'a', exists: true, colour: 1 }, `when.colour: unknown key: expected ${expected}`],
  [{ path: 'a' }, 'when.path: has no test: add "equals", "in", "matches" or "exists"'],
  [{ header: 'a', status: 200 }, 'when.header: has no test: add "equals", "in", "matches" or "exists"'],
  [{ equals: 1 }, 'when.equals: has no value to test: add "path" or "header"'],
  [{ path: 'a', header: 'b', exists: true }, 'when.path: cannot be used with when.header: remove one of them'],
  [{ status: 99 }, `when.status: expected ${status}, or a list of statuses, found a string`],
  [{ status: '299-200' }, `when.status: expected ${status}, or a list of statuses, found a string`],
  [{ status: ['2xx'] }, `when.status[0]: expected ${status}, found a string`],
  [{ path: 'a', equals: {} }, 'when.equals: expected a string, a number, true or false, found an object'],
  [{ path: 'a', in: 'x' }, 'when.in: expected a list of values, found a string'],
  [
    { path: 'a', matches: '(' },
    'when.matches: expected a regular expression, or one between slashes such as "/^fail/i", found a string',
  ],
  [{ path: 'a', exists: 'yes' }, 'when.exists: expected true or false, found a string'],
  [{ path: '', exists: true }, 'when.path: expected a non-empty string, found an empty string'],
];

for (const [written, ...problems] of refused) {
  test(`rejects ${JSON.stringify(written)}`, () => {
    const { condition, problems: found } = conditionOf(written);
    assert.is(condition, undefined);
    assert.equal(found, problems);
  });
}

test('a view without a body has no values', () => {
  assert.is(viewOf(204, {}, undefined).at(['a']), undefined);
});

test.run();
