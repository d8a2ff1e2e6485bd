/** Writes parameters as query or form text, and merges them into an address that has a query. */
import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../json/exact.js';
import { decode, decodeBytes, formEncode, rawEncode } from './percent.js';
import { splitQuery, withQuery } from './url.js';

/** Encoded values by decoded name; null: a name without `=`. */
type Pairs = Map<string, readonly (string | null)[]>;

/**
 * Returns all parameters as `application/x-www-form-urlencoded`. Null and empty lists and objects are left out.
 * docs/12-compatibility.md#parameters.
 */
export function encodeForm(params: ExactObject): string {
  let text = '';
  for (const [name, value] of params) {
    for (const pair of formPairs(name, value)) text += text === '' ? pair : `&${pair}`;
  }
  return text;
}

/**
 * Returns the parameters of a GET: a form without top-level names that are empty or `0`.
 * docs/12-compatibility.md#parameters.
 */
export const encodeQuery = (params: ExactObject): string => encodeForm(queryParams(params));

/**
 * Appends the parameters of a GET to an endpoint. If the endpoint has a query, they replace names there and follow it
 * otherwise. Without parameters the endpoint is unchanged. docs/12-compatibility.md#parameters. A percent-encoded name
 * in the endpoint is not encoded again, unlike in Generic Extractor.
 */
export function mergeEndpointQuery(endpoint: string, params: ExactObject): string {
  if (params.size === 0) return endpoint;
  const { address, query } = splitQuery(endpoint);
  if (query === undefined) return withQuery(address, encodeQuery(params));
  const merged = new Map<string, readonly string[]>();
  for (const [name, raw, value] of rawPairs(query)) {
    if (raw !== '') merged.set(name, [`${formEncode(decodeBytes(raw))}=${formEncode(decodeBytes(value ?? ''))}`]);
  }
  for (const [name, value] of queryParams(params)) merged.set(name, formPairs(name, value));
  return withQuery(address, [...merged.values()].flat().join('&'));
}

/**
 * Adds the values of a `query` authentication to an address: they replace names, and follow it otherwise. The query is
 * always rebuilt. docs/12-compatibility.md#parameters, docs/02-login.md#query-parameters-for-each-request.
 */
export function mergeQuery(url: string, query: ExactObject): string {
  const { address, pairs } = parseQuery(url);
  for (const [name, text] of flatten(query)) pairs.set(name, [rawEncode(text)]);
  return withQuery(address, build(pairs));
}

/**
 * Adds the values of a login to an address. A name that exists already becomes `name[0]`, `name[1]` at the end, even if
 * the values are equal; but a name in `linkNames` is replaced. The query is always rebuilt.
 * docs/02-login.md#what-goes-into-later-requests, docs/12-compatibility.md#parameters.
 */
export function mergeLoginQuery(url: string, query: ExactObject, linkNames: ReadonlySet<string> = new Set()): string {
  const { address, pairs } = parseQuery(url);
  const indexed: Pairs = new Map();
  for (const [name, text] of flatten(query)) {
    const value = rawEncode(text);
    const replaced = linkedName(name, linkNames);
    const present = pairs.get(name);
    if (replaced !== undefined) pairs.set(replaced, [value]);
    else if (present === undefined) pairs.set(name, [value]);
    else {
      pairs.delete(name);
      for (const [index, each] of [...present, value].entries()) indexed.set(`${name}[${index}]`, [each ?? '']);
    }
  }
  return withQuery(address, [build(pairs), build(indexed)].filter((part) => part !== '').join('&'));
}

/** The decoded names in the query of an address. */
export const queryNames = (url: string): ReadonlySet<string> => new Set(parseQuery(url).pairs.keys());

/**
 * The decoded names and values in the query of an address, in order, with their text as written. A name without `=` has
 * no value.
 */
export function queryEntries(url: string): readonly { name: string; value: string | undefined; text: string }[] {
  return rawPairs(splitQuery(url).query ?? '').map(([name, raw, value]) => ({
    name,
    value: value === undefined ? undefined : decode(value),
    text: value === undefined ? raw : `${raw}=${value}`,
  }));
}

/**
 * The name that a login value replaces in a link: the name itself, or the second of the pair that an echoed address
 * carries.
 */
function linkedName(name: string, linkNames: ReadonlySet<string>): string | undefined {
  if (linkNames.has(name)) return name;
  return linkNames.has(`${name}[0]`) && linkNames.has(`${name}[1]`) ? `${name}[1]` : undefined;
}

function queryParams(params: ExactObject): ExactObject {
  if (!params.has('') && !params.has('0')) return params;
  return new Map([...params].filter(([name]) => name !== '' && name !== '0'));
}

function formPairs(name: string, value: Exact): readonly string[] {
  if (isNumber(value)) return [`${formEncode(name)}=${formEncode(value.text)}`];
  if (typeof value === 'string') return [`${formEncode(name)}=${formEncode(value)}`];
  return leaves(name, value).map(([path, text]) => `${formEncode(path)}=${formEncode(text)}`);
}

/** Returns every leaf under its bracketed name; null and empty values have none. */
function flatten(params: ExactObject): readonly (readonly [name: string, text: string])[] {
  return [...params].flatMap(([name, value]) => leaves(name, value));
}

function leaves(name: string, value: Exact): readonly (readonly [string, string])[] {
  if (value === null) return [];
  if (typeof value === 'boolean') return [[name, value ? '1' : '0']];
  if (typeof value === 'string') return [[name, value]];
  if (isNumber(value)) return [[name, value.text]];
  const members = isObject(value) ? [...value] : isArray(value) ? [...value.entries()] : [];
  return members.flatMap(([key, member]) => leaves(`${name}[${key}]`, member));
}

function rawPairs(query: string): readonly (readonly [name: string, raw: string, value: string | undefined])[] {
  if (query === '') return [];
  return query.split('&').map((pair) => {
    const at = pair.indexOf('=');
    const raw = at < 0 ? pair : pair.slice(0, at);
    return [decode(raw), raw, at < 0 ? undefined : pair.slice(at + 1)];
  });
}

function parseQuery(url: string): { readonly address: string; readonly pairs: Pairs } {
  const { address, query = '' } = splitQuery(url);
  const pairs: Pairs = new Map();
  for (const [name, , value] of rawPairs(query)) {
    pairs.set(name, [...(pairs.get(name) ?? []), value === undefined ? null : rawEncode(decodeBytes(value))]);
  }
  return { address, pairs };
}

const build = (pairs: Pairs): string =>
  [...pairs]
    .flatMap(([name, values]) =>
      values.map((value) => (value === null ? rawEncode(name) : `${rawEncode(name)}=${value}`)),
    )
    .join('&');
