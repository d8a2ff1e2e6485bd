/** Shortens addresses in messages. */
import { mostAddressShown } from '../util/limits.js';

/** Cuts an address that is masked already, so that no secret is cut in two. Never cuts within a character. */
export function shownAddress(masked: string): string {
  if (masked.length <= mostAddressShown) return masked;
  const start = masked.slice(0, mostAddressShown);
  return `${start.replace(/[\uD800-\uDBFF]$/, '')}...`;
}
