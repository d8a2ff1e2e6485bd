/** Expressions as JSON Schema: definitions for each set of references in the tables. */

import type { FieldReference } from '../../core/model/field-reference.js';
import { type JsonSchema, objectOr, objectOrEmptyList, when } from '../../core/options/json-schema.js';
import { headerName, headerValue } from '../../core/url/headers.js';
import type { Argument, ExpressionFunction } from '../../language/expression/function.js';
import { references } from '../../language/expression/references.js';
import { functions } from '../../language/expression/registry.js';
import { sentence } from './descriptions.js';

/**
 * The definitions of a set: `evaluated` is an object that becomes one value, `expression` any value that contains such
 * objects, `expressions` a map of these, `headers` a map whose values are evaluated or literal.
 */
const uses = { evaluated, expression, expressions, headers };

type Use = keyof typeof uses;
type References = readonly FieldReference[];

/** Listed for keywords that apply to one type only. */
const anyType = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** Refers to the definition. */
export const over = (use: Use, set: References): JsonSchema => ({
  $ref: `#/definitions/${[use, ...[...set].sort()].join('.')}`,
});

/** Returns the definitions that a schema refers to, directly or through others. */
export function expressionDefinitions(schema: JsonSchema): JsonSchema {
  const names = JSON.stringify(schema).matchAll(/"#\/definitions\/(?:evaluated|expressions?|headers)\.([\w.]+)"/g);
  const sets = [...new Set([...names].map(([, joined = '']) => joined))].sort().map(setOf);
  const perSet = sets.flatMap((set) =>
    Object.entries(uses).map(([use, define]) => [[use, ...set].join('.'), define(set)] as const),
  );
  const places = [...new Set(sets.map(callOf))].map((name) => [name, call(name)] as const);
  return {
    headers: literalHeaders,
    header: headerSchema,
    arguments: argumentsOfAll(),
    ...Object.fromEntries([...places, ...perSet]),
  };
}

const setOf = (joined: string): References =>
  joined.split('.').flatMap((each) => Object.keys(references).filter((name): name is FieldReference => name === each));

const isCall: JsonSchema = { type: 'object', required: ['function'] };

function evaluated(set: References): JsonSchema {
  const each = over('expression', set);
  const args = {
    ...sized,
    description: 'Its arguments: expressions.',
    items: each,
    additionalProperties: each,
  };
  const reference = {
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    properties: { ...offered(set), ...referencesOf(set, { type: ['string', 'number'] }) },
    additionalProperties: false,
  };
  const calling = {
    type: 'object',
    allOf: [{ $ref: `#/definitions/${callOf(set)}` }],
    properties: { function: true, args },
    additionalProperties: false,
  };
  return when(isCall, calling, reference);
}

/** For editors: if there is a function already, another schema applies. */
const offered = (set: References): JsonSchema => ({
  function: { $ref: `#/definitions/${callOf(set)}/properties/function` },
});

const referencesOf = (set: References, schema: JsonSchema): JsonSchema =>
  Object.fromEntries(set.map((name) => [name, { description: sentence(references[name].summary), ...schema }]));

/** A reference is alone in its object; beside other members its name is an ordinary one. */
function expression(set: References): JsonSchema {
  const each = over('expression', set);
  const isReference = { type: 'object', minProperties: 1, maxProperties: 1, propertyNames: { enum: [...set] } };
  return when({ anyOf: [isCall, isReference] }, over('evaluated', set), {
    type: [...anyType],
    items: each,
    properties: { ...offered(set), ...referencesOf(set, { allOf: [each] }) },
    additionalProperties: each,
  });
}

/** A list that is a direct member is sent unchanged. */
function expressions(set: References): JsonSchema {
  return { ...objectOrEmptyList, additionalProperties: when({ type: 'array' }, undefined, over('expression', set)) };
}

const sized: JsonSchema = { type: ['array', 'object', 'null'] };

const single: JsonSchema = {
  type: ['string', 'number', 'boolean', 'null'],
  pattern: headerValue.source.replace(/^\^(.*)\$$/, '^\\s*$1\\s*$'),
};

const headerSchema: JsonSchema = { anyOf: [single, { type: 'array', items: single }] };

const headerMap = (value: JsonSchema): JsonSchema => ({
  ...objectOrEmptyList,
  propertyNames: { type: 'string', pattern: headerName.source },
  additionalProperties: value,
});

const literalHeaders = headerMap({ $ref: '#/definitions/header' });

function headers(set: References): JsonSchema {
  return headerMap(objectOr(over('evaluated', set), { $ref: '#/definitions/header' }));
}

/** Some functions can be called only if there is a placeholder to refer to. */
const callOf = (set: References): string => (set.includes('placeholder') ? 'call.placeholders' : 'call');

function call(name: string): JsonSchema {
  const callable = Object.entries<ExpressionFunction>(functions).filter(
    ([, { only }]) => only === undefined || name === `call.${only}`,
  );
  const names = callable.map(([name, { summary }]) => ({ const: name, description: sentence(summary) }));
  return {
    type: 'object',
    properties: { function: { description: 'The function to call.', anyOf: names }, args: sized },
    required: ['function'],
    allOf: [{ $ref: '#/definitions/arguments' }],
  };
}

/** The arguments of each function, wherever it can be called. */
const argumentsOfAll = (): JsonSchema => ({
  type: 'object',
  allOf: Object.entries<ExpressionFunction>(functions).map(([name, { args }]) =>
    when({ properties: { function: { const: name } } }, taking(args)),
  ),
});

/** Arguments can be given by name too, in their order. */
function taking(args: readonly Argument[]): JsonSchema {
  const least = args.filter(({ optional, variadic }) => optional === undefined && variadic === undefined).length;
  const most = args.some(({ variadic }) => variadic === true) ? undefined : args.length;
  const described = args.map(({ name, summary }) => `${name}: ${summary}`).join('; ');
  return {
    properties: {
      args: {
        ...(described === '' ? {} : { description: sentence(described) }),
        ...(least === 0 ? sized : { type: ['array', 'object'], minItems: least, minProperties: least }),
        ...(most === undefined ? {} : { maxItems: most, maxProperties: most }),
      },
    },
    ...(least === 0 ? {} : { required: ['args'] }),
  };
}
