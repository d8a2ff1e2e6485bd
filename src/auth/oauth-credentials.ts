/**
 * Reads the OAuth credentials in `authorization.oauth_api.credentials` of the document, and the token in them.
 * docs/12-compatibility.md#authentication.
 */

import { ExtractError, type Problem } from '../core/errors/errors.js';
import { type Exact, type ExactObject, emptyObject, isNumber, isObject, isPhpEmpty } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { FieldReference } from '../core/model/field-reference.js';
import type { Secrets } from '../core/model/secrets.js';
import type { OptionRows } from '../core/options/kind.js';
import { addTexts } from '../core/secrets/known-secrets.js';
import { suggestFor } from '../core/util/suggest.js';
import { kindOf } from '../language/expression/convert.js';
import { type ReferenceResolver as Lookup, leafReference } from '../language/expression/reference.js';
import { opaque } from '../language/kinds.js';

/** Their path from the document's root. */
export const credentialsPath = 'authorization.oauth_api.credentials';

/** The authentication types that read them check that they are present, and texts. */
const asIs = opaque('a string or a number', () => ({}));

/** Of `authorization.oauth_api.credentials`. */
export const credentialFields = {
  appKey: { kind: asIs, summary: 'the key of the application' },
  '#appSecret': { kind: asIs, summary: 'the secret of the application' },
  '#data': {
    kind: asIs,
    summary: 'the token: a string of JSON, or the token itself, depending on the authentication type',
  },
} satisfies OptionRows;

/**
 * `data` is the parsed `#data`. The texts of `#data` and `#appSecret` are known secrets; the texts in a JSON token are
 * not yet.
 */
export interface OAuthCredentials<Data> {
  readonly appKey: string;
  readonly appSecret: string;
  readonly data: Data;
}

/** A problem with the text of a token; `key` leads into its JSON. */
export interface TokenFault {
  readonly key?: string;
  readonly message: string;
}

/** Parses the text of `#data`, which is not empty. */
export type TokenReader<Data> = (text: string) => { readonly data: Data } | { readonly faults: readonly TokenFault[] };

/** The credentials, or the reasons why there are none. */
export interface CredentialsResult<Data> {
  readonly credentials?: OAuthCredentials<Data>;
  /** Every problem with its path; no message contains a value. */
  readonly problems: readonly Problem[];
}

/** The token as text. */
export const textToken: TokenReader<string> = (data) => ({ data });

/** A token that is JSON of any kind. */
export const jsonToken: TokenReader<Exact> = (text) => {
  try {
    return { data: parseExact(text) };
  } catch {
    return { faults: [{ message: 'expected a string of JSON, found a string that is not JSON' }] };
  }
};

/** A token that is a JSON object. */
export const objectToken: TokenReader<ExactObject> = (text) => {
  const read = jsonToken(text);
  if ('faults' in read) return read;
  if (isObject(read.data)) return { data: read.data };
  return { faults: [{ message: `expected a JSON object in the string, found ${kindOf(read.data)}` }] };
};

/** Reads the credentials in the `authorization` section, before any request. */
export function findOAuthCredentials<Data>(
  authorization: ExactObject,
  reader: TokenReader<Data>,
): CredentialsResult<Data> {
  const [holder, problem] = descend(authorization, ['oauth_api', 'credentials']);
  if (problem !== undefined) return { problems: [problem] };
  const appKey = readText(holder, 'appKey', 'a string or a number, the key of the application');
  const appSecret = readText(holder, '#appSecret', 'a string, the secret of the application');
  const data = readText(holder, '#data', 'a string, the token');
  const token = 'text' in data ? readToken(data.text, reader) : data;
  const problems = [appKey, appSecret, token].flatMap((each) => ('problems' in each ? each.problems : []));
  if ('problems' in appKey || 'problems' in appSecret || 'problems' in token) return { problems };
  return { credentials: { appKey: appKey.text, appSecret: appSecret.text, data: token.data }, problems };
}

/**
 * Returns the credentials of a validated configuration. Throws ERR_CONFIG with every problem if it was not validated.
 */
export function oauthCredentials<Data>(authorization: ExactObject, reader: TokenReader<Data>): OAuthCredentials<Data> {
  const { credentials, problems } = findOAuthCredentials(authorization, reader);
  if (credentials !== undefined) return credentials;
  const lines = problems.map(({ path, message }) => `${path}: ${message}`);
  throw new ExtractError('ERR_CONFIG', lines.join('\n'), { problems });
}

/** Follows keys, each of which must be an object with members. */
function descend(authorization: ExactObject, keys: readonly string[]): readonly [ExactObject, Problem?] {
  let path = 'authorization';
  let at = authorization;
  for (const key of keys) {
    const next = at.get(key);
    path = `${path}.${key}`;
    if (!isObject(next) || next.size === 0) {
      return [emptyObject, { path, message: required('an object, the OAuth credentials', next, key, at) }];
    }
    at = next;
  }
  return [at];
}

type Text = { readonly text: string } | { readonly problems: readonly Problem[] };

function readText(holder: ExactObject, key: string, expected: string): Text {
  const value = holder.get(key);
  if (!isPhpEmpty(value) && (typeof value === 'string' || isNumber(value))) return { text: String(value) };
  return { problems: [{ path: `${credentialsPath}.${key}`, message: required(expected, value, key, holder) }] };
}

function readToken<Data>(text: string, reader: TokenReader<Data>) {
  const read = reader(text);
  if ('data' in read) return read;
  const path = `${credentialsPath}.#data`;
  return {
    problems: read.faults.map(({ key, message }) => ({ path: key === undefined ? path : `${path}.${key}`, message })),
  };
}

/** Returns "required: expected ...", with a key that may be a misspelling of this one. */
function required(expected: string, found: Exact | undefined, key: string, beside: ExactObject): string {
  if (!isPhpEmpty(found)) return `expected ${expected}, found ${kindOf(found ?? null)}`;
  return `required: expected ${expected}${found === undefined ? suggestFor(key, beside.keys()) : ''}`;
}

type JsonCredentials = OAuthCredentials<ExactObject>;

/** The values that can be referred to. */
export const oauthRoots = (credentials: JsonCredentials): ReadonlyMap<FieldReference, ExactObject> =>
  new Map([
    ['consumer', consumerOf(credentials)],
    ['user', credentials.data],
  ]);

/** The references. All texts of the token are added as secrets. */
export function oauthReferences(credentials: JsonCredentials, secrets: Secrets): ReadonlyMap<FieldReference, Lookup> {
  addTexts(credentials.data, secrets);
  return new Map([
    ['consumer', leafReference(consumerOf(credentials), 'consumer', (key) => key === 'client_secret')],
    ['user', leafReference(credentials.data, 'user', () => true)],
  ]);
}

const consumerOf = ({ appKey, appSecret }: JsonCredentials): ExactObject =>
  new Map([
    ['client_id', appKey],
    ['client_secret', appSecret],
  ]);
