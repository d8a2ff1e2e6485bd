/** Objects and lists with parts that may be undefined. */

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Returns the members that are not undefined, for optional members of another object. */
export function defined<T extends object>(members: T): Defined<T> {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Defined<T>; // the same members, without the undefined ones
}

type Complete<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

/** Returns the parts if all of them are defined, else `undefined`. */
export function combine<T extends object>(parts: T): Complete<T> | undefined {
  return Object.values(parts).includes(undefined) ? undefined : (parts as Complete<T>); // none is undefined
}

/** Returns the list if all of its elements are defined, else `undefined`. */
export function combineList<T>(list: readonly (T | undefined)[]): readonly T[] | undefined {
  const present = list.filter((each) => each !== undefined);
  return present.length === list.length ? present : undefined;
}
