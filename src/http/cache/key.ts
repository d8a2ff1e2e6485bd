/** Computes the cache key of a response. */
import type { HttpRequest } from '../../core/model/request.js';
import { digestOf } from '../../core/util/digest.js';

/** A request before its credentials, and its sender. */
export interface KeyedRequest {
  readonly request: HttpRequest;
  /** A digest of everything the credentials are made of: two accounts never share a response. */
  readonly senderId: string;
  /** The request carries credentials. */
  readonly isTrusted: boolean;
}

/** Returns the key, 64 hexadecimal digits. Ignores the case and order of header names. */
export function keyOf({ request: { method, url, headers }, senderId, isTrusted }: KeyedRequest): string {
  const named = [...headers].map(([name, values]) => [name.toLowerCase(), values] as const);
  const sorted = named.sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf(JSON.stringify([senderId, isTrusted, method, url, sorted]));
}
