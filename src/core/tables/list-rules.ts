/** Which lists of items are tables of their own, and the names of these and their columns. docs/15-tables.md#lists. */

/** What becomes of a list: a table with a row for each element, or what the sink makes of lists by itself. */
export const listForms = ['table', 'json'] as const;

export type ListForm = (typeof listForms)[number];

/** The forms of lists by their paths, such as `lines[].tags`. */
export type ListForms = ReadonlyMap<string, ListForm>;

/** Which lists are tables. */
export interface ListRules {
  /** Lists inside fewer lists than this are tables; 0: none is, `Infinity`: all are. */
  readonly depth: number;
  /** Lists for which `depth` does not count. */
  readonly forms: ListForms;
}

/** The rows of a list, for a sink. */
export interface ListRows {
  /** The data type of the items that have the list. */
  readonly owner: string;
  /** The columns that refer to the key of the item. */
  readonly reference: readonly string[];
  /** The column with the place of the element. A row without it has no element: it begins the rows of an item. */
  readonly position: string;
}

/** What joins names: `orders__lines`. */
const joint = '__';

/** The member of an item that identifies it, if it has no key. */
export const rowId = 'row_id';

export const joinedName = (names: readonly string[]): string => names.join(joint);

/** The column that refers to a member of the key of the owner: `orders__id`. */
export const referenceName = (owner: string, key: readonly string[]): string => joinedName([owner, ...key]);

/** The column with the place of an element: `lines__position`, in a list of its elements `lines__tags__position`. */
export const positionName = (names: readonly string[]): string => joinedName([...names, 'position']);

/** The path of a list as a configuration has it: `lines[].tags`. `outer`: that of the list in whose elements it is. */
export const listPath = (outer: string, path: readonly string[]): string =>
  `${outer === '' ? '' : `${outer}[].`}${path.join('.')}`;
