/** Requests to an object store: their signature, attempts, and what each error says before the first request. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createAddressSecrets } from '../../../sinks/addresses/address-secrets.js';
import { fileBody, md5Of } from '../../../sinks/s3/file-body.js';
import { bodyOf, createS3Client } from '../../../sinks/s3/s3-client.js';
import { openStaging, replacedStagings } from '../../../sinks/s3/s3-staging.js';
import { makeCertificates, opensslMissing } from '../../loopback/certificates.js';
import { type S3Fault, startFakeS3 } from '../../support/fake-s3.js';
import { testWhere } from '../../where.js';
import { calm, earlierOf, inFolder, rejection } from '../lib.js';
import { addPage, begun, itemsOf, keys, linesOf, sinkAt, withStore } from './lib.js';

const testTls = testWhere(opensslMissing);

const refusals: readonly [what: string, fault: S3Fault, message: RegExp, remedy: RegExp][] = [
  [
    'a bucket that is missing',
    { status: 404, code: 'NoSuchBucket' },
    /^s3: cannot begin the upload of "raw\/rxtract-check": the bucket "lake" does not exist at http:\/\/127/,
    /creates no buckets/,
  ],
  [
    'a bucket of somebody else',
    { status: 403, code: 'AccessDenied', message: 'Access &lt;Denied&#33;&#x21;&gt; &odd; &#9999999;' },
    /access to the bucket "lake" is denied \(Access <Denied!!> &odd; &#9999999;\)$/,
    /somebody else/,
  ],
  ['a refusal without a body', { status: 403 }, /access to the bucket "lake" is denied$/, /s3:PutObject/],
  ['an unknown key', { status: 403, code: 'InvalidAccessKeyId' }, /does not know the access key/, /AWS_ACCESS_KEY_ID/],
  ['a wrong secret', { status: 403, code: 'SignatureDoesNotMatch' }, /rejects the signature/, /AWS_SECRET_ACCESS_KEY/],
  ['an old token', { status: 400, code: 'ExpiredToken' }, /token is invalid or has expired/, /AWS_SESSION_TOKEN/],
  [
    'another region, named in a header',
    { status: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'eu-west-1' } },
    /is in the region eu-west-1, not in us-east-1/,
    /region=eu-west-1/,
  ],
  [
    'another region, named in the body',
    { status: 400, code: 'AuthorizationHeaderMalformed', more: '<Region>eu-north-1</Region>' },
    /is in the region eu-north-1/,
    /region=eu-north-1/,
  ],
  ['another region without a name', { status: 307 }, /is in another region, not in us-east-1/, /region=NAME/],
  [
    'a clock that is slow',
    { status: 403, code: 'RequestTimeTooSkewed', headers: { date: 'Fri, 01 Jan 2100 00:00:00 GMT' } },
    /the clock of this machine differs from that of the server: it is \d+ minutes slow/,
    /Set the clock/,
  ],
  [
    'a clock that is ahead',
    { status: 403, code: 'RequestTimeTooSkewed', headers: { date: 'Thu, 01 Jan 2015 00:00:00 GMT' } },
    /the clock of this machine differs from that of the server: it is \d+ minutes ahead/,
    /Set the clock/,
  ],
  [
    'a clock that is wrong, without a date',
    { status: 403, code: 'RequestTimeTooSkewed', headers: { date: 'now' } },
    /the clock of this machine differs from that of the server$/,
    /Set the clock/,
  ],
  ['another answer', { status: 418, code: 'Odd', message: 'a  b' }, /: status 418, Odd \(a b\)$/, /^$/],
  ['a server that fails', { status: 503 }, /: status 503$/, /^$/],
  ['a server that is none', { status: 200 }, /the answer names no upload/, /Check that the endpoint/],
  ['a server that hangs up', { hangUp: true }, /no answer from http:\/\/127/, /Check the endpoint/],
];

for (const [what, fault, message, remedy] of refusals) {
  test(
    `ends a run before its first request: ${what}`,
    withStore(async ({ store, sink }) => {
      store.fault = ({ method }) => (method === 'POST' ? fault : undefined);
      const to = sink();
      const error = await rejection(async () => to.resume?.(earlierOf()), 'ERR_SINK', message);
      assert.match(error.where.remedy ?? '', remedy);
      assert.is(store.calls.length, 1, 'one attempt');
      await to.abort(undefined);
      await rejection(async () => sink().check?.(), 'ERR_SINK', message);
    }),
  );
}

const { excerpt } = createAddressSecrets();

test(
  'a run may follow a check of its sink',
  withStore(async ({ store, sink }) => {
    const to = sink();
    await to.check?.();
    await begun(to);
    await addPage(to, itemsOf(0, 5));
    await to.close();
    assert.is(store.text('lake/raw/users.ndjson'), linesOf(itemsOf(0, 5)));
  }),
);

test(
  'a check leaves nothing, also without the right to abort',
  withStore(async ({ store, sink }) => {
    await sink().check?.();
    assert.equal([store.uploads.size, store.objects.size], [0, 0]);
    store.fault = ({ method }) => (method === 'DELETE' ? { status: 403 } : undefined);
    await sink().check?.();
  }),
);

test(
  'a session token and keys with special characters are sent, and no secret is shown',
  withStore(async ({ store, dir }) => {
    const env = { ...keys, AWS_SESSION_TOKEN: 'TOKEN/+=', AWS_ENDPOINT_URL: store.origin, AWS_REGION: 'eu-west-1' };
    const to = sinkAt(`s3://lake/a%20b!/(c)'*+=@&?staging=${dir}`.replace('&?', '?'), { env });
    await to.check?.();
    assert.is(store.requests[0]?.path, "lake/a b!/(c)'*+=@/rxtract-check");
    assert.is(store.requests[0]?.headers['x-amz-security-token'], 'TOKEN/+=');
    assert.match(store.requests[0]?.headers.authorization ?? '', /\/eu-west-1\/s3\/aws4_request/);
    assert.equal(
      ['SECRET-VALUE', 'TOKEN/+=', 'TOKEN%2F%2B%3D'].map((secret) => to.secrets?.includes(secret)),
      [true, true, true],
    );
  }),
);

test(
  'without credentials a run ends before its first request',
  withStore(async ({ store, dir }) => {
    const to = sinkAt(`s3://lake?endpoint=${store.origin}&staging=${dir}`, { env: { AWS_ACCESS_KEY_ID: 'KEY' } });
    const error = await rejection(async () => to.resume?.(earlierOf()), 'ERR_SINK', /there are no credentials/);
    assert.match(error.where.remedy ?? '', /AWS_SECRET_ACCESS_KEY.*export-credentials/);
    assert.equal(store.calls, []);
    const none = sinkAt(`s3://lake?endpoint=${store.origin}`, { env: undefined });
    await rejection(async () => none.check?.(), 'ERR_SINK', /there are no credentials/);
  }),
);

test(
  'what may help is tried again, and an abort ends it',
  withStore(async ({ store }) => {
    const place = { bucket: 'lake', origin: store.origin, region: 'x', basePath: '/lake', excerpt };
    const credentials = { accessKeyId: 'KEY', secretAccessKey: 'S' };
    const faults: (S3Fault | undefined)[] = [
      { status: 500 },
      { hangUp: true },
      { status: 400, code: 'RequestTimeout' },
    ];
    store.fault = () => faults.shift();
    const client = createS3Client({ ...place, credentials }, async () => {});
    const put = { action: 'upload', method: 'PUT', key: 'x', body: bodyOf(Buffer.from('text'), store.origin) } as const;
    await client.send(put, calm);
    assert.equal([store.calls.length, store.text('lake/x')], [4, 'text']);
    await rejection(() => client.send(put, AbortSignal.abort()), 'ERR_ABORTED');
    const controller = new AbortController();
    store.fault = () => {
      controller.abort();
      return { hangUp: true };
    };
    await rejection(() => client.send(put, controller.signal), 'ERR_ABORTED');
    client.close();
  }),
);

test(
  'an attempt waits for Retry-After, and one that is later than ten minutes ends the run',
  withStore(async ({ store }) => {
    const place = { bucket: 'lake', origin: store.origin, region: 'x', basePath: '/lake', excerpt };
    const credentials = { accessKeyId: 'KEY', secretAccessKey: 'S' };
    const faults: (S3Fault | undefined)[] = [{ status: 503, headers: { 'retry-after': '7' } }, { status: 500 }];
    store.fault = () => faults.shift();
    const waits: number[] = [];
    const client = createS3Client({ ...place, credentials }, async (ms) => waits.push(ms));
    const put = { action: 'upload', method: 'PUT', key: 'x', body: bodyOf(Buffer.from('text'), store.origin) } as const;
    await client.send(put, calm);
    assert.equal(waits, [7000, 50]);
    store.fault = () => ({ status: 503, headers: { 'retry-after': '601' } });
    await rejection(() => client.send(put, calm), 'ERR_SINK', /status 503/);
    assert.is(store.calls.length, 4);
    client.close();
  }),
);

testTls('with TLS bodies have an MD5 and are not signed; an authority that is not trusted is an error at once', () =>
  inFolder(async (dir) => {
    const { ca, server } = makeCertificates();
    const store = await startFakeS3(server);
    const file = join(dir, 'ca.pem');
    writeFileSync(file, ca);
    try {
      const uri = `s3://lake/raw?endpoint=${store.origin}&staging=${dir}`;
      const message = /begin the upload of .* at https:.*authority of its certificate is not trusted .*ca=FILE/;
      await rejection(async () => sinkAt(uri).check?.(), 'ERR_SINK', message);
      const to = await begun(sinkAt(`${uri}&ca=${file}`, { partBytes: 100 }));
      await addPage(to, itemsOf(0, 5));
      await to.close();
      assert.is(store.text('lake/raw/users.ndjson'), linesOf(itemsOf(0, 5)));
      assert.equal(
        [...new Set(store.requests.map(({ headers }) => headers['x-amz-content-sha256']))],
        ['UNSIGNED-PAYLOAD'],
      );
    } finally {
      await store.close();
    }
  })(),
);

test('a file of TLS that is missing is named', async () => {
  const uri = 's3://lake/raw?endpoint=https://127.0.0.1:1&ca=/nowhere/ca.pem';
  await rejection(async () => sinkAt(uri).check?.(), 'ERR_SINK', /s3: cannot read ca "\/nowhere\/ca.pem"/);
});

test(
  'a range of a file has a digest; one that is missing, or shorter than it was, is an error that names it',
  inFolder(async (dir) => {
    const path = join(dir, 'part');
    writeFileSync(path, 'xhellox');
    assert.is(await md5Of({ path, start: 1, length: 5 }), '5d41402abc4b2a76b9719d911017c592');
    await rejection(md5Of({ path, start: 1, length: 9 }), 'ERR_SINK', /part": it has fewer than 10 bytes$/);
    const gone = { path: join(dir, 'gone'), start: 0, length: 1 };
    await rejection(fileBody(gone, ['sha256', 'hex']), 'ERR_SINK', /cannot read ".*gone": no such file/);
  }),
);

test(
  'a list of uploads that is damaged is an empty one, one that is no list too; only texts are read',
  inFolder(async (dir) => {
    const earlier = earlierOf({ replaces: ['a', 'b', 'c', 'd'] });
    const opened = await openStaging('s', dir, earlierOf({ run: 'a' }));
    await opened.record('k', 'u1');
    await opened.record('l', 'u2');
    await opened.record('k', undefined);
    assert.equal([...opened.uploads()], [['l', 'u2']]);
    const [folder = ''] = readdirSync(dir);
    for (const [run, text] of [
      ['b', '{"k":"u'],
      ['c', 'null'],
      ['d', '{"k":1,"l":"u3"}'],
    ] as const) {
      const path = join(dir, folder.replace(/a$/, run));
      mkdirSync(path);
      writeFileSync(join(path, 'uploads.json'), text);
    }
    const found = await replacedStagings('s', dir, earlier);
    assert.equal(
      found.map((each) => [...each.uploads()]),
      [[['l', 'u2']], [], [], [['l', 'u3']]],
    );
    assert.equal(await replacedStagings('s', dir, earlierOf({ isStored: false })), []);
  }),
);

test(
  'a folder for staging that cannot be used is an error that names it',
  inFolder(async (dir) => {
    const path = join(dir, 'file');
    writeFileSync(path, '');
    await rejection(openStaging('s', path, earlierOf({ isStored: false })), 'ERR_SINK', /cannot stage in ".*file"/);
    await rejection(openStaging('s', path, earlierOf()), 'ERR_SINK', /cannot read ".*uploads\.json"/);
    await rejection(openStaging('s', undefined, earlierOf()), 'ERR_USAGE', /choose one with the option staging$/);
  }),
);

test.run();
