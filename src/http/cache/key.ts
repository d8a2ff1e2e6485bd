/** The key of a response in the cache. */
import type { HttpRequest } from '../../core/model/request.js';
import { digestOf } from '../../core/util/digest.js';

/** A request before its credentials, and who makes it. */
export interface KeyedRequest {
  readonly request: HttpRequest;
  /** A digest of all that credentials are made of: two accounts never share an answer. */
  readonly senderId: string;
  /** Credentials go along. */
  readonly isTrusted: boolean;
}

/** 64 hexadecimal digits. Names of headers are compared without case and order. */
export function keyOf({ request: { method, url, headers }, senderId, isTrusted }: KeyedRequest): string {
  const named = [...headers].map(([name, values]) => [name.toLowerCase(), values] as const);
  const sorted = named.sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf(JSON.stringify([senderId, isTrusted, method, url, sorted]));
}
