import type { Json, JsonSchema } from '../../language/json-schema.js';
import type { AnyField } from '../../language/types.js';

/** A phrase as a sentence; one that begins with code keeps its beginning. */
export const sentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;

/** What a table says of a key besides its type. */
export function wordsOf({ summary, default: written, otherwise }: Omit<AnyField, 'type'>): JsonSchema {
  const without = otherwise === undefined ? '' : ` Without it: ${otherwise}.`;
  return {
    description: `${sentence(summary)}${without}`,
    ...(written === undefined ? {} : { default: defaultOf(written) }),
  };
}

/** The value of a default as it is written: a text that is no other JSON is itself. */
function defaultOf(written: string): Json {
  try {
    return JSON.parse(written);
  } catch {
    return written;
  }
}

/** An example of an entry as a value. */
export const exampleOf = ({ example }: { readonly example: string }): Json => JSON.parse(example);
