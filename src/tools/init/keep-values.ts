/** `--keep`: values of a request that its user knows to be harmless, although they look like credentials. */

import { isCredentialName } from '../../core/secrets/credential-names.js';
import { usageError } from '../../core/util/check-value.js';
import { elementAt } from '../../core/util/element-at.js';
import { didYouMean } from '../../core/util/suggest.js';
import { pairsOf } from './draft.js';
import type { FoundBody, FoundRequest, SecretPlace } from './found-request.js';
import { parseJson } from './json-value.js';

/**
 * The request without the secrets of these names, of headers, parameters and members of a body, and a note for each
 * name that needs none. Throws ERR_USAGE for a name that the request does not have, and for one of a credential.
 */
export function keeping(found: FoundRequest, names: readonly string[]): FoundRequest {
  if (names.length === 0) return found;
  const nameAt = namesOf(found);
  const known = new Set(found.secrets.map(nameAt));
  const notes: string[] = [];
  for (const name of new Set(names)) {
    if (known.has(name) && isCredentialName(name)) throw usageError(`--keep ${name}: a credential is never written`);
    if (known.has(name)) continue;
    const all = allNames(found);
    if (!all.has(name)) throw usageError(`--keep ${name}: ${unknownName(name, all, keepable(found))}`);
    notes.push(`--keep ${name} was not needed: its value does not look like a secret, and is written.`);
  }
  const secrets = found.secrets.filter((place) => !names.includes(nameAt(place)));
  return { ...found, secrets, notes: [...(found.notes ?? []), ...notes] };
}

function unknownName(name: string, all: ReadonlySet<string>, others: readonly string[]): string {
  const missing = `the request has no parameter, header or member of this name${didYouMean(name, all)}`;
  return others.length === 0 ? missing : `${missing}; values that would become variables: ${others.join(', ')}`;
}

/** The names that `--keep` can have for this request. */
export const keepable = (found: FoundRequest): readonly string[] => {
  const names = new Set(found.secrets.map(namesOf(found)));
  return [...names].filter((name) => name !== '' && !isCredentialName(name));
};

/** Finds the name of a parameter, a header or a member; empty: the place has none. */
function namesOf({ headers, url, body }: FoundRequest): (place: SecretPlace) => string {
  const ofParts = (text: string) => new Map(pairsOf(text).map(({ index, name }) => [index, name]));
  const pairs = { query: ofParts(url.search.slice(1)), form: ofParts(body?.kind === 'form' ? body.text : '') };
  return (place) => {
    if (place.in === 'header') return elementAt(headers, place.index)[0];
    if (place.in === 'json') return String(place.path.findLast((step) => typeof step === 'string') ?? '');
    return place.in === 'query' || place.in === 'form' ? (pairs[place.in].get(place.index) ?? '') : '';
  };
}

const allNames = ({ headers, url, body }: FoundRequest): ReadonlySet<string> =>
  new Set([
    ...headers.map(([name]) => name),
    ...pairsOf(url.search.slice(1)).map(({ name }) => name),
    ...(body === undefined ? [] : namesInBody(body)),
  ]);

function namesInBody({ kind, text }: FoundBody): readonly string[] {
  if (kind === 'form') return pairsOf(text).map(({ name }) => name);
  const names: string[] = [];
  JSON.stringify(parseJson(text), (name, value) => {
    names.push(name);
    return value;
  });
  return names;
}
