/** Reads and checks `placeholders` of a child job, before any request. docs/04-child-jobs.md#placeholders. */

import { type Exact, type ExactObject, isArray, isNumber, isObject, isPhpEmpty } from '../../core/json/exact.js';
import { didYouMean } from '../../core/util/suggest.js';
import { checkExpression, type Names } from '../../language/check-expressions.js';
import type { ConfigPath } from '../../language/config-path.js';
import { references } from '../../language/expression/references.js';
import { describeMismatch } from '../../language/read.js';

/** A placeholder: where its value is, and how it is converted. */
export interface Placeholder {
  /** Includes the prefix of its level, as in the braces of an endpoint. */
  readonly name: string;
  /** 1 is the row of the parent, 2 the row of its parent, and so on. */
  readonly level: number;
  readonly path: string;
  /** Converts the value at the path; absent: the value itself. */
  readonly expression?: ExactObject;
  /** It comes from `each`: no member is added to items, and without a place in the endpoint it is a parameter. */
  readonly isPartition?: true;
  /** A text of `download` names the path itself: no member is added to items. */
  readonly isImplied?: true;
}

/**
 * Reads the definitions of a job that is `depth` levels below the top, in order. Returns `undefined` if one can only
 * fail, after reporting it to `place`.
 */
export function readPlaceholders(
  place: ConfigPath,
  definitions: Exact | undefined,
  depth: number,
  names: Names,
): readonly Placeholder[] | undefined {
  if (definitions === undefined || isPhpEmpty(definitions)) return [];
  if (!isObject(definitions)) {
    place.problem(describeMismatch('an object', definitions));
    return undefined;
  }
  const read = [...definitions].map(([name, definition]) => {
    const at = place.at(name);
    return { isNear: isWithin(at, parseLevel(name), depth), made: readOne(at, name, definition, names) };
  });
  const made = read.flatMap(({ isNear, made }) => (isNear && made !== undefined ? [made] : []));
  return made.length === read.length ? made : undefined;
}

/** The placeholder that a name stands for without a definition: its path is the rest of the name. */
export const impliedPlaceholder = (name: string): Placeholder => {
  const level = parseLevel(name);
  return { name, level, path: name.includes(':') ? name.slice(name.indexOf(':') + 1) : name, isImplied: true };
};

/** Returns the number before the first colon; 1 without a colon; 0, which no row has, if it is no number. */
function parseLevel(name: string): number {
  const [prefix = '', ...rest] = name.split(':');
  if (rest.length === 0) return 1;
  return /^\d+$/.test(prefix) ? Number(prefix) : 0;
}

export function isWithin(place: ConfigPath, level: number, depth: number): boolean {
  if (level >= 1 && level <= depth) return true;
  place.problem(levelFault(level, depth));
  return false;
}

/** Describes that a level has no row. */
export function levelFault(level: number, depth: number): string {
  const most = depth === 1 ? 'the only level here' : `up to ${depth} here`;
  return `the level, the number before the colon, is ${level}: expected 1 for the item of the direct parent, ${most}`;
}

function readOne(place: ConfigPath, name: string, definition: Exact, names: Names): Placeholder | undefined {
  const level = parseLevel(name);
  if (isObject(definition)) {
    const path = pathOf(place.at('path'), definition.get('path') ?? null, 'a path');
    const expression: ExactObject = new Map([...definition].filter(([key]) => key !== 'path'));
    const fits = checkMaking(place, expression, names);
    return path === undefined || !fits ? undefined : { name, level, path, expression };
  }
  const path = pathOf(place, definition, 'a path, or an object with "path"');
  return path === undefined ? undefined : { name, level, path };
}

function pathOf(place: ConfigPath, value: Exact, expected: string): string | undefined {
  if (isNumber(value)) return value.text;
  if (typeof value === 'string' && value !== '') return value;
  place.problem(describeMismatch(expected, value));
  return undefined;
}

/** Whether the members besides `path` form a valid call. Reports unknown functions too. */
function checkMaking(place: ConfigPath, expression: ExactObject, names: Names): boolean {
  const isReference = expression.size === 1 && expression.has('placeholder');
  if (!expression.has('function') && !isReference) {
    place.problem('expected "function" and "args" beside "path", or "placeholder"');
    return false;
  }
  let fits = true;
  const watched = observe(place, () => {
    fits = false;
  });
  const scope = { ...names, references: [], place: 'placeholders' as const };
  checkExpression(watched, expression, scope);
  checkReferences(watched, expression);
  return fits;
}

/** Returns a place that also calls `onProblem` for each problem. */
function observe(place: ConfigPath, onProblem: () => void): ConfigPath {
  return {
    ...place,
    at: (...steps) => observe(place.at(...steps), onProblem),
    problem(message) {
      onProblem();
      place.problem(message);
    },
  };
}

/** Reports references to anything but the value of the placeholder itself. */
function checkReferences(place: ConfigPath, value: Exact): void {
  if (isArray(value)) for (const [index, each] of value.entries()) checkReferences(place.at(index), each);
  if (!isObject(value)) return;
  const [key = ''] = value.keys();
  const isLone = value.size === 1;
  if (isLone && key === 'placeholder' && value.get(key) !== 'value') place.at(key).problem('expected "value"');
  else if (isLone && key !== 'placeholder' && Object.hasOwn(references, key)) {
    place.at(key).problem('not allowed here: a placeholder can only refer to {"placeholder": "value"}');
  } else for (const [name, each] of value) checkReferences(place.at(name), each);
}

/** Warns of each `{name}` in an endpoint that is no placeholder. */
export function warnUnknownNames(place: ConfigPath, endpoint: Exact | undefined, names: readonly string[]): void {
  if (typeof endpoint !== 'string') return;
  for (const name of namesIn(endpoint).filter((each) => !names.includes(each))) {
    place.warn('not-filled', `there is no placeholder "${name}", so it is sent with its braces${hintFor(name, names)}`);
  }
}

/** The name may be that of a placeholder at another level. */
function hintFor(name: string, names: readonly string[]): string {
  const same = names.find((each) => bare(each) === bare(name));
  return same === undefined ? didYouMean(name, names) : `; did you mean "${same}"?`;
}

const bare = (name: string): string => name.replace(/^\d+:/, '');

/** Warns of placeholders in values that are not filled: parameters, headers. */
export function warnElsewhere(place: ConfigPath, value: Exact | undefined, names: readonly string[]): void {
  if (isArray(value)) for (const [index, each] of value.entries()) warnElsewhere(place.at(index), each, names);
  else if (isObject(value)) for (const [key, each] of value) warnElsewhere(place.at(key), each, names);
  const found = typeof value === 'string' ? namesIn(value).find((each) => names.includes(each)) : undefined;
  if (found === undefined) return;
  place.warn('not-filled', `the placeholder "${found}" is not filled in here, only in \`endpoint\`; sent unchanged`);
}

/** Texts in braces that could be names; JSON has quotes or blanks there. */
export const namesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\{([^{}"',\s]+)\}/g)].map(([, name = '']) => name)),
];
