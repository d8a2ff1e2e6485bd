/**
 * What a job remembers and the items that led there, as one step: a small model of its own. Runs follow one another and
 * ask for what is new; each may be killed after any step, and then be resumed or replaced by a fresh one.
 */
import type { Kind } from './setup.js';

/** The rules that can be left out, each of which must be missed. */
export type ValueRule =
  | 'the value counts when the items are published'
  | 'the value is on the disk before the items are published'
  | 'a resume begins where its run began'
  | 'a publication is made once for a run';

export interface ValueSetup {
  readonly kind: Kind;
  readonly kills: number;
  /** How often a killed run is not resumed. */
  readonly fresh: number;
  readonly without?: ValueRule;
}

/** Items are numbers from 1 up, a page each. */
const items = 4;

interface Journal {
  readonly run: number;
  /** What was remembered when the run began. */
  readonly from: number;
  readonly pages: number;
  readonly phase: 'writing' | 'publishing' | 'done';
  /** What is remembered when the run is done. */
  readonly next: number;
}

interface ValueState {
  /** How many items the API has. */
  readonly api: number;
  readonly isUp: boolean;
  readonly journal: Journal;
  /** The items of the run that are not visible yet. */
  readonly staged: readonly number[];
  /** The items of the destination, each with the run and page that brought it. */
  readonly there: readonly string[];
  /** Runs whose items are published. */
  readonly published: readonly number[];
  readonly kills: number;
  readonly fresh: number;
  readonly wasFresh: boolean;
}

interface ValueStep {
  readonly name: string;
  readonly state: ValueState;
}

export interface ValueResult {
  readonly states: number;
  readonly fault: string | undefined;
}

const itemOf = (text: string): number => Number(text.split(' ')[0]);
const isStaging = (kind: Kind): boolean => kind === 'cut' || kind === 'transaction';

const began = (run: number, from: number): Journal => ({ run, from, pages: 0, phase: 'writing', next: from });

/** Visits every state once, breadth-first. */
export function exploreValue(setup: ValueSetup): ValueResult {
  const first: ValueState = {
    api: 2,
    isUp: true,
    journal: began(1, 0),
    staged: [],
    there: [],
    published: [],
    kills: setup.kills,
    fresh: setup.fresh,
    wasFresh: false,
  };
  const seen = new Set([JSON.stringify(first)]);
  const waiting: { readonly state: ValueState; readonly way: string }[] = [{ state: first, way: 'start' }];
  for (const { state, way } of waiting) {
    const fault = faultOf(state, setup);
    if (fault !== undefined) return { states: seen.size, fault: `${fault}: ${way}` };
    for (const step of stepsFrom(state, setup)) {
      const key = JSON.stringify(step.state);
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push({ state: step.state, way: `${way}, ${step.name}` });
    }
  }
  return { states: seen.size, fault: undefined };
}

function stepsFrom(state: ValueState, setup: ValueSetup): readonly ValueStep[] {
  const steps: ValueStep[] = [];
  if (state.api < items) steps.push({ name: 'another item', state: { ...state, api: state.api + 1 } });
  if (!state.isUp) return [...steps, ...starts(state, setup)];
  if (state.journal.phase === 'done') return state.journal.next < state.api ? [...steps, nextRun(state)] : steps;
  if (state.kills > 0) steps.push({ name: 'KILL', state: { ...state, isUp: false, kills: state.kills - 1 } });
  return [...steps, ...(state.journal.phase === 'writing' ? pageSteps(state, setup) : publishSteps(state, setup))];
}

const nextRun = (state: ValueState): ValueStep => ({
  name: 'next run',
  state: { ...state, staged: [], journal: began(state.journal.run + 1, state.journal.next) },
});

/** A page reaches the sink, and then its record the journal; or the walk is complete. */
function pageSteps(state: ValueState, { kind, without }: ValueSetup): readonly ValueStep[] {
  const { journal, staged, there, api } = state;
  const item = journal.from + journal.pages + 1;
  if (item > api) {
    const isLate = without === 'the value is on the disk before the items are published';
    const publishing: Journal = { ...journal, phase: 'publishing', next: isLate ? journal.next : item - 1 };
    return [{ name: 'publishing', state: { ...state, journal: publishing } }];
  }
  // A destination without ids takes the page again after each kill.
  const name = `${item} ${journal.run} ${journal.pages}${kind === 'none' ? ` ${state.kills}` : ''}`;
  const isHeld = isStaging(kind) ? staged.length > journal.pages : there.includes(name);
  const isEarly = without === 'the value counts when the items are published';
  const recorded: Journal = { ...journal, pages: journal.pages + 1, next: isEarly ? item : journal.next };
  const record = { name: `record of ${item}`, state: { ...state, journal: recorded } };
  if (isHeld) return [record];
  const written = isStaging(kind) ? { staged: [...staged, item] } : { there: [...there, name].sort() };
  return [{ name: `item ${item}`, state: { ...state, ...written } }];
}

/** The items become visible, once for a run, and then the run is done. */
function publishSteps(state: ValueState, { kind, without }: ValueSetup): readonly ValueStep[] {
  const { journal, staged, there, published } = state;
  const done: Journal = { ...journal, phase: 'done' };
  const isOver = published.includes(journal.run);
  if (isOver || !isStaging(kind)) return [{ name: 'done', state: { ...state, journal: done, staged: [] } }];
  const visible = staged.map((item, page) => `${item} ${journal.run} ${page}`);
  const isForgotten = without === 'a publication is made once for a run';
  const both = [
    {
      name: 'published',
      state: { ...state, there: [...there, ...visible].sort(), published: [...published, journal.run] },
    },
  ];
  if (!isForgotten) return both;
  // The sink does not know the run again: a kill before its end repeats the publication.
  const twice = { ...state, there: [...there, ...visible].sort(), isUp: false, kills: state.kills - 1 };
  return state.kills > 0 ? [...both, { name: 'published, KILL', state: twice }] : both;
}

/** A killed run is resumed, or another one begins at what the last complete run has remembered. */
function starts(state: ValueState, { kind, without }: ValueSetup): readonly ValueStep[] {
  const { journal, staged } = state;
  const isMoved = without === 'a resume begins where its run began' && journal.phase === 'writing';
  const from = isMoved ? journal.from + journal.pages : journal.from;
  // `cut` loses what follows the record, a transaction continues after what it holds.
  const kept = kind === 'cut' && journal.phase === 'writing' ? staged.slice(0, journal.pages) : staged;
  const resumed = { ...state, isUp: true, staged: kept, journal: { ...journal, from } };
  const steps = [{ name: 'resume', state: resumed }];
  if (state.fresh === 0) return steps;
  const isEarly = without === 'the value counts when the items are published';
  const begin = isEarly ? journal.next : journal.from;
  const anew = { ...state, isUp: true, staged: [], fresh: state.fresh - 1, wasFresh: true };
  return [...steps, { name: 'fresh run', state: { ...anew, journal: began(journal.run + 1, begin) } }];
}

/**
 * What is remembered is there. Without a fresh run it is there once, and where nothing recognises it, a page more for
 * each kill.
 */
function faultOf({ journal, there, wasFresh, kills }: ValueState, setup: ValueSetup): string | undefined {
  const found = there.map(itemOf);
  const known = journal.phase === 'done' ? journal.next : journal.from;
  for (let item = 1; item <= known; item++) {
    if (!found.includes(item)) return `item ${item} is missing for ever`;
  }
  const most = setup.kind === 'none' ? setup.kills - kills : 0;
  const isTwice = found.length - new Set(found).size > most;
  return isTwice && !wasFresh ? 'an item is there twice' : undefined;
}
