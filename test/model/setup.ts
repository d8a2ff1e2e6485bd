/** What a run of the model is given: the sinks, how pages are read, what may go wrong, and which rules are left out. */

/** How a sink removes a page that must not count: the word `recovery` of the contract. */
export type Kind = 'cut' | 'transaction' | 'ids' | 'none';

export type Lane = 'A' | 'B';
export const lanes: readonly Lane[] = ['A', 'B'];

/** Pages of a lane, each of two batches of one item. */
export const pages = 3;
export const batches = [0, 1] as const;

/** How often each event may happen. */
export interface Events {
  /** The process ends, at any moment. */
  readonly kill: number;
  /** The machine ends: the journal, the files, or both lose what was not saved. */
  readonly power: number;
  /** A log loses what it had acknowledged since it was saved, and the process ends. */
  readonly loss: number;
  /** The API gives other items at its pages from now on. */
  readonly change: number;
  /** A run that was killed is not resumed: another one begins. */
  readonly fresh: number;
  /** A response ends after its first batch, and its page is requested again. */
  readonly breaks: number;
  /** Output and journal are written to the disk. */
  readonly save: number;
  /** A destination ends under a commit, which it has or has not applied, and gives no answer. */
  readonly destination: number;
}

/** The rules of the contract that can be left out, each of which must be missed. */
export type Rule =
  | 'the sink says which pages it holds'
  | 'a run has an id'
  | 'the id of a run is on the disk before the first page'
  | 'items and keep are one transaction'
  | 'a keep belongs to one lane'
  | 'a resume fences older transactions'
  | 'after a failed commit the sink is asked'
  | 'a lane begins where the sinks are, not where the journal is'
  | 'a lane begins at the least mark'
  | 'each sink has its own mark'
  | 'a page that a sink holds is compared'
  | 'publishing does not ask what is held'
  | 'the line follows the page'
  | 'a resume writes the journal anew'
  | 'a resume makes the output durable first'
  | 'a resume cuts the output'
  | 'the output is saved before the journal'
  | 'the turn ends with the line'
  | 'a broken attempt is rolled back'
  | 'what a broken attempt delivered is compared'
  | 'an id is made of places, not of numbers in the data type'
  | 'an id has the run'
  | 'an id has the walk'
  | 'an id has the page'
  | 'an id has the offset'
  | 'an id has the hash of the item'
  | 'a sink that gets other data types is not late'
  | 'another version of a page with rows is not joined'
  | 'rows that are gone are requested again';

export interface Setup {
  readonly kinds: readonly Kind[];
  readonly events: Events;
  /** How many lanes may run at the same time. */
  readonly atOnce: 1 | 2;
  /** Both lanes write to one data type. */
  readonly oneType: boolean;
  /** The request of a page follows from the page before it; else pages have numbers. */
  readonly cursor: boolean;
  /** The second page of a lane is that of a child: its request comes from the rows of the first. */
  readonly rows: boolean;
  /** Pages are requested before their turn. */
  readonly prefetch: boolean;
  /** `left out`: no keep says how the lane continues; `either`: some do. */
  readonly progress: 'kept' | 'left out' | 'either';
  /** What happens where a sink holds another version of a page, from which another request follows. */
  readonly onChange: 'fail' | 'again';
  /** The pages of a lane that each sink gets; undefined: all. */
  readonly routes: readonly (readonly number[])[] | undefined;
  readonly without: ReadonlySet<Rule>;
}

const noEvents: Events = { kill: 0, power: 0, loss: 0, change: 0, fresh: 0, breaks: 0, save: 0, destination: 0 };

type Written = Partial<Omit<Setup, 'kinds' | 'events' | 'without'>>;

/** A setup with what is not named left at its simplest. */
export function setupOf(kinds: readonly Kind[], events: Partial<Events>, others: Written = {}, without?: Rule): Setup {
  return {
    kinds,
    events: { ...noEvents, ...events },
    atOnce: 1,
    oneType: false,
    cursor: false,
    rows: false,
    prefetch: false,
    progress: 'kept',
    onChange: 'fail',
    routes: undefined,
    ...others,
    without: new Set(without === undefined ? [] : [without]),
  };
}

/** The data type that a lane writes. */
export const typeOf = ({ oneType }: Setup, lane: Lane): string => (oneType ? 'T' : lane);
export const typesOf = ({ oneType }: Setup): readonly string[] => (oneType ? ['T'] : lanes);

/** Whether a sink gets the items of this page. */
export const gets = ({ routes }: Setup, sink: number, page: number): boolean => routes?.[sink]?.includes(page) ?? true;

/** Whether the request of this page comes from the page before it: by a cursor, or by its rows. */
export const isLed = ({ cursor, rows }: Setup, page: number): boolean => (cursor && page > 0) || (rows && page === 1);

/** The setup in words. */
export function nameOf(setup: Setup): string {
  const { kinds, events, atOnce, oneType, cursor, rows, prefetch, progress, onChange, routes, without } = setup;
  return [
    kinds.join(' + '),
    atOnce === 1 ? '' : `side by side, ${oneType ? 'one data type' : 'two data types'}`,
    cursor ? 'cursor' : '',
    rows ? 'rows' : '',
    prefetch ? 'prefetch' : '',
    progress === 'kept' ? '' : `progress ${progress}`,
    onChange === 'fail' ? '' : 'a changed page again',
    routes === undefined ? '' : `routes ${routes.map((each) => each.join('')).join(' and ')}`,
    Object.entries(events)
      .filter(([, times]) => times > 0)
      .map(([event, times]) => `${event} ${times}`)
      .join(', '),
    [...without].map((rule) => `without: ${rule}`).join(', '),
  ]
    .filter((part) => part !== '')
    .join('; ');
}
