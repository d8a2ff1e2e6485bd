/** The examples as pages link to them: each is a directory whose README.md says in one sentence what it shows. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TopicName } from '../src/config/reference/names.js';
import { stopRules } from '../src/pagination/registry.js';

export interface Shown {
  /** `005-pagenum`. */
  readonly name: string;
  /** Markdown, without a full stop. */
  readonly shows: string;
  readonly config: string;
}

const directory = fileURLToPath(new URL('../examples', import.meta.url));

/** All examples in order. */
export function readExamples(): readonly Shown[] {
  const names = readdirSync(directory).filter((name) => /^\d{3}-/.test(name));
  return names.sort().map((name) => {
    const read = (file: string): string => readFileSync(`${directory}/${name}/${file}`, 'utf8');
    return { name, shows: read('README.md').trim().replace(/\.$/, ''), config: read('config.json') };
  });
}

/** The member by which a configuration names an entry of the topic. */
const naming: Partial<Record<TopicName, string>> = {
  pagination: 'method',
  authentication: 'type',
  functions: 'function',
};

/** The examples whose configuration names the entry. */
export function examplesOf(topic: TopicName, entry: string, examples: readonly Shown[]): readonly Shown[] {
  const member = naming[topic];
  if (member === undefined) return [];
  const name = `"${entry.replaceAll('.', '\\.')}"`;
  // A stopping condition is named by its key.
  const asKey = topic === 'pagination' && Object.hasOwn(stopRules, entry) ? `|${name}:` : '';
  return examples.filter(({ config }) => new RegExp(`"${member}":\\s*${name}${asKey}`).test(config));
}
