/** `cache`: how long responses are kept, and for whom. docs/01-configuration.md#answers-kept-in-files. */

import { type Exact, type ExactObject, fromPlain, isObject, stringifyExact } from '../core/json/exact.js';
import { objectOr } from '../core/options/json-schema.js';
import type { OptionRows } from '../core/options/kind.js';
import { whole } from '../core/options/kinds.js';
import { valueBy } from '../core/options/read-options.js';
import type { AllowedHost } from '../core/url/allowed-hosts.js';
import { digestOf } from '../core/util/digest.js';
import type { ConfigPath } from '../language/config-path.js';
import { looseBoolean, opaque } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, readObject } from '../language/read.js';
import { certificateFields } from './certificates.js';

/** The keys of `cache`. */
export const cacheFields = {
  ttl: {
    kind: whole(1),
    default: 7 * 24 * 60 * 60,
    summary: 'how long a cached response is used, in seconds',
  },
} satisfies OptionRows;

/** `true` or its equivalents, or an object. */
export const cacheType = opaque(
  'true, or an object with "ttl"',
  (write) => objectOr(write.part('cache'), write.of(looseBoolean)),
  { rows: cacheFields },
);

/** Returns seconds; 0: no cache. Returns `undefined` if something does not fit, after reporting it to `place`. */
export function readCache(place: ConfigPath, value: Exact = null): number | undefined {
  if (isPhpEmpty(value)) return 0;
  if (isObject(value)) return readObject(place, value, cacheFields)?.ttl;
  const { value: isOn } = valueBy(looseBoolean, value, 'document');
  if (isOn === undefined) place.problem(describeMismatch(cacheType.struct.type, value));
  return isOn === true ? cacheFields.ttl.default : 0;
}

/** Everything that a response may depend on besides its request. */
export interface CacheIdentity {
  readonly parameters: ExactObject;
  readonly api: ExactObject;
  /** `config` without its jobs. */
  readonly attr: ExactObject;
  readonly authorization: ExactObject;
  readonly allowedHosts: readonly AllowedHost[];
}

const ofApi = ['authentication', 'query', ...Object.keys(certificateFields)];
const ofParameters = ['sshProxy', 'aws'];

/** Attributes that change only the output and messages. */
const harmless: ReadonlySet<string> = new Set(['debug', 'mappings']);

/**
 * Returns a digest of the sender: of everything that credentials are computed from, as written, and of the route of
 * requests. Tokens and signatures change each time, but belong to the same account. docs/decisions/013.
 */
export function senderIdentity({ parameters, api, attr, authorization, allowedHosts }: CacheIdentity): string {
  const http = api.get('http');
  const origins = isObject(http) ? http.get('credentialOrigins') : undefined;
  const written = stringifyExact([
    new Map([...attr].filter(([key]) => !harmless.has(key))),
    authorization,
    fromPlain(allowedHosts),
    origins ?? null,
    ...ofApi.map((key) => api.get(key) ?? null),
    ...ofParameters.map((key) => parameters.get(key) ?? null),
  ]);
  return digestOf(written);
}
