/** When a display is shown, and what happens to it at the end of a run. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandRemedy, createReport, type Report } from '../../src/cli/report.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { startClock, type VirtualClock } from '../support/virtual-clock.js';
import { activityOf } from '../tools/live/activities.js';
import { type Screen, screenOf } from '../tools/live/screen.js';
import { type FakeShellOptions, fakeShell } from './fake-shell.js';
import { receiptOf, summaryOf } from './receipts.js';

const places: readonly (FakeShellOptions & { readonly words?: readonly string[]; readonly live: boolean })[] = [
  { isTTY: true, live: true },
  { isTTY: true, env: { TERM: 'xterm' }, live: true },
  { isTTY: false, live: false },
  { isTTY: true, env: { NO_COLOR: '1' }, live: false },
  { isTTY: true, env: { TERM: 'dumb' }, live: false },
  { isTTY: true, words: ['--quiet'], live: false },
  { isTTY: true, words: ['--log', 'json'], live: false },
  { isTTY: true, words: ['--log=json'], live: false },
  { isTTY: true, words: ['--log', 'text'], live: true },
];

for (const { words = [], live, ...options } of places) {
  test(`${live ? 'a' : 'no'} display with ${JSON.stringify({ ...options, words })}`, async () => {
    const shell = fakeShell(options);
    const report = createReport(words, shell);
    assert.is((await report.live(terminal))?.onActivity !== undefined, live);
    assert.is(shell.err(), '');
  });
}

const logged: readonly (readonly [
  words: readonly string[],
  isFree: boolean,
  isTimed: boolean,
  isTTY: boolean,
  line?: RegExp,
])[] = [
  [[], true, true, false, /^users: 0 pages, 0 items, 0 B, 0 items\/s\n$/],
  [['--log', 'json'], true, true, true, /^\{"event":"progress","level":"info","version":1,"job":"users","pages":0/],
  [[], false, true, true, /^users: /],
  [[], true, false, true],
  [['--quiet'], true, true, false],
];

for (const [words, isFree, isTimed, isTTY, line = /^$/] of logged) {
  const where = { isFree, isTimed, isTTY };
  test(`progress in the log with ${JSON.stringify({ words, ...where })}: ${line}`, async () => {
    const shell = fakeShell({ isTTY });
    const live = await createReport(words, shell).live({ isFree, isTimed });
    const clock = startClock();
    try {
      live?.show(() => [{ job: 'users', stop: 'running' }]);
      live?.onOutlook({
        job: 'users',
        index: 0,
        items: 0,
        itemsLeft: Number.POSITIVE_INFINITY,
        pagesLeft: Number.POSITIVE_INFINITY,
      });
      clock.pass(10_000);
      assert.match(shell.err(), line);
    } finally {
      live?.end();
      clock.stop();
    }
  });
}

const terminal = { isFree: true, isTimed: true };

interface Scene {
  readonly report: Report;
  readonly screen: Screen;
  readonly clock: VirtualClock;
}

/** A run that is under way for a second, on a screen. */
function shown(play: (scene: Scene) => void): () => Promise<void> {
  return async () => {
    const screen = screenOf(80);
    const report = createReport([], { ...fakeShell(), stderr: screen.stream });
    const live = await report.live(terminal);
    report.maskWith((text) => text.replaceAll('hush', '***'));
    const clock = startClock();
    try {
      live?.show(() => ['users', 'hush\u0007'].map((job) => ({ job, stop: 'running' })));
      live?.onActivity?.(activityOf('answer'));
      report.page(receiptOf(0), 0);
      clock.pass(1000);
      play({ report, screen, clock });
    } finally {
      live?.end();
      clock.stop();
    }
  };
}

test(
  'pages are shown in the display, names masked and without control characters',
  shown(({ screen }) => {
    assert.equal(screen.lines().slice(1, 3), [
      'users      1    1,000    1,000  340.0 kB        0   0:01',
      '***                                                       its turn',
    ]);
  }),
);

test(
  'no progress lines are printed beside it',
  shown(({ report, screen }) => {
    for (let at = 1; at < 9; at += 1) report.page(receiptOf(at), at * 3000);
    assert.is(screen.lines().length, 4);
  }),
);

test(
  'warnings and waits stay above the display, in order',
  shown(({ report, screen, clock }) => {
    report.notice({ level: 'warning', code: 'x', message: 'odd', job: 'users', page: 0 });
    report.notice({ level: 'info', code: 'retry', message: 'hush: retrying in 4 s (1 of 10)', job: 'users' });
    clock.pass(1000);
    assert.equal(screen.lines().slice(0, 3), [
      'warning: users, page 1: odd [x]',
      'users: ***: retrying in 4 s (1 of 10)',
      'job    pages    items  items/s      size  retries   time  waits for',
    ]);
  }),
);

test(
  'the summary replaces it',
  shown(({ report, screen, clock }) => {
    report.summary(summaryOf('an empty page'), 0);
    clock.pass(5000);
    assert.match(screen.lines()[0] ?? '', /^job +requests +pages/);
    assert.not.ok(screen.lines().some((line) => line.startsWith('total')));
  }),
);

test(
  'an error replaces it, and the summary follows',
  shown(({ report, screen, clock }) => {
    report.error(new ExtractError('ERR_JSON', 'the body is no JSON'), 'Look at it.');
    report.summary(summaryOf('failed'), 1);
    clock.pass(5000);
    assert.equal(screen.lines().slice(0, 3), ['error: the body is no JSON', '  code     ERR_JSON', '  Look at it.']);
    assert.match(screen.lines()[3] ?? '', /^job +requests +pages/);
  }),
);

const statusPlaces = [
  [{ status: 401 }, /^Check the credentials and their permissions/],
  [{ status: 200, refused: true }, /^Check the credentials and their permissions/],
  [{ status: 401, login: true }, /`loginRequest` sends/],
  [{ status: 404 }, /`baseUrl`: without a slash/],
  [{ status: 404, login: true }, /`endpoint` of `loginRequest`/],
  [{ status: 429 }, /`api\.retryConfig`/],
  [{ status: 503 }, /`api\.retryConfig`/],
  [{ status: 422 }, /parameters and headers of the job/],
] as const;

test('the remedy of an error itself wins over that of its code and its place', () => {
  const remedy = 'Install it.';
  assert.is(commandRemedy(new ExtractError('ERR_TUNNEL', 'x', { remedy })), remedy);
  assert.is(commandRemedy(new ExtractError('ERR_STATUS', 'x', { status: 429, remedy }).at({ job: 'users' })), remedy);
  assert.match(commandRemedy(new ExtractError('ERR_TUNNEL', 'x')), /^Check `host`/);
});

test('after a time-out the remedy is about time, otherwise about the network', () => {
  assert.match(
    commandRemedy(new ExtractError('ERR_TRANSPORT', 'x', { transport: 28 })),
    'raise the time-out in the message',
  );
  assert.match(
    commandRemedy(new ExtractError('ERR_TRANSPORT', 'x', { transport: 7 })),
    'Check the URL and the network',
  );
});

test('the remedy of a certificate that is not accepted names `api.caCertificate`', () => {
  const error = new ExtractError('ERR_TRANSPORT', 'x', { transport: 60 });
  assert.match(commandRemedy(error), '`api.caCertificate`');
});

for (const [where, remedy] of statusPlaces) {
  test(`the remedy for ${JSON.stringify(where)} is specific`, () => {
    assert.match(commandRemedy(new ExtractError('ERR_STATUS', 'x', where)), remedy);
  });
}

test('a file that cannot be read has no line and column', () => {
  const cause = Object.assign(new Error('gone'), { errno: -2, code: 'ENOENT' });
  assert.not.match(commandRemedy(new ExtractError('ERR_CONFIG_SYNTAX', 'x', { cause })), 'column');
  assert.match(commandRemedy(new ExtractError('ERR_CONFIG_SYNTAX', 'x')), 'column');
});

test('a password in an argument is masked where a long message is cut', () => {
  const password = 'user:pass-word-1234';
  const argument = `${password}@host`;
  for (const length of [9990, 9995, 9999]) {
    const shell = fakeShell();
    const report = createReport(['run', argument], shell);
    report.notice({ level: 'info', code: 'x', message: `${'x'.repeat(length)}${password} tail` });
    assert.not.match(shell.err(), 'user', `after ${length} characters`);
    assert.match(shell.err(), /x{9990}x*\*{3}\.\.\.\n$/);
  }
});

test('a secret that is hidden is masked from then on, beside those of the configuration', () => {
  const shell = fakeShell();
  const report = createReport([], shell);
  const say = (message: string) => report.notice({ level: 'warning', code: 'retry', message });
  report.secretsIn(createSecrets).add('of-the-address');
  say('of-the-address, of-the-file');
  report.maskWith((text) => text.replaceAll('of-the-file', '***'));
  say('of-the-address, of-the-file');
  assert.equal(shell.err().match(/\*\*\*, .*(?= \[)/g), ['***, of-the-file', '***, ***']);
  assert.is(report.mask(Buffer.from('of-the-address').toString('base64')), '***');
});

test.run();
