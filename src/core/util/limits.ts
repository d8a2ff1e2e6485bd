/** Bounds that several parts keep to, so that they cannot differ. */

/** What a timer of the platform holds, in ms (24 days and 20 hours): a longer one overflows and fires at once. */
export const longestTimer = 2 ** 31 - 1;

/** How large a value may be that an answer puts into a request, in bytes. */
export const mostValueBytes = 64 * 1024;

/** How much of an address a message shows, in characters. */
export const mostAddressShown = 500;
