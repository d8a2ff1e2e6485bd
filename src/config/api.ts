/** The `api` section: address, headers, credentials, pagination, retries. requests.md 2. */
import { type Exact, type ExactObject, emptyObject, isObject } from '../exact.js';
import { object } from '../fields.js';
import { apiFields, defaultFields, httpFields, isAddress } from './api-fields.js';
import { checkExpression, isExpression, type Names, type Scope } from './check-expressions.js';
import { checkExpressionHeaders, checkLiteralHeaders } from './check-headers.js';
import { choose } from './component.js';
import type { Config, DefaultOptions, HttpConfig } from './config.js';
import { notYet } from './not-yet.js';
import { readPagination } from './pagination.js';
import type { Place } from './place.js';
import { check, explain, isPhpEmpty, read, section } from './read.js';
import type { Registries } from './registries.js';
import { readRetry } from './retry.js';

type ApiConfig = Pick<Config, 'baseUrl' | 'http' | 'retry' | 'authentication' | 'scroller'>;

/** `undefined` when something did not fit, which `place` then knows; all of the section is looked at in any case. */
export function readApi(place: Place, value: Exact, names: Names, registries: Registries): ApiConfig | undefined {
  const api = section(place, value, { besides: Object.keys(apiFields), notYet: notYet.api });
  if (api === undefined) return undefined;
  const baseUrl = readBaseUrl(place.at('baseUrl'), api.get('baseUrl'), names);
  const http = readHttp(place.at('http'), api.get('http'), names);
  const retry = readRetry(place.at('retryConfig'), api.get('retryConfig'));
  const authentication = readAuthentication(place.at('authentication'), api.get('authentication'), names, registries);
  const scroller = readPagination(place.at('pagination'), api.get('pagination'), names, registries);
  if (baseUrl === undefined || http === undefined || retry === undefined || scroller === undefined) return undefined;
  return { baseUrl, http, retry, scroller, ...(authentication === undefined ? {} : { authentication }) };
}

function readBaseUrl(place: Place, value: Exact | undefined, names: Names): Exact | undefined {
  const scope: Scope = { ...names, references: ['attr'] };
  if (isObject(value) && isExpression(value, scope)) {
    checkExpression(place, value, scope);
    return value;
  }
  if (typeof value === 'string' && isAddress(value)) return value;
  const isBare = typeof value === 'string' && value !== '' && !/^[a-z][a-z\d+.-]*:\/\//i.test(value);
  const hint = isBare ? ' that does not begin with "https://" or "http://"' : '';
  place.problem(`${explain(apiFields.baseUrl.type.type, value)}${hint}`);
  return undefined;
}

/** A relative endpoint takes the place of a last segment without a slash behind it: legal, and seldom meant. RFC 3986 5.2. */
export function noteBaseUrl(place: Place, baseUrl: Exact, endpoints: readonly string[]): void {
  const isRelative = endpoints.some((endpoint) => !/^(?:[a-z][a-z\d+.-]*:|[/?#]|$)/i.test(endpoint));
  const endsOpen = typeof baseUrl === 'string' && /[^/]\/[^/?#]+$/.test(baseUrl);
  if (!isRelative || !endsOpen) return;
  place.note('base-url-slash', 'relative endpoints replace its last segment; did you mean it to end with "/"?');
}

function readHttp(place: Place, value: Exact = null, names: Names): HttpConfig | undefined {
  const known = { besides: Object.keys(httpFields), notYet: notYet.http };
  const http = isPhpEmpty(value) ? emptyObject : section(place, value, known);
  if (http === undefined) return undefined;
  const headers = readHeaders(place.at('headers'), http.get('headers'), names);
  const defaultOptions = readDefaults(place.at('defaultOptions'), http.get('defaultOptions'));
  const listed = http.get('credentialOrigins') ?? [];
  const credentialOrigins = check(place.at('credentialOrigins'), listed, httpFields.credentialOrigins.type);
  if (headers === undefined || defaultOptions === undefined || credentialOrigins === undefined) return undefined;
  return { headers, defaultOptions, credentialOrigins };
}

/** `api.http.headers` and `config.http.headers`: expressions over `attr`. */
export function readHeaders(place: Place, value: Exact = null, names: Names): ExactObject | undefined {
  if (isPhpEmpty(value)) return emptyObject;
  const headers = check(place, value, object);
  if (headers !== undefined) checkExpressionHeaders(place, headers, { ...names, references: ['attr'] });
  return headers;
}

function readDefaults(place: Place, value: Exact = null): DefaultOptions | undefined {
  const options = isPhpEmpty(value) ? {} : read(place, value, defaultFields);
  if (options === undefined) return undefined;
  const { params = emptyObject, headers = emptyObject, ...rest } = options;
  for (const [name, member] of params) {
    if (isObject(member) && isExpression(member, { functions: {}, attr: emptyObject, references: ['attr'] })) {
      place.at('params', name).warn('not-evaluated', 'expressions are not evaluated here; sent as it stands');
    }
  }
  checkLiteralHeaders(place.at('headers'), headers);
  return { params, headers, ...rest };
}

function readAuthentication(
  place: Place,
  value: Exact = null,
  names: Names,
  { authentications }: Registries,
): Config['authentication'] {
  const authentication = isPhpEmpty(value) ? undefined : check(place, value, object);
  if (authentication === undefined) return undefined;
  const choice = { key: 'type', notYetNames: notYet.authentications, besides: [] };
  return choose(place, authentication, authentications, choice, names);
}
