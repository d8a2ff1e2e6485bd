/** Descriptions, defaults and examples of keys, for the schema. */
import type { Json, JsonSchema } from '../../language/json-schema.js';
import type { AnyField } from '../../language/types.js';

/** Turns a phrase into a sentence; code at its beginning is unchanged. */
export const sentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;

/** The description of a key besides its type. */
export function describeField({ summary, default: written, otherwise }: Omit<AnyField, 'type'>): JsonSchema {
  const without = otherwise === undefined ? '' : ` Without it: ${otherwise}.`;
  return {
    description: `${sentence(summary)}${without}`,
    ...(written === undefined ? {} : { default: parseDefault(written) }),
  };
}

/** The value of a default from its text: a text that is no other JSON is a string. */
function parseDefault(written: string): Json {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

/** The example of an entry as a value. */
export const parseExample = ({ example }: { readonly example: string }): Json => JSON.parse(example);
