import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { type Exact, fromPlain, isObject, stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { type ExpressionContext, evaluate, evaluateMap } from '../../../src/language/expression/expression.js';
import { attrReference, responseReference } from '../../../src/language/expression/reference.js';
import { functions } from '../../../src/language/expression/registry.js';

const config = parseExact(`{
  "name": "Bob", "variable": "from-env", "id": 12345678901234567890, "on": true, "off": false, "empty": "", "zero": 0, "nothing": null,
  "#token": "s3cret-token", "#deep": {"key": "below-a-secret"}, "server": {"port": 80, "#pin": "12"}, "list": ["a", {"b": "c"}],
  "a.b": "dotted", "x.y": {"z": "half dotted"}, "jobs": [{"endpoint": "users"}]
}`);
const reply = parseExact('{"token": "reply-token", "auth": [{"id": 7}], "none": null, "data": {"user_name": "x"}}');

/** Secrets for another reason than their place. */
const known = new Set(['from-env', 'abc']);

function context() {
  const added: string[] = [];
  if (!isObject(config) || !isObject(reply)) throw new TypeError('expected objects');
  const references = new Map([
    ['attr', attrReference(config)],
    ['response', responseReference(reply)],
  ]);
  const secrets = { add: (value: string) => added.push(value), isSecret: (value: string) => known.has(value) };
  return { added, references, secrets } satisfies ExpressionContext & { added: string[] };
}

/** As a message lists them. */
const names = Object.keys(functions)
  .map((name) => `"${name}"`)
  .join(', ');

const show = (value: Exact) => stringifyExact(value);
const evaluated = (json: string) => show(evaluate(parseExact(json), context()).value);

const forms = [
  ['"x"', '"x"'],
  ['1.0', '1.0'],
  ['12345678901234567890', '12345678901234567890'],
  ['null', 'null'],
  ['true', 'true'],
  ['{}', '{}'],
  ['{"attr": "name"}', '"Bob"'],
  ['{"attr": "id"}', '12345678901234567890'],
  ['{"attr": "on"}', 'true'],
  ['{"attr": "off"}', 'false'],
  ['{"attr": "empty"}', '""'],
  ['{"attr": "zero"}', '0'],
  ['{"attr": "server.port"}', '80'],
  ['{"attr": "list.1.b"}', '"c"'],
  ['{"attr": "a.b"}', '"dotted"'],
  ['{"attr": "x.y.z"}', '"half dotted"'],
  ['{"attr": "#token"}', '"s3cret-token"'],
  ['{"response": "auth.0.id"}', '7'],
  [
    '{"function": "concat", "args": ["a", {"attr": "id"}, {"function": "concat", "args": ["c"]}]}',
    '"a12345678901234567890c"',
  ],
  ['{"function": "concat", "args": {"first": "a", "0": {"attr": "name"}}}', '"aBob"'],
  ['{"function": "concat"}', '""'],
  ['{"function": "concat", "args": null}', '""'],
  ['{"function": "concat", "args": ["a"], "attr": "name"}', '"a"'],
  ['{"attr": "name", "other": 1}', '{"attr":"name","other":1}'],
  ['{"b": {"attr": "name"}, "a": [{"attr": "zero"}, [{"attr": "on"}]]}', '{"b":"Bob","a":[0,[true]]}'],
  ['{"time": "currentStart"}', '{"time":"currentStart"}'],
  ['{"__proto__": {"attr": "name"}}', '{"__proto__":"Bob"}'],
] as const;

for (const [expression, expected] of forms) {
  test(`${expression} is ${expected}`, () => assert.is(evaluated(expression), expected));
}

const faults = [
  ['{"attr": "nme"}', 'ERR_FUNCTION', 'there is no attr "nme"; did you mean "name"?'],
  ['{"attr": "nothing"}', 'ERR_FUNCTION', 'the attr "nothing" is null, expected a single value'],
  ['{"attr": "server"}', 'ERR_FUNCTION', 'the attr "server" is an object, expected a single value'],
  ['{"attr": "list"}', 'ERR_FUNCTION', 'the attr "list" is a list, expected a single value'],
  ['{"attr": "jobs.0.endpoint"}', 'ERR_FUNCTION', 'there is no attr "jobs.0.endpoint"'],
  ['{"attr": "name.0"}', 'ERR_FUNCTION', 'there is no attr "name.0"; did you mean "name"?'],
  ['{"attr": {"attr": "name"}}', 'ERR_FUNCTION', 'the key of "attr" is an object, expected a string'],
  ['{"attr": null}', 'ERR_FUNCTION', 'the key of "attr" is null, expected a string'],
  ['{"response": "tokn"}', 'ERR_LOGIN', 'there is no value in the login response at "tokn"; did you mean "token"?'],
  [
    '{"response": "data.username"}',
    'ERR_LOGIN',
    'there is no value in the login response at "data.username"; did you mean "data.user_name"?',
  ],
  [
    '{"response": "auth.0"}',
    'ERR_LOGIN',
    'the value in the login response at "auth.0" is an object, expected a single value',
  ],
  ['{"response": "none"}', 'ERR_LOGIN', 'the value in the login response at "none" is null, expected a single value'],
  [
    '{"function": "Concat", "args": []}',
    'ERR_FUNCTION',
    `there is no function "Concat"; expected ${names}; did you mean "concat"?`,
  ],
  ['{"function": "constructor", "args": []}', 'ERR_FUNCTION', `there is no function "constructor"; expected ${names}`],
  [
    '{"function": "urlencode", "args": ["a"]}',
    'ERR_FUNCTION',
    'function "urlencode" can only be called in `placeholders`',
  ],
  ['{"function": 5}', 'ERR_FUNCTION', '"function" is a number, expected a name'],
  ['{"function": "sha1"}', 'ERR_FUNCTION', 'function "sha1" takes 1 argument (text), found 0'],
  ['{"function": "sha1", "args": ["a", "b"]}', 'ERR_FUNCTION', 'function "sha1" takes 1 argument (text), found 2'],
  ['{"function": "sha1", "args": "a"}', 'ERR_FUNCTION', 'function "sha1": "args" is a string, expected a list'],
  [
    '{"function": "concat", "args": ["a", {"b": "c"}]}',
    'ERR_FUNCTION',
    'function "concat": expected a string, found an object',
  ],
  [
    '{"function": "base64_encode", "args": [["a"]]}',
    'ERR_FUNCTION',
    'function "base64_encode": expected a string, found a list',
  ],
] as const;

for (const [expression, code, message] of faults) {
  test(`${expression} is refused: ${message}`, () => {
    try {
      evaluate(parseExact(expression), context());
    } catch (thrown) {
      assert.instance(thrown, ExtractError);
      assert.equal(thrown instanceof ExtractError && [thrown.code, thrown.message], [code, message]);
      return;
    }
    assert.unreachable('it was evaluated');
  });
}

const taints = [
  ['{"attr": "name"}', false, []],
  ['{"attr": "#token"}', true, ['s3cret-token']],
  ['{"attr": "#deep.key"}', true, ['below-a-secret']],
  ['{"attr": "server.#pin"}', true, ['12']],
  ['{"attr": "server.port"}', false, []],
  ['{"response": "auth.0.id"}', true, ['7']],
  ['{"function": "concat", "args": ["user", ":", {"attr": "name"}]}', false, []],
  [
    '{"function": "base64_encode", "args": [{"function": "concat", "args": ["user:", {"attr": "#token"}]}]}',
    true,
    ['s3cret-token', 'user:s3cret-token', 'dXNlcjpzM2NyZXQtdG9rZW4='],
  ],
  ['{"a": {"attr": "#token"}, "b": "plain"}', true, ['s3cret-token']],
  [
    '{"a": [{"b": {"function": "concat", "args": [{"attr": "#token"}, "!"]}}]}',
    true,
    ['s3cret-token', 's3cret-token!'],
  ],
  ['"from-env"', true, ['from-env']],
  ['{"attr": "variable"}', true, ['from-env']],
  ['{"function": "concat", "args": ["from-env", "!"]}', true, ['from-env', 'from-env!']],
  // So short, it may well be there by chance.
  ['"abc"', false, []],
] as const;

for (const [expression, secret, remembered] of taints) {
  test(`${expression} ${secret ? `is secret, and so are ${remembered.join(', ')}` : 'is no secret'}`, () => {
    const within = context();
    assert.is(evaluate(parseExact(expression), within).secret, secret);
    assert.equal(within.added, remembered);
  });
}

test('the empty text is never remembered as a secret', () => {
  const added: string[] = [];
  const empty = { value: '', secret: true };
  evaluate(fromPlain({ any: 'x' }), {
    references: new Map([['any', () => empty]]),
    secrets: { add: (value) => added.push(value), isSecret: () => false },
  });
  assert.equal(added, []);
});

function mapOf(json: string) {
  const map = parseExact(json);
  if (!isObject(map)) throw new TypeError('expected an object');
  return map;
}

test('a list that is a direct member of the map is not evaluated; a nested one is', () => {
  const map = mapOf('{"ids": [{"attr": "name"}], "f": {"ids": [{"attr": "name"}]}, "n": {"attr": "zero"}}');
  assert.is(show(evaluateMap(map, context())), '{"ids":[{"attr":"name"}],"f":{"ids":["Bob"]},"n":0}');
});

test('a map keeps the order of its members', () => {
  assert.is(show(evaluateMap(mapOf('{"2": 1, "b": {"attr": "name"}, "1": 3}'), context())), '{"2":1,"b":"Bob","1":3}');
});

test('the map itself is never a reference', () => {
  assert.is(show(evaluateMap(mapOf('{"attr": "name"}'), context())), '{"attr":"name"}');
});

test('a fault within a map names its place', () => {
  assert.throws(
    () => evaluateMap(mapOf('{"X-Key": {"attr": "nme"}}'), context(), 'api.http.headers'),
    (error: ExtractError) =>
      error.code === 'ERR_FUNCTION' &&
      error.message === 'api.http.headers.X-Key: there is no attr "nme"; did you mean "name"?',
  );
});

test.run();
