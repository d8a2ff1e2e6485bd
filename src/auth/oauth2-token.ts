/** The request for an OAuth 2.0 token and its response. RFC 6749 2.3.1, 4.4.2, 5.1, 5.2, 6. */
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, emptyObject, isObject } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Headers } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { addTexts } from '../core/secrets/known-secrets.js';
import { decodePrefix } from '../core/secrets/secrets.js';
import { noHeaders } from '../core/url/headers.js';
import { formEncode } from '../core/url/percent.js';
import { defined } from '../core/util/defined.js';
import { kindOf } from '../language/expression/convert.js';
import { type Expiry, readLifetime } from './expiry.js';
import type { LoginReply, LoginRequest } from './types.js';

/** Statuses whose responses explain why there is no token. */
export const rejections: ReadonlySet<number> = new Set([400, 401]);

/** Members of a successful response that are not secret. */
const harmless: ReadonlySet<string> = new Set(['token_type', 'expires_in', 'scope']);

/**
 * Returns the members of a successful response and adds its texts as secrets. Throws ERR_LOGIN with the error of a
 * rejection, whatever its status, and for a response that is no JSON object.
 */
export function tokenReply(reply: LoginReply, secrets: Secrets): ExactObject {
  if (rejections.has(reply.status)) throw rejection(reply, secrets);
  const members = objectIn(reply.body);
  if (typeof members.get('error') === 'string') throw rejection(reply, secrets);
  for (const [name, value] of members) if (!harmless.has(name)) addTexts(value, secrets);
  return members;
}

/** Returns the token and adds it as a secret. Without a type it is a bearer token. Throws ERR_LOGIN. */
export function accessToken(reply: ExactObject, secrets: Secrets): string {
  const token = textAt(reply, 'access_token');
  if (token === undefined) throw fault('the response has no string `access_token`');
  secrets.add(token);
  if (!/^[\x20-\x7e]+$/.test(token)) throw fault('`access_token` contains a character that is not allowed in a token');
  const type = reply.get('token_type') ?? 'Bearer';
  if (typeof type === 'string' && type.toLowerCase() === 'bearer') return token;
  const found = typeof type === 'string' ? `"${secrets.excerpt(type, 40)}"` : kindOf(type);
  throw fault(`expected a token of the type "Bearer", the response states ${found}`);
}

/** Returns when the token expires; never if the response does not say. Throws ERR_LOGIN. */
export const tokenExpiry = (reply: ExactObject, now: number): Expiry =>
  readLifetime(reply.get('expires_in'), 'expires_in', now);

/** A text of at least one character. */
export function textAt(reply: ExactObject, name: string): string | undefined {
  const value = reply.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What to do if no refresh token is valid any more. */
export const logInAgain =
  'Log in with `rxtract login` and this configuration, or set `api.authentication.refreshToken` to a new token.';

const fault = (message: string): ExtractError => new ExtractError('ERR_LOGIN', `the token request: ${message}`);

/** Hints for errors that the configuration can fix. */
const advice: ReadonlyMap<string, string> = new Map([
  ['invalid_client', '; check `clientId`, `clientSecret` and `clientAuthentication`'],
  ['invalid_grant', '; the refresh token may have expired, or may have been revoked or used before'],
  ['invalid_scope', '; check `scope`: the client may not be allowed to request it'],
  ['unauthorized_client', '; the server does not allow this `grant` for the client'],
]);

/** What to do about them; absent: the remedy of the code. */
const remedies: ReadonlyMap<string, string> = new Map([
  ['access_denied', 'Run `rxtract login` again, and approve the access as a user who may give it.'],
  ['expired_token', 'Run `rxtract login` again, and enter the code before it expires.'],
  ['invalid_client', 'Compare `clientId`, `clientSecret` and `clientAuthentication` with the client at the server.'],
  ['invalid_grant', logInAgain],
  ['invalid_scope', 'Compare `scope` with what the server allows the client.'],
  ['unauthorized_client', 'Allow the grant for the client at the server, or use another `grant`.'],
]);

/** Secret even in an error response. */
const tokenNames = ['access_token', 'refresh_token', 'id_token'];

/** Shows code and description, or the start of a response without them: a proxy may have rejected the request. */
function rejection({ status, body }: LoginReply, secrets: Secrets): ExtractError {
  const members = membersOf(body);
  for (const name of tokenNames) addTexts(members.get(name) ?? null, secrets);
  const code = textAt(members, 'error');
  const description = textAt(members, 'error_description');
  const start = secrets.excerpt(decodePrefix(body.subarray(0, 4096)), 120);
  const details = description === undefined ? '' : ` (${secrets.excerpt(description, 200)})`;
  const why = code === undefined ? start : `${secrets.excerpt(code, 60)}${details}${advice.get(code) ?? ''}`;
  const message = `the token request failed (status ${status}): ${why === '' ? 'the body is empty' : why}`;
  const remedy = code === undefined ? undefined : remedies.get(code);
  return new ExtractError('ERR_LOGIN', message, { status, final: true, ...defined({ remedy }) });
}

/** Why there is no token yet, while a user decides (RFC 8628 3.5); undefined: the reply is final. */
export function pendingError({ status, body }: LoginReply): 'authorization_pending' | 'slow_down' | undefined {
  const code = rejections.has(status) ? textAt(membersOf(body), 'error') : undefined;
  return code === 'authorization_pending' || code === 'slow_down' ? code : undefined;
}

function membersOf(body: Uint8Array): ExactObject {
  try {
    return objectIn(body);
  } catch {
    return new Map();
  }
}

function objectIn(body: Uint8Array): ExactObject {
  const value = parseBody(body);
  if (isObject(value)) return value;
  throw fault(`the response is ${kindOf(value)}, expected a JSON object`);
}

function parseBody(body: Uint8Array): Exact {
  try {
    return parseExact(body);
  } catch (thrown) {
    const { message, where } = asExtractError(thrown);
    throw new ExtractError('ERR_LOGIN', `the token request: the response is not JSON: ${message}`, where);
  }
}

interface OAuthClient {
  readonly id: string;
  /** Absent: a public client, which sends only its id. */
  readonly secret?: string;
  readonly authentication: 'basic' | 'body';
}

/** The authentication of a client: in a header, or as parameters. */
export interface ClientAuth {
  readonly headers: Headers;
  readonly params: ExactObject;
  /** Further secret texts: those of the header. */
  readonly secrets: readonly string[];
}

/** In a header, id and secret are encoded before they are joined, because either may contain a colon. */
export function authenticateClient({ id, secret, authentication }: OAuthClient): ClientAuth {
  if (secret === undefined) return { headers: noHeaders, params: new Map([['client_id', id]]), secrets: [] };
  if (authentication === 'basic') {
    const encoded = Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString('base64');
    return { headers: new Map([['Authorization', [`Basic ${encoded}`]]]), params: emptyObject, secrets: [encoded] };
  }
  const pairs = [
    ['client_id', id],
    ['client_secret', secret],
  ] as const;
  return { headers: noHeaders, params: new Map(pairs), secrets: [] };
}

/** `grant` is `grant_type` and its parameters; `params` are `scope` and those of the configuration. */
export const tokenRequest = (
  endpoint: string,
  { grant, params, client }: { readonly grant: ExactObject; readonly params: ExactObject; readonly client: ClientAuth },
): LoginRequest => ({
  endpoint,
  method: 'FORM',
  params: new Map([...grant, ...params, ...client.params]),
  headers: new Map([['Accept', ['application/json']], ...client.headers]),
});
