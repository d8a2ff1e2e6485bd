/** Limits that several rooms share. */

/** The longest delay of a timer, in ms (24 days and 20 hours). A longer one overflows and fires at once. */
export const longestTimer = 2 ** 31 - 1;

/** The largest value from a response that may go into a request, in bytes. */
export const mostValueBytes = 64 * 1024;

/** Most characters of an address in a message. */
export const mostAddressShown = 500;
