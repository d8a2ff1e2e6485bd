/** Finds the values of a request that no file may have, and gives each the name of an environment variable. */
import { looksSecret } from '../../core/secrets/looks-secret.js';
import { looksRandom } from '../../core/secrets/random-text.js';
import { createSecrets } from '../../core/secrets/secrets.js';
import { decode } from '../../core/url/percent.js';
import { usageError } from '../../core/util/check-value.js';
import type { FoundBody, FoundRequest, SecretPlace } from './found-request.js';
import { isHarmlessSegment, isHarmlessText } from './harmless.js';
import { decodePart } from './request-parts.js';
import { variableFor } from './variable-names.js';

/** A value of a request, before it has a name. `wanted`: the name of its variable, unless another value has it. */
type SecretValue = (
  | { readonly in: 'header' | 'query' | 'form' | 'path'; readonly index: number }
  | { readonly in: 'json'; readonly path: readonly (string | number)[] }
  | { readonly in: 'user' | 'password' }
) & { readonly value: string; readonly wanted: string; readonly prefix?: string };

type Names = ReadonlyMap<string, string>;
type Values = Omit<FoundRequest, 'secrets'>;

/** Which values are secrets although they do not look like it. */
interface Known {
  /** Values of variables, with the name of each. */
  readonly names: Names;
  has(value: string): boolean;
}

/**
 * Lists the places whose value looks like a credential, or has one that is in another place too. `names` has values
 * that came from environment variables, with the name of each: they are listed wherever they are, under that name.
 * Equal values have one name. Throws ERR_USAGE for a word of the query that may be a secret and has no name.
 */
export function secretPlaces(request: Values, names: Names = new Map()): readonly SecretPlace[] {
  const first = placesIn(request, { names, has: (value) => names.has(value) });
  const repeats = repeatsOf(first.flatMap((place) => (place.in === 'user' ? [] : [place.value])));
  const found = placesIn(request, { names, has: (value) => names.has(value) || repeats(value) });
  const nameOf = createNaming(names);
  for (const { value, wanted } of first) nameOf(value, wanted); // before the names of places where they are repeated
  return found.map(({ value, wanted, ...place }) => ({ ...place, env: nameOf(value, wanted) }));
}

/** Shorter secrets are in other values by chance. */
const shortestRepeat = 5;

/** Finds texts that contain one of these values, in any encoding. */
function repeatsOf(values: readonly string[]): (text: string) => boolean {
  const secrets = createSecrets();
  for (const value of values) if (value.length >= shortestRepeat) secrets.add(value);
  return (text) => secrets.mask(text) !== text;
}

const placesIn = (request: Values, known: Known): readonly SecretValue[] => [
  ...userPlaces(request.url),
  ...pathPlaces(request.url, known),
  ...pairPlaces('query', request.url.search.slice(1), known),
  ...headerPlaces(request.headers, known),
  ...(request.body === undefined ? [] : bodyPlaces(request.body, known)),
];

function userPlaces({ username, password }: URL): readonly SecretValue[] {
  const user: SecretValue = { in: 'user', value: decodePart(username), wanted: 'API_USER' };
  const pass: SecretValue = { in: 'password', value: decodePart(password), wanted: 'API_PASSWORD' };
  return [...(username === '' ? [] : [user]), ...(password === '' ? [] : [pass])];
}

const pathPlaces = ({ pathname }: URL, known: Known): readonly SecretValue[] =>
  pathname.split('/').flatMap((segment, index): readonly SecretValue[] => {
    const value = decodePart(segment);
    if (!known.has(value) && isHarmlessSegment(value)) return [];
    return [{ in: 'path', index, value, wanted: `API_PATH_${index}` }];
  });

function pairPlaces(part: 'query' | 'form', text: string, known: Known): readonly SecretValue[] {
  return text.split('&').flatMap((pair, index): readonly SecretValue[] => {
    const at = pair.indexOf('=');
    if (at < 0) return wordWithoutName(part, decode(pair), known);
    const [name, value] = [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
    if (!known.has(value) && isHarmlessText(name, value)) return [];
    return [{ in: part, index, value, wanted: variableFor(name) }];
  });
}

function wordWithoutName(part: string, word: string, known: Known): readonly SecretValue[] {
  if (!known.has(word) && !looksRandom(word)) return [];
  throw usageError(`the ${part} has a word without a value that may be a secret: write it as name=value, or remove it`);
}

const headerPlaces = (headers: FoundRequest['headers'], { names, has }: Known): readonly SecretValue[] =>
  headers.flatMap(([name, value], index): readonly SecretValue[] => {
    const { prefix, secret } = splitScheme(name, value);
    const isHarmless = prefix === '' && !looksSecret(name, value.trim());
    if (isHarmless && !has(value)) return [];
    if (prefix === '' || names.has(value)) return [{ in: 'header', index, value, wanted: headerVariable(name, '') }];
    return [{ in: 'header', index, value: secret, wanted: headerVariable(name, prefix), prefix }];
  });

/** Splits `Bearer abc`. Schemes are words that are known to be schemes: a password may have a blank too. */
function splitScheme(name: string, value: string): { readonly prefix: string; readonly secret: string } {
  const match = /^((?:[A-Za-z]+-)*(?:basic|bearer|apikey|token|oauth|oauthtoken|jwt|ssws|key|auth|geniekey) +)(.+)$/i;
  const [, prefix = '', secret = value] =
    (/authorization$/i.test(name) ? match : /^(Bearer +)(.+)$/i).exec(value) ?? [];
  return { prefix, secret };
}

function headerVariable(name: string, prefix: string): string {
  if (!/^authorization$/i.test(name)) return variableFor(name);
  return /^basic/i.test(prefix) ? 'API_CREDENTIALS' : 'API_TOKEN';
}

function bodyPlaces({ kind, text }: FoundBody, known: Known): readonly SecretValue[] {
  return kind === 'form' ? pairPlaces('form', text, known) : jsonPlaces(JSON.parse(text), [], known);
}

/** The name of a text in a list is that of the list. */
function jsonPlaces(value: unknown, path: readonly (string | number)[], known: Known): readonly SecretValue[] {
  if (typeof value === 'object' && value !== null) {
    const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value);
    return members.flatMap(([key, member]) => jsonPlaces(member, [...path, key], known));
  }
  const name = String(path.findLast((step) => typeof step === 'string') ?? '');
  const text = String(value);
  const isHarmless = value === null || typeof value === 'boolean' || isHarmlessText(name, text);
  if (!known.has(text) && isHarmless) return [];
  return [{ in: 'json', path, value: text, wanted: variableFor(name) }];
}

/** Gives a value the name that it has, or the wanted one, with a number if another value has that. */
function createNaming(names: Names): (value: string, wanted: string) => string {
  const taken = new Map(names);
  const others = new Set(taken.values());
  const counts = new Map<string, number>();
  return (value, wanted) => {
    const known = taken.get(value);
    if (known !== undefined) return known;
    let count = counts.get(wanted) ?? 1;
    let name = count === 1 ? wanted : `${wanted}_${count}`;
    while (others.has(name)) name = `${wanted}_${++count}`;
    counts.set(wanted, count);
    taken.set(value, name);
    others.add(name);
    return name;
  };
}
