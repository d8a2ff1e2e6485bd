/** The store of all values that must never be shown. */

/**
 * All values that must never be shown. Masking is by value, from 4 characters up, in any encoding: HTML references,
 * percent-encoding, JSON escapes and base64, nested up to 3 levels.
 */
export interface Secrets {
  /**
   * Adds a value. A value shorter than 4 characters is masked only as a whole parameter or header value. `passing`: one
   * of many short-lived values computed for requests. `request`: made for one request, such as a signature. At least
   * the latest 1,000 of each are kept.
   */
  add(value: string, lifetime?: 'run' | 'passing' | 'request'): void;
  /**
   * Adds the values of a list that may grow, such as that of a sink, and those that are added to it until the result is
   * called.
   */
  follow(list: () => readonly string[]): () => void;
  /** For values with an owner, such as those of a login. */
  scope(): SecretScope;
  isSecret(value: string): boolean;
  /** `cut`: the text may end within a secret, of which 4 characters are enough. Default: it does not. */
  mask(text: string, end?: 'whole' | 'cut'): string;
  /**
   * Where secrets are in a text: starts and ends in order, with none that overlap. `end` as for `mask`.
   */
  find(text: string, end: 'whole' | 'cut'): readonly (readonly [start: number, end: number])[];
  /** Masks a URL, including user information, and query values that are a secret as a whole, even short ones. */
  maskUrl(url: string): string;
  /** Masks, then cuts to `length` characters on one line without control characters. `text` may end within a secret. */
  excerpt(text: string, length: number): string;
}

export interface SecretScope {
  add(value: string): void;
  /** The owner is gone: the values may be forgotten, except those of the scope closed last. */
  close(): void;
}
