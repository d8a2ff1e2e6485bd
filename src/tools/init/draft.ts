/** Turns a request that was found into the parts of a configuration, with `{"env": NAME}` in place of its secrets. */

import { type Exact, type ExactObject, emptyObject, fromPlain, isArray, isObject } from '../../core/json/exact.js';
import { parseExact } from '../../core/json/exact-parse.js';
import { isCredentialName } from '../../core/secrets/credential-names.js';
import { decode } from '../../core/url/percent.js';
import { usageError } from '../../core/util/check-value.js';
import { elementAt } from '../../core/util/element-at.js';
import type { FoundRequest, SecretPlace } from './found-request.js';
import { decodePart } from './request-parts.js';

/** The parts of a configuration that do not depend on the response. */
export interface Draft {
  readonly baseUrl: Exact;
  readonly headers: ExactObject;
  readonly authentication?: ExactObject;
  /** Members of `config` beside the jobs. */
  readonly config: ExactObject;
  readonly endpoint: string;
  /** Absent: GET. */
  readonly method?: 'POST' | 'FORM';
  readonly params: ExactObject;
  /** In place of the request: it creates a report. */
  readonly await?: ExactObject;
  /** How the response is read; absent: as JSON. */
  readonly response?: ExactObject;
  readonly dataType: string;
  /** The values of the variables that the parts name. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the response has added. */
export interface Findings {
  readonly dataField?: Exact;
  /** How the response is read; absent: as the draft says. */
  readonly response?: ExactObject;
  readonly pagination?: ExactObject;
  /** Parameters that replace those of the request, such as the page size. */
  readonly params?: ExactObject;
  readonly rateLimit?: string;
  /** Its parameter is none of the job. */
  readonly incremental?: ExactObject;
}

/** Builds the configuration. */
export function configOf(
  draft: Draft,
  { dataField, response, pagination, params = emptyObject, rateLimit, incremental }: Findings,
): ExactObject {
  const ofRun = incremental?.get('param');
  const all = new Map([...draft.params, ...params].filter(([name]) => name !== ofRun));
  const http: [string, Exact][] = [
    ...(draft.headers.size === 0 ? [] : [['headers', draft.headers] as [string, Exact]]),
    ...(rateLimit === undefined ? [] : [['rateLimit', rateLimit] as [string, Exact]]),
  ];
  const api: [string, Exact | undefined][] = [
    ['baseUrl', draft.baseUrl],
    ['http', http.length === 0 ? undefined : new Map(http)],
    ['authentication', draft.authentication],
    ['pagination', pagination],
  ];
  const request: [string, Exact | undefined][] = [
    ['endpoint', draft.endpoint],
    ['method', draft.method],
    ['params', all.size === 0 ? undefined : all],
  ];
  const job: [string, Exact | undefined][] = [
    ...(draft.await === undefined ? request : [['await', withParams(draft.await, params)] as [string, Exact]]),
    ['incremental', incremental],
    ['response', response ?? draft.response],
    ['dataField', dataField],
    ['dataType', draft.dataType],
  ];
  const config: [string, Exact][] = [...draft.config, ['jobs', [present(job)]]];
  return new Map([
    ['api', present(api)],
    ['config', new Map(config)],
  ]);
}

/** Parameters of the pages of a report are those of the request for its items. */
function withParams(report: ExactObject, params: ExactObject): ExactObject {
  const fetch = report.get('fetch') ?? null;
  if (params.size === 0 || !isObject(fetch)) return report;
  return new Map(report).set('fetch', new Map(fetch).set('params', params));
}

/**
 * Moves the folders of the endpoint into the base, where a link of the response is relative to its own address: it is
 * resolved against the base.
 */
export function besideLink(draft: Draft, link: string | undefined): Draft {
  const { baseUrl, endpoint } = draft;
  const [path = ''] = endpoint.split('?');
  const at = path.lastIndexOf('/');
  const [first] = (link ?? '/').replace(/^\.\//, '').split(/[/?]/);
  if (
    typeof baseUrl !== 'string' ||
    draft.await !== undefined ||
    at < 0 ||
    path.startsWith('./') ||
    first !== path.slice(at + 1)
  )
    return draft;
  return { ...draft, baseUrl: `${baseUrl}${path.slice(0, at + 1)}`, endpoint: endpoint.slice(at + 1) };
}

const present = (members: readonly (readonly [string, Exact | undefined])[]): ExactObject =>
  new Map(members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));

const envOf = (name: string): Exact => new Map([['env', name]]);

/** A text whose end is a secret. */
const withPrefix = (prefix: string, secret: Exact): Exact =>
  prefix === '' ? secret : fromPlain({ function: 'concat', args: [prefix, secret] });

/** Builds the parts. Throws ERR_JSON for a body that is no JSON, ERR_USAGE for what a configuration cannot have. */
export function draftOf(found: FoundRequest): Draft {
  const env: Record<string, string> = {};
  const places = new Map(found.secrets.map((place) => [keyOf(place), place]));
  const secretAt: SecretAt = (wanted, value) => {
    const place = places.get(keyOf(wanted));
    if (place === undefined) return value;
    const { env: name, prefix = '' } = place;
    env[name] = value.slice(prefix.length);
    return withPrefix(prefix, envOf(name));
  };
  const { query, kept } = queryOf(found, secretAt);
  const credentials = credentialsOf(found, env, query);
  const headers = headersOf(found, secretAt, credentials.used);
  const { baseUrl, endpoint, name } = addressOf(found, secretAt);
  const body = bodyOf(found, secretAt);
  return {
    baseUrl,
    headers,
    config: credentials.config,
    ...(credentials.authentication === undefined ? {} : { authentication: credentials.authentication }),
    endpoint: `${endpoint}${endpointQuery(kept, found.method === 'POST' ? credentials.query : emptyObject)}`,
    ...(found.method === 'GET' ? {} : { method: found.body?.kind === 'form' ? ('FORM' as const) : ('POST' as const) }),
    params: found.method === 'GET' ? credentials.query : body,
    dataType: found.name ?? name,
    env,
  };
}

type Place = SecretPlace extends infer P ? (P extends unknown ? Omit<P, 'env' | 'prefix'> : never) : never;
/** The value, or what stands for it if it is a secret. */
type SecretAt = (place: Place, value: string) => Exact;

const keyOf = (place: Place): string =>
  JSON.stringify([place.in, 'index' in place ? place.index : 'path' in place ? place.path : '']);

/** The pairs of a query or a form, decoded, each with its place among the parts between `&`. */
export function pairsOf(
  text: string,
): readonly { readonly name: string; readonly value: string; readonly index: number }[] {
  return text.split('&').flatMap((part, index) => {
    const at = part.indexOf('=');
    const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    return part === '' ? [] : [{ name: decode(name), value: decode(value), index }];
  });
}

/**
 * Parameters by name; what has no place there stays in the endpoint: repeated names, and those without a value. Throws
 * ERR_USAGE for a repeated name with a secret, which has no place at all.
 */
function queryOf({ url, secrets }: FoundRequest, secretAt: SecretAt) {
  const pairs = pairsOf(url.search.slice(1));
  const repeated = new Set(repeatedIn(pairs));
  const ofSecrets = new Set(secrets.flatMap((place) => (place.in === 'query' ? [place.index] : [])));
  const query = new Map<string, Exact>();
  const kept: string[] = [];
  for (const { name, value, index } of pairs) {
    const isSecret = ofSecrets.has(index);
    const isPlain = name !== '' && name !== '0' && (value !== '' || isSecret);
    const isRepeated = repeated.has(name);
    if (isRepeated && isSecret) throw usageError(repeatedSecret(name));
    if (isSecret || (isPlain && !isRepeated)) query.set(name, secretAt({ in: 'query', index }, value));
    else kept.push(`${encodeURIComponent(name)}${value === '' ? '' : `=${encodeURIComponent(value)}`}`);
  }
  return { query, kept };
}

/** Names that come several times, in the order of their second places. */
function repeatedIn(pairs: ReturnType<typeof pairsOf>): readonly string[] {
  const seen = new Set<string>();
  const again = pairs.filter(({ name }) => seen.size === seen.add(name).size);
  return [...new Set(again.map(({ name }) => name))];
}

/** Names that the query of a GET has several times: other parameters beside them leave the last value only. */
export function repeatedNames({ method, url }: FoundRequest): readonly string[] {
  const pairs = method === 'GET' ? pairsOf(url.search.slice(1)) : [];
  return repeatedIn(pairs);
}

function repeatedSecret(name: string): string {
  const remedy = isCredentialName(name) ? '' : `, or add --keep ${name} if its values are no secrets`;
  return `the query has "${name}" several times, with a value that may be a secret: a configuration can have such a name once. ${giveOnce(name)}${remedy}`;
}

const giveOnce = (name: string): string =>
  name.endsWith('[]') ? `Write "${name.slice(0, -1)}0]", "${name.slice(0, -1)}1]" instead` : 'Give it once';

/** A query that belongs to a POST cannot have parameters of the job. */
function endpointQuery(kept: readonly string[], query: ExactObject): string {
  const others = [...query].flatMap(([name, value]) =>
    typeof value === 'string' ? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`] : [],
  );
  const all = [...kept, ...others];
  return all.length === 0 ? '' : `?${all.join('&')}`;
}

/**
 * How the API authenticates: what is left of the query, and which header is part of it. The query of a POST is no
 * parameter of the job: all its secrets are part of the authentication, and a header remains one. Throws ERR_USAGE if
 * the address has a user too.
 */
function credentialsOf(found: FoundRequest, env: Record<string, string>, query: ReadonlyMap<string, Exact>) {
  const header = found.secrets.find(
    (place) => place.in === 'header' && /^authorization$/i.test(elementAt(found.headers, place.index)[0]),
  );
  const isPost = found.method === 'POST';
  const isKey = ([name, value]: readonly [string, Exact]) => isObject(value) && (isPost || isCredentialName(name));
  const keys = [...query].filter(isKey);
  const rest = new Map([...query].filter((each) => !isKey(each)));
  if (isPost && keys.length > 0) {
    if (found.url.username !== '') throw usageError(userAndKeys(keys.map(([name]) => name)));
    return { authentication: keysInQuery(keys), config: emptyObject, query: rest };
  }
  const basic = basicOf(found, header, env);
  if (basic !== undefined) return { ...basic, query: new Map(query) };
  const { prefix = '' } = header ?? {};
  if (header?.in === 'header' && /\S/.test(prefix) && !/^basic /i.test(prefix)) {
    const [, value] = elementAt(found.headers, header.index);
    env[header.env] = value.slice(prefix.length);
    const scheme = prefix.trim();
    const authentication = present([
      ['type', 'bearer'],
      ['scheme', scheme === 'Bearer' ? undefined : scheme],
      ['token', envOf(header.env)],
    ]);
    return { authentication, config: emptyObject, query: new Map(query), used: header.index };
  }
  if (keys.length === 0) return { config: emptyObject, query: new Map(query) };
  return { authentication: keysInQuery(keys), config: emptyObject, query: rest };
}

const userAndKeys = (names: readonly string[]): string =>
  `the address of the POST has a user, and a query with values that may be secrets (${names.join(', ')}): a configuration has one of them; give the user as --header 'Authorization: Basic \${API_CREDENTIALS}', in Base64`;

function keysInQuery(keys: readonly (readonly [string, Exact])[]): ExactObject {
  const [first, ...others] = keys;
  if (first !== undefined && others.length === 0) {
    const [name, value] = first;
    return new Map<string, Exact>([
      ['type', 'api-key'],
      ['in', 'query'],
      ['name', name],
      ['value', value],
    ]);
  }
  return new Map<string, Exact>([
    ['type', 'query'],
    ['query', new Map(keys)],
  ]);
}

interface BasicParts {
  readonly authentication?: ExactObject;
  readonly config: ExactObject;
  readonly used?: number;
}

/** User and password of the URL, or of a header `Authorization: Basic`. */
function basicOf(
  found: FoundRequest,
  header: SecretPlace | undefined,
  env: Record<string, string>,
): BasicParts | undefined {
  const { url, headers, secrets } = found;
  const isBasic = header?.in === 'header' && /^basic $/i.test(header.prefix ?? '') && header.env === basicName;
  const used = isBasic ? { used: header.index } : {};
  const pair = isBasic ? decodedPair(elementAt(headers, header.index)[1]) : undefined;
  if (pair === undefined && url.username === '' && url.password === '') return undefined;
  const user = secrets.find((place) => place.in === 'user')?.env ?? 'API_USER';
  const password = secrets.find((place) => place.in === 'password')?.env ?? 'API_PASSWORD';
  const [name = '', word = ''] = pair ?? [decodePart(url.username), decodePart(url.password)];
  env[user] = name;
  if (word === '') return { ...used, config: emptyObject, authentication: emptyPassword(user) };
  env[password] = word;
  const config = new Map<string, Exact>([
    ['#username', envOf(user)],
    ['#password', envOf(password)],
  ]);
  return { ...used, config, authentication: new Map<string, Exact>([['type', 'basic']]) };
}

/** The name that stands for user and password together. */
const basicName = 'API_CREDENTIALS';

function decodedPair(value: string): readonly string[] | undefined {
  const text = Buffer.from(value.replace(/^basic /i, ''), 'base64').toString();
  const at = text.indexOf(':');
  return at < 0 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}

/** The type `basic` requires a password; some APIs expect a key as the user, without one. */
const emptyPassword = (user: string): ExactObject => {
  const pair = { function: 'concat', args: [{ env: user }, ':'] };
  return fromPlain({
    type: 'bearer',
    scheme: 'Basic',
    token: { function: 'base64_encode', args: [pair] },
  }) as ExactObject; // of an object
};

function headersOf({ headers }: FoundRequest, secretAt: SecretAt, used: number | undefined): ExactObject {
  const sent = new Map<string, Exact>();
  for (const [index, [name, value]] of headers.entries()) {
    if (index === used) continue;
    const text = secretAt({ in: 'header', index }, value);
    sent.set(name, text);
  }
  return sent;
}

/** A path is cut after its version, or after the host: what follows is the endpoint. */
function addressOf({ url }: FoundRequest, secretAt: SecretAt) {
  const segments = url.pathname.split('/').slice(1);
  const parts = segments.map((text, index) => secretAt({ in: 'path', index: index + 1 }, text));
  const lastSecret = parts.findLastIndex((part) => typeof part !== 'string');
  const version = segments.findLastIndex((text) => /^(?:v\d[\w.]*|api|rest|\d+(?:\.\d+)+)$/i.test(text));
  const cut = Math.min(segments.length - 1, Math.max(version, lastSecret) + 1);
  const base = parts.slice(0, cut).flatMap((part) => [part, '/']);
  const endpoint = segments.slice(Math.max(cut, 0)).join('/');
  const start = `${url.origin}/`;
  const isPlain = base.every((part) => typeof part === 'string');
  const baseUrl = isPlain ? `${start}${base.join('')}` : fromPlain({ function: 'concat', args: [start, ...base] });
  return { baseUrl, endpoint: endpoint.includes(':') ? `./${endpoint}` : endpoint, name: nameOf(segments, parts) };
}

/** The last word of the path that is no id. */
function nameOf(segments: readonly string[], parts: readonly Exact[]): string {
  const words = segments.filter((text, index) => typeof parts[index] === 'string' && /^[a-z]/i.test(decodePart(text)));
  const word = decodePart(words.at(-1) ?? 'items').replace(/\.(?:json|php|aspx?)$/i, '');
  return word.replace(/[^\p{L}\p{N}_.-]+/gu, '-') || 'items';
}

function bodyOf({ body }: FoundRequest, secretAt: SecretAt): ExactObject {
  if (body === undefined) return emptyObject;
  if (body.kind === 'form') {
    const pairs = pairsOf(body.text);
    const [repeated] = repeatedIn(pairs);
    if (repeated !== undefined) throw usageError(repeatedInForm(repeated));
    return new Map(pairs.map(({ name, value, index }) => [name, secretAt({ in: 'form', index }, value)]));
  }
  const value = replaced(parseExact(body.text), [], secretAt);
  return isObject(value) ? value : emptyObject;
}

const repeatedInForm = (name: string): string =>
  `the form has "${name}" several times: a configuration can have a name of a form once. ${giveOnce(name)}`;

function replaced(value: Exact, path: readonly (string | number)[], secretAt: SecretAt): Exact {
  if (isArray(value)) return value.map((each, index) => replaced(each, [...path, index], secretAt));
  if (isObject(value))
    return new Map([...value].map(([name, each]) => [name, replaced(each, [...path, name], secretAt)]));
  const place = { in: 'json', path } as const;
  if (typeof value === 'string') return secretAt(place, value);
  if (value === null) return value;
  const shown = secretAt(place, typeof value === 'boolean' ? String(value) : value.text);
  return isObject(shown) ? shown : value;
}
