/**
 * Locates the items by the data field: decides for each value whether the items begin here, and whether a duplicate
 * discards earlier ones.
 */
import { ExtractError } from '../../core/errors/errors.js';
import type { DataField } from '../../core/model/job.js';
import type { Path } from './states.js';

/**
 * 'list' may be empty; 'scalar' is one item; 'empty' is a missing value, null, false, 0, "" or "0"; 'none': the
 * automatic search found no array; 'absent': a body that is not JSON has no place for items, or may have none: no such
 * element, no header.
 */
export type LocatedItems = 'list' | 'object' | 'scalar' | 'empty' | 'none' | 'absent';

/** A value on the path of the data field; `depth` 0 is the whole response. */
export interface ItemsOpening {
  readonly depth: number;
  readonly first: number;
  /** The member's name, if the value is a top-level member. */
  readonly name: string;
  readonly offset: number;
}

export interface ItemsLocator {
  readonly path: Path;
  found(): LocatedItems;
  /** The scalar counts as nothing. */
  reject(): void;
  open(opening: ItemsOpening): { readonly begins: boolean; readonly restarts: boolean };
}

export const OPEN_ARRAY = 0x5b;
export const OPEN_OBJECT = 0x7b;

export function createTarget(dataField: DataField): ItemsLocator {
  return dataField.kind === 'auto' ? automatic() : atPath(dataField.segments);
}

function kindOf(first: number): LocatedItems {
  if (first === OPEN_ARRAY) return 'list';
  return first === OPEN_OBJECT ? 'object' : 'scalar';
}

function atPath(path: readonly string[]): ItemsLocator {
  let found: LocatedItems = 'empty';
  let hasBegun = false;
  return {
    path,
    found: () => found,
    reject: () => {
      found = 'empty';
    },
    open: ({ depth, first }) => {
      const restarts = hasBegun;
      hasBegun = depth === path.length;
      found = hasBegun ? kindOf(first) : 'empty';
      return { begins: hasBegun, restarts };
    },
  };
}

const topLevel: Path = [null];

/** Every top-level member is on the path; the first array holds the items. docs/12-compatibility.md#items. */
function automatic(): ItemsLocator {
  let found: LocatedItems = 'none';
  let list: string | undefined;

  function openRoot(first: number, offset: number) {
    if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) {
      throw new ExtractError('ERR_DATA_FIELD', 'the response is a bare scalar; expected an object or an array', {
        offset,
      });
    }
    found = first === OPEN_ARRAY ? 'list' : 'none';
    return { begins: found === 'list', restarts: false };
  }

  function openMember(name: string, first: number, offset: number) {
    const restarts = name === list;
    if (restarts) {
      list = undefined;
      found = 'none';
    }
    if (first !== OPEN_ARRAY) return { begins: false, restarts };
    if (list !== undefined) throw ambiguous(list, name, offset);
    list = name;
    found = 'list';
    return { begins: true, restarts };
  }

  return {
    path: topLevel,
    found: () => found,
    reject: () => undefined,
    open: ({ depth, first, name, offset }) => (depth === 0 ? openRoot(first, offset) : openMember(name, first, offset)),
  };
}

/** Messages truncate longer names. */
const SHOWN = 80;

const shown = (name: string) => JSON.stringify(name.length > SHOWN ? `${name.slice(0, SHOWN)}...` : name);

const ambiguous = (list: string, name: string, offset: number) =>
  new ExtractError(
    'ERR_DATA_FIELD',
    `more than one array at the top level of the response: ${shown(list)} and ${shown(name)}; set dataField to the one with the items`,
    { offset },
  );
