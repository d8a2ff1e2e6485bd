/** The id of a run. It identifies what the run writes, and stays the same when the run is resumed. */

/** Returns 16 characters (A-Z, a-z, 0-9, `-`, `_`) of 96 random bits. */
export const createRunId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('base64url');
