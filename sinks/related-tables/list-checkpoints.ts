/** The checkpoint of a data type with lists: that of its items, and those of its lists with their places. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, type ExactObject, isArray, isObject } from '../../src/core/json/exact.js';
import type { ListSettings } from './list-options.js';
import type { ListPlace, ListTable } from './row-tables.js';

/** The lists of a data type that an earlier process has written. */
export type LeftLists = ReadonlyMap<string, { readonly place: ListPlace; readonly at: Exact }>;

interface CommittedLists {
  /** The checkpoints by data type; undefined: nothing of it is committed. */
  readonly lists: ReadonlyMap<string, Exact | undefined>;
  readonly tables: ReadonlyMap<string, ListTable>;
}

/** `items`: the checkpoint of the items. */
export function listCheckpoint(items: Exact, { lists, tables }: CommittedLists, settings: ListSettings): ExactObject {
  const entries = [...lists].flatMap(([name, at]) => {
    const place = tables.get(name)?.place;
    return at === undefined || place === undefined
      ? []
      : [
          [
            name,
            new Map<string, Exact>([
              ['place', place],
              ['at', at],
            ]),
          ] as const,
        ];
  });
  return new Map<string, Exact>([
    ['items', items],
    ['listForm', formOf(settings)],
    ['lists', new Map(entries)],
  ]);
}

/** Takes checkpoints apart. Throws ERR_RESUME if they are from a run with other options. */
export function leftLists(checkpoints: ReadonlyMap<string, Exact>, settings: ListSettings) {
  const left = new Map<string, LeftLists>();
  const all = new Map<string, Exact>();
  for (const [dataType, checkpoint] of checkpoints) {
    const form = isObject(checkpoint) ? checkpoint.get('listForm') : undefined;
    const isPlain = form === undefined && settings.depth === 0;
    if (!isPlain && form !== formOf(settings)) throw otherOptions();
    if (isPlain || !isObject(checkpoint)) {
      all.set(dataType, checkpoint);
      continue;
    }
    all.set(dataType, checkpoint.get('items') ?? null);
    const lists = listsIn(checkpoint.get('lists'));
    for (const [name, { at }] of lists) all.set(name, at);
    left.set(dataType, lists);
  }
  return { left, checkpoints: all };
}

function listsIn(value: Exact | undefined): LeftLists {
  const lists = new Map<string, { readonly place: ListPlace; readonly at: Exact }>();
  if (!isObject(value)) throw otherOptions();
  for (const [name, list] of value) {
    const place = isObject(list) ? list.get('place') : undefined;
    if (!isObject(list) || !isPlace(place)) throw otherOptions();
    lists.set(name, { place, at: list.get('at') ?? null });
  }
  return lists;
}

const isPlace = (value: Exact | undefined): value is readonly (readonly string[])[] =>
  isArray(value) && value.every((path) => isArray(path) && path.every((name) => typeof name === 'string'));

/** Rows of other tables cannot be continued. */
const formOf = ({ depth, keys }: ListSettings): string =>
  JSON.stringify([depth === Number.POSITIVE_INFINITY ? 'all' : depth, keys]);

const otherOptions = () =>
  new ExtractError('ERR_RESUME', 'the run wrote tables with other options: resume with the same address');
