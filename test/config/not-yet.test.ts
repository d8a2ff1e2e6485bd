import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { notYet } from '../../src/config/not-yet.js';
import { builtIn } from '../../src/config/registries.js';
import { fromPlain, isObject } from '../../src/exact.js';
import { documentOf, type Parts, problemsOf } from './fakes.js';

const places: readonly (readonly [readonly string[], string, (key: string) => Parts])[] = [
  [notYet.api, 'api', (key) => ({ api: { [key]: 'x' } })],
];

for (const [keys, place, partsWith] of places) {
  for (const key of keys) {
    test(`${place}.${key} is refused as not supported yet`, () => {
      assert.equal(problemsOf(documentOf(partsWith(key))), [`${place}.${key}: not supported yet`]);
    });
  }
}

for (const key of notYet.root) {
  test(`${key} at the root is refused, beside api as beside parameters`, () => {
    const document = documentOf({});
    const parts = [...document, [key, fromPlain({})] as const];
    assert.equal(problemsOf(new Map(parts)), [`${key}: not supported yet`]);
    assert.equal(problemsOf(new Map([['parameters', document], parts.at(-1) ?? [key, null]])), [
      `${key}: not supported yet`,
    ]);
  });
}

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
