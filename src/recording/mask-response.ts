/** What a recording keeps of the headers of a response. */
import type { Secrets } from '../core/model/secrets.js';
import { maskText } from '../core/secrets/secrets.js';
import type { ResponseHeaders } from '../http/types.js';

/** Cookies identify the sender; the others describe bytes that a recording does not have. */
const dropped = new Set([
  'set-cookie',
  'set-cookie2',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
]);

/** Headers that hold a credential by their name. */
const secretName = /auth|token|secret|session|api-?key|password/;
/** A place in a list, which a replay needs for the next request. */
const pageToken = /(?:next|page|continuation|cursor|sync)-?token$/;

interface MaskContext {
  readonly secrets: Pick<Secrets, 'mask' | 'maskUrl' | 'isSecret'>;
  /** Headers that are no credentials, whatever their names, in lower case. */
  readonly pagingHeaders?: ReadonlySet<string>;
}

/** Masks headers, and leaves out cookies and those that describe the bytes of the body. */
export function maskResponseHeaders(
  headers: ResponseHeaders,
  { secrets, pagingHeaders }: MaskContext,
): Readonly<Record<string, string | readonly string[]>> {
  const mask = (name: string, value: string): string => {
    const isPlace = pageToken.test(name) || pagingHeaders?.has(name) === true;
    if ((secretName.test(name) && !isPlace) || secrets.isSecret(value)) return maskText;
    return name === 'location' ? secrets.maskUrl(value) : secrets.mask(value);
  };
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined || dropped.has(name)) return [];
    return [[name, Array.isArray(value) ? value.map((each) => mask(name, each)) : mask(name, value)] as const];
  });
  return Object.fromEntries(kept);
}
