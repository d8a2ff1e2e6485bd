/** `rxtract run --schedule` on a clock of the test: starts, starts that are left out, health, and the end. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandResult } from '../../src/cli/command.js';
import { rxtract } from '../../src/cli/main-command.js';
import { createReport } from '../../src/cli/report.js';
import { runWith } from '../../src/cli/run.js';
import { runOnSchedule, type ScheduleClock, type ScheduledRuns } from '../../src/cli/run-schedule.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { readSchedule } from '../../src/tools/schedule/cron.js';
import { items, json, startApi } from '../loopback/api.js';
import { inFolder } from '../sinks/lib.js';
import { type FakeShell, fakeShell } from './fake-shell.js';

const start = Date.parse('2026-11-27T00:07:30Z');
const minutes = (count: number) => count * 60_000;

interface TestClock extends ScheduleClock {
  pass(ms: number): void;
  readonly waits: number[];
}

/** A clock that moves when it is waited for. */
function testClock(random = 0): TestClock {
  let now = start;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    async wait(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
    random: () => random,
    pass(ms) {
      now += ms;
    },
  };
}

interface Scene {
  readonly shell: FakeShell;
  readonly clock: TestClock;
  readonly starts: string[];
  /** Runs `work` as the run with this number, from 0; the process ends before the first that is not there. */
  schedule(
    works: readonly (() => CommandResult | Promise<CommandResult>)[],
    more?: Partial<ScheduledRuns>,
  ): Promise<CommandResult>;
}

function sceneOf(random = 0): Scene {
  const shell = fakeShell();
  const clock = testClock(random);
  const starts: string[] = [];
  const report = createReport(['--log', 'json'], shell);
  return {
    shell,
    clock,
    starts,
    schedule(works, more) {
      const once = async () => {
        starts.push(new Date(clock.now()).toISOString());
        const result = await works[starts.length - 1]?.();
        if (starts.length >= works.length) shell.signal('SIGTERM');
        return result ?? {};
      };
      return runOnSchedule({ schedule: readSchedule('*/15 * * * *'), jitter: 0, clock, once, ...more }, shell, report);
    },
  };
}

const complete = () => ({});
const failing = (code: 'ERR_TRANSPORT' | 'ERR_CONFIG') => () => ({ failure: new ExtractError(code, 'it failed') });
const codesOf = ({ shell }: Scene) => shell.events().map(({ event, code }) => (event === 'notice' ? code : event));

test('runs come at the times of the schedule, each with its summary, until a signal', async () => {
  const scene = sceneOf();
  const result = await scene.schedule([complete, failing('ERR_TRANSPORT'), complete]);
  assert.equal(scene.starts, ['2026-11-27T00:15:00.000Z', '2026-11-27T00:30:00.000Z', '2026-11-27T00:45:00.000Z']);
  assert.equal(codesOf(scene), ['next-run', 'summary', 'next-run', 'error', 'summary', 'next-run', 'summary']);
  assert.equal(result, { isReported: true });
  assert.is(scene.shell.listeners(), 0);
});

test('runs do not overlap: starts during one are left out, and that is said', async () => {
  const scene = sceneOf();
  const long = (ms: number) => () => {
    scene.clock.pass(ms);
    return {};
  };
  await scene.schedule([long(minutes(16)), long(minutes(45)), complete]);
  assert.equal(scene.starts, ['2026-11-27T00:15:00.000Z', '2026-11-27T00:45:00.000Z', '2026-11-27T01:45:00.000Z']);
  const said = scene.shell.events().filter(({ code }) => code === 'starts-left-out');
  assert.equal(
    said.map(({ message }) => message),
    [
      'a start was left out, because the run before took so long',
      '3 starts were left out, because the run before took so long',
    ],
  );
});

test('a process that slept for long does not count for ever', async () => {
  const scene = sceneOf();
  const asleep = () => {
    scene.clock.pass(minutes(60 * 24 * 100));
    return {};
  };
  await scene.schedule([asleep]);
  assert.match(scene.shell.err(), 'at least 1000 starts were left out');
});

test('each start is later by a random time', async () => {
  const scene = sceneOf(0.5);
  await scene.schedule([complete, complete], { jitter: 60_000 });
  assert.equal(scene.starts, ['2026-11-27T00:15:30.000Z', '2026-11-27T00:30:30.000Z']);
});

test('a wait that is longer than a timer is several', async () => {
  const scene = sceneOf();
  await scene.schedule([complete], {
    schedule: readSchedule('0 0 1 6 *'),
    clock: { ...scene.clock, wait: (ms, signal) => scene.clock.wait(Math.min(ms, 2 ** 31 - 1), signal) },
  });
  assert.ok(scene.clock.waits.length > 5);
});

test('a signal during a run ends the process as without a schedule; one before it ends it at once', async () => {
  const during = sceneOf();
  const result = await during.schedule([() => ({ signal: 'SIGTERM', failure: new ExtractError('ERR_ABORTED', 'x') })]);
  assert.equal([result.signal, result.isReported, during.starts.length], ['SIGTERM', true, 1]);
  const before = sceneOf();
  const clock: ScheduleClock = {
    ...before.clock,
    async wait(_, signal) {
      before.shell.signal('SIGINT');
      signal.throwIfAborted();
    },
  };
  assert.equal(await before.schedule([complete], { clock }), { isReported: true });
  assert.equal(before.starts, []);
});

test('a wrong configuration ends the process, and so does a clock that fails', async () => {
  const scene = sceneOf();
  const { failure } = await scene.schedule([failing('ERR_CONFIG'), complete]);
  assert.instance(failure, ExtractError);
  assert.is(scene.starts.length, 1);
  const clock: ScheduleClock = { ...scene.clock, wait: () => Promise.reject(new Error('no clock')) };
  const thrown = await sceneOf()
    .schedule([complete], { clock })
    .catch((caught: unknown) => caught);
  assert.match(String(thrown), 'no clock');
});

test('health says when the next run is, whether one is at hand, and how the last one ended', async () => {
  const scene = sceneOf();
  const texts: string[] = [];
  const look = async () => {
    const place = /http:\S+/.exec(scene.shell.err())?.[0] ?? '';
    const response = await fetch(place);
    texts.push(`${response.status} ${await response.text()}`);
    assert.is((await fetch(place.replace('healthz', 'other'))).status, 404);
    return {};
  };
  const looking = async () => {
    await look();
    return failing('ERR_TRANSPORT')();
  };
  await scene.schedule([looking, look], { health: { host: '127.0.0.1', port: 0 } });
  assert.equal(texts, [
    '200 ok\nrunning: since 2026-11-27T00:15:00.000Z\nlast run: none\n',
    '503 failed\nrunning: since 2026-11-27T00:30:00.000Z\nlast run: 2026-11-27T00:15:00.000Z, exit code 1\n',
  ]);
});

test(
  'the command pulls at each time, and a signal ends it with the run at hand, which is complete',
  inFolder(async (dir) => {
    const api = await startApi(() => {
      if (api.requests.length === 2) shell.signal('SIGTERM');
      return json(items(1, 2));
    });
    const shell = fakeShell();
    const config = join(dir, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({ api: { baseUrl: `${api.origin}/` }, config: { jobs: [{ endpoint: 'users' }] } }),
    );
    const command = runWith(() => import('../../src/cli/engine.js'), testClock());
    const words = [
      'run',
      config,
      '--to',
      `ndjson:${dir}`,
      '--schedule',
      '0 * * * *',
      '--state',
      join(dir, 'st'),
      '--log',
      'json',
    ];
    const exit = await rxtract(words, shell, [command]);
    const summaries = shell.events().filter(({ event }) => event === 'summary');
    assert.equal([exit, api.requests.length, summaries.length], [0, 2, 2]);
    await api.close();
  }),
);

const refused: readonly (readonly [words: readonly string[], message: string])[] = [
  [['c.json', '--schedule', 'often'], '--schedule "often": expected five fields'],
  [['-', '--schedule', '@daily'], '--schedule needs a file: standard input can be read only once'],
  [['c.json', '--schedule', '@daily', '--record', 'r'], '--schedule cannot be used with --record'],
  [['c.json', '--schedule', '@daily', '--health', 'x:y'], '--health: "x:y" is not a host with its port'],
  [['c.json', '--schedule', '@daily', '--jitter', 'x'], '--jitter'],
  [['c.json', '--jitter', '5s'], '--jitter needs --schedule CRON'],
  [['c.json', '--health', '8080'], '--health needs --schedule CRON'],
];

for (const [words, message] of refused) {
  test(`refused: ${words.join(' ')}`, async () => {
    const shell = fakeShell();
    assert.is(await rxtract(['run', ...words], shell), 1);
    assert.match(shell.err(), message);
  });
}

test.run();
