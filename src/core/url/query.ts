/**
 * Parameters as text: how a query or a form is written, and how one is merged into an address that has a query already.
 */
import { type Exact, type ExactObject, isArray, isNumber, isObject } from '../json/exact.js';
import { decode, decodeBytes, formEncode, rawEncode } from './percent.js';
import { splitQuery, withQuery } from './url.js';

/** Encoded values by decoded name; null: a name that stands without `=`. */
type Pairs = Map<string, readonly (string | null)[]>;

/**
 * Writes all parameters as `application/x-www-form-urlencoded`. Null and empty lists and objects are left out.
 * docs/12-compatibility.md#parameters.
 */
export function encodeForm(params: ExactObject): string {
  return [...params].flatMap(([name, value]) => formPairs(name, value)).join('&');
}

/**
 * Writes the parameters of a GET: as a form, but a top-level name that is empty or `0` is dropped.
 * docs/12-compatibility.md#parameters.
 */
export const encodeQuery = (params: ExactObject): string => encodeForm(queryParams(params));

/**
 * Puts the parameters of a GET behind an endpoint. In a query that the endpoint has already, they replace names in
 * place and follow it otherwise. Without parameters the endpoint stays untouched. docs/12-compatibility.md#parameters;
 * a name that is percent-encoded there stays so, where the reference would encode it twice.
 */
export function mergeEndpointQuery(endpoint: string, params: ExactObject): string {
  const { address, query } = splitQuery(endpoint);
  const added = queryParams(params);
  if (params.size === 0) return endpoint;
  if (query === undefined) return withQuery(address, encodeQuery(params));
  const merged = new Map<string, readonly string[]>();
  for (const [name, raw, value] of rawPairs(query)) {
    if (raw !== '') merged.set(name, [`${formEncode(decodeBytes(raw))}=${formEncode(decodeBytes(value ?? ''))}`]);
  }
  for (const [name, value] of added) merged.set(name, formPairs(name, value));
  return withQuery(address, [...merged.values()].flat().join('&'));
}

/**
 * Puts the values of a `query` authentication into an address: they replace names in place and follow it otherwise. The
 * query is rebuilt in any case. docs/12-compatibility.md#parameters,
 * docs/03-login.md#query-parameters-for-each-request.
 */
export function mergeQuery(url: string, query: ExactObject): string {
  const { address, pairs } = parseQuery(url);
  for (const [name, text] of flatten(query)) pairs.set(name, [rawEncode(text)]);
  return withQuery(address, build(pairs));
}

/**
 * Puts the values of a login into an address. A name that stands there already goes out as `name[0]`, `name[1]`, also
 * when the values are equal, behind all others; but a name in `linkNames` is replaced in place. The query is rebuilt in
 * any case. docs/03-login.md#what-goes-into-later-requests, docs/12-compatibility.md#parameters.
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
 * The decoded names and values in the query of an address, in order, with the text as it stands. A name without `=` has
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
 * Where a login value belongs in a link: at its name, or at the second of the pair in which an echoed address carries
 * it.
 */
function linkedName(name: string, linkNames: ReadonlySet<string>): string | undefined {
  if (linkNames.has(name)) return name;
  return linkNames.has(`${name}[0]`) && linkNames.has(`${name}[1]`) ? `${name}[1]` : undefined;
}

const queryParams = (params: ExactObject): ExactObject =>
  new Map([...params].filter(([name]) => name !== '' && name !== '0'));

const formPairs = (name: string, value: Exact): readonly string[] =>
  flatten(new Map([[name, value]])).map(([path, text]) => `${formEncode(path)}=${formEncode(text)}`);

/** Every leaf under its bracketed name; null, and with it what is empty, has none. */
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
