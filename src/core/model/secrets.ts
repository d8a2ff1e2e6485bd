/** The store of all values that must never show. */
import type { SecretScope } from './types.js';

/**
 * All values that must never show. Masking is by value, from 4 characters up, whatever encodings the value is met in:
 * HTML references, percent-encoding, JSON escapes and base64, up to 3 of them within one another.
 */
export interface Secrets {
  /**
   * Values shorter than 4 characters are masked only where they are a whole parameter or header value. `passing`: one
   * of many short-lived values, computed for a request. `request`: made for one request, such as a signature. Only the
   * latest 1,000 of each are sure to be kept.
   */
  add(value: string, lifetime?: 'run' | 'passing' | 'request'): void;
  /** For values that live as long as something else does, such as those of a login as its credentials. */
  scope(): SecretScope;
  isSecret(value: string): boolean;
  mask(text: string): string;
  /** Masks an address: also user information, and values in its query that are secrets as a whole, however short. */
  maskUrl(url: string): string;
  /** Masks, then cuts to `length` characters in one line without control characters. `text` may end within a secret. */
  excerpt(text: string, length: number): string;
}
