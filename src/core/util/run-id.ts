/** The name of a run: what it writes is known by it, also after the run was resumed. */

/** Makes 16 characters (A-Z, a-z, 0-9, `-`, `_`) of 96 random bits. */
export const createRunId = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(12))).toString('base64url');
