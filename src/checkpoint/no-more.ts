/**
 * A reminder for the compiler: what a walk hands from page to page must be in the journal, or a run that goes on would
 * not have it.
 */

/**
 * Takes what is left of an object when all its members have been written down: with another one it does not compile.
 */
export const assertNoRest = (_: Readonly<Record<string, never>>): void => {};
