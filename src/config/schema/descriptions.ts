/** Descriptions, defaults and examples of keys, for the schema. */

import type { Json, JsonSchema } from '../../core/options/json-schema.js';
import type { OptionRow } from '../../core/options/kind.js';
import { shownDefault } from '../../core/options/object-kinds.js';
import { defined } from '../../core/util/defined.js';
/** Turns a phrase into a sentence; code at its beginning is unchanged. */
export const sentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;

/** The description of a key besides its type. */
export function describeField(row: OptionRow): JsonSchema {
  const without = row.otherwise === undefined ? '' : ` Without it: ${row.otherwise}.`;
  return { description: `${sentence(row.summary)}${without}`, ...defined({ default: shownDefault(row) }) };
}

/** The example of an entry as a value. */
export const parseExample = ({ example }: { readonly example: string }): Json => JSON.parse(example);
