/** The schema as text: a line for each definition, short but with readable diffs. */

import type { Json, JsonSchema } from '../../core/options/json-schema.js';
import { configurationSchema } from './configuration-schema.js';

export function schemaText(): string {
  const { definitions = {}, ...document } = configurationSchema();
  return `{\n${lines(document)},\n"definitions": {\n${lines(definitions)}\n}\n}\n`;
}

const lines = (members: Json): string =>
  Object.entries(members ?? {})
    .map(line)
    .join(',\n');

const line = ([name, value]: readonly [string, JsonSchema[string]]): string =>
  `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
