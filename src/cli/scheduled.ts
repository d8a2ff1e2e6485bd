/** Reads `--schedule`, `--jitter` and `--health`, and runs as they say. */
import { asyncScheduler } from 'rxjs';
import { readHost } from '../../sinks/addresses/server-address.js';
import { usageError } from '../core/util/check-value.js';
import { readSchedule } from '../tools/schedule/cron.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { CommandResult } from './command.js';
import type { Report } from './report.js';
import { scheduleRows } from './run-flags.js';
import { processClock, runOnSchedule, type ScheduleClock, type ScheduledRuns } from './run-schedule.js';
import type { Shell } from './shell.js';

interface Scheduled extends Pick<ScheduledRuns, 'once'> {
  /** Absent: that of the process. */
  readonly clock?: ScheduleClock | undefined;
}

/** Rejects with ERR_USAGE for options that are wrong, or cannot be used more than once. */
export async function scheduled(
  args: ParsedArguments,
  shell: Shell,
  report: Report,
  { once, clock = processClock(() => asyncScheduler.now()) }: Scheduled,
): Promise<CommandResult> {
  const { schedule = '', jitter, health } = readFlags(args, scheduleRows);
  if (args.positionals[0] === '-') throw usageError('--schedule needs a file: standard input can be read only once');
  const alone = ['record', 'replay'].find((name) => args.has(name));
  if (alone !== undefined) throw usageError(`--schedule cannot be used with --${alone}, which is about one run`);
  const runs = { schedule: readSchedule(schedule), jitter, health: health === undefined ? undefined : placeOf(health) };
  return runOnSchedule({ ...runs, clock, once }, shell, report);
}

/** `PORT`, of this machine alone, or `HOST:PORT`. Throws ERR_USAGE. */
function placeOf(text: string) {
  return readHost(text.includes(':') ? text : `127.0.0.1:${text}`, '--health', 8080);
}
