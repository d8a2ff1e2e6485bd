/** `{"env": NAME}` in the schema: added at the end wherever a string is allowed, because it can replace any value. */

import { isSchema, type Json, type JsonSchema, when } from '../../core/options/json-schema.js';
import { part } from './members.js';

const variable: JsonSchema = {
  description: 'The value of an environment variable, as a string.',
  type: 'object',
  required: ['env'],
  properties: { env: { description: 'The name of the variable.', type: 'string' } },
  additionalProperties: false,
};

/** Adds the reference to every value that may be a string, and its definition. */
export function withVariables(schema: JsonSchema): JsonSchema {
  const definitions = schemaOf(schema.definitions);
  const extend = (each: JsonSchema) => withVariableMembers(each, definitions);
  return { ...extend(schema), definitions: { ...mapped(definitions, extend), variable } };
}

/** The same value, with members and elements that may be variables. */
function withVariableMembers(schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  const same = (each: JsonSchema) => withVariableMembers(each, definitions);
  const own = (each: JsonSchema) => withVariableItself(each, definitions);
  const rewritten: Readonly<Record<string, (value: Json) => Json>> = {
    properties: (value) => mapped(schemaOf(value), own),
    items: (value) => mapSchemas(value, own),
    additionalProperties: (value) => mapSchemas(value, own),
    anyOf: (value) => mapSchemas(value, same),
    allOf: (value) => mapSchemas(value, same),
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema; no one awaits this.
    then: (value) => mapSchemas(value, same),
    else: (value) => mapSchemas(value, same),
  };
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, rewritten[keyword]?.(value) ?? value]),
  );
}

/** A value at its own place. Its description stays outermost. */
function withVariableItself(schema: JsonSchema, definitions: JsonSchema): JsonSchema {
  const extended = withVariableMembers(schema, definitions);
  if (!takesText(schema, definitions)) return extended;
  const keywords = Object.entries(extended);
  const described = keywords.filter(([keyword]) => words.has(keyword));
  const judged = keywords.filter(([keyword]) => !words.has(keyword));
  return { ...Object.fromEntries(described), ...orVariable(Object.fromEntries(judged)) };
}

const words: ReadonlySet<string> = new Set(['description', 'default', 'examples']);

/** The description of an object with keys stays that of the object; of a choice, editors offer what is listed. */
function orVariable(schema: JsonSchema): JsonSchema {
  if (schema.if !== undefined) return when(part('variable'), undefined, schema);
  const { anyOf, ...others } = schema;
  const isChoice = Array.isArray(anyOf) && Object.keys(others).length === 0;
  return { anyOf: [...(isChoice ? anyOf : [schema]), part('variable')] };
}

/** Whether a string is allowed. An expression allows any object, so also a variable. */
function takesText(schema: JsonSchema, definitions: JsonSchema): boolean {
  const {
    $ref,
    type,
    enum: values = [],
    const: value,
    anyOf = [],
    then: fits = false,
    else: otherwise = false,
  } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/definitions/', '');
    return !name.startsWith('expression') && takesText(schemaOf(definitions[name]), definitions);
  }
  const types = [type].flat();
  if (types.includes('string')) return !types.includes('object');
  if ([values, value].flat().some((each) => typeof each === 'string')) return true;
  return [anyOf, fits, otherwise].flat().some((each) => isSchema(each) && takesText(each, definitions));
}

const schemaOf = (value: Json | undefined): JsonSchema => (isSchema(value) ? value : {});

const mapped = (schemas: JsonSchema, work: (schema: JsonSchema) => JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, mapSchemas(each, work)]));

/** Applies `work` to a schema, a list of schemas, or true or false. */
function mapSchemas(value: Json, work: (schema: JsonSchema) => JsonSchema): Json {
  if (Array.isArray(value)) return value.map((each: Json) => mapSchemas(each, work));
  return isSchema(value) ? work(value) : value;
}
