/** Reads tables of numbers, in which every place outside counts as 0. */

/** Returns the byte at a place. */
export const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;

/** Returns the number at a place. */
export const numberAt = (numbers: Uint32Array, at: number): number => numbers[at] ?? 0;
