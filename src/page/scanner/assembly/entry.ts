/** The bits that describe an open value, on the stack and in the answer of `hostOpen`. */

export const OBJECT: u32 = 1;
/** The value is what the data field leads to. */
export const TARGET: u32 = 2;
/** The value is captured. */
export const CAPTURE: u32 = 4;
/** Paths lead on into the value; on the stack the state stands above the bits. */
export const TRACK: u32 = 8;
/** A later duplicate: all items so far are void. */
export const RESTART: u32 = 16;

export const STATE_SHIFT: u32 = 5;
