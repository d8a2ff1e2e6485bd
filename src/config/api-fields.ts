/** The keys of `api` and `api.http`. docs/01-configuration.md#api. */
import { emptyObject } from '../core/json/exact.js';
import { objectOr } from '../core/options/json-schema.js';
import { kind, type OptionRows } from '../core/options/kind.js';
import { listOf, objectOf } from '../core/options/object-kinds.js';
import { expressions } from '../language/expression-kinds.js';
import { anyValue, method, object, opaque, partOf } from '../language/kinds.js';
import { certificateFields } from './certificates.js';
import { httpOptionFields } from './http-options.js';
import { responseKind } from './response-fields.js';
import { responseRulesKind } from './response-rules.js';

/** The keys of `api`; each is read by its own function. */
export const apiFields = {
  baseUrl: {
    kind: opaque(
      'an http or https URL with a host, or an expression',
      (write) =>
        objectOr(write.evaluated(['attr']), { type: 'string', pattern: '^([Hh][Tt][Tt][Pp][Ss]?://|\\s*\\{)' }),
      { references: ['attr'] },
    ),
    required: true,
    summary: 'the URL of the API; endpoints are relative to it',
  },
  http: { kind: partOf('api.http', 'an object'), summary: 'headers, and defaults for all jobs', emptyIsAbsent: true },
  authentication: {
    kind: partOf('authentication', 'an object with "type"'),
    emptyIsAbsent: true,
    otherwise: 'no login',
    summary: 'how requests are authenticated',
  },
  pagination: {
    kind: partOf('pagination', 'an object with "method"'),
    emptyIsAbsent: true,
    otherwise: 'one request for each job',
    summary: 'how to request the next page',
  },
  response: {
    kind: responseKind,
    otherwise: 'guessed from each response',
    summary: 'how the responses of jobs are read: their format, such as CSV',
  },
  responseRules: {
    kind: responseRulesKind,
    emptyIsAbsent: true,
    summary: 'rules on responses: which are errors, and what becomes of their pages',
  },
  retryConfig: {
    kind: partOf('api.retryConfig', 'an object'),
    mayChangeOnResume: true,
    summary: 'which failures are retried, and how often',
    emptyIsAbsent: true,
  },
  ...certificateFields,
  name: { kind: anyValue, mayChangeOnResume: true, summary: 'a name for people; has no effect' },
  query: {
    kind: opaque('an object', (write) => write.of(expressions('query', 'request', 'attr'))),
    emptyIsAbsent: true,
    summary: 'the old place of `authentication.query`',
  },
} satisfies OptionRows;

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The keys of `api.http.defaultOptions`. docs/12-compatibility.md#headers. */
export const defaultFields = {
  method: { kind: method, default: 'GET', summary: 'the HTTP method of jobs that do not set one', emptyIsAbsent: true },
  params: {
    kind: object,
    default: emptyObject,
    summary: 'sent unchanged with every request; a job parameter of the same name takes precedence',
    emptyIsAbsent: true,
  },
  headers: {
    kind: object,
    default: emptyObject,
    summary: 'sent unchanged with every request; a job header of the same name takes precedence',
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

const origin = kind<string>(
  'an origin: scheme, host and port',
  (value) => typeof value === 'string' && originOf(value) === value,
  {
    fromExact: (value) => (typeof value === 'string' ? (originOf(value) ?? value) : value),
    schema: { type: 'string', pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:[^?#@]+$' },
  },
);

function originOf(text: string): string | undefined {
  if (!isAddress(text)) return undefined;
  const { href, origin } = new URL(text);
  return href === `${origin}/` ? origin : undefined;
}

/** The keys of `api.http`. */
export const httpFields = {
  headers: {
    kind: expressions('attr'),
    emptyIsAbsent: true,
    summary: 'headers of every request, including the login request',
  },
  defaultOptions: {
    kind: objectOf(defaultFields),
    emptyIsAbsent: true,
    summary: 'defaults for every job, but not for the login request',
  },
  credentialOrigins: {
    kind: listOf(origin, 'origins'),
    mayChangeOnResume: true,
    otherwise: 'the origins of `baseUrl` and of absolute endpoints',
    summary: 'more origins that may receive credentials',
  },
  ...httpOptionFields,
} satisfies OptionRows;
