/** A page never has a secret of a configuration, and a save keeps each as it was written. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createHiddenSecrets } from '../../../src/tools/ui/hidden-secrets.js';
import { maskOf } from '../../../src/tools/ui/known-mask.js';

const plain = (text: string) => text;

test('values of names that are secrets are marks, in every form', () => {
  const text = `{ // a comment
  "api": { "authentication": { "type": "bearer", "token": "tok\\u00e9n-1" } },
  "config": { "#key": "k-1", "#pin": 1234, "#list": ["a-1", { "inner": "b-1" }], "password": "p-1" }
}`;
  const secrets = createHiddenSecrets();
  const shown = secrets.hide(text, plain);
  for (const secret of ['tok\\u', 'tokén', 'k-1', '1234', 'a-1', 'b-1', 'p-1']) assert.not.match(shown, `"${secret}`);
  assert.match(shown, '// a comment');
  assert.is(secrets.restore(shown), text);
});

test('what only names a secret stays', () => {
  const text = `{ "config": { "#key": { "env": "KEY" }, "#file": {"file": "/run/key"}, "#empty": "" },
  "api": { "pagination": { "idKey": "id", "urlKey": "next" }, "authentication": { "tokenStore": "tokens.json" } } }`;
  assert.is(createHiddenSecrets().hide(text, plain), text);
});

test('a secret is a mark wherever it is: in an address, a name and a comment', () => {
  const text = `{ "api": { "baseUrl": "https://user:hunter22@h.example/" }, // hunter22, once more
  "config": { "#password": "hunter22", "hunter22": 1, "jobs": [{ "endpoint": "a?key=hunter22&x=***" }] } }`;
  const secrets = createHiddenSecrets();
  const shown = secrets.hide(text, (each) => each.replaceAll('hunter22', '***'));
  assert.not.match(shown, 'hunter22');
  assert.match(shown, '"https://user:***1***@h.example/"');
  assert.is(secrets.restore(shown), text);
});

test('a mark that was moved and changed text around it has its secret', () => {
  const secrets = createHiddenSecrets();
  secrets.hide('{ "#key": "say \\"k\\"" }', plain);
  assert.is(secrets.restore('{ "other": "x-***1***" }'), '{ "other": "x-say \\"k\\"" }');
  assert.is(secrets.restore('{ "other": "***2***" }'), '{ "other": "***2***" }');
});

test('a value whose mask cannot be followed is hidden whole', () => {
  const secrets = createHiddenSecrets();
  const shown = secrets.hide('{ "a": "one two" }', (each) => (each === 'one two' ? 'other' : each));
  assert.is(shown, '{ "a": "***1***" }');
  assert.is(secrets.restore(shown), '{ "a": "one two" }');
});

test('the mask of a configuration knows its secrets and those of the environment', () => {
  const text = `{ "api": { "baseUrl": "http://h.example/", "authentication": { "type": "bearer", "token": { "env": "T" } } },
  "config": { "#key": "secret-key-1", "jobs": [{ "endpoint": "a" }] } }`;
  const mask = maskOf(text, { T: 'token-of-env' });
  assert.is(mask('secret-key-1 token-of-env'), '*** ***');
  assert.is(maskOf('{', {})('text'), 'text');
});

test.run();
