/** `rxtract validate`: does everything that `run` does before its first request, and sends none. */
import type { Command } from './command.js';
import type { RunEngine } from './engine.js';
import { itemErrorOption, logOption, setOption, strictOption } from './options.js';

const examples = `Examples
  rxtract validate config.json             lists every problem with its path and the nearest valid name
  rxtract validate config.json --strict    warnings fail too, for continuous integration
  rxtract validate config.json --to nats://localhost:4222/items?stream=ITEMS --connect
                                           connects to the destination, without a request to the API
`;

const sinkOptions = {
  to: { value: 'URI', about: 'check this sink too, as in run; may be repeated' },
  ...itemErrorOption,
  connect: { about: 'with --to: connect to the destinations, and check what can be checked without a change' },
};

export const validate = validateWith(async () => (await import('./engine.js')).extract);

/** Creates the command for an engine; tests pass their own. */
export function validateWith(load: () => Promise<RunEngine['extract']>): Command {
  return {
    name: 'validate',
    summary: 'check a configuration without sending a request',
    options: { ...sinkOptions, ...setOption, ...strictOption, ...logOption },
    details: async () => examples,
    async execute(args, shell, report) {
      const { checkDocument } = await import('./engine.js');
      return checkDocument(args, shell, report, load);
    },
  };
}
