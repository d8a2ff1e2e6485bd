/** `--keep`: values of a request that its user knows to be harmless, although no table says so. */
import { usageError } from '../../core/util/check-value.js';
import { credentialName, pairsOf } from './draft.js';
import type { FoundRequest, SecretPlace } from './found-request.js';

/**
 * The request without the secrets of these names, of headers, parameters and members of a body. Throws ERR_USAGE for a
 * name that has no such value, and for one of a credential.
 */
export function keeping(found: FoundRequest, names: readonly string[]): FoundRequest {
  if (names.length === 0) return found;
  const known = found.secrets.map((place) => nameOf(found, place));
  for (const name of names) {
    if (isCredential(name)) throw usageError(`--keep ${name}: a credential is never written`);
    if (known.includes(name)) continue;
    const others = keepable(found);
    const hint = others.length === 0 ? 'there is none' : `there is ${others.join(', ')}`;
    throw usageError(`--keep ${name}: no value of this name would become a variable; ${hint}`);
  }
  return { ...found, secrets: found.secrets.filter((_, index) => !names.includes(known[index] ?? '')) };
}

/** The names that `--keep` can have for this request. */
export const keepable = (found: FoundRequest): readonly string[] => {
  const names = found.secrets.map((place) => nameOf(found, place));
  return [...new Set(names)].filter((name) => name !== '' && !isCredential(name));
};

const isCredential = (name: string): boolean => credentialName.test(name) || /^cookie$/i.test(name);

/** The name of a parameter, a header or a member; empty: the place has none. */
function nameOf({ headers, url, body }: FoundRequest, place: SecretPlace): string {
  if (place.in === 'header') return headers[place.index]?.[0] ?? '';
  if (place.in === 'json') return String(place.path.findLast((step) => typeof step === 'string') ?? '');
  if (place.in !== 'query' && place.in !== 'form') return '';
  const pairs = pairsOf(place.in === 'query' ? url.search.slice(1) : (body?.text ?? ''));
  return pairs.find(({ index }) => index === place.index)?.name ?? '';
}
