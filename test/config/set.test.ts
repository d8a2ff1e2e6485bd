import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { applyAssignments } from '../../src/config/set.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { type ExactObject, isObject, stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import type { Notice } from '../../src/core/model/notice.js';

const text =
  '{"api":{"baseUrl":"http://a/"},"config":{"n":1.0,"none":null,"jobs":[{"endpoint":"a","params":{"x.y":1}},{"endpoint":"b"}]}}';

function objectOf(json: string): ExactObject {
  const value = parseExact(json);
  if (!isObject(value)) throw new TypeError('expected an object');
  return value;
}

const set = (assignments: readonly string[], json = text) =>
  stringifyExact(applyAssignments(objectOf(json), assignments));
const changed = (from: string, to: string) => text.replace(from, to);

const changes = [
  ['config.n=2.50', '"n":1.0', '"n":2.50'],
  ['config.n=12345678901234567890', '"n":1.0', '"n":12345678901234567890'],
  ['config.n=two', '"n":1.0', '"n":"two"'],
  ['config.n="2"', '"n":1.0', '"n":"2"'],
  ['config.n=', '"n":1.0', '"n":""'],
  ['config.n=a=b', '"n":1.0', '"n":"a=b"'],
  ['config.n={"a": [1.0]}', '"n":1.0', '"n":{"a":[1.0]}'],
  ['config.n={a', '"n":1.0', '"n":"{a"'],
  ['parameters.config.n=2', '"n":1.0', '"n":2'],
  ['config.jobs[1].endpoint=c', '"endpoint":"b"', '"endpoint":"c"'],
  ['config.jobs[0].params["x.y"]=2', '"x.y":1', '"x.y":2'],
  ['config.jobs[1].params.limit=5', '"endpoint":"b"', '"endpoint":"b","params":{"limit":5}'],
  ['config.none.a.b=1', '"none":null', '"none":{"a":{"b":1}}'],
  ['config.jobs[2]={"endpoint": "c"}', ']}}', ',{"endpoint":"c"}]}}'],
  ['config.#token={"env": "TOKEN"}', ']}}', '],"#token":{"env":"TOKEN"}}}'],
  ['authorization.oauth_api.id=1', ']}}', ']},"authorization":{"oauth_api":{"id":1}}}'],
] as const;

for (const [assignment, from, to] of changes) {
  test(`${assignment} puts ${to} in the place of ${from}`, () => assert.is(set([assignment]), changed(from, to)));
}

const texts = [
  ['{"a":', true],
  ['[{"a": 1]', true],
  ['{a:1}', true],
  ["{'a': 1}", true],
  ['"open', true],
  ['{"a": 1}', false],
  ['{id}/orders', false],
  ['{1:id}', false],
  ['[a-z]', false],
  ['two words', false],
] as const;

for (const [value, isBroken] of texts) {
  test(`${value} is ${isBroken ? 'reported as broken JSON, and not shown' : 'accepted silently'}`, () => {
    const notices: Notice[] = [];
    applyAssignments(objectOf(text), [`config.n=${value}`], (notice) => notices.push(notice));
    assert.equal(
      notices.map(({ level, code }) => [level, code]),
      isBroken ? [['warning', 'broken-value']] : [],
    );
    for (const { message } of notices) assert.not(message.includes(value));
  });
}

test('several changes are made in order, and the original document is unchanged', () => {
  const document = objectOf(text);
  assert.is(
    stringifyExact(applyAssignments(document, ['config.n=2', 'config.n=3', 'config.m.k=4', 'config.m.l=5'])),
    changed('"n":1.0', '"n":3').replace(/\}\}$/, ',"m":{"k":4,"l":5}}}'),
  );
  assert.is(stringifyExact(document), text);
});

test('a document with parameters is changed below them, with or without that step', () => {
  const wrapped = `{"parameters":${text},"action":"run"}`;
  for (const path of ['config.n', 'parameters.config.n']) {
    assert.is(set([`${path}=2`], wrapped), wrapped.replace('"n":1.0', '"n":2'));
  }
  assert.is(set(['action=test'], wrapped), wrapped.replace('"run"', '"test"'));
});

const refused = [
  ['config.n', /^--set expects PATH=VALUE/],
  ['=1', /^--set expects PATH=VALUE/],
  ['[0]=1', /^--set expects PATH=VALUE/],
  ['config..n=1', /^--set expects PATH=VALUE/],
  ['config.jobs[x]=1', /^--set expects PATH=VALUE/],
  ['config.jobs[0]endpoint=1', /^--set expects PATH=VALUE/],
  ['confg.n=1', /^--set confg: no such part of a configuration; did you mean "config"\?$/],
  ['config.job[0].endpoint=c', /^--set config\.job\[0\]: there is no config\.job; did you mean "jobs"\?$/],
  ['config.none[0]=1', /^--set config\.none\[0\]: there is no config\.none$/],
  ['config.jobs[3]={}', /^--set config\.jobs\[3\]: no such element; config\.jobs ends with \[1\]$/],
  ['config.jobs[2].endpoint=c', /^--set config\.jobs\[2\]: no such element; config\.jobs ends with \[1\]$/],
  ['config.n.m=1', /^--set config\.n\.m: config\.n is a number with a fraction or an exponent, which has no members$/],
  ['api.baseUrl[0]=1', /^--set api\.baseUrl\[0\]: api\.baseUrl is a string, not a list$/],
  [
    'config.jobs.endpoint=1',
    /^--set config\.jobs\.endpoint: .* is a list, .*; an element is written config\.jobs\[0\]$/,
  ],
  ['config.#token=hush-hush', /^--set config\.#token: "#token" is a secret.*\{"env": "NAME"\}$/],
  ['config.#deep.key=hush-hush', /^--set config\.#deep\.key: "#deep" is a secret/],
  ['config={"#token": "hush-hush"}', /^--set config: a value under a key with # is a secret/],
  ['config.jobs[0]={"a": [{"#token": "hush-hush"}]}', /^--set config\.jobs\[0\]: a value under a key with #/],
] as const;

for (const [assignment, says] of refused) {
  test(`${assignment} is rejected, its value not shown`, () => {
    try {
      set([assignment]);
    } catch (thrown) {
      assert.instance(thrown, ExtractError);
      if (!(thrown instanceof ExtractError)) return;
      assert.is(thrown.code, 'ERR_USAGE');
      assert.match(thrown.message, says);
      assert.not.match(thrown.message, /hush/);
      return;
    }
    assert.unreachable('nothing was thrown');
  });
}

test.run();
