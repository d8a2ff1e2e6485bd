/** A write error that occurred between calls, kept until a call reports it. */
import type { ExtractError } from '../src/core/errors/errors.js';

export interface DeferredError {
  /** Whether there is an error. */
  exists(): boolean;
  /** Records an error, not yet reported. */
  happened(error: ExtractError): void;
  /** Throws the error, on every call, and marks it as reported. */
  mustBeNone(): void;
  /** Throws the error unless it was reported, and marks it as reported. */
  throwUnreported(): void;
  /** Clears the error. Returns it if it was never reported. */
  forget(): ExtractError | undefined;
}

/** Starts without one. */
export function createDeferredError(): DeferredError {
  let failure: { readonly error: ExtractError; readonly isReported: boolean } | undefined;

  const mustBeNone = () => {
    if (failure === undefined) return;
    failure = { ...failure, isReported: true };
    throw failure.error;
  };

  return {
    exists: () => failure !== undefined,
    happened(error) {
      failure = { error, isReported: false };
    },
    mustBeNone,
    throwUnreported() {
      if (failure?.isReported === false) mustBeNone();
    },
    forget() {
      const forgotten = failure;
      failure = undefined;
      return forgotten?.isReported === false ? forgotten.error : undefined;
    },
  };
}
