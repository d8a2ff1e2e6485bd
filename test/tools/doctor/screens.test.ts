/** Steps of `rxtract doctor` as text, at three widths; the rules of disks, certificates and responses; interrupts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../../src/cli/main-command.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { Receipt } from '../../../src/core/model/page.js';
import type { TlsFacts } from '../../../src/http/transport/probe.js';
import {
  clockFinding,
  mostItems,
  pageFinding,
  rateFinding,
  refusedFinding,
} from '../../../src/tools/doctor/api-findings.js';
import { certificateFinding, hostOf, hostText } from '../../../src/tools/doctor/connection.js';
import type { CheckedAnswer } from '../../../src/tools/doctor/first-requests.js';
import { checkDestination, checkFolder, type FileSystem } from '../../../src/tools/doctor/places.js';
import { stepText } from '../../../src/tools/doctor/step-text.js';
import { createSteps, type Step } from '../../../src/tools/doctor/steps.js';
import { widthOf } from '../../../src/tools/text/cells.js';
import { fakeShell } from '../../cli/fake-shell.js';
import { json, startApi } from '../../loopback/api.js';

const golden = fileURLToPath(new URL('golden', import.meta.url));

const steps: readonly Step[] = [
  { step: 'configuration', verdict: 'ok', ms: 18.4, message: 'config.json is valid: 2 jobs (users, orders)' },
  { step: 'name', verdict: 'ok', ms: 0.2, message: 'api.example is 192.0.2.1, 2001:db8::1' },
  {
    ...{ step: 'TLS', verdict: 'warning', ms: 1234 },
    message: 'TLSv1.3, certificate of api.example by Example CA, 9 days left (until 2026-01-31)',
    todo: 'Renew the certificate, or ask the operator of the API to do so.',
  },
  {
    ...{ step: 'first page', subject: 'users', verdict: 'failed', ms: 340 },
    message: `GET https://api.example/v1/users?filter=${'x'.repeat(90)}: status 403: no access`,
    todo: 'Check the credentials and their permissions.',
  },
  { step: 'first page', subject: 'orders', verdict: 'skipped', ms: 0, message: 'not checked, because login failed' },
];

for (const width of [60, 80, 120]) {
  test(`no line is wider than ${width} columns`, () => {
    const text = steps.map((step) => stepText(step, { width, color: false })).join('');
    for (const line of text.split('\n')) assert.ok(widthOf(line) <= width, line);
    const path = join(golden, `${width}.txt`);
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
    assert.is(text, readFileSync(path, 'utf8'));
  });
}

test('the verdict is coloured on a terminal only', () => {
  const of = (step: Step | undefined, color: boolean) =>
    step === undefined ? '' : stepText(step, { width: 80, color }).split('  ')[0];
  assert.equal(
    steps.map((step) => of(step, true)),
    [32, 32, 33, 31, 2].map((code, index) => `\u001b[${code}m${steps[index]?.verdict}\u001b[0m`),
  );
  assert.is(of(steps[0], false), 'ok');
});

const gigabyte = 1e9;
const enoent = Object.assign(new Error('none'), { code: 'ENOENT', errno: -2 });
const files = (more: Partial<FileSystem> = {}): FileSystem => ({
  isFolder: async () => true,
  mayWrite: async () => undefined,
  freeBytes: async () => gigabyte,
  ...more,
});

const folders: readonly [what: string, given: Partial<FileSystem>, verdict: string | undefined, message: string][] = [
  ['a folder that is there', {}, undefined, '/a/b: can be written, 1.0 GB free'],
  [
    'one that is not there yet',
    { isFolder: (path) => (path.endsWith('b') ? Promise.reject(enoent) : Promise.resolve(true)) },
    undefined,
    '/a/b: can be created, 1.0 GB free',
  ],
  ['a file in its place', { isFolder: async () => false }, 'failed', '/a/b is no folder'],
  ['a full disk', { freeBytes: async () => 0 }, 'failed', '/a/b: the disk is full'],
  ['little space', { freeBytes: async () => 499e6 }, 'warning', '/a/b: can be written, 499.0 MB free'],
  [
    'no rights',
    { mayWrite: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES', errno: -13 })) },
    'failed',
    '/a/b: permission denied (EACCES)',
  ],
  ['no root', { isFolder: () => Promise.reject(enoent) }, 'failed', '/a/b: no such file or directory (ENOENT)'],
];

for (const [what, given, verdict, message] of folders) {
  test(`disk: ${what}`, async () => {
    const found = await checkFolder('/a/b', files(given));
    assert.equal([found.verdict, found.message], [verdict, message]);
    assert.is(found.todo === undefined, verdict === undefined);
  });
}

const second = 1000;
const day = 86_400 * second;

/** A certificate that ends so many days from now, and half a day more. */
const certificate = (days: number, more: object = {}): TlsFacts['certificate'] =>
  ({
    subject: { CN: 'api.example' },
    issuer: { O: 'Example CA' },
    valid_to: new Date(Date.now() + (days + 0.5) * day).toUTCString(),
    ...more,
  }) as TlsFacts['certificate']; // the other members are not read

const certificates: readonly [what: string, refusal: string | undefined, TlsFacts['certificate'], string, RegExp][] = [
  ['many days left', undefined, certificate(90), 'ok', /of api\.example by Example CA, 90 days left \(until \d{4}-/],
  ['14 days left', undefined, certificate(14), 'ok', /14 days left/],
  ['13 days left', undefined, certificate(13), 'warning', /13 days left/],
  [
    'expired',
    'CERT_HAS_EXPIRED',
    certificate(-3),
    'failed',
    /expired on .*; it is not trusted: it has expired \(CERT_/,
  ],
  ['another reason', 'CERT_REVOKED', certificate(90), 'failed', /it cannot be verified \(CERT_REVOKED\)$/],
  [
    'no names and no date',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    certificate(0, { subject: {}, issuer: undefined, valid_to: '' }),
    'failed',
    /of a host without a name by a host without a name, .*\(until an unknown date\); it is not trusted: it is self-/,
  ],
];

for (const [what, refusal, given, verdict, message] of certificates) {
  test(`certificate: ${what}`, () => {
    const found = certificateFinding({ protocol: 'TLSv1.3', certificate: given, refusal });
    assert.is(found.verdict ?? 'ok', verdict);
    assert.match(found.message, message);
    assert.is(found.todo === undefined, verdict === 'ok');
  });
}

test('a host is that of an address without placeholders, with the usual port of its scheme', () => {
  const shown = (address: string) => {
    const host = hostOf(address);
    return host === undefined ? undefined : `${host.isSecure ? 'TLS' : 'plain'} ${hostText(host)}`;
  };
  assert.equal(
    ['https://a.example/x', 'http://a.example', 'http://[::1]:8080/', 'https://*.example/', 'users'].map(shown),
    ['TLS a.example:443', 'plain a.example:80', 'plain [::1]:8080', undefined, undefined],
  );
});

const answerOf = (more: Partial<CheckedAnswer> = {}): CheckedAnswer => ({
  ...{ status: 200, headers: { 'content-type': 'application/json' }, ms: 0, at: Date.parse('2026-01-01T00:00:00Z') },
  ...{ request: 'GET http://a.example/users', begin: () => '' },
  ...more,
});
const receipt = { count: 2, bytes: 20 } as Receipt; // the members that a finding reads

test('a page shows its status and type, and that more items may follow', () => {
  assert.is(pageFinding(answerOf(), receipt, []).message, 'status 200, application/json, 2 items, 20 B');
  assert.match(pageFinding(answerOf({ headers: {} }), receipt, []).message, 'status 200, no content type, 2 items');
  assert.is(pageFinding(undefined, receipt, []).message, '2 items, 20 B');
  assert.match(pageFinding(undefined, { ...receipt, count: mostItems }, []).message, '1,000 items or more');
  const said = [
    { code: 'no-data', message: 'one' },
    { code: 'round-end', message: 'two' },
  ];
  const warned = pageFinding(undefined, receipt, said);
  assert.equal([warned.verdict, warned.message], ['warning', 'one [no-data]; two [round-end]; 2 items, 20 B']);
  assert.match(warned.todo ?? '', /^Set `dataField`/);
});

const broken = new ExtractError('ERR_JSON', 'no JSON');

test('a response that failed is explained by its status, by a web page, or by the error', () => {
  const refused = (more: Partial<CheckedAnswer>, isLogin: boolean) => refusedFinding(answerOf(more), broken, isLogin);
  assert.is(refusedFinding(undefined, broken, false).message, 'no JSON');
  assert.is(refused({}, false).message, 'no JSON');
  assert.match(refused({ status: 500 }, false).message, /users: status 500, the body is empty$/);
  assert.match(refused({ status: 500, begin: () => 'down' }, true).message, /users: status 500: down$/);
  const page = refused({ begin: () => '<!DOCTYPE html><p>' }, false);
  assert.match(page.message, 'status 200, but the response is a web page: <!DOCTYPE html>');
  assert.match(page.todo ?? '', 'Check `baseUrl` and `endpoint`');
  const login = refused({ headers: { 'content-type': 'text/html' } }, true);
  assert.match(login.todo ?? '', 'Check the `endpoint` of the login');
});

test('clocks are compared with the first Date header, at the middle of the request', () => {
  const clock = (headers: CheckedAnswer['headers'], ms = 0) =>
    clockFinding([answerOf(), answerOf({ headers, ms })]).message;
  assert.is(clockFinding([]).message, 'there is no response');
  assert.is(clock({}), 'no response has a Date header');
  assert.is(clock({ date: 'yesterday' }), 'no response has a Date header');
  assert.is(clock({ date: 'Thu, 01 Jan 2026 00:00:01 GMT' }), 'the clocks differ by at most 1 s');
  assert.is(clock({ date: 'Thu, 01 Jan 2026 00:00:30 GMT' }), 'the clocks differ by 30 s');
  assert.is(clock({ date: 'Wed, 31 Dec 2025 23:59:50 GMT' }, 10 * second), 'the clocks differ by 5 s');
  assert.match(clock({ date: 'Thu, 01 Jan 2026 01:00:00 GMT' }), 'this machine is 3,600 s slow');
  assert.match(clock({ date: 'Wed, 31 Dec 2025 23:00:00 GMT' }), 'this machine is 3,600 s fast');
});

test('the response with the fewest requests left counts; without a limit, fewer than 10 are few', () => {
  const rate = (...all: readonly CheckedAnswer['headers'][]) =>
    rateFinding(all.map((headers) => answerOf({ headers })));
  const left = (remaining: string, more: CheckedAnswer['headers'] = {}) => ({
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': '30',
    ...more,
  });
  assert.is(rate().message, 'there is no response');
  assert.is(rate({}).message, 'no response states how many requests are left');
  assert.equal(rate(left('50'), left('10')), { message: '10 requests left for the next 30 s' });
  assert.is(rate(left('9')).verdict, 'warning');
  const few = rate(left('10', { 'x-ratelimit-limit': '100' }));
  assert.equal([few.verdict, few.message], ['warning', '10 of 100 requests left for the next 30 s']);
});

test('a destination without a name is called the sink', async () => {
  const [write, close, abort] = [async () => {}, async () => {}, async () => {}];
  const sink = { write, close, abort };
  assert.is((await checkDestination(sink)).message, 'the sink has nothing that can be checked without writing');
  assert.is((await checkDestination({ ...sink, check: async () => {} })).message, 'the sink accepts connections');
});

test('what was verified is said of a file, a store and a server in words of their own', async () => {
  const found = async (name: string) => {
    const [write, close, abort, check] = [async () => {}, async () => {}, async () => {}, async () => {}];
    return (await checkDestination({ name, write, close, abort, check })).message;
  };
  assert.is(await found('duckdb:out.db'), 'duckdb:out.db can be written');
  assert.is(await found('s3://lake/raw'), 's3://lake/raw can be reached');
  assert.is(await found('postgres://localhost/shop'), 'postgres://localhost/shop accepts connections');
});

test('a step without a message is a line, and a time below a millisecond is 1 ms', () => {
  const step: Step = { step: 'name', verdict: 'ok', ms: 0.1, message: '' };
  assert.is(stepText(step, { width: 100, color: false }), 'ok       name              1 ms\n');
});

test('a step that needs a skipped one is skipped only if a failure is the reason', async () => {
  const shown: Step[] = [];
  const all = createSteps({
    timeout: 1000,
    signal: new AbortController().signal,
    onStep: (step) => void shown.push(step),
  });
  const ok = async () => ({ message: 'fine' });
  const left = await all.run({ step: 'a' }, [], async () => ({ verdict: 'skipped', message: 'none' }));
  assert.is((await all.run({ step: 'b' }, [left], ok)).verdict, 'ok');
  const failed = await all.run({ step: 'c' }, [], () => Promise.reject(new Error('broken')));
  assert.equal([failed.verdict, failed.message], ['failed', 'broken']);
  const skipped = await all.run({ step: 'd' }, [failed], ok);
  assert.equal([skipped.verdict, skipped.message], ['skipped', 'not checked, because c failed']);
  assert.is((await all.run({ step: 'e' }, [skipped], ok)).message, 'not checked, because d was not checked');
  assert.equal(shown, all.all);
});

test('an interrupt ends the command with its exit code, and nothing more is sent', async () => {
  const shell = fakeShell({ stdin: '' });
  const server = await startApi(() => {
    shell.signal('SIGINT');
    return json([]);
  });
  const document = { api: { baseUrl: `${server.origin}/` }, config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] } };
  const given = { ...shell, stdin: fakeShell({ stdin: JSON.stringify(document) }).stdin };
  assert.is(await rxtract(['doctor', '-'], given), 130);
  assert.match(shell.err(), 'interrupted by SIGINT');
  assert.is(server.requests.length, 1);
  await server.close();
});

for (const [columns, widest] of [
  ['60', 60],
  ['wide', 100],
  ['10', 40],
] as const) {
  test(`a terminal of ${columns} columns`, async () => {
    const shell = fakeShell({ stdin: '{"api":{},"config":{}}', env: { COLUMNS: columns } });
    assert.is(await rxtract(['doctor', '-', '--to', 'null:'], shell), 1);
    const lines = shell.out().split('\n');
    assert.ok(lines.every((line) => line.length <= widest));
    assert.match(lines[0] ?? '', /^failed {3}configuration/);
  });
}

test.run();
