/** Finds the values of a request that no file may have, and gives each the name of an environment variable. */
import { decode } from '../../core/url/percent.js';
import { usageError } from '../../core/util/check-value.js';
import type { FoundBody, FoundRequest, SecretPlace } from './found-request.js';
import {
  isHarmlessGraphQl,
  isHarmlessHeader,
  isHarmlessNumber,
  isHarmlessParameter,
  isHarmlessSegment,
  isPlain,
} from './harmless.js';
import { decodePart } from './request-parts.js';
import { variableFor } from './variable-names.js';

/** A value of a request, before it has a name. `wanted`: the name of its variable, unless another value has it. */
type Found = (
  | { readonly in: 'header' | 'query' | 'form' | 'path'; readonly index: number }
  | { readonly in: 'json'; readonly path: readonly (string | number)[] }
  | { readonly in: 'user' | 'password' }
) & { readonly value: string; readonly wanted: string; readonly prefix?: string };

type Names = ReadonlyMap<string, string>;
type Values = Omit<FoundRequest, 'secrets'>;

/**
 * Lists the places whose value is not known to be harmless. `names` has values that came from environment variables,
 * with the name of each: they are listed wherever they are, under that name. Equal values have one name. Throws
 * ERR_USAGE for a word of the query that may be a secret and has no name.
 */
export function secretPlaces(request: Values, names: Names = new Map()): readonly SecretPlace[] {
  const found = [
    ...userPlaces(request.url),
    ...pathPlaces(request.url, names),
    ...pairPlaces('query', request.url.search.slice(1), names),
    ...headerPlaces(request.headers, names),
    ...(request.body === undefined ? [] : bodyPlaces(request.body, names)),
  ];
  const taken = new Map(names);
  return found.map(({ value, wanted, ...place }) => ({ ...place, env: nameOf(value, wanted, taken) }));
}

function userPlaces({ username, password }: URL): readonly Found[] {
  const user: Found = { in: 'user', value: decodePart(username), wanted: 'API_USER' };
  const pass: Found = { in: 'password', value: decodePart(password), wanted: 'API_PASSWORD' };
  return [...(username === '' ? [] : [user]), ...(password === '' ? [] : [pass])];
}

const pathPlaces = ({ pathname }: URL, names: Names): readonly Found[] =>
  pathname.split('/').flatMap((segment, index): readonly Found[] => {
    const value = decodePart(segment);
    if (!names.has(value) && isHarmlessSegment(value)) return [];
    return [{ in: 'path', index, value, wanted: `API_PATH_${index}` }];
  });

function pairPlaces(part: 'query' | 'form', text: string, names: Names): readonly Found[] {
  return text.split('&').flatMap((pair, index): readonly Found[] => {
    const at = pair.indexOf('=');
    if (at < 0) return wordWithoutName(part, decode(pair));
    const [name, value] = [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
    if (!names.has(value) && isHarmlessParameter(name, value)) return [];
    return [{ in: part, index, value, wanted: variableFor(name) }];
  });
}

function wordWithoutName(part: string, word: string): readonly Found[] {
  if (isPlain(word)) return [];
  throw usageError(`the ${part} has a word without a value that may be a secret: write it as name=value, or remove it`);
}

const headerPlaces = (headers: FoundRequest['headers'], names: Names): readonly Found[] =>
  headers.flatMap(([name, value], index): readonly Found[] => {
    const { prefix, secret } = splitScheme(name, value);
    const isOfUser = names.has(value) || names.has(secret);
    if (!isOfUser && isHarmlessHeader(name, value)) return [];
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

function bodyPlaces({ kind, text }: FoundBody, names: Names): readonly Found[] {
  return kind === 'form' ? pairPlaces('form', text, names) : jsonPlaces(JSON.parse(text), [], names);
}

/** The name of a text in a list is that of the list. */
function jsonPlaces(value: unknown, path: readonly (string | number)[], names: Names): readonly Found[] {
  if (typeof value === 'object' && value !== null) {
    const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value);
    return members.flatMap(([key, member]) => jsonPlaces(member, [...path, key], names));
  }
  const name = String(path.findLast((step) => typeof step === 'string') ?? '');
  const text = String(value);
  if (!names.has(text) && isHarmlessLeaf(name, value, text)) return [];
  return [{ in: 'json', path, value: text, wanted: variableFor(name) }];
}

function isHarmlessLeaf(name: string, value: unknown, text: string): boolean {
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value === 'number') return isHarmlessNumber(name, text);
  return isHarmlessParameter(name, text) || isHarmlessGraphQl(name, text);
}

/** The name that the value has, or the wanted one, with a number if another value has that. */
function nameOf(value: string, wanted: string, taken: Map<string, string>): string {
  const known = taken.get(value);
  if (known !== undefined) return known;
  const others = new Set(taken.values());
  let name = wanted;
  for (let count = 2; others.has(name); count++) name = `${wanted}_${count}`;
  taken.set(value, name);
  return name;
}
