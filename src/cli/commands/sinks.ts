/** `rxtract sinks`: lists the sinks with their guarantees, options and packages, from the registry. */

import type { SinkEntry } from '../../../sinks/entry.js';
import type { OptionRows } from '../../core/options/kind.js';
import { usageError } from '../../core/util/check-value.js';
import { table, wrap } from '../../tools/text/lines.js';
import type { Command } from '../command.js';

const details = `\`rxtract help NAME\` shows one in full, such as rxtract help ndjson.
`;

export const sinks: Command = {
  name: 'sinks',
  summary: 'list the sinks, with their guarantees, options and packages',
  takesNothing: true,
  options: {},
  details: async () => details,

  async execute({ positionals: [extra] }, { stdout }) {
    if (extra !== undefined) throw usageError(`unexpected argument "${extra}" after "sinks"`);
    stdout.write(await sinkList());
    return {};
  },
};

/** Loads the registry, which is small: no sink opens anything before it is used. */
async function sinkList(): Promise<string> {
  const [{ sinks: entries }, description, { installCommand }] = await Promise.all([
    import('../../../sinks/registry.js'),
    import('../../../sinks/entry.js'),
    import('../../../sinks/servers/load-client.js'),
  ]);
  const { guaranteeText, writtenOptions } = description;
  return Object.values<SinkEntry>(entries)
    .map((entry) => sinkText(entry, guaranteeText(entry), writtenOptions(entry), installCommand))
    .join('\n');
}

function sinkText(
  { address, summary, packages }: SinkEntry,
  guarantee: string,
  rowsOf: OptionRows,
  installCommand: (packages: readonly string[]) => string,
): string {
  const options = Object.entries(rowsOf).map(([name, { required = false }]) =>
    required ? `${name} (required)` : name,
  );
  const rows = [
    ['guarantee', guarantee],
    ...(options.length === 0 ? [] : [['options', options.join(', ')]]),
    ...(packages === undefined ? [] : [['install', installCommand(packages)]]),
  ];
  return [
    address.form,
    ...wrap(summary, '  ', '  '),
    ...table(
      rows.map(([name = '', text = '']) => [`  ${name}`, text]),
      new Set(),
    ),
    '',
  ].join('\n');
}
