/** Reads the `api` section: address, headers, credentials, pagination, retries. docs/01-configuration.md#api. */
import { type Exact, type ExactObject, emptyObject, isObject } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import { isHttpUrl } from '../core/url/url.js';
import { combine, defined } from '../core/util/defined.js';
import {
  checkExpression,
  isExpression,
  type Names,
  type Scope,
  warnUnevaluated,
} from '../language/check-expressions.js';
import { checkExpressionHeaders, checkLiteralHeaders } from '../language/check-headers.js';
import type { ResponseRule } from '../language/condition/response-rule.js';
import type { ConfigPath } from '../language/config-path.js';
import { object } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, objectOrNone, readObject, readSection, readValue } from '../language/read.js';
import { apiFields, defaultFields, httpFields } from './api-fields.js';
import { readTls } from './certificates.js';
import { type ComponentChoice, type ComponentContext, chooseComponent } from './choose-component.js';
import type { Config, ConfiguredDefaults, HttpConfig } from './config.js';
import { readHttpLimits } from './http-options.js';
import { readPagination } from './pagination.js';
import type { Registries } from './registries.js';
import { readResponse } from './response-fields.js';
import { readResponseRules } from './response-rules.js';
import { readRetry } from './retry-settings.js';

type ApiConfig = Pick<
  Config,
  'baseUrl' | 'apiPath' | 'http' | 'tls' | 'retry' | 'authentication' | 'paginator' | 'response'
> & {
  readonly responseRules: readonly ResponseRule[];
};

export interface ApiReadContext {
  readonly names: Names;
  readonly registries: Registries;
  /** Absent: the rest of the document has problems. */
  readonly around?: ComponentContext;
}

/** Reads the whole section. Returns `undefined` if something does not fit, after reporting it to `place`. */
export function readApi(place: ConfigPath, value: Exact, context: ApiReadContext): ApiConfig | undefined {
  const { names, registries } = context;
  const api = readSection(place, value, { besides: Object.keys(apiFields) });
  if (api === undefined) return undefined;
  const baseUrl = readBaseUrl(place.at('baseUrl'), api.get('baseUrl'), names);
  const http = readHttp(place.at('http'), api.get('http'), names);
  const tls = readTls(place, api);
  const retry = readRetry(place.at('retryConfig'), api.get('retryConfig'));
  const authentication = readAuthentication(place, api, context);
  const paginator = readPagination(place.at('pagination'), api.get('pagination'), names, registries);
  const response = readResponse(place.at('response'), api.get('response'));
  const responseRules = readResponseRules(place.at('responseRules'), api.get('responseRules'));
  const parts = combine({ baseUrl, http, retry, paginator, responseRules });
  return parts && { ...parts, apiPath: place.path, ...defined({ tls, authentication, response }) };
}

function readBaseUrl(place: ConfigPath, value: Exact | undefined, names: Names): Exact | undefined {
  const scope: Scope = { ...names, references: ['attr'] };
  if (isObject(value) && isExpression(value, scope)) {
    checkExpression(place, value, scope);
    return value;
  }
  if (typeof value === 'string' && isHttpUrl(value)) return value;
  const written = typeof value === 'string' ? writtenExpression(value) : undefined;
  if (written !== undefined && isExpression(written, scope)) {
    place.warn('deprecated', 'an expression written as a string; write it as an object');
    checkExpression(place, written, scope);
    return written;
  }
  const isBare = typeof value === 'string' && value !== '' && !/^[a-z][a-z\d+.-]*:\/\//i.test(value);
  const hint = isBare ? ' that does not begin with "https://" or "http://"' : '';
  place.problem(`${describeMismatch(apiFields.baseUrl.kind.struct.type, value)}${hint}`);
  return undefined;
}

/** Older configurations have an expression as a string of JSON. docs/12-compatibility.md#addresses. */
function writtenExpression(text: string): ExactObject | undefined {
  try {
    const value = parseExact(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A relative endpoint replaces the last segment if there is no slash after it: valid, but rarely intended. RFC 3986
 * 5.2.
 */
export function noteBaseUrl(place: ConfigPath, baseUrl: Exact, endpoints: readonly string[]): void {
  const isRelative = endpoints.some((endpoint) => !/^(?:[a-z][a-z\d+.-]*:|[/?#]|$)/i.test(endpoint));
  const endsOpen = typeof baseUrl === 'string' && /[^/]\/[^/?#]+$/.test(baseUrl);
  if (!isRelative || !endsOpen) return;
  place.note('base-url-slash', 'relative endpoints replace its last segment; did you mean it to end with "/"?');
}

function readHttp(place: ConfigPath, value: Exact = null, names: Names): HttpConfig | undefined {
  const known = { besides: Object.keys(httpFields) };
  const http = isPhpEmpty(value) ? emptyObject : readSection(place, value, known);
  if (http === undefined) return undefined;
  const headers = readHeaders(place.at('headers'), http.get('headers'), names);
  const defaultOptions = readDefaults(place.at('defaultOptions'), http.get('defaultOptions'), names);
  const limits = readHttpLimits(place, http);
  const listed = http.get('credentialOrigins') ?? [];
  const credentialOrigins = readValue(place.at('credentialOrigins'), listed, httpFields.credentialOrigins.kind);
  const parts = combine({ defaultOptions, credentialOrigins });
  return parts && limits && { headers, ...parts, ...limits };
}

/** Reads `api.http.headers` or `config.http.headers`: expressions over `attr`. */
export function readHeaders(place: ConfigPath, value: Exact = null, names: Names): ExactObject {
  const headers = objectOrNone(place, value) ?? emptyObject;
  checkExpressionHeaders(place, headers, { ...names, references: ['attr'] });
  return headers;
}

function readDefaults(place: ConfigPath, value: Exact = null, names: Names): ConfiguredDefaults | undefined {
  const options = readObject(place, isPhpEmpty(value) ? emptyObject : value, defaultFields);
  if (options === undefined) return undefined;
  const { params, headers } = options;
  warnUnevaluated(place.at('params'), params, { ...names, references: ['attr'] });
  checkLiteralHeaders(place.at('headers'), headers);
  return options;
}

function readAuthentication(api: ConfigPath, members: ExactObject, { names, registries, around }: ApiReadContext) {
  const value = members.get('authentication') ?? null;
  const written = isPhpEmpty(value) ? undefined : readValue(api.at('authentication'), value, object);
  const { place, authentication } = withOldQuery(api, written, members.get('query'));
  if (authentication === undefined) return undefined;
  if (isPhpEmpty(authentication.get('type'))) {
    readSection(place, authentication, { besides: ['type'] });
    place.at('type').warn('no-type', 'without it requests are sent without credentials');
    return undefined;
  }
  const choice: ComponentChoice = { key: 'type', besides: [], around };
  return chooseComponent(place, authentication, registries.authentications, choice, names);
}

/**
 * `api.query` is the old place of the parameters of type `query`; it is read if the type has none of its own.
 * docs/02-login.md#query-parameters-for-each-request.
 */
function withOldQuery(api: ConfigPath, authentication: ExactObject | undefined, old: Exact | undefined) {
  const place = api.at('authentication');
  if (isPhpEmpty(old)) return { place, authentication };
  const type = authentication?.get('type');
  const reads = (type === 'query' || type === 'url.query') && isPhpEmpty(authentication?.get('query'));
  if (!reads || authentication === undefined || old === undefined) {
    api.at('query').warn('unknown-key', 'not used; put parameters of every request into `api.authentication.query`');
    return { place, authentication };
  }
  api.at('query').warn('deprecated', 'an old place; use `api.authentication.query`');
  const at: ConfigPath['at'] = (...steps) => (steps[0] === 'query' ? api : place).at(...steps);
  return { place: { ...place, at }, authentication: new Map([...authentication, ['query', old]]) };
}
