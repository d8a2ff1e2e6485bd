import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { didYouMean, nearest } from '../src/nearest.js';

const names = ['endpoint', 'method', 'params', 'dataField', 'dataType', 'id'];

const cases = [
  ['endpont', 'endpoint'],
  ['endopint', 'endpoint'],
  ['Endpoint', 'endpoint'],
  ['datafield', 'dataField'],
  ['param', 'params'],
  ['di', 'id'],
  ['pagination', undefined],
  ['x', undefined],
  ['', undefined],
] as const;

for (const [name, expected] of cases) {
  test(`${JSON.stringify(name)} is ${expected === undefined ? 'near to nothing' : `near to ${expected}`}`, () => {
    assert.is(nearest(name, names), expected);
  });
}

test('is never the name itself', () => {
  assert.is(nearest('params', ['params', 'param']), 'param');
});

test('takes the first of equals', () => {
  assert.is(nearest('dataXXXX', ['dataXXXA', 'dataXXXB']), 'dataXXXA');
});

test('counts a swap of neighbours as one edit', () => {
  assert.is(nearest('abc', ['acb']), 'acb');
});

test('ends a sentence only where there is something to say', () => {
  assert.is(didYouMean('method', ['metod']), '; did you mean "metod"?');
  assert.is(didYouMean('method', ['x']), '');
});

test.run();
