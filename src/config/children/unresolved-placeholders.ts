/**
 * Finds texts that look like placeholders but are not filled: they would be requested with their braces.
 * docs/01-configuration.md#jobs, docs/09-child-jobs.md#placeholders.
 */

import { type Exact, isArray, isObject } from '../../core/json/exact.js';
import { didYouMean } from '../../core/util/suggest.js';
import type { ConfigPath } from '../../language/config-path.js';

/** Warns of each `{name}` in an endpoint that is no placeholder. */
export function warnUnknownNames(place: ConfigPath, endpoint: Exact | undefined, names: readonly string[]): void {
  if (typeof endpoint !== 'string') return;
  for (const name of namesIn(endpoint).filter((each) => !names.includes(each))) {
    place.warn('not-filled', `there is no placeholder "${name}", so it is sent with its braces${hintFor(name, names)}`);
  }
}

/** The name may be that of a placeholder at another level. */
function hintFor(name: string, names: readonly string[]): string {
  const same = names.find((each) => bare(each) === bare(name));
  return same === undefined ? didYouMean(name, names) : `; did you mean "${same}"?`;
}

const bare = (name: string): string => name.replace(/^\d+:/, '');

/** Warns of placeholders in values that are not filled: parameters, headers. */
export function warnElsewhere(place: ConfigPath, value: Exact | undefined, names: readonly string[]): void {
  if (isArray(value)) for (const [index, each] of value.entries()) warnElsewhere(place.at(index), each, names);
  else if (isObject(value)) for (const [key, each] of value) warnElsewhere(place.at(key), each, names);
  const found = typeof value === 'string' ? namesIn(value).find((each) => names.includes(each)) : undefined;
  if (found === undefined) return;
  place.warn('not-filled', `the placeholder "${found}" is not filled in here, only in \`endpoint\`; sent unchanged`);
}

/** Texts in braces that could be names; JSON has quotes or blanks there. */
const namesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\{([^{}"',\s]+)\}/g)].map(([, name = '']) => name)),
];
