/** Formats the reference for a terminal: a topic as a list of its entries, or one complete entry. */

import type { TopicName } from '../../config/reference/names.js';
import type { Example, ReferenceEntry, ReferenceRow, Table } from '../../config/reference/reference-entry.js';
import type { Topic } from '../../config/reference/topics.js';
import { padEnd, spaces, widthOf } from '../text/cells.js';
import { wrap } from '../text/lines.js';

/** The text of `rxtract help TOPIC`. */
export function topicText(name: TopicName, { title, about, entries }: Topic): string {
  const list = columns(entries.map((entry) => [entry.name, [entry.summary]]));
  const more = `rxtract help ${name} NAME shows one in full.`;
  return page([[title], ...about.map(paragraph), list, [more]]);
}

/** The text of `rxtract help TOPIC NAME`. */
export function entryText(entry: ReferenceEntry, column: string): string {
  const { name, summary, facts = [], tables, rules = [], example } = entry;
  return page([
    wrap(summary, `${name}: `, '  '),
    facts.flatMap(([question, answer]) => wrap(answer, `${question}: `, '  ')),
    ...tables.map((table) => tableText(table, column)),
    rules.flatMap((rule) => wrap(rule, '- ', '  ')),
    exampleText(example),
  ]);
}

/** Joins blocks of lines with an empty line; empty blocks are left out. */
const page = (blocks: readonly (readonly string[])[]): string =>
  `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;

const paragraph = (text: string): readonly string[] => wrap(text, '', '');

function tableText({ of, rows }: Table, column: string): readonly string[] {
  if (rows.length === 0) return [];
  return [
    of === undefined ? `${column}s` : `${column}s of ${of}`,
    ...columns(rows.map((row) => [row.name, rowTexts(row)])),
  ];
}

/** The meaning of a row, and below it the possible values. */
function rowTexts({ type, required, default: written, otherwise, summary, see }: ReferenceRow): readonly string[] {
  const without = written ?? otherwise;
  const notes = [
    type,
    required === true ? 'required' : undefined,
    without === undefined ? undefined : `default: ${without}`,
  ];
  const note = notes.filter((each) => each !== undefined).join('; ');
  return [summary, note, see === undefined ? '' : `see: rxtract help ${see}`].filter((text) => text !== '');
}

/** Names on the left, their texts in one column on the right. */
function columns(rows: readonly (readonly [name: string, texts: readonly string[]])[]): readonly string[] {
  const room = Math.max(...rows.map(([name]) => widthOf(name))) + 4;
  const indent = spaces(room);
  return rows.flatMap(([name, texts]) =>
    texts.flatMap((text, index) => wrap(text, index === 0 ? padEnd(`  ${name}`, room) : indent, indent)),
  );
}

function exampleText(example: Example | undefined): readonly string[] {
  if (example === undefined) return [];
  const lines = example.text.split('\n').map((line) => `  ${line}`);
  return ['Example', ...lines, ...(example.gives === undefined ? [] : [`Result: ${example.gives}`])];
}
