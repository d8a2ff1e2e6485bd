/** What a lane of the model may do next: request a page, write its batches, commit it, write its line. */
import { appendLine } from './journal.js';
import { batches, gets, isLed, type Lane, lanes, pages, type Setup, typeOf } from './setup.js';
import { apply, commit, isApplied, keyOf, rollback, write } from './sinks.js';
import {
  after,
  hasRows,
  type Item,
  isFinished,
  type LaneState,
  type Process,
  type State,
  type Step,
  spend,
  withSinks,
} from './state.js';

/** All steps of the lane from this state. */
export function laneSteps(state: State, setup: Setup, process: Process, lane: Lane): readonly Step[] {
  const view: View = { state, setup, process, lane, its: process.lanes[lane], page: process.lanes[lane].mark.pages };
  const ahead = requestAhead(view);
  switch (view.its.stage) {
    case 'idle':
      return [...request(view), ...ahead];
    case 'batch 0':
      return [writeBatch(view, 0), ...ahead];
    case 'batch 1':
      return [writeBatch(view, 1), ...breakOff(view), ...ahead];
    case 'commit':
      return [...commitPage(view), ...ahead];
    case 'committing':
      return [...loseAnswer(view), ...writeLine(view), ...ahead];
    case 'unknown':
      return [...ask(view), ...ahead];
  }
}

interface View {
  readonly state: State;
  readonly setup: Setup;
  readonly process: Process;
  readonly lane: Lane;
  readonly its: LaneState;
  readonly page: number;
}

const named = ({ lane, page }: View, what: string): string => `${lane}${page} ${what}`;

/** The state with a change of this lane, and perhaps of turns or marks. */
function changed(
  { process, lane, its }: View,
  state: State,
  change: Partial<LaneState>,
  more?: Partial<Process>,
): State {
  return { ...state, process: { ...process, ...more, lanes: { ...process.lanes, [lane]: { ...its, ...change } } } };
}

/** The sink has this page by a mark of its own, and gets nothing. */
const skips = ({ process, lane, page }: View, sink: number): boolean => (process.held[sink]?.[lane].pages ?? 0) > page;
const takes = (view: View, sink: number): boolean => gets(view.setup, sink, view.page) && !skips(view, sink);

function request(view: View): readonly Step[] {
  const { state, setup, process, lane, its, page } = view;
  const turn = process.turns[typeOf(setup, lane)];
  const isNext = lanes.slice(0, lanes.indexOf(lane)).every((each) => isFinished(process.lanes[each]));
  if (page === pages || (turn !== '' && turn !== lane) || (setup.atOnce === 1 && !isNext)) return [];
  if (!hasRows(state, setup, lane, its.mark))
    return [{ name: named(view, 'has no rows'), state: { ...state, phase: 'rows are gone' } }];
  const version = its.ahead === '' ? state.api : its.ahead[0] === 'a' ? 'a' : 'b';
  const begun = changed(
    view,
    state,
    {
      stage: 'batch 0',
      version,
      request: isLed(setup, page) ? (its.mark.versions.at(-1) ?? '') : '-',
      ahead: its.ahead.slice(1),
    },
    { turns: { ...process.turns, [typeOf(setup, lane)]: lane } },
  );
  const isEarly = setup.without.has('the line follows the page') && begun.process !== undefined;
  const requested = isEarly ? appendLine(begun, setup, begun.process, lane) : begun;
  return [{ name: named(view, 'requested'), state: requested }];
}

function requestAhead(view: View): readonly Step[] {
  const { state, setup, its, page } = view;
  const known = page + its.ahead.length + (its.stage === 'idle' ? 0 : 1);
  if (!setup.prefetch || its.ahead.length === 2 || known >= pages) return [];
  return [{ name: named(view, 'another ahead'), state: changed(view, state, { ahead: its.ahead + state.api }) }];
}

function itemOf({ state, setup, process, lane, its, page }: View, batch: number): Item {
  const type = typeOf(setup, lane);
  const number = lanes
    .filter((each) => typeOf(setup, each) === type)
    .reduce((sum, each) => sum + process.lanes[each].mark.pages * batches.length, batch);
  const isNumbered = setup.without.has('an id is made of places, not of numbers in the data type');
  return `${state.extraction}${lane}${page}${batch}${its.version}${its.request}${isNumbered ? number : ''}`;
}

function writeBatch(view: View, batch: 0 | 1): Step {
  const { state, setup, lane, its } = view;
  const item = itemOf(view, batch);
  /** A broken attempt has delivered the first batch to this log. */
  const hasIt = (kind: string) => batch === 0 && its.delivered !== '' && (kind === 'ids' || kind === 'none');
  const isOther = its.delivered !== its.version && !setup.without.has('what a broken attempt delivered is compared');
  const isCompared = state.sinks.some((sink, at) => takes(view, at) && hasIt(sink.kind));
  const written = withSinks(state, (sink, at) =>
    takes(view, at) && !hasIt(sink.kind) ? write(sink, setup, lane, item) : sink,
  );
  const next = changed(view, written, { stage: batch === 0 ? 'batch 1' : 'commit' });
  const name = named(view, `batch ${batch}`);
  return { name, state: isCompared && isOther ? { ...next, phase: 'changed' } : next };
}

/** The response ends after its first batch; the API may change before it is requested again. */
function breakOff(view: View): readonly Step[] {
  const { state, setup, lane, its } = view;
  if (state.left.breaks === 0) return [];
  const broken = withSinks(spend(state, 'breaks'), (sink) => rollback(sink, setup, lane));
  const hasLog = setup.kinds.some((kind) => kind === 'ids' || kind === 'none');
  const next = changed(view, broken, { stage: 'idle', version: '', request: '', delivered: hasLog ? its.version : '' });
  const steps = [{ name: named(view, 'breaks off'), state: next }];
  if (state.left.change === 0 || state.api === 'b') return steps;
  return [
    ...steps,
    { name: named(view, 'breaks off, API changes'), state: { ...spend(next, 'change'), api: 'b' as const } },
  ];
}

function commitPage(view: View): readonly Step[] {
  const { setup, page } = view;
  const hasKeep = setup.kinds.some((kind, at) => kind === 'transaction' && gets(setup, at, page));
  const kinds = { kept: [true], 'left out': [false], either: hasKeep ? [true, false] : [true] }[setup.progress];
  return kinds.map((known) => ({
    name: named(view, `commit${known ? '' : ' without progress'}`),
    state: committed(view, known),
  }));
}

function committed(view: View, known: boolean): State {
  const { state, setup, process, lane, its } = view;
  const keep = { ...after(its.mark, its.version), known };
  const key = keyOf(setup, state.run, lane);
  const rows = keepRows(view);
  const next = withSinks(rows, (sink, at) => (takes(view, at) ? commit(sink, setup, { lane, key, keep }) : sink));
  const isEarly = setup.without.has('the turn ends with the line');
  const turns = isEarly
    ? Object.fromEntries(Object.keys(process.turns).map((type) => [type, '' as const]))
    : process.turns;
  const isAnother = setup.kinds.some((_, at) => holdsAnother(view, at));
  if (isAnother && setup.onChange === 'again') return again(view);
  return { ...changed(view, next, { stage: 'committing' }, { turns }), phase: isAnother ? 'changed' : state.phase };
}

/** Rows of the first page are stored before its commit, and are on the disk if a log says how the lane continues. */
function keepRows({ state, setup, lane, its, page }: View): State {
  if (!setup.rows || page > 0) return state;
  const more = (versions: string) =>
    versions.includes(its.version) ? versions : [...versions, its.version].sort().join('');
  const parts = { ...state.parts, [lane]: more(state.parts[lane]) };
  const isSaved = setup.kinds.includes('transaction');
  const savedParts = isSaved ? { ...state.savedParts, [lane]: more(state.savedParts[lane]) } : state.savedParts;
  return { ...state, parts, savedParts };
}

/** A sink ends its own path with another version of this page, from which another request follows. */
function holdsAnother({ setup, process, lane, its, page }: View, sink: number): boolean {
  const mark = process.held[sink]?.[lane];
  if (mark?.pages !== page + 1 || !gets(setup, sink, page)) return false;
  const isCompared = isLed(setup, page + 1) && !setup.without.has('a page that a sink holds is compared');
  const isRow = setup.rows && page === 0;
  if (isRow && setup.without.has('another version of a page with rows is not joined')) return false;
  return isCompared && mark.versions.at(-1) !== its.version;
}

/** The page is taken back and requested again, now for the sinks too that hold another version of it. */
function again(view: View): State {
  const { state, setup, process, lane, its } = view;
  const held = process.held.map((marks, at) => (holdsAnother(view, at) ? { ...marks, [lane]: its.mark } : marks));
  const back = withSinks(state, (sink, at) => (takes(view, at) ? rollback(sink, setup, lane) : sink));
  const change = { stage: 'idle', version: '', request: '', delivered: its.version } as const;
  return changed(view, back, change, { held });
}

/** A destination ends under the commit, before or after it was applied, and gives no answer. */
function loseAnswer(view: View): readonly Step[] {
  const { state, lane } = view;
  if (state.left.destination === 0) return [];
  return state.sinks.flatMap((sink, at) => {
    if (sink.kind === 'cut') return [];
    return sink.sent.flatMap((transaction, index) => {
      if (transaction.lane !== lane) return [];
      return [true, false].map((applied) => {
        const next = withSinks(spend(state, 'destination'), (each, which) =>
          which !== at || each.kind === 'cut'
            ? each
            : applied
              ? apply(each, index)
              : { ...each, sent: each.sent.toSpliced(index, 1) },
        );
        const name = named(view, `sink ${at} ends ${applied ? 'after' : 'before'} the commit`);
        return { name, state: changed(view, next, { stage: 'unknown' }) };
      });
    });
  });
}

/** `held` after a commit without an answer: the page counts, or it is requested again for those that lack it. */
function ask(view: View): readonly Step[] {
  const { state, setup, process, lane, its, page } = view;
  if (!isApplied(state, lane)) return [];
  const mark = after(its.mark, its.version);
  const key = keyOf(setup, state.run, lane);
  const has = state.sinks.map(
    (sink, at) =>
      !gets(setup, at, page) ||
      sink.kind !== 'transaction' ||
      (sink.keeps[key]?.versions === mark.versions && !setup.without.has('after a failed commit the sink is asked')),
  );
  const name = named(view, 'asks what is held');
  if (has.every(Boolean)) return [{ name, state: changed(view, state, { stage: 'committing' }) }];
  const held = process.held.map((marks, at) => (has[at] && !skips(view, at) ? { ...marks, [lane]: mark } : marks));
  return [{ name, state: changed(view, state, { stage: 'idle', version: '', request: '', delivered: '' }, { held }) }];
}

function writeLine(view: View): readonly Step[] {
  const { state, setup, process, lane, its } = view;
  if (!isApplied(state, lane)) return [];
  const turns = Object.fromEntries(
    Object.entries(process.turns).map(([type, turn]) => [type, turn === lane ? ('' as const) : turn]),
  );
  const written = setup.without.has('the line follows the page') ? state : appendLine(state, setup, process, lane);
  const change = {
    mark: after(its.mark, its.version),
    stage: 'idle',
    version: '',
    request: '',
    delivered: '',
  } as const;
  return [{ name: named(view, 'journal line'), state: changed(view, written, change, { turns }) }];
}
