/** The JSON Schema of configurations, draft-07, which editors support best. Made of the tables and registries only. */

import { type JsonSchema, objectOr, when } from '../../core/options/json-schema.js';
import { parametersFields, wrappingFields } from '../config-fields.js';
import { type Section, sections } from '../sections.js';
import { parseExample, sentence } from './descriptions.js';
import { withVariables } from './env-references.js';
import { expressionDefinitions } from './expressions.js';
import { empty, part, properties, requiredOf } from './members.js';
import { authentication, pagination } from './registry-schema.js';

/** A name, not an address: nothing is downloaded. */
const id = 'urn:rxtract:configuration';

/** Accepts what `parseConfig` accepts, except for rules between values at several places. */
export function configurationSchema(): JsonSchema {
  const { summary, fields } = sections[''];
  const parts = { ...sectionDefinitions(), iteration, parameters: parameters(), complete, empty };
  const definitions = { ...parts, pagination: pagination(), authentication: authentication() };
  return withVariables({
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: id,
    title: 'rxtract configuration',
    description: sentence(summary),
    type: 'object',
    properties: properties(fields, ''),
    additionalProperties: false,
    ...when({ required: ['parameters'] }, { propertyNames: { enum: Object.keys(wrappingFields) } }, part('complete')),
    examples: [parseExample(sections[''])],
    definitions: { ...definitions, ...expressionDefinitions(definitions) },
  });
}

/** One definition for each section except the document itself. */
function sectionDefinitions(): JsonSchema {
  const named = Object.entries<Section>(sections).filter(([path]) => path !== '');
  return Object.fromEntries(
    named.map(([path, section]) => [path, { ...words(section), ...sectionSchema(path, section) }]),
  );
}

const words = ({ summary }: Section): JsonSchema => ({ description: sentence(summary) });

function sectionSchema(path: string, { fields, others, replaces }: Section): JsonSchema {
  const apart = Object.entries(fields).flatMap(([key, { excludes = [] }]) => excludes.map((each) => [key, each]));
  const together = apart.length === 0 ? {} : { allOf: apart.map(notTogether) };
  const object = { type: 'object', properties: properties(fields, path), ...together };
  const required = requiredOf(fields).filter((key) => key !== replaces?.key);
  const unless = replaces === undefined ? {} : when(oneOf(replaces.by), undefined, { required: [replaces.key] });
  if (others === undefined) return { ...object, required, ...unless, additionalProperties: false };
  return { ...object, additionalProperties: { description: sentence(others) } };
}

const oneOf = (keys: readonly string[]): JsonSchema => ({ anyOf: keys.map((key) => ({ required: [key] })) });

/** At most one of the keys has a value that is not empty. */
const notTogether = (keys: readonly string[]): JsonSchema => {
  const given = { not: { anyOf: [part('empty'), { type: 'object', maxProperties: 0 }] } };
  return { not: { required: keys, properties: Object.fromEntries(keys.map((key) => [key, given])) } };
};

/** What an iteration overrides in `config`: the same keys, or none. */
const iteration: JsonSchema = objectOr(part('config'), { type: 'array', maxItems: 0 });

const parameters = (): JsonSchema => ({
  type: 'object',
  properties: properties(parametersFields, ''),
  additionalProperties: false,
  allOf: [part('complete')],
});

const iterates: JsonSchema = {
  required: ['iterations'],
  properties: { iterations: { type: 'array', minItems: 1 } },
};

const needed: JsonSchema = { type: 'object', required: requiredOf(sections.config.fields) };

const inConfig: JsonSchema = { properties: { config: needed } };

const inEachIteration: JsonSchema = { properties: { iterations: { type: 'array', items: needed } } };

/**
 * The required keys of `parameters`, or of the document without it. Required keys of `config` may come from iterations.
 */
const complete: JsonSchema = {
  type: 'object',
  required: requiredOf(parametersFields),
  ...when(iterates, { anyOf: [inConfig, inEachIteration] }, inConfig),
};
