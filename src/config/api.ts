/** The `api` section: address, headers, credentials, pagination, retries. requests.md 2. */
import { coerce, define, unknown } from 'superstruct';
import type { Fields } from '../component.js';
import { type Exact, type ExactObject, emptyObject, isObject } from '../exact.js';
import { listOf, method, object } from '../fields.js';
import type { Method, Scroller } from '../types.js';
import { checkExpression, isExpression, type Names, type Scope } from './check-expressions.js';
import { checkExpressionHeaders, checkLiteralHeaders } from './check-headers.js';
import { choose, makeNow } from './component.js';
import type { Config, DefaultOptions, HttpConfig } from './config.js';
import { notYet } from './not-yet.js';
import type { Place } from './place.js';
import { check, explain, isPhpEmpty, read, section } from './read.js';
import type { Registries } from './registries.js';
import { readRetry } from './retry.js';

type ApiConfig = Pick<Config, 'baseUrl' | 'http' | 'retry' | 'authentication' | 'scroller'>;

/** `name` has no effect on requests or items, and is let through for configurations that carry one. */
const members = ['baseUrl', 'name', 'http', 'authentication', 'pagination', 'retryConfig'];

/** `undefined` when something did not fit, which `place` then knows; all of the section is looked at in any case. */
export function readApi(place: Place, value: Exact, names: Names, registries: Registries): ApiConfig | undefined {
  const api = section(place, value, { besides: members, notYet: notYet.api });
  if (api === undefined) return undefined;
  const baseUrl = readBaseUrl(place.at('baseUrl'), api.get('baseUrl'), names);
  const http = readHttp(place.at('http'), api.get('http'), names);
  const retry = readRetry(place.at('retryConfig'), api.get('retryConfig'));
  const authentication = readAuthentication(place.at('authentication'), api.get('authentication'), names, registries);
  const scroller = readPagination(place.at('pagination'), api.get('pagination'), names, registries);
  if (baseUrl === undefined || http === undefined || retry === undefined || scroller === undefined) return undefined;
  return { baseUrl, http, retry, scroller, ...(authentication === undefined ? {} : { authentication }) };
}

const address = 'an http or https URL with a host, or an expression';

function readBaseUrl(place: Place, value: Exact | undefined, names: Names): Exact | undefined {
  const scope: Scope = { ...names, references: ['attr'] };
  if (isObject(value) && isExpression(value, scope)) {
    checkExpression(place, value, scope);
    return value;
  }
  if (typeof value === 'string' && isAddress(value)) return value;
  place.problem(explain(address, value));
  return undefined;
}

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const httpMembers = ['headers', 'defaultOptions', 'credentialOrigins'];

function readHttp(place: Place, value: Exact = null, names: Names): HttpConfig | undefined {
  const http = isPhpEmpty(value) ? emptyObject : section(place, value, { besides: httpMembers, notYet: notYet.http });
  if (http === undefined) return undefined;
  const headers = readHeaders(place.at('headers'), http.get('headers'), names);
  const defaultOptions = readDefaults(place.at('defaultOptions'), http.get('defaultOptions'));
  const credentialOrigins = check(place.at('credentialOrigins'), http.get('credentialOrigins') ?? [], origins);
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

interface DefaultFields {
  readonly method?: Method;
  readonly params?: ExactObject;
  readonly headers?: ExactObject;
}

const defaultFields: Fields<DefaultFields> = {
  method: { type: method, summary: 'For jobs without a method.' },
  params: { type: object, summary: 'Sent as they stand; a job parameter of the same name wins.' },
  headers: { type: object, summary: 'Sent as they stand; a job header of the same name wins.' },
};

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

const origin = coerce(
  define<string>('an origin: scheme, host and port', (value) => typeof value === 'string' && originOf(value) === value),
  unknown(),
  (value) => (typeof value === 'string' ? (originOf(value) ?? value) : value),
);
const origins = listOf(origin, 'origins');

function originOf(text: string): string | undefined {
  if (!isAddress(text)) return undefined;
  const { href, origin } = new URL(text);
  return href === `${origin}/` ? origin : undefined;
}

function readAuthentication(
  place: Place,
  value: Exact = null,
  names: Names,
  { authentications }: Registries,
): Config['authentication'] {
  const authentication = isPhpEmpty(value) ? undefined : check(place, value, object);
  if (authentication === undefined) return undefined;
  const choice = { key: 'type', notYetNames: notYet.authentications, notYetMembers: [] };
  return choose(place, authentication, authentications, choice, names);
}

function readPagination(place: Place, value: Exact = null, names: Names, registries: Registries): Scroller | undefined {
  const pagination = isPhpEmpty(value) ? emptyObject : check(place, value, object);
  if (pagination === undefined) return undefined;
  if (isPhpEmpty(pagination.get('method'))) {
    section(place, pagination, { besides: ['method'], notYet: notYet.pagination });
    return registries.none;
  }
  const choice = { key: 'method', notYetNames: notYet.scrollers, notYetMembers: notYet.pagination };
  return makeNow(place, choose(place, pagination, registries.scrollers, choice, names));
}
