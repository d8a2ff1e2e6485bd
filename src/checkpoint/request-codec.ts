/**
 * A request on its way into a state and back: what it has from its job is not written, but taken from the job again,
 * which may have other secrets by then.
 */

import { type Exact, type ExactObject, emptyObject, isArray, isObject, stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Job } from '../core/model/job.js';
import type { Headers, Method, PageRequest, Placed } from '../core/model/request.js';
import { queryEntries } from '../core/url/query.js';
import { splitQuery, withQuery } from '../core/url/url.js';
import { combineList } from '../core/util/defined.js';
import { assertNoRest } from './no-more.js';
import type { SecretReferences } from './secret-refs.js';

/**
 * What stands for a login value that a link has brought: the login puts in its own.
 * docs/12-compatibility.md#parameters.
 */
const loginValue = '-';

/** What of the request is known besides. */
export interface Leading {
  /** It leads to an origin that the configuration names: that is no secret, though a login may have told it too. */
  readonly isTrusted: boolean;
  /** Query parameters that the login gives, where it is trusted. */
  readonly loginNames: ReadonlySet<string>;
}

/** As JSON text; undefined: it holds a secret that cannot be filled in again. */
export function serializeRequest(
  request: PageRequest,
  job: Job,
  vault: SecretReferences,
  { isTrusted, loginNames }: Leading,
): string | undefined {
  const { endpoint, method, params, headers, link, linkNames = [], placed = [], warning: _, ...left } = request;
  assertNoRest(left);
  const keptEndpoint = (address: string): Exact | undefined => {
    const [origin = ''] = isTrusted ? (/^https?:\/\/[^/?#@]*(?=[/?#]|$)/i.exec(address) ?? []) : [];
    const rest = vault.seal(address.slice(origin.length));
    return rest === undefined ? undefined : [origin, rest];
  };
  const brought = new Set(linkNames.filter((name) => loginNames.has(name)));
  // Those that a link brought are the API's choice: one of them may be a secret itself.
  const nameOf = (name: string) => (linkNames.includes(name) ? vault.seal(name) : name);
  const ofJob = (name: string) => job.params.get(name);
  const own = [...params].map(([name, value]) => [name, brought.has(name) ? loginValue : value] as const);
  const parts: readonly (readonly [string, Exact | undefined])[] = [
    ['params', combineList(own.map(([name, value]) => keptParam(nameOf(name), value, ofJob(name), vault)))],
    ...(endpoint === job.endpoint
      ? []
      : [['endpoint', keptEndpoint(link === true ? withoutLogin(endpoint, loginNames) : endpoint)] as const]),
    ...(method === undefined ? [] : [['method', method] as const]),
    ...(headers === job.headers ? [] : [['headers', vault.seal(headersAsExact(headers))] as const]),
    ...(link === true ? [['link', true] as const] : []),
    ...(linkNames.length === 0 ? [] : [['linkNames', vault.seal(linkNames)] as const]),
    ...(placed.length === 0 ? [] : [['placed', vault.seal(placed.map(({ path, value }) => [path, value]))] as const]),
  ];
  const known = combineList(parts.map(([name, value]) => (value === undefined ? undefined : [name, value])));
  return known === undefined ? undefined : stringifyExact(known);
}

/** A name alone: the job's value. */
function keptParam(
  name: Exact | undefined,
  value: Exact,
  ofJob: Exact | undefined,
  vault: SecretReferences,
): Exact | undefined {
  if (name === undefined) return undefined;
  if (ofJob !== undefined && stringifyExact(ofJob) === stringifyExact(value)) return [name];
  const sealed = vault.seal(value);
  return sealed === undefined ? undefined : [name, sealed];
}

/** The request again, with what the job has by now. */
export function deserializeRequest(text: string, job: Job, vault: SecretReferences): PageRequest {
  const parts = new Map(listIn(parseExact(text)).map((part) => [String(listIn(part)[0]), listIn(part)[1] ?? null]));
  const opened = (name: string) => vault.unseal(parts.get(name) ?? null);
  const method = parts.get('method');
  const linkNames = listIn(opened('linkNames')).map(String);
  const placed = listIn(opened('placed')).map((each) => placedIn(listIn(each)));
  return {
    endpoint: parts.has('endpoint') ? listIn(opened('endpoint')).join('') : job.endpoint,
    ...(typeof method === 'string' ? { method: method as Method } : {}), // written from a request
    params: new Map(
      listIn(parts.get('params') ?? null).map((param) => {
        const [sealedName = null, sealed] = listIn(param);
        const name = String(vault.unseal(sealedName));
        return [name, sealed === undefined ? (job.params.get(name) ?? null) : vault.unseal(sealed)];
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
