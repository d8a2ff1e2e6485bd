import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { didYouMean, didYouMeanKey, nearest } from '../../../src/core/util/suggest.js';

const names = ['endpoint', 'method', 'params', 'dataField', 'dataType', 'id'];

const cases = [
  ['endpont', 'endpoint'],
  ['endopint', 'endpoint'],
  ['Endpoint', 'endpoint'],
  ['datafield', 'dataField'],
  ['param', 'params'],
  ['di', 'id'],
  ['ix', undefined],
  ['ids', 'id'],
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

test('the first of equals wins', () => {
  assert.is(nearest('dataXXXX', ['dataXXXA', 'dataXXXB']), 'dataXXXA');
});

test('counts a swap of neighbours as one edit', () => {
  assert.is(nearest('abc', ['acb']), 'acb');
});

const beginnings = [
  ['region', ['regionName', 'accessKeyId'], 'regionName'],
  ['username', ['host', 'user'], 'user'],
  ['parms', ['parmsOfAll', 'parm'], 'parm'],
  ['use', ['userData'], undefined],
  ['user', ['user'], undefined],
] as const;

for (const [name, kin, meant] of beginnings) {
  test(`the key ${name} is ${meant === undefined ? 'none' : `perhaps ${meant}`} of ${kin.join(', ')}`, () => {
    assert.is(didYouMeanKey(name, kin, kin), meant === undefined ? '' : `; did you mean "${meant}"?`);
    if (meant !== undefined && meant !== 'parm') assert.is(didYouMeanKey(name, kin, []), '');
  });
}

test('adds a hint only if there is one', () => {
  assert.is(didYouMean('method', ['metod']), '; did you mean "metod"?');
  assert.is(didYouMean('method', ['x']), '');
});

test('a name of thousands of characters is data: it is near to nothing', () => {
  const long = 'endpoint'.repeat(100);
  assert.is(nearest(`${long}x`, [long]), undefined);
  assert.is(nearest('endpont', [long, 'endpoint']), 'endpoint');
});

test('data that is far longer than a name is not compared', () => {
  assert.is(didYouMean('users', ['u'.repeat(100_000), 'user']), '; did you mean "user"?');
  assert.is(didYouMean('users', [`users${'x'.repeat(500)}`]), '');
});

test.run();
