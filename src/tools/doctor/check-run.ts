/** Checks everything that a run needs, step by step: configuration, connections, login, first pages, places. */
import { join } from 'node:path';
import type { Sink } from '../../../sinks/contract.js';
import type { Secrets } from '../../core/model/secrets.js';
import type { ExtractOptions } from '../../run/options.js';
import { printable } from '../text/lines.js';
import { checkApi, type ReadConfiguration } from './check-api.js';
import { checkDestination, checkFolder } from './places.js';
import { createSteps, type Step } from './steps.js';

export interface DoctorOptions extends Pick<ExtractOptions, 'jobs' | 'allow' | 'env' | 'proxy' | 'commands'> {
  /** Folders on this machine to which a run would write. */
  readonly folders?: Iterable<string>;
  /** Other destinations of a run. */
  readonly destinations?: readonly Sink[];
  /** How long a step may take, in ms. Absent: 30,000. */
  readonly timeout: number;
  /** Ends the check. */
  readonly signal?: AbortSignal;
  /** Masks what is secret but not in the configuration, such as the password of a destination. */
  readonly mask?: Secrets['mask'];
  /** Called with each step when it has ended. */
  onStep?(step: Step): void;
}

/** The result of a check: plain data, secrets masked. */
export interface DoctorReport {
  readonly format: 'rxtract-doctor/1';
  /** The worst verdict of all steps. */
  readonly verdict: 'ok' | 'warning' | 'failed';
  readonly steps: readonly Step[];
}

/**
 * Checks a configuration and the places of its run. Sends the login and the first page of each job, each once, and
 * writes nothing. A step that fails is part of the report. Rejects with the reason of `signal` alone.
 */
export async function checkRun(read: ReadConfiguration, options: DoctorOptions): Promise<DoctorReport> {
  const { folders = [], destinations = [], timeout, mask = (text) => text, onStep = () => {} } = options;
  const { signal = new AbortController().signal, ...choices } = options;
  let known: Secrets['mask'] = (text) => text;
  const clean = (text: string) => printable(text, (each, end) => mask(known(each, end), end));
  const cleanStep = (step: Step): Step => {
    const texts = Object.entries(step).map(([name, value]) => [name, isText(value) ? clean(value) : value]);
    return { ...step, ...Object.fromEntries(texts) };
  };
  const steps = createSteps({ timeout, signal, onStep: (step) => onStep(cleanStep(step)) });
  const secrets = destinations.flatMap((sink) => sink.secrets ?? []);
  await checkApi(steps, {
    ...choices,
    read,
    secrets,
    maskWith(next) {
      known = next;
    },
  });
  for (const folder of folders) await steps.run({ step: 'disk' }, [], () => checkFolder(join(folder)));
  for (const sink of destinations) await steps.run({ step: 'destination' }, [], () => checkDestination(sink));
  const { all } = steps;
  return {
    format: 'rxtract-doctor/1',
    verdict: (['failed', 'warning'] as const).find((each) => all.some(({ verdict }) => verdict === each)) ?? 'ok',
    steps: all.map((step) => ({ ...cleanStep(step), ms: Math.round(step.ms) })),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
