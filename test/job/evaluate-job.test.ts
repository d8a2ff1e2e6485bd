import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobConfig } from '../../src/config/config.js';
import { type ExactObject, emptyObject, fromPlain, isObject } from '../../src/core/json/exact.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { createJobEvaluator, evaluateJob } from '../../src/job/evaluate-job.js';
import { attrReference } from '../../src/language/expression/reference.js';
import { rejection } from '../sinks/lib.js';

const objectOf = (plain: object): ExactObject => {
  const exact = fromPlain(plain);
  return isObject(exact) ? exact : emptyObject;
};

const config: JobConfig = {
  name: 'users',
  endpoint: 'users',
  params: objectOf({ key: { attr: '#key' }, list: [{ attr: '#key' }], plain: 1 }),
  headers: objectOf({ 'X-Tag': ['a', 'b'] }),
  dataField: { kind: 'auto' },
  dataType: 'people',
  responseFilter: [],
  userData: emptyObject,
  children: [],
  path: 'config.jobs[1]',
};

const secrets = createSecrets();
const context = { references: new Map([['attr', attrReference(objectOf({ '#key': 'hidden value' }))]]), secrets };

test('evaluates the parameters of a job once, and knows which are secret', () => {
  const { params, headers, ...rest } = evaluateJob(config, context);
  assert.equal(params, objectOf({ key: 'hidden value', list: [{ attr: '#key' }], plain: 1 }));
  assert.equal(headers, new Map([['X-Tag', ['a', 'b']]]));
  assert.equal(rest, { name: 'users', endpoint: 'users', dataField: { kind: 'auto' }, dataType: 'people' });
  assert.ok(secrets.isSecret('hidden value'));
});

test('preserves a method', () => {
  assert.is(evaluateJob({ ...config, method: 'FORM' }, context).method, 'FORM');
});

test('a job that reads the clock is evaluated at each beginning, another one once', () => {
  const begin = createJobEvaluator(context, secrets);
  const plain = begin(config, undefined, 0);
  assert.is(begin(config, undefined, 86_400_000), plain);

  const date = fromPlain({ function: 'date', args: ['Y-m-d'] });
  const dated = { ...config, params: new Map([['day', date]]) };
  const days = [0, 86_400_000, 0].map((at) => begin(dated, undefined, at).params.get('day'));
  assert.equal(days, ['1970-01-01', '1970-01-02', '1970-01-01']);
});

test('each instance of a child has its own endpoint and columns', () => {
  const begin = createJobEvaluator(context, secrets);
  const child = { ...config, endpoint: 'users/{id}', userData: objectOf({ from: 'test' }) };
  const begun = ['1', '2'].map((id) => begin(child, new Map([['id', { path: 'id', value: id, text: id }]])));
  assert.equal(
    begun.map(({ endpoint, columns }) => [endpoint, columns]),
    ['1', '2'].map((id) => [`users/${id}`, objectOf({ from: 'test', parent_id: id })]),
  );
  assert.is(begun[0]?.params, begun[1]?.params);
});

const faults: readonly [Partial<JobConfig>, RegExp][] = [
  [{ params: objectOf({ key: { function: 'sha1', args: [] } }) }, /config\.jobs\[1\]\.params\.key/],
  [{ headers: objectOf({ 'X-Tag': { a: 1 } }) }, /config\.jobs\[1\]\.headers\.X-Tag/],
];

for (const [part, path] of faults) {
  test(`names the place of a fault: ${path.source}`, async () => {
    await rejection(async () => evaluateJob({ ...config, ...part }, context), 'ERR_FUNCTION', path);
  });
}

test.run();
