/** Values with an owner. None of them is forgotten before they are let go. */
export interface SecretScope {
  add(value: string): void;
  /** The owner is gone: the values may be forgotten, those of the scope that is closed last not yet. */
  close(): void;
}
