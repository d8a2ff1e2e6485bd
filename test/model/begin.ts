/** How a process of the model begins: a run, or a resume with what the journal and the sinks know. */
import { positionAt, syncFiles } from './journal.js';
import { isLed, type Lane, lanes, type Setup } from './setup.js';
import { createSink, cut, keyOf } from './sinks.js';
import {
  type ByLane,
  forLanes,
  forTypes,
  hasRows,
  type Journal,
  type Keep,
  type LaneState,
  type Mark,
  type Phase,
  type Position,
  type SinkState,
  type State,
  start,
} from './state.js';

/** The first run, before its first page. */
export function firstState(setup: Setup): State {
  const state: State = {
    phase: 'down',
    extraction: 0,
    run: 0,
    api: 'a',
    left: setup.events,
    journal: newJournal(nothing(setup)),
    ...noParts,
    sinks: setup.kinds.map((kind) => createSink(setup, kind)),
    process: undefined,
  };
  return writeJournal(beginFresh(state, setup), setup);
}

const noParts = { parts: forLanes(() => ''), savedParts: forLanes(() => '') };

const nothing = (setup: Setup): Position => ({
  lanes: forLanes(() => start),
  given: setup.kinds.map(() => forLanes(() => start)),
  checkpoints: setup.kinds.map((kind) => (kind === 'cut' ? forTypes(setup, () => 0) : {})),
});

const newJournal = (begin: Position): Journal => ({ phase: 'writing', begin, lines: [], saved: 0 });

/** A run of its own: its id is in the journal before any sink is called, and files begin empty. */
export function beginFresh(state: State, setup: Setup): State {
  const extraction = state.extraction + 1;
  const begin = nothing(setup);
  const sinks = state.sinks.map((sink) =>
    sink.kind === 'cut' ? createSink(setup, 'cut') : { ...sink, isClosed: false },
  );
  const fresh = { ...state, ...noParts, extraction, run: extraction, journal: newJournal(begin), sinks };
  return enter(fresh, setup, begin);
}

/** The run that was ended: at the last position that files and journal share, and at which no log refuses. */
export function resume(state: State, setup: Setup): State {
  const { journal } = state;
  const { without } = setup;
  if (journal.phase === 'publishing' && !without.has('publishing does not ask what is held')) {
    return { ...state, phase: 'publishing' };
  }
  const resumed = [journal.lines.length, journal.saved]
    .map((count) => positionAt(setup, journal, count))
    .filter((each) => state.sinks.every((sink, at) => reaches(sink, each.checkpoints[at] ?? {})))
    .filter((each) => lanes.every((lane) => isThere(state, setup, lane, each.lanes[lane])))
    .map((each) => resumeAt(state, setup, each));
  return resumed.find(({ phase }) => phase !== 'refused') ?? resumed[0] ?? { ...state, phase: 'stuck' };
}

const isThere = (state: State, setup: Setup, lane: Lane, mark: Mark): boolean =>
  setup.without.has('rows that are gone are requested again') || hasRows(state, setup, lane, mark);

function resumeAt(state: State, setup: Setup, position: Position): State {
  const { without } = setup;
  const isLate = without.has('the id of a run is on the disk before the first page') && isAtStart(position);
  const run = state.run + (isLate ? 10 : 0);
  const sinks = state.sinks.map((sink, at) => reopen(sink, setup, position.checkpoints[at] ?? {}));
  return enter({ ...state, run, sinks }, setup, position);
}

const isAtStart = (position: Position): boolean => lanes.every((lane) => position.lanes[lane].pages === 0);

const reaches = (sink: SinkState, ends: Readonly<Record<string, number>>): boolean =>
  sink.kind !== 'cut' ||
  sink.published !== undefined ||
  Object.entries(ends).every(([type, end]) => (sink.files[type]?.length ?? 0) >= end);

/** `resume` of the sink: files are cut, transactions of an older epoch can no longer be applied. */
function reopen(sink: SinkState, { without }: Setup, ends: Readonly<Record<string, number>>): SinkState {
  if (sink.kind !== 'cut') return without.has('a resume fences older transactions') ? sink : { ...sink, sent: [] };
  const from = sink.published === undefined ? ends : Object.fromEntries(Object.keys(ends).map((type) => [type, 0]));
  return { ...cut(sink, without.has('a resume cuts the output') ? {} : from), published: undefined };
}

/** Each sink says what it holds; each lane begins at the least of these marks. */
function enter(state: State, setup: Setup, position: Position): State {
  const own = state.sinks.map((sink, at) => forLanes((lane) => ownMark(state, setup, sink, position.given[at], lane)));
  const held = own.map((marks, at) =>
    forLanes((lane) => heldMark(setup, marks[lane], position.given[at]?.[lane] ?? start, position.lanes[lane])),
  );
  const begins = forLanes((lane) =>
    beginOf(
      state,
      setup,
      position,
      held.map((marks) => marks[lane]),
      lane,
    ),
  );
  const refused = state.sinks.some((sink, at) =>
    lanes.some((lane) => isGone(setup, sink, own[at], position.given[at], lane)),
  );
  const begin = {
    lanes: forLanes((lane) => begins[lane] ?? start),
    given: own.map((marks) => forLanes((lane) => skippedTo(setup, plain(marks[lane]), begins[lane] ?? start))),
    checkpoints: position.checkpoints,
  };
  const process = {
    lanes: forLanes((lane) => idle(begin.lanes[lane])),
    turns: forTypes(setup, (): Lane | '' => ''),
    held: held.map((marks) => forLanes((lane) => skippedTo(setup, marks[lane], begin.lanes[lane]))),
    begin,
  };
  if (refused || lanes.some((lane) => begins[lane] === undefined)) return { ...state, phase: 'refused' };
  return { ...state, phase: phaseOf(state, setup, position, begin.lanes), process };
}

/** Only the last of the pages that a sink holds can be compared: `again` skips no others. */
const skippedTo = ({ onChange }: Setup, held: Mark, begin: Mark): Mark =>
  onChange === 'again' && held.pages > begin.pages + 1 ? begin : held;

/** Nothing that the journal has is requested again, unless a disk or a log has lost something. */
function phaseOf({ left }: State, { events, without }: Setup, position: Position, begin: ByLane<Mark>): Phase {
  const isLossless = events.power === left.power && events.loss === left.loss;
  const isEarlier = lanes.some((lane) => begin[lane].pages < position.lanes[lane].pages);
  const isHeeded = without.size === 0 || without.has('a sink that gets other data types is not late');
  return isLossless && isEarlier && isHeeded ? 'requests again' : 'resuming';
}

export const idle = (mark: Mark): LaneState => ({
  mark,
  stage: 'idle',
  version: '',
  request: '',
  delivered: '',
  ahead: '',
});

/** `held` of a log with transactions; of the others, what the journal says. */
function ownMark({ run }: State, setup: Setup, sink: SinkState, given: ByLane<Mark> | undefined, lane: Lane): Keep {
  if (sink.kind === 'transaction' && !setup.without.has('the sink says which pages it holds')) {
    return sink.keeps[keyOf(setup, run, lane)] ?? { ...start, known: false };
  }
  return { ...(given?.[lane] ?? start), known: false };
}

const plain = ({ pages, versions }: Mark): Mark => ({ pages, versions });

/** A sink that has all that it was given is where the lane is, though the last pages were for other sinks. */
function heldMark({ without }: Setup, own: Keep, given: Mark, lane: Mark): Mark {
  const isUpToDate = isSame(own, given) && !without.has('a sink that gets other data types is not late');
  return plain(isUpToDate && own.pages < lane.pages ? lane : own);
}

/** What can be known of two marks: the number of pages, and the print of the last one. */
const isSame = (a: Mark, b: Mark): boolean => a.pages === b.pages && a.versions.at(-1) === b.versions.at(-1);

/** The least mark at which the next request is known; undefined: at none. */
function beginOf(state: State, setup: Setup, position: Position, held: readonly Mark[], lane: Lane): Mark | undefined {
  const { without } = setup;
  const journal = position.lanes[lane];
  if (without.has('a lane begins where the sinks are, not where the journal is')) return journal;
  const sorted = held.toSorted((a, b) => a.pages - b.pages);
  const least = (without.has('a lane begins at the least mark') ? sorted.at(-1) : sorted[0]) ?? start;
  const key = keyOf(setup, state.run, lane);
  const isKnown = state.sinks.some((sink) => {
    const keep = sink.kind === 'cut' ? undefined : sink.keeps[key];
    return keep?.known === true && keep.pages === least.pages && isThere(state, setup, lane, plain(keep));
  });
  const isOnePath = [journal, ...held].every((mark) => mark.pages !== least.pages || isSame(mark, least));
  if (isLed(setup, least.pages) && !isOnePath) return journal.pages < least.pages ? journal : undefined;
  if (isKnown || least.pages === journal.pages || least.pages === 0) return least;
  return least.pages > journal.pages ? journal : undefined;
}

/** The log knows nothing of a lane whose pages it was given. */
function isGone(
  { without }: Setup,
  sink: SinkState,
  own: ByLane<Keep> | undefined,
  given: ByLane<Mark> | undefined,
  lane: Lane,
): boolean {
  if (sink.kind !== 'transaction' || without.has('a lane begins where the sinks are, not where the journal is'))
    return false;
  return own?.[lane].pages === 0 && (given?.[lane].pages ?? 0) > 0;
}

/** `durable` of all sinks, then the journal anew, before any page. */
export function writeJournal(state: State, setup: Setup): State {
  const { without } = setup;
  if (state.process?.begin === undefined) return state;
  const durable = without.has('a resume makes the output durable first') ? state : syncFiles(state);
  const { begin } = state.process;
  const journal = without.has('a resume writes the journal anew') ? state.journal : newJournal(begin);
  const isNeeded = (lane: Lane) => begin.lanes[lane].pages === 1 && hasRows(state, setup, lane, begin.lanes[lane]);
  const parts = forLanes((lane) => (isNeeded(lane) ? begin.lanes[lane].versions : ''));
  const saved = setup.rows ? { parts, savedParts: parts } : {};
  return { ...durable, ...saved, phase: 'up', journal, process: { ...state.process, begin: undefined } };
}
