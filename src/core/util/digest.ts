/** Digests of texts that are too long, or must not be stored themselves. */
import { createHash } from 'node:crypto';

/** SHA-256 in hexadecimal digits. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
