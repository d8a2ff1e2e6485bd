/** A reminder at compile time: the journal must store all that a walk hands from page to page, or a resume loses it. */

/** Takes the rest of an object, without its stored members. A member that is left does not compile. */
export const assertNoRest = (_: Readonly<Record<string, never>>): void => {};
