/** Addresses of sinks as candidates, from the registry: schemes, and after that of a folder its paths. */
import { readdir } from 'node:fs/promises';
import { type SinkEntry, writtenOptions } from '../../../sinks/entry.js';
import type { Candidate } from './candidate.js';

/** Whether the value of an option is the address of a sink, by its name in the help. */
export const isSinkValue = (value: string): boolean => /\bURI$/.test(value);

/** `named` is what precedes the address in the value, such as `users=`. Paths have `/` after folders. */
export async function sinkCandidates(value: string, named = ''): Promise<readonly Candidate[]> {
  const { sinks } = await import('../../../sinks/registry.js');
  const entries: readonly (readonly [string, SinkEntry])[] = Object.entries<SinkEntry>(sinks);
  const address = value.slice(named.length);
  const [, scheme = ''] = /^([a-z]+):/.exec(address) ?? [];
  const begun = entries.find(([name, entry]) => name === scheme || entry.address.schemes?.includes(scheme))?.[1];
  const options = begun === undefined ? [] : optionCandidates(value, begun);
  if (options.length > 0) return options;
  if (begun?.address.target === 'directory') {
    const head = `${named}${scheme}:`;
    const paths = await pathsIn(address.slice(scheme.length + 1), true);
    return paths.map(({ word }) => ({ word: `${head}${word}` }));
  }
  return entries.flatMap(([name, { summary, address }]) =>
    (address.schemes ?? [name]).map((each) => ({
      word: `${named}${each}:${address.form.includes('://') ? '//' : ''}`,
      about: summary,
    })),
  );
}

/** The options of an address whose options have begun, or the values of the last one. */
function optionCandidates(value: string, entry: SinkEntry): readonly Candidate[] {
  const { optionsAfter = '?' } = entry.address;
  const [, head, name = '', hasValue] = new RegExp(`^(.*[${optionsAfter}&])([^=&]*)(=?)[^&]*$`, 's').exec(value) ?? [];
  if (head === undefined || !value.includes(optionsAfter)) return [];
  const rows = writtenOptions(entry);
  if (hasValue === '')
    return Object.entries(rows).map(([each, { summary }]) => ({ word: `${head}${each}=`, about: summary }));
  const offers = (Object.hasOwn(rows, name) ? rows[name]?.kind.offers : undefined) ?? [];
  return offers.map((each) => ({ word: `${head}${name}=${each}` }));
}

/** The paths that begin like this: folders, and files too unless `onlyFolders`. A folder that is not there has none. */
export async function pathsIn(begun: string, onlyFolders: boolean): Promise<readonly Candidate[]> {
  const folder = begun.slice(0, begun.lastIndexOf('/') + 1);
  const isHidden = begun.slice(folder.length).startsWith('.');
  try {
    const entries = await readdir(folder === '' ? '.' : folder, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || !onlyFolders) && (isHidden || !entry.name.startsWith('.')))
      .map((entry) => ({ word: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}` }));
  } catch {
    return [];
  }
}
