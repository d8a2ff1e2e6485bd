/** A failure that came when nobody was waiting: whom it is told, and that it is not forgotten before it was. */
import type { ExtractError } from '../src/core/errors/errors.js';

export interface LateFailure {
  /** Whether one has happened and was not forgotten. */
  exists(): boolean;
  /** It has happened; nobody knows. */
  happened(error: ExtractError): void;
  /** Throws it, as often as it is asked; from then on it counts as told. */
  mustBeNone(): void;
  /** Throws it unless it counts as told; from then on it does. */
  tell(): void;
  /** Forgets it. Returns it where it was never told. */
  forget(): ExtractError | undefined;
}

/** Starts without one. */
export function createLateFailure(): LateFailure {
  let failure: { readonly error: ExtractError; readonly isTold: boolean } | undefined;

  const mustBeNone = () => {
    if (failure === undefined) return;
    failure = { ...failure, isTold: true };
    throw failure.error;
  };

  return {
    exists: () => failure !== undefined,
    happened(error) {
      failure = { error, isTold: false };
    },
    mustBeNone,
    tell() {
      if (failure?.isTold === false) mustBeNone();
    },
    forget() {
      const forgotten = failure;
      failure = undefined;
      return forgotten?.isTold === false ? forgotten.error : undefined;
    },
  };
}
