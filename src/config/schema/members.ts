/** Tables of keys as JSON Schema: the type of each key by its struct, and its description. */

import { referencesOf } from '../../language/expression-fields.js';
import { object } from '../../language/fields.js';
import {
  type Json,
  type JsonSchema,
  jsonSchemaOf,
  objectOrEmptyList,
  type SchemaWriter,
  when,
} from '../../language/json-schema.js';
import { fieldsOf } from '../../language/object-fields.js';
import type { AnyField, AnyFields, AnyStruct } from '../../language/types.js';
import { type Section, sections } from '../sections.js';
import { describeField, parseExample } from './descriptions.js';
import { over } from './expressions.js';

/** Refers to a definition by name. */
export const part = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` });

/** Writes the JSON Schemas of structs. */
const writer: SchemaWriter = {
  of: takenBy,
  members: (fields) => members(fields),
  expression: (references) => over('expression', references),
  evaluated: (references) => over('evaluated', references),
  part,
};

/** An object with these keys and no others; an empty list is allowed if no key is required. */
export function members(fields: AnyFields, path?: string): JsonSchema {
  const required = requiredOf(fields);
  return {
    ...(required.length > 0 ? { type: 'object', required } : objectOrEmptyList),
    properties: properties(fields, path),
    additionalProperties: false,
  };
}

export const requiredOf = (fields: AnyFields): readonly string[] =>
  Object.keys(fields).filter((key) => fields[key]?.required === true);

/**
 * The schema of each key. `path` is where the keys are in the configuration; sections below it have their own
 * descriptions.
 */
export function properties(fields: AnyFields, path?: string): JsonSchema {
  const pathOf = (key: string) => (path === '' || path === undefined ? key : `${path}.${key}`);
  const sectionOf = (key: string) => (path === undefined ? undefined : sectionAt(pathOf(key)));
  const named = Object.entries(fields).map(([key, field]) => {
    const section = sectionOf(key);
    const schema = section === undefined || jsonSchemaOf(field.type) ? member(key, field.type) : part(pathOf(key));
    return [key, { ...describeField(field), ...examplesOf(section), ...ifThere(field, schema) }] as const;
  });
  return Object.fromEntries(named);
}

const sectionAt = (path: string): Section | undefined => new Map(Object.entries<Section>(sections)).get(path);

const examplesOf = (section: Section | undefined): JsonSchema =>
  section === undefined ? {} : { examples: [parseExample(section)] };

/** A key called `headers` contains headers, as for its reader. */
function member(key: string, type: AnyStruct): JsonSchema {
  if (key !== 'headers' || type.type !== object.type) return takenBy(type);
  const references = referencesOf(type);
  return references === undefined ? part('headers') : over('headers', references);
}

function takenBy(type: AnyStruct): JsonSchema {
  const form = jsonSchemaOf(type);
  if (form !== undefined) return form(writer);
  const references = referencesOf(type);
  if (references !== undefined) return over('expressions', references);
  const fields = fieldsOf(type);
  return fields === undefined ? {} : members(fields);
}

/** A key that is not required may be null; one that may be empty allows any empty value. */
function ifThere({ required, emptyIsAbsent }: AnyField, schema: JsonSchema): JsonSchema {
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

const isSchema = (value: JsonSchema[string] | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
