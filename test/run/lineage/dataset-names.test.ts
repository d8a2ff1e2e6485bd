import { resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inputName, outputName } from '../../../src/run/lineage/dataset-names.js';

const outputs = [
  ['ndjson:out', 'out/users.ndjson', 'file', resolve('out/users.ndjson')],
  ['csv:out', '/data/users.csv', 'file', '/data/users.csv'],
  ['s3://bucket/prefix', 's3://bucket/prefix/users.ndjson.gz', 's3://bucket', 'prefix/users.ndjson.gz'],
  ['parts+s3://bucket/a', 's3://bucket/a/manifest.json', 's3://bucket', 'a/manifest.json'],
  ['postgres://h/db', 'public.users at h:5432/db', 'postgres://h:5432', 'db.public.users'],
  ['postgresql://h/db', 'public.a at b at [::1]:5432/db', 'postgres://[::1]:5432', 'db.public.a at b'],
  ['duckdb:out.db', 'users in out.db', `duckdb://${resolve('out.db')}`, 'users'],
  ['kafka://a:9092,b:9092/users', 'users at a:9092,b:9092', 'kafka://a:9092', 'users'],
  ['kafkas://a:9093/users', 'users at a:9093', 'kafka://a:9093', 'users'],
  ['amqp://h/users', 'users at h:5672', 'amqp://h:5672', 'users'],
  ['nats://h/users', 'users at h:4222', 'nats://h:4222', 'users'],
  ['rediss://h/users', 'users at h:6379', 'redis://h:6379', 'users'],
  ['https://h/in', 'https://h/in/users', 'https://h', 'in/users'],
] as const;

for (const [sink, name, namespace, dataset] of outputs) {
  test(`${sink} has the dataset ${namespace} ${dataset}`, () => {
    assert.equal(outputName({ sink, name }), { namespace, name: dataset });
  });
}

test('what does not last is no dataset, nor is the output of a function', () => {
  for (const sink of ['stdout:', 'null:', 'memory', '']) assert.is(outputName({ sink, name: 'users' }), undefined);
});

test('an API is the namespace of its endpoints', () => {
  assert.equal(inputName('https://api.example.com/v1/users/{id}'), {
    namespace: 'https://api.example.com',
    name: 'v1/users/{id}',
  });
  assert.equal(inputName('https://api.example.com'), { namespace: 'https://api.example.com', name: '/' });
  assert.equal(inputName('no address'), { namespace: 'no address', name: '/' });
});

test.run();
