/**
 * The request for an OAuth 2.0 token: the parameters of a grant, and the authentication of the client. RFC 6749 2.3.1,
 * 4.4.2, 6.
 */
import { type ExactObject, emptyObject } from '../core/json/exact.js';
import type { Headers } from '../core/model/request.js';
import { noHeaders } from '../core/url/headers.js';
import { formEncode } from '../core/url/percent.js';
import type { LoginRequest } from './types.js';

export interface OAuthClient {
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
export function shown({ id, secret, authentication }: OAuthClient): ClientAuth {
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
