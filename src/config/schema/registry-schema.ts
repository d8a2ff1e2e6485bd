/**
 * The parts of a configuration that name an entry of a registry, `api.pagination` and `api.authentication`, as JSON
 * Schema.
 */

import { authentications } from '../../auth/registry.js';
import { type JsonSchema, objectOrEmptyList, when } from '../../core/options/json-schema.js';
import type { OptionRows } from '../../core/options/kind.js';
import { paginators, stopRules } from '../../pagination/registry.js';
import { besideMethod } from '../pagination-fields.js';
import { parseExample, sentence } from './descriptions.js';
import { members, orEmpty, properties, requiredOf } from './members.js';

/** The description of a registry entry. */
interface RegistryEntry {
  readonly summary: string;
  readonly fields: OptionRows;
  readonly example: string;
}

interface Choice {
  /** The key that names the entry. */
  readonly key: string;
  readonly registry: Readonly<Record<string, RegistryEntry>>;
  /** The schemas of keys beside those of the entry. */
  readonly beside: JsonSchema;
}

/** Conditions without a method are valid, but of no use. */
export function pagination(): JsonSchema {
  const stops = Object.entries<RegistryEntry>(stopRules).map(([key, { summary, fields }]) => {
    return [key, { description: sentence(summary), ...orEmpty(members(fields)) }] as const;
  });
  return componentSchema({
    key: 'method',
    registry: paginators,
    beside: { ...Object.fromEntries(stops), ...properties(besideMethod) },
  });
}

export function authentication(): JsonSchema {
  const type = componentSchema({ key: 'type', registry: authentications, beside: {} });
  return type;
}

/** The keys of an entry are known once it is named: an editor completes them, and reports misspelt ones. */
function componentSchema({ key, registry, beside }: Choice): JsonSchema {
  const entries = Object.entries(registry);
  const names = entries.map(([name, { summary }]) => ({ const: name, description: sentence(summary) }));
  const others = [key, ...Object.keys(beside)];
  return {
    ...objectOrEmptyList,
    properties: {
      [key]: { description: `Determines the other keys.`, ...orEmpty({ type: 'string', anyOf: names }) },
      ...beside,
    },
    allOf: [
      when({ required: [key] }, undefined, { propertyNames: { enum: others } }),
      ...entries.map(([name, { fields }]) =>
        when({ properties: { [key]: { const: name } }, required: [key] }, own(fields, others)),
      ),
    ],
    examples: entries.map(([, entry]) => parseExample(entry)),
  };
}

function own(fields: OptionRows, others: readonly string[]): JsonSchema {
  const besides = Object.fromEntries(others.map((key) => [key, true]));
  return {
    properties: { ...properties(fields), ...besides },
    required: requiredOf(fields),
    additionalProperties: false,
  };
}
