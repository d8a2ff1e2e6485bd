/** `rxtract validate`: does everything that `run` does before its first request, and sends none. */

import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { flag } from '../core/options/kinds.js';
import { commandRows, jobRows, setRows } from '../run/run-options.js';
import type { Command } from './command.js';
import type { RunEngine } from './engine.js';
import { itemErrorRows, logRows, toRows } from './run-flags.js';

const examples = `Examples
  rxtract validate config.json             lists every problem with its path and the nearest valid name
  rxtract validate config.json --strict    warnings fail too, for continuous integration
  rxtract validate config.json --to nats://localhost:4222/items?stream=ITEMS --connect
                                           connects to the destination, without a request to the API
`;

const { strict, allow } = jobRows;

const validateRows = {
  to: { kind: toRows.to.kind, value: 'URI', summary: 'check this sink too, as in run' },
  ...itemErrorRows,
  connect: {
    kind: flag,
    summary: 'with --to: connect to the destinations, and check what can be checked without a change',
  },
  ...setRows,
  ...commandRows,
  strict,
  allow,
  ...logRows,
} satisfies OptionRows;

export const validate = validateWith(async () => (await import('./engine.js')).extract);

/** Creates the command for an engine; tests pass their own. */
export function validateWith(load: () => Promise<RunEngine['extract']>): Command {
  return {
    name: 'validate',
    summary: 'check a configuration without sending a request',
    options: flagsOf(validateRows),
    details: async () => examples,
    async execute(args, shell, report) {
      const { checkDocument } = await import('./engine.js');
      return checkDocument(args, shell, report, load);
    },
  };
}
