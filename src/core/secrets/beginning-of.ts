/**
 * Bytes that were cut off anywhere as text, without what is left of a character: it would keep a secret before it from
 * being found.
 */
import { StringDecoder } from 'node:string_decoder';

/** Reads UTF-8 up to the last whole character. */
export const beginningOf = (bytes: Uint8Array): string => new StringDecoder('utf8').write(Buffer.from(bytes));
