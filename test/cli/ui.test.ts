/** `rxtract ui`: the page of a configuration, from its address to its end. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../src/cli/main-command.js';
import { browserCommand, openBrowser } from '../../src/tools/ui/open-browser.js';
import { inTemporary } from '../blackbox/command.js';
import { callPage } from '../tools/ui/page-client.js';
import { fakeShell } from './fake-shell.js';

const config = `{
  // kept
  "api": { "baseUrl": "http://localhost:8080/" },
  "config": { "#key": "secret-key-1", "jobs": [{ "endpoint": "users", "dataType": "users" }] }
}
`;

/** Calls a route of the page. */
type Call = (path: string, input?: object) => Promise<{ readonly status: number; readonly answer: Answer }>;
interface Answer {
  readonly [name: string]: unknown;
}

async function withPage(
  text: string | undefined,
  words: readonly string[],
  work: (call: Call, path: string) => Promise<void>,
) {
  await inTemporary(async (dir) => {
    const path = join(dir, 'config.json');
    if (text !== undefined) await writeFile(path, text);
    const shell = fakeShell();
    const written = once(shell.stdout, 'drain').catch(() => {});
    const ended = rxtract(['ui', path, ...words], shell);
    while (shell.out() === '') await Promise.race([new Promise(setImmediate), written]);
    const address = shell.out().trim();
    try {
      await work(async (route, input) => {
        const { status, text: body } = await callPage(address, route, input);
        assert.not.match(body, 'secret-key');
        return { status, answer: JSON.parse(body) };
      }, path);
    } finally {
      shell.signal('SIGINT');
      assert.is(await ended, 130);
    }
    assert.is(shell.err(), '');
  });
}

test('shows the configuration without its secrets, and saves it with comments and secrets', () =>
  withPage(config, [], async (call, path) => {
    const { answer } = await call('/api/file');
    assert.is(answer.path, path);
    assert.match(String(answer.text), '"#key": "***1***"');
    const text = String(answer.text).replace('8080', '9090');
    const saved = await call('/api/save', { text, version: answer.version });
    assert.is(saved.answer.text, text);
    assert.is(await readFile(path, 'utf8'), config.replace('8080', '9090'));
    const again = await call('/api/save', { text, version: answer.version });
    assert.is(again.status, 400);
    assert.match(String(again.answer.message), 'has changed on the disk');
  }));

test('checks a text with the places of its problems, and its secrets', () =>
  withPage(config, ['--host', 'localhost', '--no-commands'], async (call) => {
    const { answer } = await call('/api/file');
    const valid = await call('/api/check', { text: answer.text });
    assert.equal(valid.answer, { isValid: true, findings: [], jobs: ['users'] });
    const text = String(answer.text).replace('endpoint', 'endpont');
    const { isValid, findings } = (await call('/api/check', { text })).answer;
    assert.is(isValid, false);
    assert.match(JSON.stringify(findings), 'did you mean \\"endpoint\\"?');
    const command = String(answer.text).replace('"***1***"', '{"command": ["id"]}');
    assert.match(JSON.stringify((await call('/api/check', { text: command })).answer), '--no-commands');
    assert.is((await call('/api/check', { text: 1 })).status, 400);
  }));

test('a file that is not there begins empty', () =>
  withPage(undefined, [], async (call, path) => {
    const { answer } = await call('/api/file');
    assert.equal([answer.text, answer.version], ['', '']);
    assert.is((await call('/api/save', { text: config, version: '' })).status, 200);
    assert.is(await readFile(path, 'utf8'), config);
  }));

test('has the schema of configurations', () =>
  withPage(config, [], async (call) => {
    assert.is((await call('/api/schema')).answer.$id, 'urn:rxtract:configuration');
  }));

test('the page is that of one file', async () => {
  for (const [words, message] of [
    [['-'], 'CONFIG is the path of a file'],
    [['a.json', 'b.json'], 'found "b.json" too'],
    [['--port', '80'], '--port is'],
  ] as const) {
    const shell = fakeShell();
    assert.is(await rxtract(['ui', ...words], shell), 1);
    assert.match(shell.err(), message);
    assert.is(shell.out(), '');
  }
});

test('each system has its way to open a browser; without one nothing happens', async () => {
  assert.equal(browserCommand('linux', 'a'), ['xdg-open', 'a']);
  assert.equal(browserCommand('darwin', 'a'), ['open', 'a']);
  assert.equal(browserCommand('win32', 'a')[0], 'rundll32');
  const child = openBrowser(['a-program-that-is-not-there', 'a']);
  await once(child, 'error');
});

test.run();
