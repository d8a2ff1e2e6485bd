/** The options of sinks of tables for lists inside items. docs/15-tables.md#lists. */
import { type GivenOptions, kind, type OptionRows } from '../../src/core/options/kind.js';
import { usageError } from '../../src/core/util/check-value.js';
import { defined } from '../../src/core/util/defined.js';
import { keyPaths } from '../addresses/kinds.js';
import { optionsInCode } from '../addresses/options.js';
import { pathsIn } from '../tables/keys.js';

const written = /^(?:json|tables|tables:[1-9]\d{0,2})$/;

/** `json`, `tables`, or `tables:N`. */
const listsKind = kind<string>(
  'json, tables, or tables:2 for lists in at most one other list',
  (value) => typeof value === 'string' && written.test(value),
  { schema: { type: 'string', pattern: written.source }, offers: ['json', 'tables'] },
);

export const listRows = {
  lists: {
    kind: listsKind,
    summary:
      'lists inside items: `tables`: each is a table of its own, `orders__lines`, with a row for an element; `tables:2`: lists in more than one other list are not; `json`: they are values of their items. `lists` of a job names lists one by one',
    default: 'json',
  },
} as const satisfies OptionRows;

/** What a sink says of them. */
export const listsRule =
  'With `lists=tables` a list inside items is a table of its own, `orders__lines`, with a row for each element: the key of the item in `orders__id`, the place in `lines__position`, and the members of the element, or `value`. Without `key` items get an id in `row_id`.';

/** For sinks that need a key for their lists only. */
export const listOptions = {
  ...listRows,
  key: {
    kind: keyPaths,
    summary:
      'with `lists=tables`: the member that identifies an item, such as `id` or `org.id`, which rows of lists refer to; several with commas',
    otherwise: 'each item gets an id in the column `row_id`',
  },
} as const satisfies OptionRows;

/** The options as code gives them. */
export type ListOptions = GivenOptions<typeof listOptions>;

type Undefinable<T> = { readonly [Name in keyof T]: T[Name] | undefined };

/** What the options say of the lists of all jobs. */
export interface ListSettings {
  /** Lists inside fewer lists than this are tables. */
  readonly depth: number;
  readonly keys: readonly (readonly string[])[];
}

/** Throws ERR_USAGE for a key without tables. */
export function listSettings(sink: string, given: Undefinable<ListOptions>): ListSettings {
  const { lists, key } = optionsInCode(sink, listOptions, defined(given));
  const depth = depthOf(lists);
  if (key !== undefined && depth === 0) throw usageError(`${sink}: key needs lists=tables`);
  return { depth, keys: key === undefined ? [] : pathsIn(sink, key) };
}

/** Why an item is refused that has a list and no key. */
export const keyReason = ({ keys }: Pick<ListSettings, 'keys'>): string =>
  `has a list, and no value at ${keys.map((path) => `"${path.join('.')}"`).join(', ')}: rows of lists refer to the key`;

interface TableChoices {
  readonly lists: string;
  readonly key?: string | undefined;
  readonly columns: string;
  readonly mode: string;
}

/** The same for tables of a database. Throws ERR_USAGE where rows of lists cannot be those of their items. */
export function listSettingsOf(sink: string, { lists, key, columns, mode }: TableChoices): ListSettings {
  const depth = depthOf(lists);
  if (depth > 0 && columns === 'item') throw usageError(`${sink}: lists=tables needs columns=typed`);
  if (depth > 0 && mode === 'history') throw usageError(`${sink}: lists=tables needs another mode than history`);
  return { depth, keys: key === undefined ? [] : pathsIn(sink, key) };
}

function depthOf(lists: string): number {
  if (lists === 'json') return 0;
  const [, depth] = lists.split(':');
  return depth === undefined ? Number.POSITIVE_INFINITY : Number(depth);
}
