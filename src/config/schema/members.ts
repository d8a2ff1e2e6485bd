/** Tables of keys as JSON Schema: the type of each key by its struct, and its description. */

import { isSchema, type Json, type JsonSchema, objectOrEmptyList, when } from '../../core/options/json-schema.js';
import type { Kind, OptionRow, OptionRows, SchemaWriter } from '../../core/options/kind.js';
import { object } from '../../language/kinds.js';
import { type Section, sections } from '../sections.js';
import { describeField, parseExample } from './descriptions.js';
import { over } from './expressions.js';

/** Refers to a definition by name. */
export const part = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` });

/** Writes the JSON Schemas of structs. */
const writer: SchemaWriter = {
  of: ({ schema }) => schema(writer),
  members: (fields) => members(fields),
  expression: (references) => over('expression', references),
  expressions: (references) => over('expressions', references),
  evaluated: (references) => over('evaluated', references),
  part,
};

/** An object with these keys and no others; an empty list is allowed if no key is required. */
export function members(fields: OptionRows, path?: string): JsonSchema {
  const required = requiredOf(fields);
  return {
    ...(required.length > 0 ? { type: 'object', required } : objectOrEmptyList),
    properties: properties(fields, path),
    additionalProperties: false,
  };
}

export const requiredOf = (fields: OptionRows): readonly string[] =>
  Object.keys(fields).filter((key) => fields[key]?.required === true);

/**
 * The schema of each key. `path` is where the keys are in the configuration; sections below it have their own
 * descriptions.
 */
export function properties(fields: OptionRows, path?: string): JsonSchema {
  const pathOf = (key: string) => (path === '' || path === undefined ? key : `${path}.${key}`);
  const sectionOf = (key: string) => (path === undefined ? undefined : sectionAt(pathOf(key)));
  const named = Object.entries(fields).map(([key, row]) => {
    const schema = ifThere(row, member(key, row.kind));
    return [key, { ...describeField(row), ...examplesOf(sectionOf(key)), ...schema }] as const;
  });
  return Object.fromEntries(named);
}

const sectionAt = (path: string): Section | undefined => new Map(Object.entries<Section>(sections)).get(path);

const examplesOf = (section: Section | undefined): JsonSchema =>
  section === undefined ? {} : { examples: [parseExample(section)] };

/** A key called `headers` contains headers, as for its reader. */
function member(key: string, kind: Kind<unknown>): JsonSchema {
  if (key !== 'headers' || kind.struct.type !== object.struct.type) return kind.schema(writer);
  return kind.references === undefined ? part('headers') : over('headers', kind.references);
}

/** A key that is not required may be null; one that may be empty allows any empty value. */
function ifThere({ required, emptyIsAbsent }: OptionRow, schema: JsonSchema): JsonSchema {
  if (emptyIsAbsent !== undefined) return orEmpty(schema);
  return required === true || Object.keys(schema).length === 0 ? schema : orNull(schema);
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] };
  if (Array.isArray(type)) return { ...schema, type: [...type, 'null'] };
  if (Array.isArray(values)) return { enum: [...values, null] };
  return { anyOf: [schema, { type: 'null' }] };
}

const emptyValues: readonly Json[] = [null, false, 0, '', '0', []];

/** Empty values, except the empty object: there an editor completes keys. */
export const empty: JsonSchema = { enum: emptyValues };

const distinct = (values: readonly Json[]): readonly Json[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

const emptyObject: JsonSchema = { type: 'object', maxProperties: 0 };

/** Whether the schema itself judges an empty object: it has no other type, or refers to a part of its own. */
const takesObjects = ({ type = 'object' }: JsonSchema): boolean =>
  Array.isArray(type) ? type.includes('object') : type === 'object';

/** The schema, or an empty value. */
export function orEmpty(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.enum)) return { enum: distinct([...schema.enum, ...emptyValues, {}]) };
  const isEmpty = takesObjects(schema) ? part('empty') : { anyOf: [part('empty'), emptyObject] };
  const { examples, ...judged } = schema; // Editors offer examples, but not inside a condition.
  return { ...(examples === undefined ? {} : { examples }), ...when(isEmpty, undefined, withoutRequired(judged)) };
}

/** An object without any key need not have the required ones. */
export function withoutRequired(schema: JsonSchema): JsonSchema {
  const { required, ...rest } = schema;
  if (required !== undefined) return { ...rest, anyOf: [{ maxProperties: 0 }, { required }] };
  const { then: object } = schema;
  return isSchema(object) ? { ...schema, ...when({ type: 'object' }, withoutRequired(object)) } : schema;
}
