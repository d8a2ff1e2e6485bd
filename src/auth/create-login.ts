/**
 * Builds the authentication types that log in: sends a request, reads the response, and adds the credentials to later
 * requests.
 */
import { asyncScheduler, defer, identity, map, type Observable } from 'rxjs';
import { collectAll } from '../core/errors/collect-errors.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, fromPlain, isArray, isObject } from '../core/json/exact.js';
import { decode, parseExact } from '../core/json/exact-parse.js';
import type { FieldReference } from '../core/model/field-reference.js';
import type { HttpRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { addRequestSecrets, addTexts } from '../core/secrets/known-secrets.js';
import { replaceHeaders } from '../core/url/headers.js';
import { mergeLoginQuery } from '../core/url/query-string.js';
import { kindOf } from '../language/expression/convert.js';
import { type ExpressionContext, evaluateMap, headersFrom } from '../language/expression/expression.js';
import {
  attrReference,
  flatAt,
  isLeaf,
  type ReferenceResolver as Lookup,
  responseReference,
} from '../language/expression/reference.js';
import { isEachRequest, readExpiry } from './expiry.js';
import { type LoginOptions, rejectionRule } from './login-fields.js';
import { dependencies } from './sharing.js';
import type { AuthContext, Credentials, Login, LoginAuthenticator, LoginReply, LoginRequest } from './types.js';

const place = 'api.authentication';

/** The steps of one login. */
export interface LoginSteps extends Pick<Login, 'renewal' | 'takes' | 'refusal' | 'sharing' | 'outline' | 'consent'> {
  readonly endpoint: string;
  /** Called for each login. */
  request(): LoginRequest;
  /** Reads the response. Adds its secrets to `secrets`, which lives as long as the credentials. Throws ERR_LOGIN. */
  credentialsFrom(reply: LoginReply, secrets: Secrets): Credentials;
  /** Runs a login while no other one uses what it sends; absent: nothing to wait for. */
  readonly alone?: (login: Observable<Credentials>) => Observable<Credentials>;
}

/** Combines the steps. Headers of the login replace those of the same name; its query parameters are merged. */
export function createLoginAuthenticator(steps: LoginSteps, secrets: Secrets): LoginAuthenticator {
  const { endpoint, request, credentialsFrom, alone = identity, ...how } = steps;
  return {
    endpoints: [endpoint],
    login: {
      ...how,
      obtain: (send) =>
        alone(defer(() => send(request())).pipe(map((reply) => readCredentials(secrets, reply, credentialsFrom)))),
    },
    authorize,
  };
}

/** The secrets of a login are in a scope that its credentials own; if the login fails, the scope is closed at once. */
function readCredentials(
  secrets: Secrets,
  reply: LoginReply,
  credentialsFrom: LoginSteps['credentialsFrom'],
): Credentials {
  const { add, close } = secrets.scope();
  const values = new Set<string>();
  const remember = (value: string) => {
    values.add(value);
    add(value);
  };
  try {
    const credentials = credentialsFrom(reply, { ...secrets, add: remember });
    return { ...credentials, release: close, conceal: (other) => conceal(values, other) };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

function conceal(values: Iterable<string>, secrets: Pick<Secrets, 'scope'>): () => void {
  const { add, close } = secrets.scope();
  for (const value of values) add(value);
  return close;
}

/**
 * Creates a login from the options of type `login`; `moreReferences`: those of its request besides `attr`.
 * Evaluates the request at once: throws ERR_FUNCTION before anything is sent.
 */
export function createLogin(
  options: LoginOptions,
  { attr, preparedAt, secrets, notify }: AuthContext,
  moreReferences: ReadonlyMap<FieldReference, Lookup> = new Map(),
): LoginAuthenticator {
  const ofAttr: readonly (readonly [FieldReference, Lookup])[] = [['attr', attrReference(attr)]];
  const context = { references: new Map(ofAttr), secrets };
  const ofRequest = { references: new Map([...ofAttr, ...moreReferences]), secrets, ...fixedTime(preparedAt) };
  const request = loginRequest(options.loginRequest, ofRequest);
  addRequestSecrets(request, secrets);

  const { shared, format, expires, apiRequest } = options;
  // A login of another moment gives the same credentials.
  const timeless = loginRequest(options.loginRequest, { ...ofRequest, ...fixedTime(0) });
  const others = [format, fromPlain(expires ?? null), ...dependencies(apiRequest, attr)];
  const steps: LoginSteps = {
    endpoint: request.endpoint,
    renewal: isEachRequest(expires) ? 'each request' : expires === undefined ? 'once' : 'on expiry',
    ...(isEachRequest(expires) ? {} : { sharing: { isShared: shared, request: timeless, others } }),
    refusal: rejectionRule(options),
    outline: { request, path: `${place}.loginRequest`, isWritten: true, ...additions(options) },
    request: () => request,
    credentialsFrom(reply, masked) {
      const response = parseReply(reply.body, format);
      addTexts(response, masked);
      const { at, notice } = readExpiry(expires, response, asyncScheduler.now());
      const credentials = { ...evaluateApiRequest(options, response, { ...context, secrets: masked }), expiresAt: at };
      if (notice !== undefined) notify(notice);
      return credentials;
    },
  };
  return createLoginAuthenticator(steps, secrets);
}

/** The names that `apiRequest` adds, with their paths. */
function additions({ apiRequest }: LoginOptions) {
  const named = (map: ExactObject, part: string) =>
    new Map([...map.keys()].map((name) => [name, `${place}.apiRequest.${part}.${name}`]));
  return { headers: named(apiRequest.headers, 'headers'), query: named(apiRequest.query, 'query') };
}

/** The time for the evaluation of a login request, so that it is the same for each login. */
export const fixedTime = (preparedAt: number | undefined) =>
  preparedAt === undefined ? {} : { now: () => preparedAt };

function loginRequest(options: LoginOptions['loginRequest'], context: ExpressionContext): LoginRequest {
  const at = `${place}.loginRequest`;
  const [params, headers] = collectAll(
    () => evaluateMap(options.params, context, `${at}.params`),
    () => headersFrom(evaluateMap(options.headers, context, `${at}.headers`), `${at}.headers`),
  );
  return { ...options, params, headers };
}

/** Evaluates `apiRequest` once for all requests of this login. docs/02-login.md#what-goes-into-later-requests. */
function evaluateApiRequest({ apiRequest }: LoginOptions, reply: ExactObject, context: ExpressionContext) {
  const references = new Map([...context.references, ['response', responseReference(reply)]]);
  const evaluated = (map: ExactObject, at: string) =>
    evaluateMap(asReferences(map, reply), { ...context, references }, at);
  const at = `${place}.apiRequest`;
  return {
    headers: headersFrom(evaluated(apiRequest.headers, `${at}.headers`), `${at}.headers`),
    query: evaluated(apiRequest.query, `${at}.query`),
  };
}

/**
 * A text that is a path in the response refers to the value there; any other text is literal.
 * docs/12-compatibility.md#authentication.
 */
function asReferences(map: ExactObject, reply: ExactObject): ExactObject {
  const isPath = (value: unknown) => typeof value === 'string' && isLeaf(flatAt(reply, value));
  return new Map([...map].map(([name, value]) => [name, isPath(value) ? new Map([['response', value]]) : value]));
}

/**
 * Headers of the login replace those of the same name, compared case-insensitively; its query is merged.
 * docs/02-login.md#what-goes-into-later-requests, docs/12-compatibility.md#parameters.
 */
const authorize = (request: HttpRequest, { headers, query }: Credentials): HttpRequest => ({
  ...request,
  headers: replaceHeaders(request.headers, headers),
  url: mergeLoginQuery(request.url, query, request.linkNames),
});

/**
 * A text, or a JSON scalar, becomes the member `data`. Throws ERR_LOGIN, without quoting the response, for a list,
 * null, invalid JSON and invalid UTF-8. docs/02-login.md#the-reply.
 */
function parseReply(body: Uint8Array, format: 'json' | 'text'): ExactObject {
  if (format === 'text') return new Map([['data', describeFailure('a string', () => decode(body))]]);
  const value: Exact = describeFailure('JSON', () => parseExact(body));
  if (isObject(value)) return value;
  if (value === null || isArray(value)) {
    throw new ExtractError('ERR_LOGIN', `the login response is ${kindOf(value)}, expected an object or a single value`);
  }
  return new Map([['data', value]]);
}

function describeFailure<T>(format: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    const { message, where } = asExtractError(thrown);
    const hint = format === 'JSON' ? '; if the response is plain text, set `format` to "text"' : '';
    throw new ExtractError('ERR_LOGIN', `the login response is not ${format}: ${message}${hint}`, where);
  }
}
