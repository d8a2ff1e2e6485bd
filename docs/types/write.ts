/** TypeScript for the values that a JSON Schema takes: what `docs/types/configuration.ts` puts together. */
import type { Json, JsonSchema } from '../../src/language/json-schema.js';

/** The type that a definition of the schema has, by its name. */
export type NameOf = (definition: string) => string;

/** The longest line of a comment, with room for where it is moved to. */
const mostInLine = 105;

/**
 * The type of what a schema takes, as one expression. A type has the plain form of each value: the empty values, lists
 * written as objects and numbers for true that the language takes besides are left out, and null stays where a key may
 * be absent.
 */
export function typeOf(schema: Json, nameOf: NameOf): string {
  if (!isSchema(schema)) return schema === false ? 'never' : 'unknown';
  return union(typesOf(schema, nameOf));
}

/** What the schema takes besides a null: the type of a key that says itself that it may be absent. */
const union = (types: readonly string[]): string => {
  const distinct = [...new Set(types)].filter((each) => each !== 'never');
  const ordered = [...distinct.filter((each) => each !== 'null'), ...distinct.filter((each) => each === 'null')];
  if (ordered.includes('unknown')) return 'unknown';
  return ordered.length === 0 ? 'never' : ordered.join(' | ');
};

function typesOf(schema: JsonSchema, nameOf: NameOf): readonly string[] {
  const same = (each: Json | undefined) => (isSchema(each) ? typesOf(each, nameOf) : []);
  const { $ref, const: value, enum: values, anyOf, if: test } = schema;
  if (typeof $ref === 'string') return [nameOf($ref.replace('#/definitions/', ''))];
  if (isEmptyObject(schema)) return [];
  if (value !== undefined) return [literal(value)];
  if (Array.isArray(values)) return literals(values);
  if (test !== undefined) return conditional(schema, nameOf);
  if (Array.isArray(anyOf) && schema.properties === undefined && schema.type === undefined) return anyOf.flatMap(same);
  if (Array.isArray(anyOf) && schema.type === 'string') return anyOf.flatMap(same);
  return valuesOf(schema, nameOf);
}

/** Either branch, and what the test itself takes where it alone decides. */
function conditional({ if: test = {}, then: fits, else: otherwise }: JsonSchema, nameOf: NameOf): readonly string[] {
  const types = (each: Json | undefined) => (isSchema(each) ? typesOf(each, nameOf) : []);
  if (fits !== undefined) return [...types(fits), ...types(otherwise)];
  return [...types(otherwise), ...types(test)];
}

function valuesOf(schema: JsonSchema, nameOf: NameOf): readonly string[] {
  const types = [schema.type ?? (hasMembers(schema) ? 'object' : [])].flat();
  if (types.length === 0) return ['unknown'];
  return types.flatMap((type) => {
    if (type === 'object') return isListToo(schema) ? [] : [objectType(schema, nameOf)];
    if (type === 'array') return schema.maxItems === 0 ? [] : [listType(schema, nameOf)];
    if (type === 'string') return textType(schema);
    return type === 'number' || type === 'integer' ? ['Numeric'] : [String(type)];
  });
}

const hasMembers = ({ properties, additionalProperties }: JsonSchema): boolean =>
  properties !== undefined || additionalProperties !== undefined;

/** A list that may be written as an object with numbers for keys. */
const isListToo = ({ type, items, properties }: JsonSchema): boolean =>
  Array.isArray(type) && type.includes('array') && items !== undefined && properties === undefined;

const isEmptyObject = ({ type, maxProperties }: JsonSchema): boolean => type === 'object' && maxProperties === 0;

function listType({ items }: JsonSchema, nameOf: NameOf): string {
  const each = typeOf(items ?? true, nameOf);
  return each.includes(' ') ? `readonly (${each})[]` : `readonly ${each}[]`;
}

/** A text: one of a few names in capitals or small letters, digits, or any. */
function textType({ pattern, type }: JsonSchema): readonly string[] {
  if (typeof pattern !== 'string') return ['string'];
  const names = /^\^\(([A-Z|]+)\)\$$/.exec(pattern.replace(/\[([A-Z])[a-z]\]/g, '$1'))?.[1]?.split('|');
  if (names !== undefined) return [`InAnyCase<${names.map(quoted).join(' | ')}>`];
  const isNumber = [type].flat().some((each) => each === 'integer' || each === 'number');
  return [isNumber && !new RegExp(pattern).test('x') ? 'Digits' : 'string'];
}

/** Where true and false are among them, the texts and numbers that stand for them are left out; so is what is empty. */
function literals(values: readonly Json[]): readonly string[] {
  const isFlag = values.includes(true) && values.includes(false);
  const left: readonly Json[] = [false, 0, '', '0', ...(isFlag ? [true, 1, '1', 'true', 'false'] : [])];
  const kept = values.filter((each) => each !== null && typeof each !== 'object' && !left.includes(each));
  return [...(isFlag ? ['boolean'] : []), ...kept.map(literal), ...(values.includes(null) ? ['null'] : [])];
}

const literal = (value: Json): string => (typeof value === 'string' ? quoted(value) : JSON.stringify(value));

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function objectType(schema: JsonSchema, nameOf: NameOf): string {
  const { additionalProperties: others = true, properties } = schema;
  if (properties !== undefined)
    return [...partsOf(schema, nameOf), `{\n${indented(membersOf(schema, nameOf))}\n}`].join(' & ');
  if (others === true) return 'OpenObject';
  return `{ readonly [name: string]: ${typeOf(others, nameOf)} | undefined }`;
}

/** The definitions that an object has to fit besides. */
const partsOf = ({ allOf }: JsonSchema, nameOf: NameOf): readonly string[] =>
  Array.isArray(allOf) ? allOf.filter(isSchema).map((each) => typeOf(each, nameOf)) : [];

/** The members of an object, each with what is said of it, and an index where there may be others. */
export function membersOf(schema: JsonSchema, nameOf: NameOf, left: readonly string[] = []): string {
  const required = requiredOf(schema);
  const named = Object.entries(schema.properties ?? {})
    .filter(([key, each]) => each !== true && !left.includes(key))
    .map(([key, each]) => member(key, each, { nameOf, isRequired: required.includes(key) }));
  const { additionalProperties: others = {} } = schema;
  const isOpen = isSchema(others) && Object.keys(others).every((each) => each === 'description');
  const index = isOpen ? [`${comment(others)}readonly [name: string]: unknown;`] : [];
  return [...named, ...index].join('\n');
}

const requiredOf = ({ required, anyOf }: JsonSchema): readonly Json[] => {
  const without = Array.isArray(anyOf) ? anyOf.filter(isSchema) : [];
  return [required, ...without.map((each) => each.required)].flatMap((each) => (Array.isArray(each) ? each : []));
};

interface MemberOptions {
  readonly nameOf: NameOf;
  readonly isRequired: boolean;
}

function member(key: string, schema: Json, { nameOf, isRequired }: MemberOptions): string {
  const type = typeOf(schema, nameOf);
  const name = `readonly ${nameOfMember(key)}`;
  const said = isSchema(schema) ? comment(schema) : '';
  if (isRequired) return `${said}${name}: ${type};`;
  return `${said}${name}?: ${type === 'unknown' ? type : `${type} | undefined`};`;
}

/** A name as a member of a type or of an object is written. */
const nameOfMember = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key));

/** What a schema says of its value, above it. */
export function comment({ description, default: without }: JsonSchema): string {
  const said = typeof description === 'string' ? [description] : [];
  const byDefault = without === undefined ? [] : [`Default: \`${JSON.stringify(without)}\`.`];
  return commentOf([...said, ...byDefault].join(' '));
}

/** A text as a comment, a line or several, with a tag on a line of its own; empty where there is none. */
export function commentOf(text: string, tag = ''): string {
  const safe = text.replaceAll('*/', '*\\/');
  if (safe === '') return '';
  if (tag === '' && safe.length <= mostInLine) return `/** ${safe} */\n`;
  const lines = [...wrapped(safe, mostInLine), ...(tag === '' ? [] : [tag])];
  return ['/**', ...lines.map((line) => ` * ${line}`), ' */', ''].join('\n');
}

/** Lines of so many characters at most; a longer word has one of its own. */
function wrapped(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Each line two spaces further in. */
export const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');

export const isSchema = (value: Json | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
