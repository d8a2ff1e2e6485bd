/** Writes exact values as lines of JSON, and reads them back. */
import { type Exact, stringifyExact } from './exact.js';
import { parseExact } from './exact-parse.js';

export const linesOf = (values: readonly Exact[]): string =>
  values.map((value) => `${stringifyExact(value)}\n`).join('');

export function* valuesIn(lines: Uint8Array): Iterable<Exact> {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString('utf8');
  for (const line of text.split('\n').slice(0, -1)) yield parseExact(line);
}
