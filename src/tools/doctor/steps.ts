/** Runs the steps of a check-up one after the other: each has a verdict, its time, and what to do. */

import { asExtractError, ExtractError, remedyFor } from '../../core/errors/errors.js';
import { describeError } from '../text/errors.js';
import { startTimer } from '../text/format.js';

export type StepVerdict = 'ok' | 'warning' | 'failed' | 'skipped';

/** A step that has ended: plain data. */
export interface Step {
  readonly step: string;
  /** What it is about, such as a host or a job. */
  readonly subject?: string;
  readonly verdict: StepVerdict;
  /** How long it took, in ms. */
  readonly ms: number;
  readonly message: string;
  /** What to do. */
  readonly todo?: string;
}

/** What a step found. */
export interface StepFinding extends Pick<Step, 'message'> {
  /** Absent: `ok`. */
  readonly verdict?: StepVerdict;
  readonly todo?: string;
  /** Absent: the time of the step. */
  readonly ms?: number;
}

export interface Named {
  readonly step: string;
  readonly subject?: string;
}

export interface Steps {
  /**
   * Runs the step; a rejection is a failure. If one of `needs` failed, or was skipped for that reason, it is skipped.
   * Rejects with ERR_ABORTED after an interrupt.
   */
  run(named: Named, needs: readonly Step[], work: (signal: AbortSignal) => Promise<StepFinding>): Promise<Step>;
  /** All steps so far. */
  readonly all: readonly Step[];
}

export interface StepsContext {
  /** How long a step may take, in ms. */
  readonly timeout: number;
  /** Aborts with an interrupt. */
  readonly signal: AbortSignal;
  onStep(step: Step): void;
}

/** Creates the steps of one check-up. */
export function createSteps({ timeout, signal, onStep }: StepsContext): Steps {
  const all: Step[] = [];
  const blocked = new Set<Step>();
  const add = (step: Step): Step => {
    all.push(step);
    onStep(step);
    return step;
  };
  return {
    all,
    async run(named, needs, work) {
      const missing = needs.find((each) => each.verdict === 'failed' || blocked.has(each));
      if (missing !== undefined) {
        const first = all.find((each) => each.verdict === 'failed' && needs.includes(each)) ?? missing;
        const step = add({
          ...named,
          verdict: 'skipped',
          ms: 0,
          message: `not checked, because ${first.step} ${first.verdict === 'failed' ? 'failed' : 'was not checked'}`,
        });
        blocked.add(step);
        return step;
      }
      const elapsed = startTimer();
      const found = await within(timeout, signal, work).catch((thrown: unknown) => failureOf(thrown));
      signal.throwIfAborted();
      const { verdict = 'ok', message, todo, ms = elapsed() } = found;
      return add({ ...named, verdict, ms, message, ...(todo === undefined ? {} : { todo }) });
    },
  };
}

/** The work gets a signal that aborts with an interrupt, and when its time is over. */
async function within<T>(ms: number, outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  const signal = AbortSignal.any([outer, late.signal]);
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(tooLate(ms)), { once: true });
  });
  try {
    return await Promise.race([work(signal), ended]);
  } finally {
    clearTimeout(timer);
  }
}

const tooLate = (ms: number): ExtractError =>
  new ExtractError('ERR_TRANSPORT', `no result within ${ms / 1000} s`, {
    remedy: 'Check that the other side responds. --timeout allows more time.',
  });

/** The finding of a failure. */
export function failureOf(thrown: unknown): StepFinding {
  const error = asExtractError(thrown);
  const isList = error.problems.length > 0;
  const message = isList ? describeError(error).slice(0, -1).join('; ') : error.message.replaceAll('\n', '; ');
  return { verdict: 'failed', message, todo: remedyFor(error) };
}
