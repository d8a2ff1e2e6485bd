/** `rxtract schema`: prints the JSON Schema of configurations, for editors and programs. */
import { usageError } from '../../core/util/check-value.js';
import type { Command } from '../command.js';

const examples = `Examples
  rxtract schema > rxtract.schema.json    then name it in a configuration: { "$schema": "./rxtract.schema.json", ... }

The installed package contains the same file: node_modules/rxtract/schema.json.
`;

export const schema: Command = {
  name: 'schema',
  summary: 'print the JSON Schema of configurations, for editors',
  takesNothing: true,
  options: {},
  details: async () => examples,

  async execute({ positionals: [extra] }, { stdout }) {
    if (extra !== undefined) throw usageError(`unexpected argument "${extra}" after "schema"`);
    const { schemaText } = await import('../engine.js');
    stdout.write(schemaText());
    return {};
  },
};
