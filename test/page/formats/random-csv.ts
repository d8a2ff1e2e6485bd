/** Random tables, and their text as CSV in random ways of writing it. The seed decides everything. */
import type { ResponseFormat } from '../../../src/core/model/response-format.js';

export interface RandomCsv {
  readonly table: readonly (readonly string[])[];
  readonly names: readonly string[];
  readonly text: string;
  readonly response: Partial<ResponseFormat>;
}

/** A small generator: the same numbers for the same seed (Mulberry32). */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const alphabet = [...'abcXYZ019 ,;\t|"\'\\/\r\n{}[]:\u0001\u007f\u00e9\u4e2d\u{1f600}\u2028', '\r\n', '""'];
const lineEnds = ['\n', '\r\n', '\r'];

export function randomCsv(seed: number): RandomCsv {
  const next = numbersFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T; // lists are not empty
  const delimiter = pick([',', ',', ';', '\t', '|']);
  const quote = pick(['"', '"', "'"]);
  const width = 1 + next(8);
  const cell = () => Array.from({ length: pick([0, 1, 3, 12]) }, () => pick(alphabet)).join('');
  const names = Array.from({ length: width }, (_, at) => `${at}${cell()}`);
  const table = Array.from({ length: next(12) }, () => Array.from({ length: width }, cell));
  const needsQuote = (text: string) =>
    text.startsWith(quote) || [delimiter, '\r', '\n'].some((each) => text.includes(each));
  const written = (text: string) =>
    needsQuote(text) || (width === 1 && text === '') || next(3) === 0
      ? quote + text.replaceAll(quote, quote + quote) + quote
      : text;
  const lines = [names, ...table].map((row) => row.map(written).join(delimiter) + pick(lineEnds));
  const last = lines.pop() ?? '';
  lines.push(next(2) === 0 ? last.replace(/[\r\n]+$/, '') : last);
  const text = (next(4) === 0 ? '\ufeff' : '') + lines.join('');
  return { table, names, text, response: { format: 'csv', delimiter, quote } };
}

/** The items of a table. */
export const itemsOfTable = ({ table, names }: Pick<RandomCsv, 'table' | 'names'>): readonly unknown[] =>
  table.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
