/** A file of its own, because the command reads it without the scanner. */

/** The largest number of threads that scan. */
export const mostThreads = 64;
