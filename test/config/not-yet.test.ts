import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { notYet } from '../../src/config/not-yet.js';
import { fromPlain } from '../../src/exact.js';
import { documentOf, problemsOf } from './fakes.js';

for (const key of notYet.parameters) {
  test(`parameters.${key} is refused as not supported yet`, () => {
    const parameters = new Map([...documentOf({}), [key, fromPlain({})]]);
    assert.equal(problemsOf(parameters), [`${key}: not supported yet`]);
    assert.equal(problemsOf(new Map([['parameters', parameters]])), [`parameters.${key}: not supported yet`]);
  });
}

test('an action other than run is refused', () => {
  const action = (value: string) => new Map([...documentOf({}), ['action', fromPlain(value)]]);
  assert.equal(problemsOf(action('run')), []);
  assert.equal(problemsOf(action('test')), ['action: not supported yet; expected "run"']);
});

test.run();
