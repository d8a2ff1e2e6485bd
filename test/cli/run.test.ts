import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Observable } from 'rxjs';
import { MockAgent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.js';
import { rxtract } from '../../src/cli/main-command.js';
import { runWith } from '../../src/cli/run.js';
import type { RunEngine } from '../../src/cli/run-jobs.js';
import { validateWith } from '../../src/cli/validate.js';
import { extract } from '../../src/run/extract.js';
import type { ExtractOptions } from '../../src/run/options.js';
import { inTemporary } from '../blackbox/command.js';
import { startClock } from '../support/virtual-clock.js';
import { screenOf } from '../tools/live/screen.js';
import { type FakeShell, type FakeShellOptions, fakeShell } from './fake-shell.js';

const origin = 'http://api.test';
const config = (jobs: readonly object[], more: object = {}): string =>
  JSON.stringify({
    api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum' }, retryConfig: { maxRetries: 0 } },
    config: { '#password': 'hush-hush', jobs },
    ...more,
  });
const users = config([{ endpoint: 'users', dataType: 'users' }]);

interface Ended {
  readonly exit: number;
  readonly shell: FakeShell;
  /** What the engine was asked for, once it was. */
  readonly asked: readonly ExtractOptions[];
}

/** Runs the words with the configuration on standard input, against pages by path; the network is closed. */
async function play(
  words: readonly string[],
  stdin: string,
  pages: Readonly<Record<string, readonly unknown[]>> = {},
  on: Pick<FakeShellOptions, 'isTTY'> = {},
) {
  const agent = new MockAgent();
  agent.disableNetConnect();
  for (const [path, bodies] of Object.entries(pages)) {
    for (const [index, body] of bodies.entries()) {
      const reply = agent.get(origin).intercept({ path: `/${path}?page=${index + 1}` });
      if (typeof body === 'number') reply.reply(body, 'hush-hush no');
      else reply.reply(200, body as object); // pages are plain JSON
    }
  }
  const asked: ExtractOptions[] = [];
  let now = 0;
  const engine: RunEngine = {
    extract(configuration, options = {}) {
      asked.push(options);
      return extract(configuration, { ...options, dispatcher: agent });
    },
    openCheckpoint,
    now: () => (now += 1000),
  };
  const shell = fakeShell({ stdin, ...on });
  const commands = [runWith(async () => engine), validateWith(async () => engine.extract)];
  const exit = await rxtract(words, shell, commands);
  agent.assertNoPendingInterceptors();
  await agent.close();
  const ended: Ended = { exit, shell, asked };
  return ended;
}

test("responses are kept in --cache-dir, else in the user's cache, if the configuration has a cache", async () => {
  const cacheOf = async (words: readonly string[]) => {
    const { asked } = await play(['run', '-', '--to', 'null:', ...words], users, { users: [[]] });
    return asked[0]?.cacheFolder;
  };
  assert.is(await cacheOf(['--cache-dir', 'here']), 'here');
  assert.match((await cacheOf([])) ?? '', /rxtract$/);
  const { exit, shell } = await play(['run', '-', '--cache-dir', ''], users);
  assert.is(exit, 1);
  assert.match(shell.err(), '--cache-dir needs a folder');
});

test('a run sets how V8 grows the young space, and later how late it optimizes', async () => {
  const flags: string[] = [];
  const shell = { ...fakeShell(), setFlags: (...given: readonly string[]) => void flags.push(...given) };
  const commands = [
    runWith(async () => Promise.reject(new Error('is not needed'))),
    validateWith(() => Promise.reject()),
  ];
  assert.is(await rxtract(['run', '-', '--resume'], shell, commands), 1);
  assert.match(shell.err(), '--resume needs --state PATH');
  assert.equal(flags, [
    ...['--semi-space-growth-factor=1', '--wasm-tiering-budget=250000000'],
    ...['--no-wasm-loop-unrolling', '--no-wasm-loop-peeling'],
  ]);
  flags.length = 0;
  assert.is(await rxtract(['validate'], shell, commands), 1);
  assert.equal(flags, []);
});

test('commands with the flags of a run have Node keep its code, which is of no use with other flags', async () => {
  let asked = 0;
  const cacheCode = () => {
    asked += 1;
  };
  const shell = { ...fakeShell(), cacheCode };
  await rxtract(['run', '-', '--resume'], shell, [runWith(async () => Promise.reject(new Error('is not needed')))]);
  assert.is(asked, 1);
  await rxtract(['validate'], shell, [validateWith(() => Promise.reject())]);
  await rxtract(['--version'], shell);
  assert.is(asked, 1);
});

const emptyOptions: readonly (readonly [words: readonly string[], message: RegExp])[] = [
  [['--data-dir', ''], /--data-dir needs a folder/],
  [['-', '--proxy', ''], /--proxy needs the URL of a proxy, or env/],
  [['-', '--resume'], /--resume needs --state PATH/],
  [['-', '--resume-only'], /--resume-only needs --state PATH/],
  [['-', '--state', 'st', '--resume', '--resume-only'], /--resume and --resume-only exclude each other/],
  [['-', '--drain', '5s'], /--drain needs --state PATH/],
  [['-', '--on-changed-page', 'again'], /--on-changed-page needs --state PATH/],
  [['-', '--state', ''], /--state/],
];
for (const [words, message] of emptyOptions) {
  test(`${words.map((word) => JSON.stringify(word)).join(' ')} is refused`, async () => {
    const { exit, shell, asked } = await play(['run', ...words], users);
    assert.is(exit, 1);
    assert.match(shell.err(), message);
    assert.equal(asked, []);
  });
}

const twoPages = { users: [[{ id: 1 }, { id: 2 }], [{ id: 3 }], []] };

test('items go to the sink, everything else to standard error', async () => {
  const { exit, shell } = await play(['run', '-', '--to', 'stdout:'], users, twoPages);
  assert.is(exit, 0, shell.err());
  assert.is(shell.out(), '{"id":1}\n{"id":2}\n{"id":3}\n');
  assert.match(shell.err(), /^job +requests/);
});

test('several sinks get everything', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'rxtract-'));
  try {
    const { exit, shell } = await play(['run', '-', '--to', `ndjson:${directory}`, '--to', 'stdout:'], users, twoPages);
    assert.is(exit, 0, shell.err());
    assert.equal(await readdir(directory), ['users.ndjson']);
    assert.is(await readFile(join(directory, 'users.ndjson'), 'utf8'), shell.out());
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('the options reach the engine', async () => {
  const both = config([{ endpoint: 'users' }, { endpoint: 'orders' }]);
  const pages = { users: [[]], orders: [[]] };
  const words = ['--concurrency', '3', '--strict', '--job', 'orders', '--job', 'users'];
  const { asked } = await play(['run', '-', '--to', 'null:', ...words], both, pages);
  assert.equal(
    asked.map(({ concurrency, strict, jobs }) => ({ concurrency, strict, jobs })),
    [{ concurrency: 3, strict: true, jobs: ['orders', 'users'] }],
  );
});

test('bounds and allowed warnings reach the engine', async () => {
  const words = ['--max-pages', '3', '--max-items', '5', '--max-duration', '1h30m', '--allow', 'no-list'];
  const [asked] = (await play(['run', '-', '--to', 'null:', ...words], users, { users: [[]] })).asked;
  const { maxPages, maxItems, maxDuration, allow } = asked ?? {};
  assert.equal([maxPages, maxItems, maxDuration, allow], [3, 5, 5_400_000, ['no-list']]);
});

for (const [body, item, bytes] of [
  ['2G', '64m', [2_000_000_000, 64_000_000]],
  ['500KiB', '1000', [512_000, 1000]],
] as const) {
  test(`the caps ${body} and ${item} reach the engine in bytes`, async () => {
    const words = ['--max-body-bytes', body, '--max-item-bytes', item];
    const [asked] = (await play(['run', '-', '--to', 'null:', ...words], users, { users: [[]] })).asked;
    assert.equal([asked?.maxBodyBytes, asked?.maxItemBytes], bytes);
  });
}

test('an invalid limit is rejected', async () => {
  for (const [name, value] of [
    ['max-pages', '0'],
    ['max-items', 'all'],
    ['max-duration', 'soon'],
    ['max-body-bytes', '0'],
    ['max-item-bytes', '5T'],
  ]) {
    const { exit, shell } = await play(['run', '-', `--${name}`, value ?? ''], users);
    assert.is(exit, 1);
    assert.match(shell.err(), new RegExp(`error: --${name} is a .*, found "${value}"`));
  }
});

test('a limit that is too large is rejected with the largest', async () => {
  for (const [name, value, most] of [
    ['concurrency', '9999999999999999', '9007199254740991'],
    ['max-pages', '9999999999999999', '9007199254740991'],
    ['max-items', '9'.repeat(20), '9007199254740991'],
    ['max-duration', '40000d', '36500d'],
    ['max-duration', '99999999999', '36500d'],
    ['max-body-bytes', '9999999999999999', '9007199254740991'],
    ['max-body-bytes', '9007200G', '9007199254740991'],
    ['drain', '100000', '99999s'],
  ]) {
    const state = name === 'drain' ? ['--state', 'none'] : [];
    const { exit, shell } = await play(['run', '-', `--${name}`, value ?? '', ...state], users);
    assert.is(exit, 1);
    assert.match(shell.err(), `error: --${name} is at most ${most}, found "${value}"`);
  }
});

test('without options all jobs run, one request at a time', async () => {
  const [asked] = (await play(['run', '-', '--to', 'null:'], users, { users: [[]] })).asked;
  assert.equal([asked?.concurrency, asked?.strict, 'jobs' in (asked ?? {})], [1, false, false]);
});

test('on a terminal the engine reports its progress, unless items go to standard output', async () => {
  for (const [to, isTTY, reports] of [
    ['null:', true, true],
    ['stdout:', true, false],
    ['null:', false, false],
  ] as const) {
    const { asked, exit, shell } = await play(['run', '-', '--to', to], users, { users: [[]] }, { isTTY });
    assert.is(exit, 0, shell.err());
    assert.is(asked[0]?.onActivity !== undefined, reports);
    assert.ok(asked[0]?.onOutlook);
    assert.match(shell.err(), /job +requests/);
  }
});

test('the first interrupt removes the display, before the sinks are closed', async () => {
  const clock = startClock();
  const screen = screenOf(80);
  const shell = { ...fakeShell({ stdin: users }), stderr: screen.stream };
  const seen: (readonly string[])[] = [];
  const see = () => void seen.push(screen.lines());
  const receipts = new Observable<never>(() => {
    clock.pass(1000);
    see();
    queueMicrotask(() => shell.signal('SIGINT'));
    return see;
  });
  const load = async (): Promise<RunEngine> => ({
    extract: (...given) => ({ ...extract(...given), receipts, closed: Promise.resolve() }),
    openCheckpoint,
    now: () => 0,
  });
  try {
    assert.is(await rxtract(['run', '-', '--to', 'null:'], shell, [runWith(load)]), 130);
  } finally {
    clock.stop();
  }
  const [before, after] = seen;
  assert.match(before?.[0] ?? '', /^job +pages/);
  assert.equal(after, ['SIGINT: stopping the run; a second signal stops it at once']);
});

const wrong = [
  { words: ['--on-changed-page', 'skip'], says: /--on-changed-page is fail or again, found "skip"/ },
  { words: ['--concurrency', '0'], says: /--concurrency is a whole number from 1 up, found "0"/ },
  { words: ['--concurrency', '1.5'], says: /--concurrency is a whole number/ },
  { words: ['--threads', '2'], says: /unknown option "?--threads/ },
  {
    words: ['--to', 'ndjsno:x'],
    says: /unknown sink "ndjsno:x".*did you mean "ndjson"/,
    next: /`rxtract sinks` lists them/,
  },
  { words: ['--to', 'null:', '--to', 'null:'], says: /--to null: is given twice/ },
  { words: ['--to', 'null:', '--job', 'usres'], says: /no job "usres"; did you mean "users"/ },
];

for (const { words, says, next = /See `rxtract run --help`\./ } of wrong) {
  test(`${words.join(' ')} is 1 before any request, and points to help`, async () => {
    const { exit, shell } = await play(['run', '-', ...words], users);
    assert.is(exit, 1);
    assert.match(shell.err(), says);
    assert.match(shell.err(), next);
  });
}

test('a status exits with 1, with its place, secrets masked in text and in JSON', async () => {
  for (const log of ['text', 'json']) {
    const { exit, shell } = await play(['run', '-', '--to', 'null:', '--log', log], users, {
      users: [[{ id: 1 }], 500],
    });
    assert.is(exit, 1);
    assert.match(shell.err(), /ERR_STATUS/);
    assert.match(shell.err(), /\*\*\*/);
    assert.not.match(shell.err(), /hush/);
    assert.match(shell.err(), log === 'text' ? /\n {2}page +2\n/ : /"page":2/);
  }
});

test('a secret that is the name of a job is masked wherever the job is named', async () => {
  for (const command of [
    ['run', '--to', 'null:'],
    ['run', '--to', 'null:', '--log', 'json'],
    ['validate'],
    ['validate', '--log', 'json'],
  ]) {
    const pages = command[0] === 'run' ? { users: [[{ id: 1 }], [{ id: 2 }], []] } : {};
    const { exit, shell } = await play(
      [...command, '-'],
      config([{ endpoint: 'users', dataType: 'hush-hush' }]),
      pages,
    );
    assert.is(exit, 0, shell.err());
    assert.match(shell.err(), /\*\*\*/);
    assert.not.match(shell.err(), /hush/);
  }
});

test('--log json prints pages, then the summary', async () => {
  const { exit, shell } = await play(['run', '-', '--to', 'stdout:', '--log', 'json'], users, twoPages);
  assert.is(exit, 0);
  assert.equal(
    shell.events().map(({ event, page, items }) => [event, page, items]),
    [
      ['page', 1, 2],
      ['page', 2, 1],
      ['page', 3, 0],
      ['summary', undefined, undefined],
    ],
  );
  assert.equal(shell.events().at(-1)?.outputs, [{ dataType: 'users', name: 'standard output', items: 3, bytes: 27 }]);
});

for (const command of ['run', 'validate']) {
  const quietly = command === 'run' ? ['--to', 'null:'] : [];

  test(`${command} lists the faults of a configuration below its name`, async () => {
    const { exit, shell } = await play([command, '-', ...quietly], config([{ endpoint: 7 }, {}]));
    assert.is(exit, 1);
    assert.match(shell.err(), /^error: standard input: 2 problems\n {2}config\.jobs\[0\]\.endpoint: /);
  });

  test(`${command} warns of an unknown key, and rejects it under --strict`, async () => {
    const odd = config([{ endpoint: 'users' }], { foo: 'hush-hush' });
    const pages = command === 'run' ? { users: [[]] } : {};
    const calm = await play([command, '-', ...quietly], odd, pages);
    assert.is(calm.exit, 0, calm.shell.err());
    assert.match(calm.shell.err(), /^warning: foo: unknown key/m);
    const strict = await play([command, '-', '--strict', ...quietly], odd);
    assert.is(strict.exit, 1);
    assert.match(strict.shell.err(), /^error: foo: unknown key[\s\S]*ERR_STRICT/);
    assert.not.match(calm.shell.err() + strict.shell.err(), /hush/);
  });
}

test('validate lists the faults of functions below its name too, each once', async () => {
  const bad = { function: 'date', args: ['Y', 'hush-hush'] };
  const { exit, shell } = await play(['validate', '-'], config([{ endpoint: 'users', params: { a: bad, b: bad } }]));
  assert.is(exit, 1);
  const fault = (name: string) => `  config.jobs[0].params.${name}: function "date": expected a number of seconds, `;
  const lines = shell.err().split('\n');
  assert.is(lines[0], 'error: standard input: 2 problems');
  assert.ok(lines[1]?.startsWith(fault('a')) && lines[2]?.startsWith(fault('b')), shell.err());
  assert.is(lines[3], '  code     ERR_FUNCTION');
});

test('validate reads the private key of a tunnel, and does not show it', async () => {
  const sshProxy = { host: 'bastion.test', port: 22, user: 'me', '#privateKey': 'hush-hush' };
  const document = { ...JSON.parse(users), sshProxy };
  const shell = fakeShell({ stdin: JSON.stringify(document) });
  const exit = await rxtract(['validate', '-'], shell, [validateWith(async () => extract)]);
  assert.is(exit, 1);
  assert.match(shell.err(), /^error: standard input: 1 problem\n {2}sshProxy\.#privateKey: expected a private key/);
  assert.not.match(shell.err(), /hush/);
});

test('validate sends nothing and names the jobs', async () => {
  const { exit, shell } = await play(['validate', '-'], config([{ endpoint: 'users' }, { endpoint: 'orders' }]));
  assert.is(exit, 0, shell.err());
  assert.equal([shell.out(), shell.err()], ['', 'standard input is valid: 2 jobs (users, orders)\n']);
});

test('validate does not warn about a missing cache folder: run has one', async () => {
  const kept = config([{ endpoint: 'users' }], { cache: true });
  const { exit, shell } = await play(['validate', '-', '--strict'], kept);
  assert.is(exit, 0, shell.err());
  assert.not.match(shell.err(), /cache/);
});

test('a broken value of --set is a warning, which ends a strict run', async () => {
  const words = ['validate', '-', '--set', 'config.jobs[0].params={"a":'];
  const { exit, shell } = await play([...words, '--strict'], users);
  assert.is(exit, 1);
  assert.match(shell.err(), /--set config\.jobs\[0\]\.params: looks like JSON but is not valid/);
});

test('validate names children after their parents', async () => {
  const orders = { endpoint: 'users/{id}/orders', dataType: 'orders', placeholders: { id: 'id' } };
  const { shell } = await play(['validate', '-'], config([{ endpoint: 'users', children: [orders] }]));
  assert.is(shell.err(), 'standard input is valid: 1 job (users), 1 child job (orders of users)\n');
});

test('validate hints at a child for one item that has the pagination of the API; with its own there is no hint', async () => {
  const detail = { endpoint: 'users/{id}', dataType: 'details', placeholders: { id: 'id' } };
  const validated = async (child: object) => {
    const { exit, shell } = await play(
      ['validate', '-', '--strict'],
      config([{ endpoint: 'users', children: [child] }]),
    );
    assert.is(exit, 0);
    return shell.err();
  };
  const hint =
    /^config\.jobs\[0\]\.children\[0\]: its endpoint ends in a placeholder.*"pagination": \{ "method": "none" \}\n/;
  assert.match(await validated(detail), hint);
  assert.not.match(await validated({ ...detail, pagination: { method: 'none' } }), /placeholder/);
});

test('validate finds what only evaluation shows', async () => {
  const odd = { api: { baseUrl: { attr: 'base' } }, config: { base: 4, jobs: [{ endpoint: 'users' }] } };
  const { exit, shell } = await play(['validate', '-'], JSON.stringify(odd));
  assert.is(exit, 1, shell.err());
  assert.match(shell.err(), /^error: standard input: 1 problem\n {2}api\.baseUrl: the expression gives no /);
});

test('validate --log json ends with a summary of jobs not started', async () => {
  const { shell } = await play(['validate', '-', '--log', 'json'], users);
  const [notice, summary] = shell.events();
  assert.equal([notice?.event, notice?.code, summary?.event, summary?.exit], ['notice', 'valid', 'summary', 0]);
  assert.match(JSON.stringify(summary?.jobs), /"not started"/);
  assert.is(summary?.ran, false);
});

test('an earlier file is kept if no page had anything at `dataField`: exit code 0, under --strict 1; --replace-empty replaces it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'rxtract-test-'));
  const path = join(dir, 'users.ndjson');
  try {
    const single = JSON.stringify({
      api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum' } },
      config: { jobs: [{ endpoint: 'users', dataType: 'users', dataField: 'data' }] },
    });
    const last = async (more: readonly string[]) => {
      await writeFile(path, 'earlier\n');
      const ended = await play(['run', '-', '--to', `ndjson:${dir}`, ...more], single, { users: [{ items: [] }] });
      return { ...ended, text: await readFile(path, 'utf8') };
    };
    const kept = await last([]);
    assert.equal([kept.exit, kept.text], [0, 'earlier\n'], kept.shell.err());
    assert.ok(kept.shell.err().includes(`"${path}" keeps the items of an earlier run`), kept.shell.err());
    assert.match(kept.shell.err(), /\[not-replaced\]/);
    assert.match(kept.shell.err(), /users\.ndjson \(of an earlier run\) +0 +0 B/);
    const strict = await last(['--strict', '--allow', 'no-data']);
    assert.equal([strict.exit, strict.text], [1, 'earlier\n'], strict.shell.err());
    assert.match(strict.shell.err(), /warning +not-replaced/);
    const replaced = await last(['--replace-empty']);
    assert.equal([replaced.exit, replaced.text], [0, ''], replaced.shell.err());
    assert.not.match(replaced.shell.err(), /not-replaced/);
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('an API without items empties a file with a warning; with --min-items it is exit code 1, and the file stays', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'rxtract-test-'));
  const path = join(dir, 'users.ndjson');
  try {
    const last = async (more: readonly string[]) => {
      await writeFile(path, 'earlier\n');
      const ended = await play(['run', '-', '--to', `ndjson:${dir}`, ...more], users, { users: [[]] });
      return { ...ended, text: await readFile(path, 'utf8') };
    };
    const least = await last(['--min-items', 'users=100', '--log', 'json']);
    assert.equal([least.exit, least.text], [1, 'earlier\n'], least.shell.err());
    const [error, summary] = least.shell.events().slice(-2);
    assert.equal([error?.code, error?.job, summary?.ran, summary?.exit], ['ERR_MIN_ITEMS', 'users', true, 1]);
    const emptied = await last([]);
    assert.equal([emptied.exit, emptied.text], [0, ''], emptied.shell.err());
    assert.match(emptied.shell.err(), /loses the items of an earlier run: this run has none \[emptied\]/);
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('--report writes a page of a run that succeeds, and of one that fails, with its secrets masked', () =>
  inTemporary(async (folder) => {
    const path = join(folder, 'run.html');
    const words = ['run', '-', '--to', 'null:', '--report', path, '--max-pages', '9'];
    const whole = await play(words, users, { users: [[{ id: 1 }], []] });
    assert.is(whole.exit, 0);
    const complete = await readFile(path, 'utf8');
    assert.match(complete, />complete</);
    assert.match(complete, /--max-pages 9/);
    assert.match(complete, /<td class="name">users<\/td>/);
    const failed = await play([...words, '--quiet'], users, { users: [[{ id: 1 }], 500] });
    assert.is(failed.exit, 1);
    const page = await readFile(path, 'utf8');
    assert.match(page, />failed</);
    assert.not.match(page, /hush-hush/);
    assert.not.match(failed.shell.err(), /report-not-written/);
  }));

test('a report that cannot be written when the run is over is a warning', () =>
  inTemporary(async (folder) => {
    const { exit, shell } = await play(['run', '-', '--to', 'null:', '--report', folder], users, { users: [[]] });
    assert.is(exit, 0);
    assert.match(shell.err(), /--report .*cannot be written.*\[report-not-written\]/s);
    await writeFile(join(folder, 'file'), '');
    for (const option of ['--report', '--certificate']) {
      const early = await play(['run', '-', option, join(folder, 'file', 'x')], users);
      assert.is(early.exit, 1);
      assert.match(early.shell.err(), `${option} ${join(folder, 'file', 'x')}: cannot be written: `);
    }
  }));

test.run();
