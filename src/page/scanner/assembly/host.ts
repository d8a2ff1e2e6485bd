/**
 * What the scanner asks of TypeScript: only while it is on the way to the items or to a captured value. States are ids
 * of path.ts; 0: off every path.
 */

/** A member name was read in a container of that state. Returns the state of its value. */
// @ts-ignore: decorator
@external('host', 'name')
export declare function hostName(state: u32, at: usize, length: u32): u32;

/** Element `index` of an array of that state begins. Returns the state of the element. */
// @ts-ignore: decorator
@external('host', 'element')
export declare function hostElement(state: u32, index: u32): u32;

/** Returns the least index from `from` up that a path of that state leads to; the largest u32 when there is none. */
// @ts-ignore: decorator
@external('host', 'wanted')
export declare function hostWanted(state: u32, from: u32): u32;

/**
 * A value of that state begins with byte `first`; `captured` bytes are in the capture buffer. Returns bits of entry.ts.
 */
// @ts-ignore: decorator
@external('host', 'open')
export declare function hostOpen(state: u32, first: u32, captured: u32, at: usize): u32;

/** The value that was last opened with the bit CAPTURE has ended; `captured` bytes are in the buffer at `at`. */
// @ts-ignore: decorator
@external('host', 'close')
export declare function hostClose(at: usize, captured: u32): void;

/**
 * What is captured goes beyond the cap. Returns whether it may be given up: it is the only one, and asked for by none
 * in particular.
 */
// @ts-ignore: decorator
@external('host', 'overflow')
export declare function hostOverflow(): bool;

/** Says whether the scalar that the data field leads to counts as nothing. */
// @ts-ignore: decorator
@external('host', 'isEmpty')
export declare function hostIsEmpty(at: usize, length: u32): bool;

/** Adds a digest to the fingerprint chain. */
// @ts-ignore: decorator
@external('host', 'digest')
export declare function hostDigest(digest: u64): void;
