/** What a recording keeps of a request, and how a request of a replay differs from it. */
import { type Exact, isArray, isNumber, isObject, stringifyExact } from '../core/json/exact.js';
import { parseExact, parseIfJson } from '../core/json/exact-parse.js';
import type { HttpRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { isHarmless } from '../core/secrets/known-secrets.js';
import { maskText } from '../core/secrets/secrets.js';
import { withoutHeader } from '../core/url/headers.js';
import { queryEntries } from '../core/url/query-string.js';
import { splitQuery } from '../core/url/url.js';
import type { RequestContext } from '../http/request-context.js';
import type { MaskedRequest } from './recording-lines.js';

type Masks = Pick<Secrets, 'isSecret' | 'mask' | 'maskUrl'>;

/** Masks a request. Of headers that may identify the sender only the names remain; there is no cookie. */
export function maskRequest({ method, url, headers, body }: HttpRequest, secrets: Masks): MaskedRequest {
  const named = [...headers].map(([name, values]) => [name.toLowerCase(), values] as const);
  const kept = named.filter(([name]) => name !== 'cookie').sort(([a], [b]) => (a < b ? -1 : 1));
  const masked = kept.map(
    ([name, values]) => [name, values.map((value) => (isHarmless(name) ? secrets.mask(value) : maskText))] as const,
  );
  return {
    method,
    url: plainMask(secrets.maskUrl(url)),
    headers: Object.fromEntries(masked),
    ...(body === undefined ? {} : { body: plainMask(maskBody(body, secrets)) }),
  };
}

/** A file is recorded whole: the rest of one could not be replayed alone. */
export function ofWholeFile(request: HttpRequest, { file }: Pick<RequestContext, 'file'>): HttpRequest {
  if (file?.part === undefined) return request;
  return { ...request, headers: withoutHeader(withoutHeader(request.headers, 'Range'), 'If-Range') };
}

/** A value that a recording has masked may be encoded in a request of its replay. */
const plainMask = (text: string): string => text.replaceAll('%2A%2A%2A', maskText);

/** Short secrets are masked as whole values only. */
function maskBody(body: string, secrets: Masks): string {
  if (!/^\s*[[{]/.test(body)) return secrets.maskUrl(`?${body}`).slice(1);
  return secrets.mask(stringifyExact(maskValues(parseExact(body), secrets)));
}

function maskValues(value: Exact, secrets: Masks): Exact {
  if (isArray(value)) return value.map((each) => maskValues(each, secrets));
  if (isObject(value)) return new Map([...value].map(([name, each]) => [name, maskValues(each, secrets)]));
  const text = isNumber(value) ? value.text : value;
  return typeof text === 'string' && secrets.isSecret(text) ? maskText : value;
}

/** Whether two requests are for the same: method, address and body. A masked part equals any text. */
export const isSameTarget = (recorded: MaskedRequest, request: MaskedRequest): boolean =>
  recorded.method === request.method &&
  isLike(recorded.url, request.url) &&
  (recorded.body === undefined) === (request.body === undefined) &&
  isLike(recorded.body ?? '', request.body ?? '');

function isLike(recorded: string, text: string): boolean {
  if (recorded === text) return true;
  const parts = recorded.split(maskText);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = index === parts.length - 1 ? text.lastIndexOf(part) : text.indexOf(part, at);
    if (found < at || (index === 0 && found > 0)) return false;
    at = found + part.length;
  }
  return parts.length > 1 && at === text.length;
}

/** How a request differs from a recorded one: a phrase for each difference, none for equal ones. */
export function differences(recorded: MaskedRequest, request: MaskedRequest): readonly string[] {
  const [before, now] = [splitQuery(recorded.url), splitQuery(request.url)];
  return [
    ...differing('method', recorded.method, request.method),
    ...differing('address', before.address, now.address),
    ...differingNames('parameter', parametersOf(recorded.url), parametersOf(request.url)),
    ...differingNames('header', comparedHeaders(recorded), comparedHeaders(request)),
    ...(recorded.body === request.body ? [] : differingBodies(recorded.body, request.body)),
  ];
}

const parametersOf = (url: string): ReadonlyMap<string, string> =>
  grouped(
    queryEntries(url).map(({ name, text }) => [name, text.includes('=') ? text.slice(text.indexOf('=') + 1) : '']),
  );

/** The version of rxtract may differ. */
const comparedHeaders = ({ headers }: MaskedRequest): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(headers).flatMap(([name, values]) => (name === 'user-agent' ? [] : [[name, values.join(', ')]])),
  );

function differingBodies(recorded: string | undefined, now: string | undefined): readonly string[] {
  const [before, after] = [membersOf(recorded), membersOf(now)];
  if (before === undefined || after === undefined) return differing('body', recorded, now);
  return differingNames('body', before, after);
}

/** The members of a JSON body, or the parameters of a form. Undefined: it is neither. */
function membersOf(body: string | undefined): ReadonlyMap<string, string> | undefined {
  if (body === undefined) return undefined;
  if (!body.startsWith('{')) return parametersOf(`?${body}`);
  const value = parseIfJson(body); // masking a part of a number leaves no JSON
  return isObject(value) ? new Map([...value].map(([name, each]) => [name, stringifyExact(each)])) : undefined;
}

function grouped(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const [name, value] of pairs) all.set(name, all.has(name) ? `${all.get(name)}&${value}` : value);
  return all;
}

function differingNames(
  what: string,
  recorded: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): readonly string[] {
  const names = [...new Set([...recorded.keys(), ...now.keys()])];
  return names.flatMap((name) => differing(`${what} "${name}"`, recorded.get(name), now.get(name)));
}

const longestShown = 200;

function differing(what: string, recorded: string | undefined, now: string | undefined): readonly string[] {
  if (recorded === now) return [];
  if (recorded !== undefined && now !== undefined && isLike(recorded, now)) return [];
  return [`${what}: ${shown(now)}, recorded ${shown(recorded)}`];
}

const shown = (text: string | undefined): string =>
  text === undefined ? 'none' : text.length > longestShown ? `${text.slice(0, longestShown)}...` : text;
