/** Reads lists at indexes that are in them: nothing has to be invented for a place that is not there. */

/** Returns the element at an index, which the caller keeps in the list. */
export const elementAt = <T>(list: ArrayLike<T>, index: number): T => list[index] as T; // the caller's promise
