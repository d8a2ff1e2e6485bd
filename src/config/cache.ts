/** `cache`: for how long answers are kept, and whose they are. docs/01-configuration.md#answers-kept-in-files. */

import { type Exact, type ExactObject, fromPlain, isObject, stringifyExact } from '../core/json/exact.js';
import type { AllowedHost } from '../core/url/allowed-hosts.js';
import { digestOf } from '../core/util/digest.js';
import type { ConfigPath } from '../language/config-path.js';
import { opaque, positive, switched } from '../language/fields.js';
import { objectOr } from '../language/json-schema.js';
import { explain, isPhpEmpty, read } from '../language/read.js';
import type { Fields } from '../language/types.js';
import { certificateFields } from './certificates.js';

export interface CacheMembers {
  readonly ttl?: number;
}

const defaultTtl = 7 * 24 * 60 * 60;

/** Of `cache`. */
export const cacheFields: Fields<CacheMembers> = {
  ttl: { type: positive, default: String(defaultTtl), summary: 'how long a cached response is used, in seconds' },
};

/** `true`, what stands for it, or an object. */
export const cacheType = opaque('true, or an object with "ttl"', cacheFields, (write) =>
  objectOr(write.part('cache'), write.of(switched)),
);

/** Seconds; 0: there is no cache. `undefined` where something did not fit, which `place` then knows. */
export function readCache(place: ConfigPath, value: Exact = null): number | undefined {
  if (isPhpEmpty(value)) return 0;
  if (isObject(value)) {
    const members = read(place, value, cacheFields);
    return members === undefined ? undefined : (members.ttl ?? defaultTtl);
  }
  const [, isOn] = switched.validate(value, { coerce: true });
  if (isOn === undefined) place.problem(explain(cacheType.type, value));
  return isOn === true ? defaultTtl : 0;
}

/** What an answer may depend on besides its request. */
export interface CacheIdentity {
  readonly parameters: ExactObject;
  readonly api: ExactObject;
  /** All of `config` but its jobs. */
  readonly attr: ExactObject;
  readonly authorization: ExactObject;
  readonly allowedHosts: readonly AllowedHost[];
}

const ofApi = ['authentication', 'query', ...Object.keys(certificateFields)];
const ofParameters = ['sshProxy', 'aws'];

/** Attributes that say how items are written and what is told. */
const harmless: ReadonlySet<string> = new Set(['debug', 'mappings']);

/**
 * A digest of whoever asks: of all that credentials are made of, as it is written, and of the way that requests take.
 * Tokens and signatures are made anew each time, the account behind them is the same. docs/decisions/013.
 */
export function identityOf({ parameters, api, attr, authorization, allowedHosts }: CacheIdentity): string {
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
