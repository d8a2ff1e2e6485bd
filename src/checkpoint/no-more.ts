/** A reminder at compile time: the journal must store all that a walk hands from page to page, or a resume loses it. */

/** Lists the members that are stored. A member of `T` that is missing does not compile. */
export const mustStoreAll = <T>(_: Readonly<Record<keyof T, true>>): void => {};
