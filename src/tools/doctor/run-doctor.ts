/** What `rxtract doctor` does: runs the steps in order, and prints each when it has ended. */
import { join } from 'node:path';
import type { Sink } from '../../../sinks/contract.js';
import { readAddress } from '../../../sinks/open-addresses.js';
import { folderOf } from '../../../sinks/registry.js';
import type { ParsedArguments } from '../../cli/arguments.js';
import type { CommandResult } from '../../cli/command.js';
import { deadLetterAddress, openSink, warnOfLetterSecrets, warnOfSecrets } from '../../cli/open-sinks.js';
import { countOf } from '../../cli/read-run-options.js';
import type { Report } from '../../cli/report.js';
import { warnOfPassword } from '../../cli/run-jobs.js';
import { columnsOf, hasColor } from '../../cli/screen.js';
import type { Shell, Signal } from '../../cli/shell.js';
import { ExtractError } from '../../core/errors/errors.js';
import { usageError } from '../../core/util/check-value.js';
import { counted } from '../text/format.js';
import { printable } from '../text/lines.js';
import { checkApi } from './check-api.js';
import { checkDestination, checkFolder } from './places.js';
import { stepText } from './step-text.js';
import { createSteps, type Step, type Steps } from './steps.js';

/** Checks the configuration that the arguments name. Resolves with the failure if a step has failed. */
export async function runDoctor(args: ParsedArguments, shell: Shell, report: Report): Promise<CommandResult> {
  const timeout = (countOf(args, 'timeout', 3600) ?? 30) * 1000;
  warnOfPassword(args, report);
  warnOfSecrets(args, report);
  warnOfLetterSecrets(args, report);
  const places = placesOf(args, shell, report);
  const interrupt = new AbortController();
  let signal: Signal | undefined;
  const stopListening = shell.onSignal((given) => {
    signal = given;
    interrupt.abort(new ExtractError('ERR_ABORTED', `interrupted by ${given}`));
  });
  const clean = (step: Step): Step => {
    const texts = Object.entries(step).map(([name, value]) => [
      name,
      isText(value) ? printable(value, report.mask) : value,
    ]);
    return { ...step, ...Object.fromEntries(texts) };
  };
  const screen = { width: columnsOf(shell, usualWidth), color: hasColor(shell.stdout, shell.env) };
  const onStep = (step: Step) => void (args.has('json') || shell.stdout.write(stepText(clean(step), screen)));
  const steps = createSteps({ timeout, signal: interrupt.signal, onStep });
  try {
    const secrets = places.destinations.flatMap((each) => ('sink' in each ? (each.sink.secrets ?? []) : []));
    await checkApi(steps, { args, shell, notify: report.notice, maskWith: report.maskWith, secrets });
    await checkPlaces(steps, places);
  } catch (failure) {
    if (signal === undefined) throw failure;
    return { failure, signal };
  } finally {
    stopListening();
  }
  const all = steps.all.map(clean);
  if (args.has('json')) shell.stdout.write(`${JSON.stringify(reportOf(all))}\n`);
  return resultOf(all, args.has('strict'));
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Every address of a sink, each once. */
function addressesOf(args: ParsedArguments): readonly string[] {
  const given = args.list('to').map((each) => readAddress(each, '--to').uri);
  const letters = deadLetterAddress(args);
  return [...new Set([...(given.length === 0 ? ['ndjson:out'] : given), ...(letters === undefined ? [] : [letters])])];
}

/** The places that a run writes to. */
interface Places {
  /** On this machine, each once. */
  readonly folders: ReadonlySet<string>;
  readonly destinations: readonly Destination[];
}

/** A sink that writes elsewhere, or why its address is wrong. */
type Destination = { readonly sink: Sink } | { readonly failure: unknown };

/** Throws ERR_USAGE for a wrong address of a folder. One of a destination fails the step of that destination. */
function placesOf(args: ParsedArguments, shell: Shell, report: Report): Places {
  const state = args.last('state');
  if (state === '') throw usageError('--state needs a folder');
  const folders = new Set<string>();
  const destinations: Destination[] = [];
  for (const uri of addressesOf(args)) {
    const create = () => openSink(uri, shell, report);
    const folder = folderOf(uri);
    if (folder === undefined) {
      destinations.push(created(create));
    } else {
      create(); // for its errors: nothing is opened
      folders.add(folder);
    }
  }
  return { folders: state === undefined ? folders : folders.add(state), destinations };
}

function created(create: () => Sink): Destination {
  try {
    return { sink: create() };
  } catch (failure) {
    return { failure };
  }
}

async function checkPlaces(steps: Steps, { folders, destinations }: Places): Promise<void> {
  for (const folder of folders) await steps.run({ step: 'disk' }, [], () => checkFolder(join(folder)));
  for (const destination of destinations) {
    await steps.run({ step: 'destination' }, [], async () => {
      if ('failure' in destination) throw destination.failure;
      return checkDestination(destination.sink);
    });
  }
}

/** Columns of a terminal whose width is not known. */
const usualWidth = 100;

/** The steps as JSON: the worst verdict of all, and each step. */
const reportOf = (steps: readonly Step[]) => ({
  format: 'rxtract-doctor/1',
  verdict: (['failed', 'warning'] as const).find((each) => steps.some(({ verdict }) => verdict === each)) ?? 'ok',
  steps: steps.map((step) => ({ ...step, ms: Math.round(step.ms) })),
});

function resultOf(steps: readonly Step[], isStrict: boolean): CommandResult {
  const bad = steps.filter(({ verdict }) => verdict === 'failed' || (isStrict && verdict === 'warning'));
  if (bad.length === 0) return {};
  const names = bad.map(({ step, subject }) => (subject === undefined ? step : `${step} (${subject})`)).join(', ');
  const message = `${bad.length} of ${counted(steps.length, 'step')} failed: ${names}`;
  return { failure: new ExtractError('ERR_DOCTOR', message) };
}
