import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configOf, documentOf, problemsOf } from './fakes.js';

for (const dataField of [undefined, null, '', false, 0, '0', [], {}]) {
  test(`${JSON.stringify(dataField)} means the automatic search`, () => {
    assert.equal(configOf({ job: { dataField } }).jobs[0]?.dataField, { kind: 'auto' });
  });
}

const paths = [
  ['a', ['a'], 'a'],
  ['a.b.0', ['a', 'b', '0'], 'a.b.0'],
  ['.', [], '.'],
  [true, ['1'], '1'],
  [3, ['3'], '3'],
  [{ path: 'a.b' }, ['a', 'b'], 'a.b'],
  [{ path: 'a.b/c', delimiter: '/' }, ['a.b', 'c'], 'a.b/c'],
  [{ path: '/', delimiter: '/' }, [], '/'],
  [{ path: '.', delimiter: '/' }, ['.'], '.'],
  [{ path: 'a.b', delimiter: '' }, ['a', 'b'], 'a.b'],
] as const;

for (const [dataField, segments, text] of paths) {
  test(`${JSON.stringify(dataField)} leads along ${JSON.stringify(segments)}`, () => {
    assert.equal(configOf({ job: { dataField } }).jobs[0]?.dataField, { kind: 'path', segments, text });
  });
}

const path = 'a path (a string, or an object with "path")';

const faults = [
  [['a'], `: expected ${path}, found a list`],
  [{ delimiter: '/' }, '.path: required: expected a path'],
  [{ path: '' }, `.path: expected ${path}, found an empty string`],
  [{ path: {} }, `.path: expected ${path}, found an object`],
  [{ path: 'a', delimiter: 5 }, '.delimiter: expected a non-empty string, found a number'],
] as const;

for (const [dataField, problem] of faults) {
  test(`${JSON.stringify(dataField)} is refused`, () => {
    assert.equal(problemsOf(documentOf({ job: { dataField } })), [`config.jobs[0].dataField${problem}`]);
  });
}

test.run();
