/** `rxtract ui`: the page of a configuration, from its address to its end. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../src/cli/main-command.js';
import { browserCommand, openBrowser } from '../../src/tools/ui/open-browser.js';
import { inTemporary } from '../blackbox/command.js';
import { askPage, callPage, type Line, streamPage, tokenIn } from '../tools/ui/page-client.js';
import { fakeShell } from './fake-shell.js';

const config = `{
  // kept
  "api": { "baseUrl": "http://localhost:8080/" },
  "config": { "#key": "secret-key-1", "jobs": [{ "endpoint": "users", "dataType": "users" }] }
}
`;

interface Page {
  readonly path: string;
  readonly dir: string;
  call(route: string, input?: object): Promise<{ readonly status: number; readonly answer: Line }>;
  /** All lines, or those until `isLast`. */
  stream(route: string, input: object, isLast?: (line: Line) => unknown): Promise<readonly Line[]>;
}

async function withPage(text: string | undefined, words: readonly string[], work: (page: Page) => Promise<void>) {
  await inTemporary(async (dir) => {
    const path = join(dir, 'config.json');
    if (text !== undefined) await writeFile(path, text);
    const shell = fakeShell();
    const ended = rxtract(['ui', path, ...words], shell);
    while (shell.out() === '') await new Promise(setImmediate);
    const address = shell.out().trim();
    const call: Page['call'] = async (route, input) => {
      const { status, text: body } = await callPage(address, route, input);
      assert.not.match(body, 'secret-key');
      return { status, answer: JSON.parse(body) };
    };
    const stream: Page['stream'] = async (route, input, isLast = () => false) => {
      const lines: Line[] = [];
      await streamPage(address, route, input, (line) => {
        assert.not.match(JSON.stringify(line), 'secret-key');
        lines.push(line);
        return isLast(line);
      });
      return lines;
    };
    try {
      await work({ path, dir, call, stream });
    } finally {
      shell.signal('SIGINT');
      assert.is(await ended, 130);
    }
    assert.is(shell.err(), '');
  });
}

/** An API with 25 items on pages of ten, behind a token. */
async function withApi(work: (address: string) => Promise<void>, respond: (page: number) => unknown = () => {}) {
  const items = Array.from({ length: 25 }, (_, index) => ({ id: index + 1, name: `n${index}` }));
  const server = createServer(async ({ url = '', headers }, response) => {
    const { searchParams } = new URL(url, 'http://h');
    const size = Math.min(10, Number(searchParams.get('per_page') ?? 10));
    const page = Number(searchParams.get('page') ?? 1);
    await respond(page);
    response.setHeader('content-type', 'application/json');
    response.statusCode = headers.authorization === 'Bearer secret-key-1' ? 200 : 401;
    response.end(JSON.stringify({ data: items.slice((page - 1) * size, page * size) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`); // of a server that listens
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const configOf = (address: string) => `{
  "api": { "baseUrl": "${address}", "authentication": { "type": "bearer", "token": "secret-key-1" },
    "pagination": { "method": "pagenum", "limit": 10, "limitParam": "per_page" } },
  "config": { "jobs": [{ "endpoint": "users", "dataField": "data", "dataType": "users" }, { "endpoint": "more" }] }
}`;

test('shows the configuration without its secrets, and saves it with comments and secrets', () =>
  withPage(config, [], async ({ call, path }) => {
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
  withPage(config, ['--host', 'localhost', '--no-commands'], async ({ call }) => {
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
  withPage(undefined, [], async ({ call, path }) => {
    const { answer } = await call('/api/file');
    assert.equal([answer.text, answer.version], ['', '']);
    assert.is((await call('/api/save', { text: config, version: '' })).status, 200);
    assert.is(await readFile(path, 'utf8'), config);
  }));

test('has the schema of configurations', () =>
  withPage(config, [], async ({ call }) => {
    assert.is((await call('/api/schema')).answer.$id, 'urn:rxtract:configuration');
  }));

test('reads pages with request, response, items and what follows; a failure is a finding', () =>
  withApi((address) =>
    withPage(configOf(address), [], async ({ call, stream }) => {
      const { text } = (await call('/api/file')).answer;
      const lines = await stream('/api/try', { text, pages: 1, job: 'users' });
      const [{ page } = {}, { result } = {}] = lines;
      assert.is(lines.length, 2);
      assert.equal([page.job, page.page, page.status, page.items], ['users', 1, 200, 10]);
      assert.match(page.body, '"n0"');
      assert.equal(page.rows[0], ['1', 'n0']);
      assert.match(page.next.url, 'page=2');
      const names = page.request.values.map(({ name, value }: Line) => `${name}=${value}`);
      assert.ok(names.includes('Authorization=Bearer ***'), names.join());
      assert.equal([result.isValid, result.findings], [true, []]);
      const wrong = String(text).replace('"***1***"', '"another"');
      const failed = await stream('/api/try', { text: wrong, pages: 1 });
      assert.match(JSON.stringify(failed), 'ERR_STATUS');
      assert.match(JSON.stringify(await stream('/api/try', { text, pages: 0 })), '--pages is');
      assert.is((await call('/api/try', { text, pages: '1' })).status, 400);
    }),
  ));

test('shows the plan with the sources of all values, or why there is none', () =>
  withPage(config, [], async ({ call }) => {
    const { text } = (await call('/api/file')).answer;
    const [iteration] = (await call('/api/plan', { text, job: 'users' })).answer.plan.iterations;
    assert.is(iteration.jobs[0].first.url, 'http://localhost:8080/users');
    const none = (await call('/api/plan', { text: '{', job: '' })).answer;
    assert.is(none.plan, null);
    assert.is(none.findings[0].level, 'error');
  }));

test('finds the configuration of an API, asks, and keeps a secret that was written out', () =>
  withApi((address) =>
    withPage(undefined, [], async ({ call, stream }) => {
      const answers: Promise<unknown>[] = [];
      const input = { source: `${address}users`, headers: ['Authorization: Bearer secret-key-1'] };
      const lines = await stream('/api/find', input, ({ question }) => {
        if (question !== undefined) answers.push(call('/api/answer', { id: question.id, value: 'people' }));
      });
      await Promise.all(answers);
      const { found } = lines.at(-1) ?? {};
      assert.ok(answers.length > 0);
      assert.ok(lines.some(({ note }) => /pagination: page numbers/.test(note)));
      assert.match(found.text, '"dataType": "people"');
      assert.equal(found.variables, ['API_TOKEN']);
      const read = await stream('/api/try', { text: found.text, pages: 3 });
      assert.equal(
        read.map(({ page }) => page?.items),
        [10, 10, 5, undefined],
      );
      assert.is((await call('/api/answer', { id: 'unknown', value: '' })).status, 400);
    }),
  ));

test('finds it from a curl command too; a file is no source', () =>
  withApi((address) =>
    withPage(undefined, ['--host', '127.0.0.1'], async ({ call, stream }) => {
      const source = `curl '${address}users' -H 'Authorization: Bearer secret-key-1'`;
      const lines = await stream('/api/find', { source, headers: [], allowPost: true }, ({ question }) => {
        if (question !== undefined) void call('/api/answer', { id: question.id, value: null });
      });
      assert.match(lines.at(-1)?.found.text, '"pagenum"');
      for (const wrong of ['/etc/passwd', 'openapi.yaml', '-', '']) {
        const answer = await call('/api/find', { source: wrong, headers: [] });
        assert.match(answer.answer.message, 'expected an address', wrong);
      }
      assert.is((await call('/api/find', { source, headers: 'a' })).status, 400);
      const failed = await stream('/api/find', { source: `${address}users`, headers: [] });
      assert.is(failed.at(-1)?.failed.code, 'ERR_INIT');
    }),
  ));

const isEnded = ({ head }: Line) => head.status === 'ended';

test('runs the saved configuration, and shows its figures, jobs, log and state', () =>
  withApi((address) =>
    withPage(configOf(address), [], async ({ call, stream, dir }) => {
      const watching = stream('/api/run/watch', {}, isEnded);
      const state = join(dir, 'st');
      const input = { to: `ndjson:${join(dir, 'out')}`, jobs: ['users'], state, maxPages: 10, concurrency: 1 };
      assert.is((await call('/api/run/start', input)).status, 200);
      const lines = await watching;
      const { head } = lines.at(-1) ?? {};
      assert.equal([head.status, head.exit], ['ended', 0]);
      const log = lines.flatMap((line) => line.log as readonly string[]).map((line) => JSON.parse(line));
      assert.equal(
        log.filter(({ event }) => event === 'page').map(({ items }) => items),
        [10, 10, 5],
      );
      const rows = lines.flatMap((line) => line.jobs as readonly Line[]);
      assert.equal([rows.at(-1)?.job, rows.at(-1)?.items, rows.at(-1)?.phase], ['users', 25, 'done']);
      assert.is(lines.flatMap((line) => line.ticks as readonly Line[]).at(-1)?.items, 25);
      assert.is((await readFile(join(dir, 'out', 'users.ndjson'), 'utf8')).split('\n').length, 26);
      assert.equal((await call('/api/state', { path: state })).answer.memory, []);
      assert.match((await call('/api/state', { path: join(dir, 'none') })).answer.findings[0].message, 'no state');
    }),
  ));

/** Pages that wait until it is open. */
function createGate() {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open: () => open() };
}

test('one run at a time: it is stopped, and resumed by its state', () => {
  const { gate, open } = createGate();
  return withApi(
    (address) =>
      withPage(configOf(address), [], async ({ call, stream, dir }) => {
        const input = { to: `ndjson:${join(dir, 'out')}`, jobs: ['users'], state: join(dir, 'st') };
        assert.match((await call('/api/run/stop')).answer.message, 'no run is at work');
        assert.match((await call('/api/run/start', { ...input, state: '', resume: true })).answer.message, 'state');
        const hasPage = ({ log }: Line) => log.some((line: string) => line.includes('"event":"page"'));
        const watching = stream('/api/run/watch', {}, hasPage);
        await call('/api/run/start', input);
        await watching;
        assert.match((await call('/api/run/start', input)).answer.message, 'a run is at work');
        assert.is((await call('/api/run/stop')).status, 200);
        const [stopped] = (await stream('/api/run/watch', {}, isEnded)).slice(-1);
        assert.is(stopped?.head.exit, 130);
        open();
        const again = stream('/api/run/watch', {}, ({ head }) => head.id === 2 && head.status === 'ended');
        await call('/api/run/start', { ...input, resume: true });
        assert.is((await again).at(-1)?.head.exit, 0);
        assert.is((await readFile(join(dir, 'out', 'users.ndjson'), 'utf8')).split('\n').length, 26);
      }),
    (page) => (page > 1 ? gate : undefined),
  );
});

test('a run that cannot begin ends with its error', () =>
  withPage(config, ['--no-commands'], async ({ call, stream }) => {
    const watching = stream('/api/run/watch', {}, isEnded);
    await call('/api/run/start', { to: 'nowhere:out', jobs: [] });
    const lines = await watching;
    assert.is(lines.at(-1)?.head.exit, 1);
    assert.match(JSON.stringify(lines.flatMap(({ log }) => log)), 'ERR_USAGE');
  }));

/** Runs with a page. Resolves to the exit code. */
async function withRunPage(words: readonly string[], work: (address: string) => Promise<void>): Promise<number> {
  const shell = fakeShell();
  const ended = rxtract(['run', ...words, '--ui'], shell);
  let address: string | undefined;
  while (address === undefined) {
    await new Promise(setImmediate);
    [address] = /http:\/\/127\S+token=\S+/.exec(shell.err()) ?? [];
  }
  await work(address);
  return ended;
}

const eventsOf = (lines: readonly Line[]): readonly string[] =>
  lines.flatMap((line) => line.log as readonly string[]).map((line) => JSON.parse(line).event);

test('a run has a page to its end: its figures, its log and nothing else', () => {
  const { gate, open } = createGate();
  return withApi(
    (address) =>
      inTemporary(async (dir) => {
        const path = join(dir, 'config.json');
        await writeFile(path, configOf(address));
        const exit = await withRunPage([path, '--job', 'users', '--to', `ndjson:${dir}`], async (page) => {
          const { status, text } = await askPage(page, { path: `/?token=${tokenIn(page)}` });
          assert.is(status, 200);
          assert.match(text, '"mode":"watch"');
          assert.is(await callStatus(page, '/api/file'), 404);
          const lines: Line[] = [];
          await streamPage(page, '/api/run/watch', {}, (line) => {
            lines.push(line);
            open();
          });
          assert.equal([lines.at(-1)?.head.status, lines.at(-1)?.head.exit], ['ended', 0]);
          const events = eventsOf(lines).filter((event) => event !== 'notice');
          assert.equal(events, ['page', 'page', 'page', 'summary']);
        });
        assert.is(exit, 0);
      }),
    () => gate,
  );
});

const callStatus = async (address: string, route: string) => (await callPage(address, route)).status;

test('the page stops the run as an interrupt does, and shows why one fails', () => {
  let gate = createGate();
  return withApi(
    (address) =>
      inTemporary(async (dir) => {
        const path = join(dir, 'config.json');
        await writeFile(path, configOf(address));
        const words = [path, '--to', `ndjson:${dir}`];
        const stopped = await withRunPage(words, async (page) => {
          await streamPage(
            page,
            '/api/run/watch',
            {},
            ({ head, ticks }) => head.status === 'running' && ticks.length > 0,
          );
          assert.is(await callStatus(page, '/api/run/stop'), 200);
        });
        assert.is(stopped, 130);
        gate.open();
        gate = createGate();
        await writeFile(path, configOf(address).replace('secret-key-1', 'another-key'));
        const lines: Line[] = [];
        const watch = (page: string) =>
          streamPage(page, '/api/run/watch', {}, (line) => {
            lines.push(line);
            gate.open();
          });
        assert.is(await withRunPage(words, watch), 1);
        assert.match(JSON.stringify(lines), 'ERR_STATUS');
      }),
    () => gate.gate,
  );
});

test('a run that cannot begin ends with its page', () =>
  inTemporary(async (dir) => {
    const path = join(dir, 'config.json');
    await writeFile(path, '{');
    assert.is(await withRunPage([path, '--to', 'null:'], async () => {}), 1);
  }));

test('only a run of this process has a page, whose address is printed', async () => {
  for (const [words, message] of [
    [['--on', 'postgres://h/d'], '--ui shows a run of this process'],
    [['--quiet'], 'exclude each other'],
  ] as const) {
    const shell = fakeShell();
    assert.is(await rxtract(['run', 'a.json', '--ui', ...words], shell), 1);
    assert.match(shell.err(), message);
  }
});

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
