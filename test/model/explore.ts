/** Explores the states of the model breadth-first, so that the first fault has the shortest way to it. */
import { firstState } from './begin.js';
import { faultOf } from './faults.js';
import type { Setup } from './setup.js';
import type { Phase, State } from './state.js';
import { nextSteps } from './steps.js';

export interface Explored {
  readonly states: number;
  /** Undefined: every rule holds in every state. */
  readonly fault: { readonly text: string; readonly steps: readonly string[] } | undefined;
  /** How many states ended the run, by phase. */
  readonly ends: Readonly<Partial<Record<Phase, number>>>;
}

const mostStates = 1_000_000;

/** Visits each state that can be reached once. Throws RangeError where there are more than a million. */
export function explore(setup: Setup): Explored {
  const first = firstState(setup);
  const seen = new Set([JSON.stringify(first)]);
  const waiting: (State | undefined)[] = [first];
  const reached: Reached[] = [{ from: -1, step: 'start' }];
  const ends: Partial<Record<Phase, number>> = {};
  for (let at = 0; at < waiting.length; at++) {
    const state = waiting[at];
    if (state === undefined) continue;
    waiting[at] = undefined; // lets go of its memory
    const text = faultOf(state, setup);
    if (text !== undefined) return { states: seen.size, fault: { text, steps: stepsTo(reached, at) }, ends };
    if (state.phase === 'done' || state.phase === 'changed' || state.phase === 'refused') {
      ends[state.phase] = (ends[state.phase] ?? 0) + 1;
      continue;
    }
    for (const step of nextSteps(state, setup)) {
      const key = JSON.stringify(step.state);
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push(step.state);
      reached.push({ from: at, step: step.name });
    }
    if (seen.size > mostStates) throw new RangeError(`more than ${mostStates} states`);
  }
  return { states: seen.size, fault: undefined, ends };
}

interface Reached {
  readonly from: number;
  readonly step: string;
}

function stepsTo(reached: readonly Reached[], at: number): readonly string[] {
  const steps: string[] = [];
  for (let each = reached[at]; each !== undefined && each.from >= 0; each = reached[each.from])
    steps.unshift(each.step);
  return steps;
}
