import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { notYet } from '../../src/config/not-yet.js';
import { builtIn } from '../../src/config/registries.js';
import { fromPlain, isObject } from '../../src/exact.js';
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

for (const type of notYet.authentications) {
  test(`the authentication ${type} is refused by name`, () => {
    const [problem = ''] = problemsOf(documentOf({ api: { authentication: { type } } }));
    assert.match(problem, `api.authentication.type: "${type}" is not supported yet`);
  });
}

test('nothing that is built is on the list', () => {
  const built = (names: readonly string[], registry: object) => names.filter((each) => Object.hasOwn(registry, each));
  assert.equal(built(notYet.authentications, builtIn.authentications), []);
  assert.ok(isObject(documentOf({})));
});

test.run();
