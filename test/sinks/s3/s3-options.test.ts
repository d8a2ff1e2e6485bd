/** The address of an object store: bucket, prefix, endpoint, region and options. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAddress } from '../../../sinks/addresses/options.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { mostParts, partRange, partsFrom } from '../../../sinks/s3/part-sizes.js';
import { s3Entry } from '../../../sinks/s3/s3.js';
import { type S3Settings, s3Settings } from '../../../sinks/s3/s3-options.js';
import { rejection } from '../lib.js';

type Env = Readonly<Record<string, string>>;

const read = (uri: string, env: Env = {}) => readAddress(uri, s3Entry, { env });
function settings(uri: string, env: Env = {}): S3Settings {
  const { options, destination } = read(uri, env);
  return s3Settings(options, destination, env);
}

const places: readonly [uri: string, origin: string, basePath: string, prefix: string][] = [
  ['s3://lake/a/b/', 'https://lake.s3.us-east-1.amazonaws.com', '', 'a/b/'],
  ['s3://lake', 'https://lake.s3.us-east-1.amazonaws.com', '', ''],
  ['s3://lake/?region=eu-west-1', 'https://lake.s3.eu-west-1.amazonaws.com', '', ''],
  ['s3://lake?region=cn-north-1', 'https://lake.s3.cn-north-1.amazonaws.com.cn', '', ''],
  ['s3://my.lake/x', 'https://s3.us-east-1.amazonaws.com', '/my.lake', 'x/'],
  ['s3://lake/a%3Fb?endpoint=https://h:9000/base/', 'https://h:9000', '/base/lake', 'a?b/'],
];

for (const [uri, origin, basePath, prefix] of places) {
  test(`reads ${uri}`, () => {
    const { bucket, prefix: found } = settings(uri);
    assert.equal([bucket.origin, bucket.basePath, found], [origin, basePath, prefix]);
  });
}

test('the variables of AWS are used where the address says nothing', () => {
  const env = { AWS_DEFAULT_REGION: 'eu-a', AWS_ENDPOINT_URL: 'http://a', AWS_ENDPOINT_URL_S3: 'http://b' };
  assert.equal(
    [settings('s3://lake', env).bucket.region, settings('s3://lake', env).bucket.origin],
    ['eu-a', 'http://b'],
  );
  const more = { ...env, AWS_REGION: 'eu-b', AWS_ENDPOINT_URL_S3: '' };
  assert.equal(
    [settings('s3://lake', more).bucket.region, settings('s3://lake', more).bucket.origin],
    ['eu-b', 'http://a'],
  );
  const { bucket } = settings('s3://lake?region=x&endpoint=http://c', more);
  assert.equal([bucket.region, bucket.origin], ['x', 'http://c']);
});

test('credentials may be in the address, and are masked', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable in an address is the subject.
  const { options, destination: address } = read('s3://AK:${S}@lake/raw', { S: 'a/b+c' });
  const found = s3Settings(options, address, {});
  assert.equal(found.bucket.credentials, { accessKeyId: 'AK', secretAccessKey: 'a/b+c' });
  assert.is(found.shown, 's3://***@lake/raw');
  assert.ok(address.secrets.includes('a/b+c') && address.secrets.includes('a%2Fb%2Bc'));
});

const faults: readonly [uri: string, message: RegExp][] = [
  ['s3:lake', /expected s3:\/\/BUCKET\/PREFIX/],
  ['s3://x', /3 to 63 letters/],
  ['s3://la ke/x', /expected s3:/],
  ['s3://lake/a//b', /"a\/\/b" cannot be a prefix/],
  ['s3://lake/a/../b', /cannot be a prefix/],
  ['s3://lake/%07', /cannot be a prefix/],
  [`s3://lake/${'x'.repeat(800)}`, /more than 768 bytes/],
  ['s3://AK@lake/x', /ACCESS_KEY:SECRET_KEY/],
  ['s3://lake?region=a b', /"a b" is not the name of a region/],
  ['s3://lake?endpoint=localhost:9000', /endpoint: expected a URL/],
  ['s3://lake?endpoint=http://u:p@h', /endpoint: expected a URL/],
  ['s3://lake?endpoint=http://h&ca=x', /need a connection with TLS/],
  ['s3://lake?format=xml', /format: expected ndjson, csv or parquet/],
  ['s3://lake?format=csv&compress=gzip', /compress needs format=ndjson/],
  ['s3://lake?bom=true', /bom needs format=csv/],
  ['s3://lake?nested=dot', /nested needs format=csv or parquet/],
  ['s3://lake?format=parquet&nested=dot', /nested/],
  ['s3://lake?format=csv&rowGroup=5', /rowGroup needs format=parquet/],
  ['s3://lake?compres=gzip', /did you mean "compress"/],
];

for (const [uri, message] of faults) {
  test(`explains what is wrong with ${uri.slice(0, 40)}`, () =>
    rejection(() => sinkFromUri(uri), 'ERR_USAGE', message).then());
}

test('parts follow one another without a gap, and hold 5 TiB', () => {
  const first = 8 * 1024 * 1024;
  let end = 0;
  for (let number = 1; number <= mostParts; number++) {
    const { start, length } = partRange(number, first);
    assert.is(start, end);
    assert.ok(length <= 5 * 1024 ** 3);
    end = start + length;
  }
  assert.ok(end > 5 * 1024 ** 4);
  assert.is(partRange(mostParts + 1, first).length, 0);
  assert.equal(
    [...partsFrom(2, 250, 100)].map(({ number, start, length }) => [number, start, length]),
    [
      [2, 100, 100],
      [3, 200, 50],
    ],
  );
  assert.is([...partsFrom(1, Number.MAX_SAFE_INTEGER, first)].length, mostParts);
});

test.run();
