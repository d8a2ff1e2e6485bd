/** `rxtract sinks`: lists the sinks with their guarantees, options and packages, from the registry. */

import { usageError } from '../core/util/check-value.js';
import { table, wrap } from '../tools/text/lines.js';
import type { Command } from './command.js';

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
  const { installCommand, sinks: entries } = await import('../../sinks/registry.js');
  const all: readonly SinkFacts[] = Object.values(entries);
  return all.map((sink) => sinkText(sink, installCommand)).join('\n');
}

interface SinkFacts {
  readonly uri: string;
  readonly summary: string;
  readonly guarantee: string;
  readonly addressOptions: Readonly<Record<string, { readonly summary: string; readonly required?: true }>>;
  readonly packages?: readonly string[];
}

function sinkText(
  { uri, summary, guarantee, addressOptions, packages }: SinkFacts,
  installCommand: (packages: readonly string[]) => string,
): string {
  const options = Object.entries(addressOptions).map(([name, { required = false }]) =>
    required ? `${name} (required)` : name,
  );
  const rows = [
    ['guarantee', guarantee],
    ...(options.length === 0 ? [] : [['options', options.join(', ')]]),
    ...(packages === undefined ? [] : [['install', installCommand(packages)]]),
  ];
  return [
    uri,
    ...wrap(summary, '  ', '  '),
    ...table(
      rows.map(([name = '', text = '']) => [`  ${name}`, text]),
      new Set(),
    ),
    '',
  ].join('\n');
}
