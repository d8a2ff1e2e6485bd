/** The option `gather`: the sink into which the parts of a run are gathered. */
import { type Kind, kind, type OptionRow } from '../../src/core/options/kind.js';
import { hasMethods } from '../../src/core/options/kinds.js';
import { usageError } from '../../src/core/util/check-value.js';
import type { Sink } from '../contract.js';
import type { Destination } from '../entry.js';

/** An address, or a sink in code. */
const sinkAddress: Kind<string | Sink> = {
  ...kind<string | Sink>(
    'a sink',
    (value) => (typeof value === 'string' ? value !== '' : hasMethods(value, ['write', 'close', 'abort'])),
    { schema: {}, text: { read: (text) => text, expected: 'an address such as csv:out' } },
  ),
  secretsIn: (value) => (typeof value === 'string' ? credentialsIn(value) : []),
};

/** What is before the host of an address. */
const credentialsIn = (address: string): readonly string[] =>
  (/^[^:]*:\/\/([^/@]*)@/.exec(address)?.[1] ?? '').split(':').filter((each) => each !== '');

export const gather = {
  kind: sinkAddress,
  summary:
    'the address into which all parts are gathered at the end of the run, such as `csv:out`; `?` and `&` in it are written `%3F` and `%26`. In code a sink',
  otherwise: 'the parts stay as they are',
} as const satisfies OptionRow;

/** The sink of the option. Throws ERR_USAGE for one to which items cannot be written again. */
export function gatherOf(
  given: string | Sink | undefined,
  { open, scheme, hide }: Pick<Destination, 'open' | 'scheme'> & Partial<Pick<Destination, 'hide'>>,
): Sink | undefined {
  if (given === undefined) return undefined;
  const sink = typeof given === 'string' ? open?.(given) : given;
  for (const secret of sink?.secrets ?? []) hide?.(secret);
  if (sink === undefined) throw usageError(`${scheme}: gather: expected a sink in code, such as csv('out')`);
  if (sink.recovery === 'cut' && sink.leave === undefined) return sink;
  throw usageError(
    `${scheme}: gather: "${sink.name}" is not gathered into: expected ndjson:, csv:, parquet:, duckdb:, tables: or s3:`,
  );
}
