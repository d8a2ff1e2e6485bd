/**
 * One random run: the output of a sequential run without failures, then that of one which requests ahead, fails, is
 * interrupted, and resumes.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { ndjson } from '../../sinks/index.js';
import { ExtractError, type RunOptions, run } from '../../src/index.js';
import { createDice, type Dice } from '../chaos/dice.js';
import { memoryStore } from '../checkpoint/memory-store.js';
import { startClock, type VirtualClock } from '../support/virtual-clock.js';
import { unchecked } from '../unchecked.js';
import { configurationOf, createWorld, startWorld, type World, type WorldApi } from './world.js';

export interface Outcome {
  readonly seed: number;
  readonly requests: number;
  readonly retries: number;
  readonly interruptions: number;
  /** Requests for pages that the walk did not need. */
  readonly wasted: number;
  /** Empty: the rules held. */
  readonly broken: readonly string[];
}

const mostInterruptions = 3;
/** Longer than a wait of a retry or of a rate, in ms. */
const longWait = 120_000;

export async function runOne(seed: number): Promise<Outcome> {
  const dice = createDice(seed);
  const world = createWorld(dice.apart('world'));
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-ahead-'));
  const clock = startClock();
  try {
    const plain = await pullPlain(world, join(folder, 'plain'), clock, dice.apart('plain'));
    const ahead = await pullAhead(world, join(folder, 'ahead'), clock, dice.apart('ahead'));
    return { seed, ...ahead.counts, broken: differences(world, plain, ahead) };
  } finally {
    clock.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Pulled {
  readonly output: string;
  readonly counts: Omit<Outcome, 'seed' | 'broken'>;
  readonly inFlight: number;
  readonly stop: string | undefined;
  readonly problems: readonly string[];
}

function differences(world: World, plain: Pulled, ahead: Pulled): readonly string[] {
  const { prefetch = 1, faults, rate } = world;
  const most = prefetch === 'auto' ? 16 : prefetch;
  const isUndisturbed = faults === 0 && rate === undefined && ahead.counts.interruptions === 0;
  const wasted = ahead.counts.requests - plain.counts.requests;
  return [
    ...ahead.problems,
    ...(ahead.output === plain.output ? [] : ['the output differs']),
    ...(ahead.stop === plain.stop ? [] : [`ended by "${ahead.stop}", not by "${plain.stop}"`]),
    ...(ahead.inFlight <= most + 1 ? [] : [`${ahead.inFlight} requests at once`]),
    ...(isUndisturbed && wasted > most ? [`${wasted} requests too many`] : []),
    ...(isUndisturbed && ahead.counts.retries > 0 ? [`${ahead.counts.retries} retries`] : []),
  ];
}

/** Settles when the API has had no request for some turns of the loop: what it has answered has arrived then. */
async function untilQuiet({ inFlight }: WorldApi): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; quiet = inFlight.now === 0 ? quiet + 1 : 0) await setImmediate();
}

const quietTurns = 20;

/**
 * Runs, and lets virtual time pass when the run waits and no request is on its way: it would be too late. A page may
 * wait for several periods of a rate, behind requests ahead.
 */
async function runWaiting(configuration: object, options: RunOptions, clock: VirtualClock, api: WorldApi) {
  let isLimited = false;
  let isOver = false;
  const passPeriods = async () => {
    for (; isLimited && !isOver; clock.pass(1100)) await untilQuiet(api);
  };
  const passRetry = async () => {
    await untilQuiet(api);
    if (!isOver) clock.pass(longWait);
  };
  try {
    return await run(unchecked(configuration), {
      ...options,
      notify: ({ code }) => {
        if (code === 'retry') void passRetry();
      },
      onActivity: ({ state }) => {
        const wasLimited = isLimited;
        isLimited = state === 'limit';
        if (isLimited && !wasLimited) void passPeriods();
      },
    });
  } finally {
    isOver = true;
  }
}

async function pullPlain(world: World, out: string, clock: VirtualClock, dice: Dice): Promise<Pulled> {
  const api = await startWorld(world, 0, dice);
  try {
    const { maxPages } = world;
    const bounds = maxPages === undefined ? {} : { maxPages };
    const options = { to: ndjson(out), ...bounds };
    const { jobs } = await runWaiting(configurationOf(world, api.origin, false), options, clock, api);
    const counts = { requests: api.requests.length, retries: 0, interruptions: 0, wasted: 0 };
    return { output: await outputIn(out), counts, inFlight: api.inFlight.most, stop: jobs[0]?.stop, problems: [] };
  } finally {
    await api.close();
  }
}

const outputIn = (folder: string): Promise<string> => readFile(join(folder, 'items.ndjson'), 'utf8').catch(() => '');

async function pullAhead(world: World, out: string, clock: VirtualClock, dice: Dice): Promise<Pulled> {
  const api = await startWorld(world, world.faults, dice.apart('api'));
  const bounds = world.maxPages === undefined ? {} : { maxPages: world.maxPages };
  const mostTimes = dice.pick([0, 1, mostInterruptions]);
  const problems: string[] = [];
  let store = memoryStore();
  let interruptions = 0;
  let requests = 0;
  let retries = 0;
  let stop: string | undefined;
  try {
    for (let isDone = false; !isDone; ) {
      const leaving = new AbortController();
      if (interruptions < mostTimes) api.after(dice.between(1, 12), () => leaving.abort());
      try {
        const options = { to: ndjson(out), store, resume: 'only', signal: leaving.signal, ...bounds } as const;
        const { jobs } = await runWaiting(configurationOf(world, api.origin, true), options, clock, api);
        isDone = true;
        ({ requests = 0, retries = 0, stop } = jobs[0] ?? {});
      } catch (thrown) {
        isDone = !(thrown instanceof ExtractError && thrown.code === 'ERR_ABORTED');
        if (isDone) problems.push(String(thrown));
        interruptions += 1;
        await untilQuiet(api); // Requests of the interrupted run are none of the next one.
        // As after a kill: the journal ends at one of its last records, the file may be longer.
        const moments = store.moments.slice(-3);
        store = memoryStore(moments.length === 0 ? store.held : moments[dice.between(0, moments.length - 1)]);
      }
    }
    const counts = { requests: api.requests.length, retries, interruptions, wasted: requests };
    return { output: await outputIn(out), counts, inFlight: api.inFlight.most, stop, problems };
  } finally {
    await api.close();
  }
}
