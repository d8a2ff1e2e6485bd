/** Addresses of sinks as candidates, from the registry: schemes, and after that of a folder its paths. */
import { readdir } from 'node:fs/promises';
import type { Candidate } from './candidate.js';

/** Whether the value of an option is the address of a sink, by its name in the help. */
export const isSinkValue = (value: string): boolean => /\bURI$/.test(value);

interface SinkForm {
  readonly uri: string;
  readonly summary: string;
  readonly schemes?: readonly string[];
}

/** `named` is what precedes the address in the value, such as `users=`. Paths have `/` after folders. */
export async function sinkCandidates(value: string, named = ''): Promise<readonly Candidate[]> {
  const { sinks } = await import('../../../sinks/registry.js');
  const forms: readonly (readonly [string, SinkForm])[] = Object.entries(sinks);
  const address = value.slice(named.length);
  const [, scheme = ''] = /^([a-z]+):/.exec(address) ?? [];
  const begun = forms.find(([name]) => name === scheme)?.[1];
  if (begun !== undefined && /:DIR\b/.test(begun.uri)) {
    const head = `${named}${scheme}:`;
    const paths = await pathsIn(address.slice(scheme.length + 1), true);
    return paths.map(({ word }) => ({ word: `${head}${word}` }));
  }
  return forms.flatMap(([name, { summary, uri, schemes = [name] }]) =>
    schemes.map((each) => ({ word: `${named}${each}:${uri.includes('://') ? '//' : ''}`, about: summary })),
  );
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
