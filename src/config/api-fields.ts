/** The keys of `api` and `api.http`. docs/01-configuration.md#api. */
import { coerce, define, unknown } from 'superstruct';
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { Method } from '../core/model/request.js';
import { expressions } from '../language/expression-fields.js';
import { anyValue, method, object, opaque } from '../language/fields.js';
import { objectOr, withJsonSchema } from '../language/json-schema.js';
import { listOf, objectWith } from '../language/object-fields.js';
import type { Fields } from '../language/types.js';
import { type CertificateMembers, certificateFields } from './certificates.js';
import { type HttpOptions, httpOptionFields } from './http-options.js';

interface ApiMembers extends CertificateMembers {
  readonly baseUrl: Exact;
  readonly name?: Exact;
  readonly http?: Exact;
  readonly authentication?: Exact;
  readonly pagination?: Exact;
  readonly retryConfig?: Exact;
  readonly query?: Exact;
}

/** The keys of `api`; each is read by its own function. */
export const apiFields: Fields<ApiMembers> = {
  baseUrl: {
    type: opaque('an http or https URL with a host, or an expression', ['attr'], (write) =>
      objectOr(write.evaluated(['attr']), { type: 'string', pattern: '^([Hh][Tt][Tt][Pp][Ss]?://|\\s*\\{)' }),
    ),
    required: true,
    summary: 'the URL of the API; endpoints are relative to it',
  },
  http: { type: opaque('an object'), summary: 'headers, and defaults for all jobs', emptyIsAbsent: true },
  authentication: {
    type: opaque('an object with "type"', null, (write) => write.part('authentication')),
    emptyIsAbsent: true,
    otherwise: 'no login',
    summary: 'how requests are authenticated',
  },
  pagination: {
    type: opaque('an object with "method"', null, (write) => write.part('pagination')),
    emptyIsAbsent: true,
    otherwise: 'one request for each job',
    summary: 'how to request the next page',
  },
  retryConfig: { type: opaque('an object'), summary: 'which failures are retried, and how often', emptyIsAbsent: true },
  ...certificateFields,
  name: { type: anyValue, summary: 'a name for people; has no effect' },
  query: {
    type: opaque('an object', null, (write) => write.of(expressions('query', 'request', 'attr'))),
    emptyIsAbsent: true,
    summary: 'the old place of `authentication.query`',
  },
};

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

interface DefaultFields {
  readonly method?: Method;
  readonly params?: ExactObject;
  readonly headers?: ExactObject;
}

/** The keys of `api.http.defaultOptions`. docs/12-compatibility.md#headers. */
export const defaultFields: Fields<DefaultFields> = {
  method: { type: method, default: 'GET', summary: 'the HTTP method of jobs that do not set one', emptyIsAbsent: true },
  params: {
    type: object,
    summary: 'sent unchanged with every request; a job parameter of the same name takes precedence',
    emptyIsAbsent: true,
  },
  headers: {
    type: object,
    summary: 'sent unchanged with every request; a job header of the same name takes precedence',
    emptyIsAbsent: true,
  },
};

const origin = withJsonSchema(
  coerce(
    define<string>(
      'an origin: scheme, host and port',
      (value) => typeof value === 'string' && originOf(value) === value,
    ),
    unknown(),
    (value) => (typeof value === 'string' ? (originOf(value) ?? value) : value),
  ),
  () => ({ type: 'string', pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:[^?#@]+$' }),
);

function originOf(text: string): string | undefined {
  if (!isAddress(text)) return undefined;
  const { href, origin } = new URL(text);
  return href === `${origin}/` ? origin : undefined;
}

interface HttpMembers extends HttpOptions {
  readonly headers?: ExactObject;
  readonly defaultOptions?: DefaultFields;
  readonly credentialOrigins?: readonly string[];
}

/** The keys of `api.http`. */
export const httpFields: Fields<HttpMembers> = {
  headers: {
    type: expressions('attr'),
    emptyIsAbsent: true,
    summary: 'headers of every request, including the login request',
  },
  defaultOptions: {
    type: objectWith(defaultFields),
    emptyIsAbsent: true,
    summary: 'defaults for every job, but not for the login request',
  },
  credentialOrigins: {
    type: listOf(origin, 'origins'),
    otherwise: 'the origins of `baseUrl` and of absolute endpoints',
    summary: 'more origins that may receive credentials',
  },
  ...httpOptionFields,
};
