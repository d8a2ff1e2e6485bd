/** TypeScript types for values of a JSON Schema, used by `docs/types/configuration.ts`. */

import { isSchema, type Json, type JsonSchema } from '../../src/core/options/json-schema.js';

/** The name of the type for a definition of the schema. */
export type NameOf = (definition: string) => string;

/** The longest line of a comment, with space for its indentation. */
const mostInLine = 105;

/**
 * The type of the values of a schema, as one expression. It has the plain form of each value, without empty values,
 * lists written as objects, and numbers for true; null stays only if a key may be absent.
 */
export function typeOf(schema: Json, nameOf: NameOf): string {
  if (!isSchema(schema)) return schema === false ? 'never' : 'unknown';
  return union(typesOf(schema, nameOf));
}

/** The type without null, for a key that is optional already. */
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

/** Either branch, and the values of the test itself if only the test decides. */
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

/** A list that may be written as an object with numbers as keys. */
const isListToo = ({ type, items, properties }: JsonSchema): boolean =>
  Array.isArray(type) && type.includes('array') && items !== undefined && properties === undefined;

const isEmptyObject = ({ type, maxProperties }: JsonSchema): boolean => type === 'object' && maxProperties === 0;

function listType({ items }: JsonSchema, nameOf: NameOf): string {
  const each = typeOf(items ?? true, nameOf);
  return each.includes(' ') ? `readonly (${each})[]` : `readonly ${each}[]`;
}

/** A string: one of a few names in capitals or small letters, digits, or any. */
function textType({ pattern, type }: JsonSchema): readonly string[] {
  if (typeof pattern !== 'string') return ['string'];
  const names = /^\^\(([A-Z|]+)\)\$$/.exec(pattern.replace(/\[([A-Z])[a-z]\]/g, '$1'))?.[1]?.split('|');
  if (names !== undefined) return [`InAnyCase<${names.map(quoted).join(' | ')}>`];
  const isNumber = [type].flat().some((each) => each === 'integer' || each === 'number');
  return [isNumber && !['x', '1d'].some((text) => new RegExp(pattern).test(text)) ? 'Digits' : 'string'];
}

/** Next to true and false, their equivalent strings and numbers are left out, and so are empty values. */
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

/** Further definitions that an object must match. */
const partsOf = ({ allOf }: JsonSchema, nameOf: NameOf): readonly string[] =>
  Array.isArray(allOf) ? allOf.filter(isSchema).map((each) => typeOf(each, nameOf)) : [];

/** The members of an object with their descriptions, and an index signature if it allows others. */
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

/** A name as a member of a type or of an object. */
const nameOfMember = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key));

/** The description of a value, as a comment above it. */
export function comment({ description, default: without }: JsonSchema): string {
  const said = typeof description === 'string' ? [description] : [];
  const byDefault = without === undefined ? [] : [`Default: \`${JSON.stringify(without)}\`.`];
  return commentOf([...said, ...byDefault].join(' '));
}

/** A text as a comment of one or several lines, with a tag on its own line; empty if there is none. */
export function commentOf(text: string, tag = ''): string {
  const safe = text.replaceAll('*/', '*\\/');
  if (safe === '') return '';
  if (tag === '' && safe.length <= mostInLine) return `/** ${safe} */\n`;
  const lines = [...wrapped(safe, mostInLine), ...(tag === '' ? [] : [tag])];
  return ['/**', ...lines.map((line) => ` * ${line}`), ' */', ''].join('\n');
}

/** Lines of at most so many characters; a longer word gets its own line. */
function wrapped(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Indents each line by two spaces. */
export const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ');
