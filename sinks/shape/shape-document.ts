/** Shapes as a document of JSON Schema 2020-12: a schema for each data type in `$defs`. */
import { type Exact, ExactNumber, type ExactObject, isArray, isNumber, isObject } from '../../src/core/json/exact.js';
import { describeKind } from '../../src/core/options/read-options.js';
import { usageError } from '../../src/core/util/check-value.js';
import { didYouMean } from '../../src/core/util/suggest.js';
import {
  anything,
  columnTexts,
  formatNames,
  type Observed,
  type TextFormat,
  type TypeName,
  typeNames,
  type ValueShape,
} from './value-shape.js';

/** By data type. */
export type Shapes = ReadonlyMap<string, ValueShape>;

const dialect = 'https://json-schema.org/draft/2020-12/schema';

/** Keywords that say nothing of the values. */
const noteNames = ['title', 'description', '$comment', 'examples', 'deprecated'];
/** Keywords that need a type. */
const rules = ['properties', 'required', 'additionalProperties', 'items', 'enum', 'format'];
const ofRoot = ['$schema', '$id', '$defs', ...noteNames];

/** The document of shapes; `given` has other members of it. */
export const shapeDocument = (shapes: Shapes, given: ExactObject = new Map()): ExactObject =>
  new Map<string, Exact>([
    ['$schema', dialect],
    ...given,
    ['$defs', new Map([...shapes].map(([dataType, shape]) => [dataType, schemaOf(shape)]))],
  ]);

function schemaOf(shape: ValueShape): ExactObject {
  const { types, items, values, format, seen, notes = [] } = shape;
  const names = [...types].filter((name) => name !== 'null');
  const all = types.has('null') ? [...names, 'null'] : names;
  return new Map<string, Exact>([
    ...notes,
    ...entry('type', types.size === 0 ? undefined : all.length === 1 ? all[0] : all),
    ...(types.has('object') ? objectSchema(shape) : []),
    ...entry('items', items && schemaOf(items)),
    ...entry('enum', values && (types.has('null') ? [...values, null] : values)),
    ...entry('format', format),
    ...entry('x-seen', seen && seenMembers(seen)),
  ]);
}

const entry = (name: string, value: Exact | undefined): readonly (readonly [string, Exact])[] =>
  value === undefined ? [] : [[name, value]];

const objectSchema = ({ properties, required, rest }: ValueShape): readonly (readonly [string, Exact])[] => [
  ...entry('properties', new Map([...properties].map(([name, member]) => [name, schemaOf(member)]))),
  ...entry('required', [...required]),
  ...entry('additionalProperties', rest === undefined ? false : rest.types.size === 0 ? true : schemaOf(rest)),
];

const number = (value: number | string): ExactNumber => new ExactNumber(String(value));

const seenMembers = ({ count, nulls, missing, length, range, digits, column }: Observed): ExactObject =>
  new Map<string, Exact>([
    ['count', number(count)],
    ...entry('null', nulls === 0 ? undefined : number(nulls)),
    ...entry('missing', missing === 0 ? undefined : number(missing)),
    ...entry('length', length?.map(number)),
    ...entry('range', range?.map(number)),
    ...entry('digits', digits && [number(digits.whole), number(digits.scale)]),
    ...entry('double', digits?.fitsDouble === false ? false : undefined),
    ...entry('column', column),
  ]);

/** Reads shapes. `name`: what the document is, for messages. Throws ERR_USAGE with all that is wrong. */
export function readShapes(document: Exact, name: string): Shapes {
  const problems: string[] = [];
  const shapes = new Map<string, ValueShape>();
  const found = isObject(document) ? document.get('$defs') : undefined;
  if (!isObject(document) || !isObject(found)) {
    throw usageError(`${name} is no shape: expected "$defs" with a schema for each data type, as rxtract shape writes`);
  }
  mustBeKnown(document, ofRoot, '', problems);
  const written = document.get('$schema') ?? dialect;
  if (written !== dialect) problems.push(`$schema: expected "${dialect}"`);
  for (const [dataType, schema] of found) shapes.set(dataType, readNode(schema, `$defs.${dataType}`, problems));
  if (found.size === 0) problems.push('$defs: expected a schema for each data type, found none');
  if (problems.length > 0) throw usageError(problems.map((problem) => `${name}: ${problem}`).join('\n'));
  return shapes;
}

function mustBeKnown(given: ExactObject, known: readonly string[], path: string, problems: string[]): void {
  for (const keyword of given.keys()) {
    if (known.includes(keyword)) continue;
    const near = didYouMean(keyword, known);
    const place = path === '' ? keyword : `${path}.${keyword}`;
    problems.push(`${place}: unknown keyword${near === '' ? `: expected ${known.join(', ')}` : near}`);
  }
}

function readNode(schema: Exact, path: string, problems: string[]): ValueShape {
  if (schema === true) return anything;
  if (!isObject(schema)) {
    problems.push(`${path}: expected a schema, found ${describeKind(schema)}`);
    return anything;
  }
  mustBeKnown(schema, ['type', ...rules, ...noteNames, 'x-seen'], path, problems);
  const types = readTypes(schema.get('type'), `${path}.type`, problems);
  const alone = rules.find((keyword) => schema.has(keyword));
  if (types.size === 0 && alone !== undefined) problems.push(`${path}.${alone}: needs "type"`);
  const values = readValues(schema.get('enum'), types, `${path}.enum`, problems);
  const format = readWord<TextFormat>(schema.get('format'), formatNames, `${path}.format`, problems);
  const items = schema.get('items');
  const seen = readSeen(schema.get('x-seen'));
  const notes = [...schema].filter(([name]) => noteNames.includes(name));
  return {
    types,
    ...readMembers(schema, path, problems),
    ...(items === undefined ? {} : { items: readNode(items, `${path}.items`, problems) }),
    ...(values === undefined ? {} : { values }),
    ...(format === undefined ? {} : { format }),
    ...(seen === undefined ? {} : { seen }),
    ...(notes.length === 0 ? {} : { notes: new Map(notes) }),
  };
}

function readTypes(given: Exact | undefined, path: string, problems: string[]): ReadonlySet<TypeName> {
  if (given === undefined) return new Set();
  const words = isArray(given) ? given : [given];
  if (words.length === 0) problems.push(`${path}: expected a type, found an empty list`);
  return new Set(words.flatMap((word) => readWord<TypeName>(word, typeNames, path, problems) ?? []));
}

function readWord<Word extends string>(
  given: Exact | undefined,
  words: readonly Word[],
  path: string,
  problems: string[],
): Word | undefined {
  if (given === undefined) return undefined;
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  const [what, near] =
    typeof given === 'string' ? [JSON.stringify(given), didYouMean(given, words)] : [describeKind(given), ''];
  problems.push(`${path}: expected ${words.join(', ')}, found ${what}${near}`);
  return undefined;
}

function readValues(
  given: Exact | undefined,
  types: ReadonlySet<TypeName>,
  path: string,
  problems: string[],
): readonly string[] | undefined {
  if (given === undefined) return undefined;
  const texts = isArray(given) ? given.filter((value) => typeof value === 'string') : [];
  const isText = isArray(given) && given.every((value) => typeof value === 'string' || value === null);
  if (!isText || !types.has('string')) problems.push(`${path}: expected a list of strings, with the type string`);
  return texts;
}

function readMembers(
  schema: ExactObject,
  path: string,
  problems: string[],
): Pick<ValueShape, 'properties' | 'required' | 'rest'> {
  const given = schema.get('properties') ?? new Map();
  if (!isObject(given)) problems.push(`${path}.properties: expected an object, found ${describeKind(given)}`);
  const members = isObject(given) ? [...given] : [];
  const properties = new Map(
    members.map(([name, member]) => [name, readNode(member, `${path}.properties.${name}`, problems)]),
  );
  const required = readRequired(schema.get('required') ?? [], properties, `${path}.required`, problems);
  const others = schema.get('additionalProperties') ?? true;
  if (others === false) return { properties, required };
  return { properties, required, rest: readNode(others, `${path}.additionalProperties`, problems) };
}

function readRequired(
  given: Exact,
  properties: ReadonlyMap<string, ValueShape>,
  path: string,
  problems: string[],
): ReadonlySet<string> {
  const names = isArray(given) ? given.filter((name) => typeof name === 'string') : [];
  if (!isArray(given) || names.length < given.length) problems.push(`${path}: expected a list of names`);
  for (const name of names) {
    if (properties.has(name)) continue;
    problems.push(`${path}: "${name}" is not in "properties"${didYouMean(name, properties.keys())}`);
  }
  return new Set(names);
}

/** What is not as it was written counts as not seen. */
function readSeen(given: Exact | undefined): Observed | undefined {
  if (!isObject(given)) return undefined;
  const numbers = (value: Exact | undefined) => (isArray(value) ? value.filter(isNumber).map(({ text }) => text) : []);
  const count = (name: string) => Number(String(given.get(name) ?? 0)) || 0;
  const [shortest, longest] = numbers(given.get('length'));
  const [lowest, highest] = numbers(given.get('range'));
  const [whole, scale] = numbers(given.get('digits')).map(Number);
  const fitsDouble = given.get('double') !== false;
  const column = columnTexts.find((each) => each === given.get('column'));
  return {
    count: count('count'),
    nulls: count('null'),
    missing: count('missing'),
    ...(shortest === undefined || longest === undefined ? {} : { length: [Number(shortest), Number(longest)] }),
    ...(lowest === undefined || highest === undefined ? {} : { range: [lowest, highest] }),
    ...(whole === undefined || scale === undefined ? {} : { digits: { whole, scale, fitsDouble } }),
    ...(column === undefined ? {} : { column }),
  };
}
