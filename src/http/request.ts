/**
 * Builds an `HttpRequest` from a `PageRequest`: pure merge rules of the configuration language. The interceptor
 * `authorize` adds credentials later.
 */

import type { LoginRequest } from '../auth/types.js';
import { type Exact, type ExactObject, emptyObject, isArray, isNumber, isObject } from '../core/json/exact.js';
import { type Headers, type HttpRequest, httpMethod, type Method, type PageRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { placeAt } from '../core/url/body-path.js';
import { fillHeaders, noHeaders, overlayHeaders, withHeader } from '../core/url/headers.js';
import { encodeJsonBody } from '../core/url/json-body.js';
import type { Origins } from '../core/url/origins.js';
import { encodeForm, mergeEndpointQuery, queryNames } from '../core/url/query-string.js';
import { createResolver } from '../core/url/url.js';
import { remember } from '../core/util/remember.js';

/** `api.http.defaultOptions`: the defaults under every request of a job. */
export interface DefaultOptions {
  readonly method: Method;
  readonly params: ExactObject;
  readonly headers: Headers;
}

/** The configured rules for every request. */
export interface RequestRules {
  readonly baseUrl: string;
  readonly defaultOptions: DefaultOptions;
  /** `api.http.headers` overlaid by `config.http.headers`, evaluated. */
  readonly clientHeaders: Headers;
  /** Sent unless a header of that name is configured. */
  readonly userAgent: string;
  readonly origins: Pick<Origins, 'trusts'>;
  readonly secrets: Pick<Secrets, 'isSecret' | 'mask'>;
}

const noDefaults: DefaultOptions = { method: 'GET', params: emptyObject, headers: noHeaders };

/**
 * Creates the function that builds page requests, with defaults. A request to an untrusted origin carries no configured
 * header, no default and no parameter that contains a secret. The function throws ERR_REQUEST.
 * docs/12-compatibility.md#parameters, docs/12-compatibility.md#origins.
 */
export function createRequestBuilder(api: RequestRules): (page: PageRequest) => HttpRequest {
  const { method } = api.defaultOptions;
  const resolve = createResolver(api.baseUrl);
  const build = createBuilder(api, resolve);
  const bare = { ...api, defaultOptions: { ...noDefaults, method }, clientHeaders: noHeaders };
  const buildBare = createBuilder(bare, resolve);
  const trusts = remember((endpoint) => api.origins.trusts(resolve(endpoint)));
  return (page) => (trusts(page.endpoint) ? build(page) : buildBare(withoutSecrets(page, api.secrets)));
}

/** Builds one request: see `createRequestBuilder`. */
export const buildRequest = (page: PageRequest, api: RequestRules): HttpRequest => createRequestBuilder(api)(page);

/**
 * Builds a login request: like a job's, but without defaults. docs/02-login.md#what-the-login-request-carries,
 * docs/12-compatibility.md#headers.
 */
export function buildLoginRequest(request: LoginRequest, api: RequestRules): HttpRequest {
  return buildRequest(request, { ...api, defaultOptions: noDefaults });
}

/**
 * Merges parameters over their defaults: default-only names first, lists merge by index, other values replace the
 * default. docs/12-compatibility.md#parameters.
 */
export function mergeParams(defaults: ExactObject, params: ExactObject): ExactObject {
  if (defaults.size === 0) return params;
  const merged = new Map(defaults);
  for (const [name, value] of params) merged.set(name, mergeValue(defaults.get(name), value));
  return merged;
}

function withoutSecrets(page: PageRequest, secrets: RequestRules['secrets']): PageRequest {
  const params = new Map([...page.params].filter(([, value]) => !holdsSecret(value, secrets)));
  const placed = (page.placed ?? []).filter(({ value }) => !holdsSecret(value, secrets));
  return { ...page, params, placed, headers: noHeaders };
}

/** Computes the shared parts of a walk's requests, headers and base address, once. */
function createBuilder(api: RequestRules, resolve: (endpoint: string) => string): (page: PageRequest) => HttpRequest {
  const { defaultOptions, baseUrl } = api;
  const headersOf = createHeaders(api);
  return (page) => {
    const method = methodOf(page, defaultOptions);
    const merged = mergeParams(defaultOptions.params, page.params);
    const params = page.placed === undefined ? merged : page.placed.reduce(placeAt, merged);
    const address = page.endpoint === '' ? baseUrl : page.endpoint;
    if (method === 'GET' && page.link !== true && page.linkNames === undefined) {
      return { method, url: resolve(mergeEndpointQuery(address, params)), headers: headersOf(page.headers, undefined) };
    }
    const hasNone = page.isBare === true && params.size === 0;
    const { body, contentType } = hasNone ? noBody : encodeBody(method, params);
    return {
      method: httpMethod(method),
      url: resolve(body === undefined ? mergeEndpointQuery(address, params) : address),
      headers: headersOf(page.headers, contentType),
      ...(body === undefined ? {} : { body }),
      ...linkedNames(page, body === undefined ? params : emptyObject, defaultOptions.params),
    };
  };
}

/** Creates the headers of requests from the headers of the page and the type of the body; caches the result. */
function createHeaders({ defaultOptions, clientHeaders, userAgent }: RequestRules) {
  const known = new WeakMap<Headers, Map<string | undefined, Headers>>();
  const agent: Headers = new Map([['User-Agent', [userAgent]]]);
  return (ofPage: Headers, contentType: string | undefined): Headers => {
    const byType = known.get(ofPage) ?? new Map<string | undefined, Headers>();
    const made = byType.get(contentType);
    if (made !== undefined) return made;
    const own = overlayHeaders(defaultOptions.headers, ofPage);
    const typed = contentType === undefined ? own : withHeader(own, 'Content-Type', contentType);
    const headers = fillHeaders(fillHeaders(typed, clientHeaders), agent);
    known.set(ofPage, byType.set(contentType, headers));
    return headers;
  };
}

/** The method of the request, else of the defaults. */
export const methodOf = (page: Pick<PageRequest, 'method'>, defaults: Pick<DefaultOptions, 'method'>): Method =>
  page.method ?? defaults.method;

/** Whether parameters go out as a JSON body. docs/12-compatibility.md#parameters. */
export const hasJsonBody = (method: Method): boolean => method !== 'GET' && method !== 'HEAD' && method !== 'FORM';

interface RequestBody {
  readonly body?: string;
  readonly contentType?: string;
}

const noBody: RequestBody = {};

function encodeBody(method: Method, params: ExactObject): RequestBody {
  if (hasJsonBody(method)) return { body: encodeJsonBody(params), contentType: 'application/json' };
  if (method !== 'FORM') return {};
  return { body: encodeForm(params), contentType: 'application/x-www-form-urlencoded' };
}

/**
 * The names that only a link provided: in its query, if a parameter of the same name has not replaced it, or as a
 * parameter.
 */
function linkedNames({ link, linkNames = [], endpoint }: PageRequest, params: ExactObject, defaults: ExactObject) {
  if (link !== true && linkNames.length === 0) return {};
  const inQuery = link === true ? [...queryNames(endpoint)].filter((name) => !params.has(name)) : [];
  return { linkNames: new Set([...inQuery, ...linkNames.filter((name) => !defaults.has(name))]) };
}

function mergeValue(under: Exact | undefined, over: Exact): Exact {
  if (!isArray(under) || !isArray(over)) return over;
  const length = Math.max(under.length, over.length);
  return Array.from({ length }, (_, index) => {
    const value = over[index];
    return value === undefined ? (under[index] ?? null) : mergeValue(under[index], value);
  });
}

function holdsSecret(value: Exact, secrets: RequestRules['secrets']): boolean {
  if (value === null || typeof value === 'boolean') return false;
  if (isArray(value)) return value.some((member) => holdsSecret(member, secrets));
  if (isObject(value)) return [...value.values()].some((member) => holdsSecret(member, secrets));
  const text = isNumber(value) ? value.text : value;
  return secrets.isSecret(text) || secrets.mask(text) !== text;
}
