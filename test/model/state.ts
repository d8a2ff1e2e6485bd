/** The state of the model: what is on disks, in destinations and in the process. Plain data, never changed in place. */
import { type Events, type Lane, pages, type Setup, typesOf } from './setup.js';

export type Version = 'a' | 'b';

/**
 * One item, a character each: the extraction as its user counts, lane, page, batch, the version of the API at its
 * request, the version of the page whose cursor led there (`-`: numbered pages).
 */
export type Item = string;

/** How far a lane is: the number of its pages, and the version of each. */
export interface Mark {
  readonly pages: number;
  readonly versions: string;
}

/** What a log stores with the items of a page. `known`: it says with which request the lane continues. */
export interface Keep extends Mark {
  readonly known: boolean;
}

export type ByLane<T> = Readonly<Record<Lane, T>>;
export type ByType<T> = Readonly<Record<string, T>>;

/** Files, or tables that a server stages: bytes after a position can be cut off. */
export interface FileSink {
  readonly kind: 'cut';
  readonly files: ByType<readonly Item[]>;
  /** How many items survive a power cut. */
  readonly synced: ByType<number>;
  /** Where the last commit ended. */
  readonly committed: ByType<number>;
  readonly published: readonly Item[] | undefined;
}

export interface Transaction {
  readonly lane: Lane;
  readonly items: readonly Item[];
  readonly key: string;
  readonly keep: Keep | undefined;
}

/** A destination that cannot delete: a log, a queue. Items are sorted: their order is no part of any rule. */
export interface LogSink {
  readonly kind: 'transaction' | 'ids' | 'none';
  readonly items: readonly Item[];
  readonly keeps: ByType<Keep>;
  /** Written, and not yet committed. */
  readonly open: ByLane<readonly Item[]>;
  /** Committed, and not yet applied. */
  readonly sent: readonly Transaction[];
  /** What a loss goes back to. */
  readonly saved: Pick<LogSink, 'items' | 'keeps'>;
  readonly isClosed: boolean;
}

export type SinkState = FileSink | LogSink;

/** Where everything was at a line of the journal. */
export interface Position {
  readonly lanes: ByLane<Mark>;
  /** For each sink the last page that it was given, as the journal knows. */
  readonly given: readonly ByLane<Mark>[];
  readonly checkpoints: readonly ByType<number>[];
}

export interface Line {
  readonly lane: Lane;
  readonly at: Mark;
  /** The sinks that have this page now. */
  readonly sinks: readonly number[];
  /** For each sink the end of the data type's output. */
  readonly checkpoints: readonly number[];
}

export interface Journal {
  readonly phase: 'writing' | 'publishing' | 'done';
  readonly begin: Position;
  readonly lines: readonly Line[];
  /** How many lines survive a power cut. */
  readonly saved: number;
}

export interface LaneState {
  readonly mark: Mark;
  readonly stage: 'idle' | 'batch 0' | 'batch 1' | 'commit' | 'committing' | 'unknown';
  /** Of the page under way. */
  readonly version: Version | '';
  readonly request: string;
  /** The version of a broken attempt whose first batch logs have. */
  readonly delivered: Version | '';
  /** The versions of pages that were requested before their turn. */
  readonly ahead: string;
}

/** What the process knows, and loses when it ends. */
export interface Process {
  readonly lanes: ByLane<LaneState>;
  /** For each data type the lane whose turn it is. */
  readonly turns: ByType<Lane | ''>;
  /** For each sink how far it needs nothing of a lane. */
  readonly held: readonly ByLane<Mark>[];
  /** What the journal is written anew with, before any page. */
  readonly begin: Position | undefined;
}

/** `changed` is ERR_PAGE_CHANGED, `refused` ERR_RESUME; the last three are faults. */
export type Phase =
  | 'down'
  | 'resuming'
  | 'up'
  | 'publishing'
  | 'done'
  | 'changed'
  | 'refused'
  | 'stuck'
  | 'rows are gone'
  | 'requests again';

export interface State {
  readonly phase: Phase;
  readonly extraction: number;
  /** The id of the run. */
  readonly run: number;
  readonly api: Version;
  readonly left: Events;
  readonly journal: Journal;
  /** The versions of each lane's first page whose rows are in the store, and those that survive a power cut. */
  readonly parts: ByLane<string>;
  readonly savedParts: ByLane<string>;
  readonly sinks: readonly SinkState[];
  readonly process: Process | undefined;
}

export interface Step {
  readonly name: string;
  readonly state: State;
}

export const start: Mark = { pages: 0, versions: '' };

/** Whether the rows that the lane continues with are in the store. */
export const hasRows = ({ parts }: State, { rows }: Setup, lane: Lane, { pages: count, versions }: Mark): boolean =>
  !rows || count !== 1 || parts[lane].includes(versions);

export const forLanes = <T>(make: (lane: Lane) => T): ByLane<T> => ({ A: make('A'), B: make('B') });
export const forTypes = <T>(setup: Setup, make: (type: string) => T): ByType<T> =>
  Object.fromEntries(typesOf(setup).map((type) => [type, make(type)]));
export const isFinished = ({ mark, stage }: LaneState): boolean => mark.pages === pages && stage === 'idle';

/** The mark after one page more. */
export const after = ({ pages, versions }: Mark, version: string): Mark => ({
  pages: pages + 1,
  versions: versions + version,
});

/** The sinks, each as `change` makes it. */
export const withSinks = (state: State, change: (sink: SinkState, at: number) => SinkState): State => ({
  ...state,
  sinks: state.sinks.map(change),
});

export const spend = (state: State, event: keyof Events): State => ({
  ...state,
  left: { ...state.left, [event]: state.left[event] - 1 },
});
