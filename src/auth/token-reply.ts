/** Reads the response of an OAuth 2.0 token endpoint: a token with its lifetime, or an error. RFC 6749 5.1, 5.2. */
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, isObject } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Secrets } from '../core/model/secrets.js';
import { decodePrefix } from '../core/secrets/secrets.js';
import { kindOf } from '../language/expression/convert.js';
import { type Expiry, expiryIn } from './expiry.js';
import { rememberTexts } from './login-secrets.js';
import type { LoginReply } from './types.js';

/** Statuses whose responses explain why there is no token. */
export const refusals: ReadonlySet<number> = new Set([400, 401]);

/** Members of a successful response that are not secret. */
const harmless: ReadonlySet<string> = new Set(['token_type', 'expires_in', 'scope']);

/**
 * Returns the members of a successful response and adds its texts as secrets. Throws ERR_LOGIN with the error of a
 * rejection, whatever its status, and for a response that is no JSON object.
 */
export function tokenReply(reply: LoginReply, secrets: Secrets): ExactObject {
  if (refusals.has(reply.status)) throw refusal(reply, secrets);
  const members = objectIn(reply.body);
  if (typeof members.get('error') === 'string') throw refusal(reply, secrets);
  for (const [name, value] of members) if (!harmless.has(name)) rememberTexts(value, secrets);
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
  expiryIn(reply.get('expires_in'), 'expires_in', now);

/** A text of at least one character. */
export function textAt(reply: ExactObject, name: string): string | undefined {
  const value = reply.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const fault = (message: string): ExtractError => new ExtractError('ERR_LOGIN', `the token request: ${message}`);

/** Hints for errors that the configuration can fix. */
const advice: ReadonlyMap<string, string> = new Map([
  ['invalid_client', '; check `clientId`, `clientSecret` and `clientAuthentication`'],
  ['invalid_grant', '; the refresh token may have expired, or may have been revoked or used before'],
  ['invalid_scope', '; check `scope`: the client may not be allowed to request it'],
  ['unauthorized_client', '; the server does not allow this `grant` for the client'],
]);

/** Secret even in an error response. */
const tokenNames = ['access_token', 'refresh_token', 'id_token'];

/** Shows code and description, or the start of a response without them: a proxy may have rejected the request. */
function refusal({ status, body }: LoginReply, secrets: Secrets): ExtractError {
  const members = membersOf(body);
  for (const name of tokenNames) rememberTexts(members.get(name) ?? null, secrets);
  const code = textAt(members, 'error');
  const description = textAt(members, 'error_description');
  const start = secrets.excerpt(decodePrefix(body.subarray(0, 4096)), 120);
  const said = description === undefined ? '' : ` (${secrets.excerpt(description, 200)})`;
  const why = code === undefined ? start : `${secrets.excerpt(code, 60)}${said}${advice.get(code) ?? ''}`;
  const message = `the token request failed (status ${status}): ${why === '' ? 'the body is empty' : why}`;
  return new ExtractError('ERR_LOGIN', message, { status, final: true });
}

function membersOf(body: Uint8Array): ExactObject {
  try {
    return objectIn(body);
  } catch {
    return new Map();
  }
}

function objectIn(body: Uint8Array): ExactObject {
  const value = parsed(body);
  if (isObject(value)) return value;
  throw fault(`the response is ${kindOf(value)}, expected a JSON object`);
}

function parsed(body: Uint8Array): Exact {
  try {
    return parseExact(body);
  } catch (thrown) {
    const { message, where } = asExtractError(thrown);
    throw new ExtractError('ERR_LOGIN', `the token request: the response is not JSON: ${message}`, where);
  }
}
