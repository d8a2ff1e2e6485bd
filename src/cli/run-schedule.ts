/** `rxtract run --schedule`: a process that stays, and starts one run after the other at the times of a schedule. */
import { setTimeout } from 'node:timers/promises';
import { asyncScheduler } from 'rxjs';
import { type HostAndPort, hostText, readHost } from '../../sinks/addresses/server-address.js';
import { asExtractError } from '../core/errors/errors.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { createLocalServers, type LocalAnswer, type LocalServers } from '../tools/local-server.js';
import { readSchedule, type Schedule } from '../tools/schedule/cron.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import { type CommandResult, reportResult } from './command.js';
import type { Report } from './report.js';
import { scheduleRows } from './run-flags.js';
import type { Shell } from './shell.js';

/** The time, and how it passes. Tests have their own. */
export interface ScheduleClock {
  /** Epoch ms. */
  now(): number;
  /** Rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<unknown>;
  /** At least 0, and less than 1. */
  random(): number;
}

export interface ScheduledRuns {
  readonly schedule: Schedule;
  /** Each start is later by a random time below this, in ms. */
  readonly jitter: number;
  /** Where `/healthz` answers; absent: nowhere. */
  readonly health?: HostAndPort | undefined;
  readonly clock: ScheduleClock;
  /** Absent: it shares none. */
  readonly servers?: LocalServers;
  once(): Promise<CommandResult>;
}

interface Scheduled extends Pick<ScheduledRuns, 'once' | 'servers'> {
  /** Absent: that of the process. */
  readonly clock?: ScheduleClock | undefined;
}

/** Rejects with ERR_USAGE for options that are wrong, or cannot be used more than once. */
export async function scheduled(
  args: ParsedArguments,
  shell: Shell,
  report: Report,
  { once, servers, clock = processClock(() => asyncScheduler.now()) }: Scheduled,
): Promise<CommandResult> {
  const { schedule = '', jitter, health } = readFlags(args, scheduleRows);
  if (args.positionals[0] === '-') throw usageError('--schedule needs a file: standard input can be read only once');
  const alone = ['record', 'replay'].find((name) => args.has(name));
  if (alone !== undefined) throw usageError(`--schedule cannot be used with --${alone}, which is about one run`);
  const runs = {
    schedule: readSchedule(schedule),
    jitter,
    health: health === undefined ? undefined : placeOf(health, '--health'),
  };
  return runOnSchedule({ ...runs, ...defined({ servers }), clock, once }, shell, report);
}

/** `PORT`, of this machine alone, or `HOST:PORT`. Throws ERR_USAGE. */
export function placeOf(text: string, flag: string): HostAndPort {
  return readHost(text.includes(':') ? text : `127.0.0.1:${text}`, flag, 8080);
}

/** What `/healthz` says. */
interface Health {
  next: number;
  isRunning: boolean;
  last: string;
  hasFailed: boolean;
}

/** A timer cannot be longer, in ms. */
const longestTimer = 2 ** 31 - 1;

export const processClock = (now: () => number): ScheduleClock => ({
  now,
  wait: (ms, signal) => setTimeout(Math.min(ms, longestTimer), undefined, { signal }),
  random: Math.random,
});

/** Such failures would come again at each start. */
const lasting = new Set(['ERR_USAGE', 'ERR_CONFIG', 'ERR_CONFIG_SYNTAX']);

/**
 * Runs until a signal comes: a run at hand is interrupted by it, as without a schedule. A run that fails does not end
 * the process, unless its configuration is wrong.
 */
export async function runOnSchedule(
  runs: ScheduledRuns,
  shell: Pick<Shell, 'onSignal'>,
  report: Report,
): Promise<CommandResult> {
  const health: Health = {
    next: runs.schedule.next(runs.clock.now()),
    isRunning: false,
    last: 'none',
    hasFailed: false,
  };
  const server = await listenForHealth(runs, health, report);
  const stopping = new AbortController();
  const stopListening = shell.onSignal((signal) => stopping.abort(signal));
  try {
    while (!stopping.signal.aborted) {
      const due = health.next;
      if (!(await comes(due, runs, stopping.signal, report))) break;
      health.isRunning = true;
      const result = await runs.once().catch((failure: unknown): CommandResult => ({ failure }));
      const exit = reportResult(report, result, 'run');
      const ended = runs.clock.now();
      const isLasting = result.failure !== undefined && lasting.has(asExtractError(result.failure).code);
      if (result.signal !== undefined || isLasting) return { ...result, isReported: true };
      health.isRunning = false;
      health.hasFailed = exit !== 0;
      health.last = `${iso(ended)}, exit code ${exit}`;
      health.next = runs.schedule.next(ended);
      sayLeftOut(report, leftOut(runs.schedule, due, ended));
    }
    return { isReported: true };
  } finally {
    stopListening();
    await server?.close();
  }
}

/** Undefined: there is no port for it. */
async function listenForHealth(
  { health: place, servers = createLocalServers() }: ScheduledRuns,
  health: Health,
  report: Report,
) {
  if (place === undefined) return undefined;
  const server = await servers.listen({ ...place, answer: (target) => answerOf(target, health) });
  const at = hostText({ host: place.host, port: server.port });
  say(report, 'health', `http://${at}/healthz says how the runs are`);
  return server;
}

/** Waits for a start. False: a signal came first. */
async function comes(
  due: number,
  { clock, jitter }: ScheduledRuns,
  signal: AbortSignal,
  report: Report,
): Promise<boolean> {
  const start = due + Math.floor(clock.random() * jitter);
  say(report, 'next-run', `next run at ${localTime(start)}`);
  try {
    for (let ms = start - clock.now(); ms > 0; ms = start - clock.now()) await clock.wait(ms, signal);
    return !signal.aborted;
  } catch (thrown) {
    if (signal.aborted) return false;
    throw thrown;
  }
}

/** How many starts have passed during a run; more than a thousand are not counted. */
function leftOut(schedule: Schedule, due: number, ended: number): number {
  let count = 0;
  for (let time = schedule.next(due); time <= ended && count < 1000; time = schedule.next(time)) count += 1;
  return count;
}

function sayLeftOut(report: Report, count: number): void {
  if (count === 0) return;
  const starts = count === 1 ? 'a start was' : `${count === 1000 ? 'at least ' : ''}${count} starts were`;
  say(report, 'starts-left-out', `${starts} left out, because the run before took so long`);
}

const say = (report: Report, code: string, message: string): void => report.notice({ level: 'info', code, message });

function answerOf(target: string, { next, isRunning, last, hasFailed }: Health): LocalAnswer | undefined {
  if (target.replace(/\?.*/s, '') !== '/healthz') return undefined;
  const lines = [hasFailed ? 'failed' : 'ok', isRunning ? 'running: since' : 'next run:', `last run: ${last}`];
  return { status: hasFailed ? 503 : 200, text: [lines[0], `${lines[1]} ${iso(next)}`, lines[2]].join('\n') };
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** In the zone of the schedule: `2026-11-27 01:15:00 GMT+1`. */
const localTime = (ms: number): string =>
  new Date(ms).toLocaleString('sv-SE', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
