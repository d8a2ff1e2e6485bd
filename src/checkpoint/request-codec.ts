/**
 * Writes a request for the journal and reads it back. Values of the job are not written: the job supplies them again,
 * and may have other secrets by then.
 */

import { type Exact, type ExactObject, emptyObject, isArray, isObject, stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Job } from '../core/model/job.js';
import type { Headers, Method, PageRequest, Placed } from '../core/model/request.js';
import { queryEntries } from '../core/url/query-string.js';
import { splitQuery, withQuery } from '../core/url/url.js';
import { combineList } from '../core/util/defined.js';
import { mustStoreAll } from './no-more.js';
import type { SecretReferences } from './secret-refs.js';

/** Replaces a login value from a link: the login sets its own. docs/12-compatibility.md#parameters. */
const loginValue = '-';

/** What is known of the target of a request. */
export interface Leading {
  /** The configuration names the origin: it is no secret, even if a login returned it too. */
  readonly isTrusted: boolean;
  /** Query parameters that the login sets, if the origin is trusted. */
  readonly loginNames: ReadonlySet<string>;
}

mustStoreAll<PageRequest>({
  endpoint: true,
  method: true,
  params: true,
  headers: true,
  link: true,
  linkNames: true,
  placed: true,
  isBare: true, // of requests that are no pages
  warning: true, // it is not stored
});

/** Returns JSON text; undefined: the request contains a secret that no later run can fill in. */
export function serializeRequest(
  request: PageRequest,
  job: Job,
  references: SecretReferences,
  { isTrusted, loginNames }: Leading,
): string | undefined {
  const { endpoint, method, params, headers, link, linkNames = noNames, placed = [] } = request;
  const own: (Exact | undefined)[] = [];
  for (const [name, value] of params) {
    // The API chooses the names in a link: one of them may be a secret.
    const isBrought = linkNames.includes(name);
    const kept = isBrought && loginNames.has(name) ? loginValue : value;
    own.push(keptParam(isBrought ? references.seal(name) : name, kept, job.params.get(name), references));
  }
  const parts: (readonly [string, Exact | undefined])[] = [['params', combineList(own)]];
  if (endpoint !== job.endpoint) {
    const bare = link === true ? withoutLogin(endpoint, loginNames) : endpoint;
    parts.push(['endpoint', keptEndpoint(bare, isTrusted, references)]);
  }
  if (method !== undefined) parts.push(['method', method]);
  if (headers !== job.headers) parts.push(['headers', references.seal(headersAsExact(headers))]);
  if (link === true) parts.push(['link', true]);
  if (linkNames.length > 0) parts.push(['linkNames', references.seal(linkNames)]);
  if (placed.length > 0) parts.push(['placed', references.seal(placed.map(({ path, value }) => [path, value]))]);
  const known = combineList(parts.map(([name, value]) => (value === undefined ? undefined : [name, value])));
  return known === undefined ? undefined : stringifyExact(known);
}

const noNames: readonly string[] = [];

function keptEndpoint(address: string, isTrusted: boolean, references: SecretReferences): Exact | undefined {
  const [origin = ''] = isTrusted ? (/^https?:\/\/[^/?#@]*(?=[/?#]|$)/i.exec(address) ?? []) : [];
  const rest = references.seal(address.slice(origin.length));
  return rest === undefined ? undefined : [origin, rest];
}

/** Writes the name alone if the value is that of the job. */
function keptParam(
  name: Exact | undefined,
  value: Exact,
  ofJob: Exact | undefined,
  references: SecretReferences,
): Exact | undefined {
  if (name === undefined) return undefined;
  if (ofJob !== undefined && stringifyExact(ofJob) === stringifyExact(value)) return [name];
  const sealed = references.seal(value);
  return sealed === undefined ? undefined : [name, sealed];
}

/** Restores the request, with the current values of the job. */
export function deserializeRequest(text: string, job: Job, references: SecretReferences): PageRequest {
  const parts = new Map(listIn(parseExact(text)).map((part) => [String(listIn(part)[0]), listIn(part)[1] ?? null]));
  const opened = (name: string) => references.unseal(parts.get(name) ?? null);
  const method = parts.get('method');
  const linkNames = listIn(opened('linkNames')).map(String);
  const placed = listIn(opened('placed')).map((each) => placedIn(listIn(each)));
  return {
    endpoint: parts.has('endpoint') ? listIn(opened('endpoint')).join('') : job.endpoint,
    ...(typeof method === 'string' ? { method: method as Method } : {}), // written from a request
    params: new Map(
      listIn(parts.get('params') ?? null).map((param) => {
        const [sealedName = null, sealed] = listIn(param);
        const name = String(references.unseal(sealedName));
        return [name, sealed === undefined ? (job.params.get(name) ?? null) : references.unseal(sealed)];
      }),
    ),
    headers: parts.has('headers') ? headersIn(opened('headers')) : job.headers,
    ...(parts.has('link') ? { link: true } : {}),
    ...(linkNames.length === 0 ? {} : { linkNames }),
    ...(placed.length === 0 ? {} : { placed }),
  };
}

const placedIn = ([path = null, value = null]: readonly Exact[]): Placed => ({ path: listIn(path).map(String), value });

function withoutLogin(link: string, loginNames: ReadonlySet<string>): string {
  const { address, query } = splitQuery(link);
  if (query === undefined) return link;
  const isLogins = (name: string) =>
    [...loginNames].some((each) => name === each || name === `${each}[0]` || name === `${each}[1]`);
  const pairs = queryEntries(`?${query}`).map(({ name, text }) =>
    isLogins(name) && text.includes('=') ? `${text.slice(0, text.indexOf('='))}=${loginValue}` : text,
  );
  return withQuery(address, pairs.join('&'));
}

const headersAsExact = (headers: Headers): ExactObject => new Map(headers);

const headersIn = (value: Exact): Headers =>
  new Map([...(isObject(value) ? value : emptyObject)].map(([name, values]) => [name, listIn(values).map(String)]));

const listIn = (value: Exact): readonly Exact[] => (isArray(value) ? value : []);
