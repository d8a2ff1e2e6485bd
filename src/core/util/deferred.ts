/** A promise that is settled from outside. `Promise.withResolvers` needs Node 22. */

export interface Deferred {
  readonly promise: Promise<void>;
  /** Only the first call of `resolve` or `reject` has an effect. */
  resolve(): void;
  reject(thrown: unknown): void;
}

export function deferred(): Deferred {
  let settle: Pick<Deferred, 'resolve' | 'reject'> = { resolve() {}, reject() {} };
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
