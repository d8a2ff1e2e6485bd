import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Command, CommandResult } from '../../src/cli/command.js';
import { rxtract } from '../../src/cli/main-command.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { flag, text } from '../../src/core/options/kinds.js';
import { optionError } from '../../src/core/util/check-value.js';
import { fakeShell } from './fake-shell.js';
import { summaryOf } from './receipts.js';

/** A command with this result. */
const commandThat = (execute: Command['execute']): Command => ({
  name: 'work',
  summary: 'work',
  options: { log: { kind: text, summary: '' }, quiet: { kind: flag, summary: '' } },
  details: async () => 'details',
  execute,
});

const endsWith = (ending: CommandResult) => [commandThat(async () => ending)];
const done = endsWith({ summary: summaryOf('an empty page') });

for (const words of [['--version']]) {
  test('the version is printed to standard output', async () => {
    const shell = fakeShell();
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.is(await rxtract(words, shell), 0);
    assert.equal([shell.out(), shell.err()], [`${version}\n`, '']);
  });
}

for (const words of [['--help'], ['-h'], ['help'], ['work', '--help'], ['work', '--bad', '-h'], ['help', 'work']]) {
  test(`${words.join(' ')} helps on standard output`, async () => {
    const shell = fakeShell();
    assert.is(await rxtract(words, shell, done), 0);
    assert.match(shell.out(), /rxtract work CONFIG/);
    assert.is(shell.err(), '');
  });
}

test('arguments after -- do not ask for help', async () => {
  const shell = fakeShell();
  assert.is(await rxtract(['work', '--', '--help'], shell, done), 0);
  assert.is(shell.out(), '');
});

const wrong = [
  { words: [], see: 'rxtract --help' },
  { words: ['wrok'], see: 'rxtract --help' },
  { words: ['help', 'wrok'], see: 'rxtract --help' },
  { words: ['work', '--lgo', 'json'], see: 'rxtract work --help' },
];

for (const { words, see } of wrong) {
  test(`a wrong command line is 1 and points to \`${see}\`: ${words.join(' ')}`, async () => {
    const shell = fakeShell();
    assert.is(await rxtract(words, shell, done), 1);
    assert.is(shell.out(), '');
    assert.match(shell.err(), /^error: /);
    assert.ok(shell.err().includes(`See \`${see}\`.`), shell.err());
    assert.not.match(shell.err(), /^\s+at /m);
  });
}

const ofCode = [
  {
    option: 'full',
    message: 'no job of the run has `incremental`',
    shown: '--full: no job of the run has `incremental`',
  },
  {
    option: 'remember',
    message: 'belongs to a backfill, with `since` or `until`',
    shown: '--remember: belongs to a backfill, with --since or --until',
  },
  { option: 'minItems', message: 'there is no', shown: '--min-items: there is no' },
  { option: 'jobs', message: 'cannot be used here', shown: '--job: cannot be used here' },
];

for (const { option, message, shown } of ofCode) {
  test(`an error about an option of code names its flag: ${shown}`, async () => {
    const shell = fakeShell();
    assert.is(await rxtract(['work'], shell, endsWith({ failure: optionError(option, message) })), 1);
    assert.ok(shell.err().startsWith(`error: ${shown}\n`), shell.err());
  });
}

test('a backfill that is wrong is refused with the names of its flags', async () => {
  const shell = fakeShell();
  const config = JSON.stringify({
    api: { baseUrl: 'http://127.0.0.1:9/' },
    config: { jobs: [{ endpoint: 'rows', incremental: { path: 'at', initial: '2026-01-01' } }] },
  });
  const files = { ...shell, stdin: () => Readable.from([Buffer.from(config)]) };
  assert.is(await rxtract(['run', '-', '--to', 'null:', '--since', '2026-03-01', '--until', '2026-02-01'], files), 1);
  assert.match(shell.err(), 'error: --since: "2026-03-01" comes after "2026-02-01" of --until\n');
});

test('a measurement has no option of a state or of a schedule', async () => {
  const shell = fakeShell();
  assert.is(await rxtract(['bench', '--help'], shell), 0);
  for (const flag of ['state', 'schedule', 'jitter', 'health', 'full', 'remember'])
    assert.not.match(shell.out(), new RegExp(`--${flag}\\b`));
  assert.match(shell.out(), /--concurrency/);
});

test('a success prints its summary to standard error', async () => {
  const shell = fakeShell();
  assert.is(await rxtract(['work'], shell, done), 0);
  assert.is(shell.out(), '');
  assert.match(shell.err(), /an empty page/);
});

test('--log json ends with the summary, whatever happened', async () => {
  const thrown = commandThat(async () => {
    throw new ExtractError('ERR_CONFIG', 'no good');
  });
  const failure = new ExtractError('ERR_STATUS', 'answered 500');
  const cases = [
    [['work'], done, 0],
    [['work'], endsWith({ summary: summaryOf('failed'), failure }), 1],
    [['work'], endsWith({ summary: summaryOf('interrupted'), failure, signal: 'SIGTERM' }), 143],
    [['work'], [thrown], 1],
    [['work', '--bad'], done, 1],
    [['wrok'], done, 1],
  ] as const;
  for (const [words, commands, exit] of cases) {
    const shell = fakeShell();
    assert.is(await rxtract([...words, '--log', 'json'], shell, commands), exit);
    const events = shell.events();
    assert.equal([events.at(-1)?.event, events.at(-1)?.exit], ['summary', exit]);
    assert.is(
      events.some(({ event }) => event === 'error'),
      exit !== 0,
    );
  }
});

test('a reader of standard output that went away is 141 without a word', async () => {
  const cause = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const failure = new ExtractError('ERR_SINK', 'cannot write', { cause });
  const shell = fakeShell();
  assert.is(await rxtract(['work'], shell, endsWith({ summary: summaryOf('failed'), failure })), 141);
  assert.is(shell.err(), '');
});

test('an internal error exits with 2, with a stack trace only on request, masked', async () => {
  const command = commandThat(async (_words, _shell, report) => {
    report.maskWith((text) => text.replaceAll('hush', '***'));
    throw new TypeError('hush is not a function');
  });
  for (const env of [{}, { RXTRACT_DEBUG: '' }, { RXTRACT_DEBUG: '1' }]) {
    const shell = fakeShell({ env });
    assert.is(await rxtract(['work'], shell, [command]), 2);
    assert.match(shell.err(), /ERR_INTERNAL/);
    assert.is(/^\s+at /m.test(shell.err()), env.RXTRACT_DEBUG === '1');
    assert.not.match(shell.err(), /hush/);
  }
});

test('an uncaught error ends the process with 2', async () => {
  const shell = fakeShell();
  const command = commandThat(async (_words, _shell, report) => {
    report.maskWith((text) => text.replaceAll('hush', '***'));
    shell.fault(new ExtractError('ERR_STATUS', 'a stray hush'));
    return { summary: summaryOf('failed') };
  });
  await rxtract(['work'], shell, [command]);
  assert.equal(shell.exits, [2]);
  assert.match(shell.err(), /error: a stray \*\*\*\n[\s\S]*ERR_INTERNAL/);
});

test('a warning of Node is a notice in the requested format, masked', async () => {
  const command = commandThat(async (_words, _shell, report) => {
    report.maskWith((text) => text.replaceAll('hush', '***'));
    shell.warn(Object.assign(new Error('a hush of 1e9 ms'), { name: 'TimeoutOverflowWarning' }));
    shell.warn(new Error("Setting the NODE_TLS_REJECT_UNAUTHORIZED environment variable to '0' makes it insecure"));
    return { summary: summaryOf('an empty page') };
  });
  const shell = fakeShell();
  await rxtract(['work', '--log', 'json'], shell, [command]);
  assert.equal(
    shell.events().filter(({ event }) => event === 'notice'),
    [
      {
        event: 'notice',
        level: 'info',
        version: 1,
        code: 'node-warning',
        message: 'Node.js warns: TimeoutOverflowWarning: a *** of 1e9 ms',
      },
    ],
  );
});

test('nothing listens any more when all is done', async () => {
  for (const words of [['work'], ['wrok'], ['--help']]) {
    const shell = fakeShell();
    await rxtract(words, shell, done);
    assert.is(shell.listeners(), 0);
  }
});

const paints = [
  { isTTY: true, env: {}, colour: true },
  { isTTY: false, env: {}, colour: false },
  { isTTY: true, env: { NO_COLOR: '1' }, colour: false },
  { isTTY: true, env: { NO_COLOR: '' }, colour: true },
  { isTTY: true, env: { TERM: 'dumb' }, colour: false },
];

for (const { colour, ...options } of paints) {
  test(`${JSON.stringify(options)} is ${colour ? '' : 'not '}coloured`, async () => {
    const shell = fakeShell(options as Parameters<typeof fakeShell>[0]);
    await rxtract(['wrok'], shell, done);
    assert.is(shell.err().includes('\u001b['), colour);
  });
}

test.run();
