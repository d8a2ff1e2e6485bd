/** Steps of `rxtract doctor` as text, at three widths; the rules of disks; interrupts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkFolder, type FileSystem } from '../../../src/cli/doctor/places.js';
import { stepText } from '../../../src/cli/doctor/step-text.js';
import { createSteps, type Step } from '../../../src/cli/doctor/steps.js';
import { widthOf } from '../../../src/cli/live/width.js';
import { rxtract } from '../../../src/cli/main-command.js';
import { json, startApi } from '../../loopback/api.js';
import { fakeShell } from '../fake-shell.js';

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
