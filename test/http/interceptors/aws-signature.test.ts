/**
 * Signatures against those that AWS has published: its test suite for Signature Version 4, and the examples of the
 * documentation of S3.
 */
import { createHash, createHmac } from 'node:crypto';
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AwsCredentials } from '../../../src/config/aws.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { HttpRequest } from '../../../src/core/model/request.js';
import { createSecrets } from '../../../src/core/secrets/secrets.js';
import { headerValues } from '../../../src/core/url/headers.js';
import { createAwsSigner } from '../../../src/http/interceptors/aws-signature.js';

/** Of the test suite. */
const suite: AwsCredentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  serviceName: 'service',
  regionName: 'us-east-1',
};

/** Of the documentation of S3. */
const s3: AwsCredentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  serviceName: 's3',
  regionName: 'us-east-1',
};

const suiteTime = Date.UTC(2015, 7, 30, 12, 36);
const s3Time = Date.UTC(2013, 4, 24);

interface Written {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: HttpRequest['headers'];
  readonly body?: string;
}

function sign(written: Written, credentials = suite, time = suiteTime) {
  const host = credentials === s3 ? 'examplebucket.s3.amazonaws.com' : 'example.amazonaws.com';
  const { method = 'GET', target = '/', headers = new Map(), body } = written;
  const secrets = createSecrets();
  const clock = mock.method(Date, 'now', () => time);
  try {
    const request = { method, url: `https://${host}${target}`, headers, ...(body === undefined ? {} : { body }) };
    return { secrets, request: createAwsSigner(credentials, secrets)(request) };
  } finally {
    clock.mock.restore();
  }
}

const headerOf = ({ headers }: HttpRequest, name: string) => headerValues(headers, name);
const signatureOf = (request: HttpRequest) => headerOf(request, 'Authorization')[0]?.replace(/^.*Signature=/, '');
const signedOf = (request: HttpRequest) =>
  headerOf(request, 'Authorization')[0]?.replace(/^.*SignedHeaders=([^,]*),.*$/, '$1');

const header = (name: string, ...values: readonly string[]) => ({ headers: new Map([[name, values]]) });
const form = (contentType: string) => ({
  method: 'POST',
  headers: new Map([['Content-Type', [contentType]]]),
  body: 'Param1=value1',
});
const unreserved = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const published: readonly (readonly [string, Written, string])[] = [
  ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  [
    'get-vanilla-empty-query-key',
    { target: '/?Param1=value1' },
    'a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb',
  ],
  [
    'get-vanilla-query-order-key-case',
    { target: '/?Param2=value2&Param1=value1' },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'get-vanilla-query-order-key',
    { target: '/?Param1=value2&Param1=Value1' },
    'eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1',
  ],
  [
    'get-vanilla-query-order-value',
    { target: '/?Param1=value2&Param1=value1' },
    '5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694',
  ],
  [
    'get-vanilla-query-unreserved',
    { target: `/?${unreserved}=${unreserved}` },
    '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
  ],
  [
    'get-vanilla-utf8-query',
    { target: '/?%E1%88%B4=bar' },
    '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
  ],
  ['get-unreserved', { target: `/${unreserved}` }, '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f'],
  ['get-slashes', { target: '//example//' }, '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84'],
  [
    'get-header-key-duplicate',
    header('My-Header1', 'value2', 'value2', 'value1'),
    'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
  ],
  [
    'get-header-value-order',
    header('My-Header1', 'value4', 'value1', 'value3', 'value2'),
    '08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01',
  ],
  [
    'get-header-value-trim',
    {
      headers: new Map([
        ['My-Header1', [' value1']],
        ['My-Header2', [' "a   b   c"']],
      ]),
    },
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
  ['post-vanilla', { method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ['post-header-key-case', { method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'post-header-key-sort',
    { method: 'POST', ...header('My-Header1', 'value1') },
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
  [
    'post-header-value-case',
    { method: 'POST', ...header('My-Header1', 'VALUE1') },
    'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
  ],
  [
    'post-vanilla-query',
    { method: 'POST', target: '/?Param1=value1' },
    '28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11',
  ],
  [
    'post-x-www-form-urlencoded',
    form('application/x-www-form-urlencoded'),
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
  [
    'post-x-www-form-urlencoded-parameters',
    form('application/x-www-form-urlencoded; charset=utf8'),
    '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
  ],
];

for (const [name, written, signature] of published) {
  test(`${name} is signed as published`, () => {
    assert.is(signatureOf(sign(written).request), signature);
  });
}

const token =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

test('post-sts-header-before, with a session token, is signed as published', () => {
  const { request } = sign({ method: 'POST' }, { ...suite, sessionToken: token });
  assert.is(signatureOf(request), '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead');
  assert.is(signedOf(request), 'host;x-amz-date;x-amz-security-token');
  assert.equal(headerOf(request, 'X-Amz-Security-Token'), [token]);
});

const ofS3: readonly (readonly [string, string, string])[] = [
  ['the lifecycle of a bucket', '/?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ['a list of objects', '/?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
];

for (const [what, target, signature] of ofS3) {
  test(`S3: a request for ${what} is signed as published, with the digest of its body as a header`, () => {
    const { request } = sign({ target }, s3, s3Time);
    assert.is(signatureOf(request), signature);
    assert.is(signedOf(request), 'host;x-amz-content-sha256;x-amz-date');
    assert.equal(headerOf(request, 'X-Amz-Content-Sha256'), [
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    ]);
  });
}

/** The signature of a GET at the time of the test suite, by the path as the service is to see it. */
function ofPath(path: string, lines: readonly string[], { secretKey, serviceName }: AwsCredentials): string {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const scope = ['20150830', 'us-east-1', serviceName, 'aws4_request'];
  const key = scope.reduce<Buffer | string>(
    (so, part) => createHmac('sha256', so).update(part).digest(),
    `AWS4${secretKey}`,
  );
  const names = lines.map((line) => line.split(':')[0]).join(';');
  const request = ['GET', path, '', ...lines, '', names, digest('')].join('\n');
  const text = ['AWS4-HMAC-SHA256', '20150830T123600Z', scope.join('/'), digest(request)].join('\n');
  return createHmac('sha256', key).update(text).digest('hex');
}

const hostAndDate = ['host:example.amazonaws.com', 'x-amz-date:20150830T123600Z'];

test('a path is encoded twice', () => {
  // The test suite encodes `/ሴ` once, as no client sends it: here it proves the value that the next line is compared
  // with.
  const onceEncoded = '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85';
  assert.is(ofPath('/%E1%88%B4', hostAndDate, suite), onceEncoded);
  assert.is(signatureOf(sign({ target: '/%E1%88%B4' }).request), ofPath('/%25E1%2588%25B4', hostAndDate, suite));
});

test('a path for S3 is encoded once, its slashes left as they are', () => {
  const empty = 'x-amz-content-sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const lines = ['host:examplebucket.s3.amazonaws.com', empty, 'x-amz-date:20150830T123600Z'];
  const { request } = sign({ target: '/a//b%2Bc%20%E1%88%B4(1)' }, s3);
  assert.is(signatureOf(request), ofPath('/a//b%2Bc%20%E1%88%B4%281%29', lines, s3));
});

test('the header names its scheme, its scope and the signed headers, and the time is sent too', () => {
  const { request } = sign({ headers: new Map([['User-Agent', ['x']]]) });
  assert.equal(headerOf(request, 'X-Amz-Date'), ['20150830T123600Z']);
  assert.equal(headerOf(request, 'Authorization'), [
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, ' +
      'Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ]);
  assert.equal(headerOf(request, 'User-Agent'), ['x']);
});

test('an earlier signature is replaced, in any spelling', () => {
  const headers = new Map([
    ['authorization', ['Basic dTpw']],
    ['x-amz-date', ['20000101T000000Z']],
    ['x-amz-security-token', ['old']],
  ]);
  const { request } = sign({ headers }, { ...suite, sessionToken: 'lent' });
  assert.equal([...request.headers.keys()].sort(), ['Authorization', 'X-Amz-Date', 'X-Amz-Security-Token']);
  assert.equal(headerOf(request, 'X-Amz-Date'), ['20150830T123600Z']);
  assert.equal(headerOf(request, 'X-Amz-Security-Token'), ['lent']);
  assert.is(headerOf(request, 'Authorization').length, 1);
});

test('a query is written anew, with %20 for a space', () => {
  const { request } = sign({ target: '/?a=b+c&flag&d=%7e' });
  assert.is(request.url, 'https://example.amazonaws.com/?a=b%20c&flag&d=~');
  assert.is(signatureOf(request), signatureOf(sign({ target: '/?a=b%20c&flag=&d=~' }).request));
});

test('the host is signed with its port, and as it is configured', () => {
  const signed = (url: string, headers: HttpRequest['headers'] = new Map()) =>
    signatureOf(createAwsSigner(suite, createSecrets())({ method: 'GET', url, headers }));
  const clock = mock.method(Date, 'now', () => suiteTime);
  const host = (name: string) => new Map([['Host', [name]]]);
  assert.is(signed('https://h:443/'), signed('https://h/'));
  assert.is.not(signed('https://h:8443/'), signed('https://h/'));
  assert.is(signed('https://h:8443/', host('h')), signed('https://h/'));
  clock.mock.restore();
});

test('a path of bytes that are no text is an error for S3, which decodes it', () => {
  assert.throws(
    () => sign({ target: '/%FF' }, s3),
    (error: unknown) =>
      error instanceof ExtractError && error.code === 'ERR_REQUEST' && /not UTF-8/.test(error.message),
  );
  assert.type(signatureOf(sign({ target: '/%FF' }).request), 'string');
});

test('a signature is a secret', () => {
  const { secrets, request } = sign({});
  assert.ok(secrets.isSecret(signatureOf(request) ?? ''));
});

test.run();
