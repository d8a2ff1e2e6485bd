/** How values differ from a shape. */
import type { TypeName, ValueShape } from './value-shape.js';

/** How an item differs from the shape. `absent`: a required member is missing. */
export type Change = 'new' | 'absent' | 'null' | 'type' | 'value' | 'format';

export interface Difference {
  readonly path: string;
  readonly change: Change;
  /** In words, such as `"email" is null`. */
  readonly message: string;
}

/** Whether the objects of `found` lack a member that those of `shape` have. */
export type Lacks = (shape: ValueShape, found: ValueShape, name: string) => boolean;

/** One of the objects lacks it. */
const oneLacks: Lacks = (_, found, name) => !found.required.has(name);

/** How the values of `found` differ from `shape`, in the order of the shape. `lacks`: for required members. */
export function differencesOf(shape: ValueShape, found: ValueShape, lacks = oneLacks): readonly Difference[] {
  const all: Difference[] = [];
  compare(shape, found, { path: '', lacks, all });
  return all;
}

interface Comparison {
  readonly path: string;
  readonly lacks: Lacks;
  readonly all: Difference[];
}

function compare(shape: ValueShape, found: ValueShape, comparison: Comparison): void {
  const { path, all } = comparison;
  if (shape.types.size === 0) return;
  const others = [...found.types].filter((type) => !accepts(shape, type));
  for (const type of others) all.push(typeDifference(shape, type, path));
  if (found.types.has('string') && shape.types.has('string')) compareTexts(shape, found, path, all);
  if (found.types.has('object') && shape.types.has('object')) compareMembers(shape, found, comparison);
  if (shape.items !== undefined && found.items !== undefined && shape.types.has('array')) {
    compare(shape.items, found.items, { ...comparison, path: `${path}[]` });
  }
}

const accepts = ({ types }: ValueShape, type: TypeName): boolean =>
  types.has(type) || (type === 'integer' && types.has('number'));

function typeDifference({ types }: ValueShape, type: TypeName, path: string): Difference {
  const expected = [...types].join(' or ');
  if (type === 'null') return { path, change: 'null', message: `${shown(path)} is null, and never was: ${expected}` };
  return { path, change: 'type', message: `${shown(path)} is ${type}, and was ${expected}` };
}

function compareTexts(shape: ValueShape, found: ValueShape, path: string, all: Difference[]): void {
  const { values, format } = shape;
  const others = values === undefined ? [] : (found.values ?? []).filter((value) => !values.includes(value));
  for (const value of others) {
    const text = value.length > longestShown ? `a text of ${value.length} characters` : JSON.stringify(value);
    all.push({
      path,
      change: 'value',
      message: `${shown(path)} is ${text}, which is new in its ${values?.length} values`,
    });
  }
  if (format === undefined || found.format === format) return;
  all.push({ path, change: 'format', message: `${shown(path)} is no ${format}` });
}

/** A longer text may be cut within a secret. */
const longestShown = 64;

function compareMembers(shape: ValueShape, found: ValueShape, comparison: Comparison): void {
  const { path, lacks, all } = comparison;
  for (const name of shape.required) {
    if (!lacks(shape, found, name)) continue;
    const place = pathTo(path, name);
    all.push({ path: place, change: 'absent', message: `${shown(place)} is missing` });
  }
  for (const [name, member] of found.properties) {
    const place = pathTo(path, name);
    const known = shape.properties.get(name) ?? shape.rest;
    if (known !== undefined) compare(known, member, { ...comparison, path: place });
    else all.push({ path: place, change: 'new', message: `${shown(place)} is new: ${[...member.types].join(' or ')}` });
  }
}

const pathTo = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const shown = (path: string): string => (path === '' ? 'the item' : JSON.stringify(path));
