/** Values of one owner. They are kept until the scope is closed. */
export interface SecretScope {
  add(value: string): void;
  /** The owner is gone: the values may be forgotten, except those of the scope closed last. */
  close(): void;
}
