/**
 * `consumer` and `user`: references to the OAuth credentials in the document.
 * docs/reference/authentication.md#oauth20login.
 */
import type { ExactObject } from '../core/json/exact.js';
import type { Secrets } from '../core/model/secrets.js';
import { type ReferenceResolver as Lookup, leafReference } from '../language/expression/reference.js';
import type { FieldReference } from '../language/types.js';
import { rememberTexts } from './login-secrets.js';
import type { OAuthCredentials } from './oauth-credentials.js';

type Held = OAuthCredentials<ExactObject>;

/** The values that can be referred to. */
export const heldRoots = (held: Held): ReadonlyMap<FieldReference, ExactObject> =>
  new Map([
    ['consumer', consumerOf(held)],
    ['user', held.data],
  ]);

/** The references. All texts of the token are added as secrets. */
export function heldReferences(held: Held, secrets: Secrets): ReadonlyMap<FieldReference, Lookup> {
  rememberTexts(held.data, secrets);
  return new Map([
    ['consumer', leafReference(consumerOf(held), 'consumer', (key) => key === 'client_secret')],
    ['user', leafReference(held.data, 'user', () => true)],
  ]);
}

const consumerOf = ({ appKey, appSecret }: Held): ExactObject =>
  new Map([
    ['client_id', appKey],
    ['client_secret', appSecret],
  ]);
