/** Decodes bytes that were cut anywhere. An incomplete character at the end would hide a secret before it. */
import { StringDecoder } from 'node:string_decoder';

/** Decodes UTF-8 up to the last complete character. */
export const beginningOf = (bytes: Uint8Array): string => new StringDecoder('utf8').write(Buffer.from(bytes));
