/** The journal of the model: a first position, and a line for each page. */
import { gets, type Lane, type Setup, typeOf } from './setup.js';
import { after, type Journal, type Line, type Position, type Process, type State } from './state.js';

/** Where everything was at the line with this number. */
export function positionAt(setup: Setup, { begin, lines }: Journal, count = lines.length): Position {
  return lines.slice(0, count).reduce((position, line) => next(setup, position, line), begin);
}

function next(setup: Setup, { lanes, given, checkpoints }: Position, line: Line): Position {
  const { lane, at, sinks } = line;
  const isGiven = (sink: number) => sinks.includes(sink) || setup.without.has('each sink has its own mark');
  const type = typeOf(setup, lane);
  return {
    lanes: { ...lanes, [lane]: at },
    given: given.map((marks, sink) => (isGiven(sink) ? { ...marks, [lane]: at } : marks)),
    checkpoints: checkpoints.map((ends, sink) =>
      setup.kinds[sink] === 'cut' ? { ...ends, [type]: line.checkpoints[sink] ?? 0 } : ends,
    ),
  };
}

/** Appends the line of the page that the lane has under way. */
export function appendLine(state: State, setup: Setup, process: Process, lane: Lane): State {
  const { mark, version } = process.lanes[lane];
  const at = after(mark, version);
  const has = (sink: number) => gets(setup, sink, mark.pages) && (process.held[sink]?.[lane].pages ?? 0) <= at.pages;
  const line: Line = {
    lane,
    at,
    sinks: setup.kinds.map((_, sink) => sink).filter(has),
    checkpoints: state.sinks.map((sink) => (sink.kind === 'cut' ? (sink.committed[typeOf(setup, lane)] ?? 0) : 0)),
  };
  return { ...state, journal: { ...state.journal, lines: [...state.journal.lines, line] } };
}

/** Writes output and journal to the disk, and has logs save what they hold. */
export function save(state: State, { without }: Setup): State {
  const synced = without.has('the output is saved before the journal') ? state : syncFiles(state);
  return {
    ...synced,
    savedParts: state.parts,
    journal: { ...state.journal, saved: state.journal.lines.length },
    sinks: synced.sinks.map((sink) =>
      sink.kind === 'cut' ? sink : { ...sink, saved: { items: sink.items, keeps: sink.keeps } },
    ),
  };
}

/** `durable` of all sinks. */
export function syncFiles(state: State): State {
  const sinks = state.sinks.map((sink) =>
    sink.kind === 'cut'
      ? { ...sink, synced: Object.fromEntries(Object.entries(sink.files).map(([type, { length }]) => [type, length])) }
      : sink,
  );
  return { ...state, sinks };
}
