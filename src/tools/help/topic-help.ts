/** The help on a topic of the reference or one of its entries. Loaded on demand, because it loads all registries. */

import { type TopicName, topicNames } from '../../config/reference/names.js';
import type { ReferenceEntry } from '../../config/reference/reference-entry.js';
import { topics } from '../../config/reference/topics.js';
import { usageError } from '../../core/util/check-value.js';
import { didYouMeanKey } from '../../core/util/suggest.js';
import { entryText, topicText } from './reference-text.js';

/**
 * Finds the topic, the entry of a topic, or the entry alone that the arguments after `help` name; else `otherwise`.
 * `others` are further names with help. Throws ERR_USAGE with the nearest name.
 */
export function topicHelp(args: readonly string[], others: readonly string[], otherwise?: string): string {
  const [name = '', ...rest] = args;
  const topic = topicNames.find((each) => each === name);
  if (topic === undefined) return entryHelp(args, topicNames, [...others, ...topicNames], otherwise);
  return rest.length === 0 ? topicText(topic, topics[topic]) : entryHelp(rest, [topic], []);
}

function entryHelp(
  [name = '', extra]: readonly string[],
  within: readonly TopicName[],
  others: readonly string[],
  otherwise?: string,
): string {
  if (extra !== undefined) throw usageError(`unexpected argument "${extra}" after "${name}"`);
  const entries = within.flatMap((topic) => topics[topic].entries.map((entry) => ({ topic, entry })));
  const matches = entries.filter(({ entry }) => entry.name === name || lastOf(entry.name) === name);
  if (matches.length > 0) {
    return matches.map(({ topic, entry }) => entryText(entry, topics[topic].column)).join('\n');
  }
  const withKey = entries.filter(({ entry }) => keysOf(entry).includes(name));
  if (withKey.length > 0) return withKey.map(({ topic, entry }) => entryText(entry, topics[topic].column)).join('\n');
  const parts = entries.flatMap(({ topic, entry }) =>
    partsOf(entry, name).map((part) => entryText(part, topics[topic].column)),
  );
  if (parts.length > 0) return parts.join('\n');
  if (otherwise !== undefined) return otherwise;
  const ofEntries = entries.flatMap(({ entry }) => [
    entry.name,
    lastOf(entry.name),
    ...keysOf(entry),
    ...pathsIn(entry).map(({ path }) => path),
  ]);
  const names = [...others, ...ofEntries];
  throw usageError(`there is no help on "${name}"${didYouMeanKey(name, names, names)}`);
}

/** A key leads to each entry that has it. */
const keysOf = ({ tables }: ReferenceEntry): readonly string[] =>
  tables.flatMap(({ rows }) => rows.map((row) => row.name));

/** The paths of keys within keys, such as `await.poll`, with their rows. */
const pathsIn = ({ tables }: ReferenceEntry) =>
  tables.flatMap(({ of, rows }) =>
    of === undefined ? [] : rows.map((row) => ({ path: `${of}.${row.name}`, of, row })),
  );

/** The part of an entry at a path of keys; it may begin with the name of the entry. Empty: there is none. */
function partsOf(entry: ReferenceEntry, name: string): readonly ReferenceEntry[] {
  const starts = ['', `${entry.name}.`, `${lastOf(entry.name)}.`];
  const paths = starts.flatMap((start) => (name.startsWith(start) ? [name.slice(start.length)] : []));
  const keys = pathsIn(entry).filter(({ path }) => paths.includes(path));
  const below = entry.tables.filter(({ of = '' }) => paths.some((path) => of === path || of.startsWith(`${path}.`)));
  const tables = [...keys.map(({ of, row }) => ({ of, rows: [row] })), ...below];
  return tables.length === 0 ? [] : [{ name: entry.name, summary: entry.summary, tables }];
}

/** A section is found by the last part of its path: `config.jobs` is `jobs`. */
const lastOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
