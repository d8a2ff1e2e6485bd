/** Texts that only the holder of a key can read: AES-256-GCM, with a new nonce for each text. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/** The variable with the key. */
export const keyVariable = 'RXTRACT_KEY';

/** What a key is, for messages. */
export const keyForm = `${keyBytes} bytes in base64`;

/** Reads 32 bytes in base64; undefined: the text is no key. */
export function keyIn(text: string): Uint8Array | undefined {
  const key = Buffer.from(text, 'base64');
  return key.length === keyBytes && /^[\w+/-]{43}=?$/.test(text.trim()) ? key : undefined;
}

/** Encrypts a text. `use`: what it is for; a text of another use is not decrypted. */
export function sealText(text: string, key: Uint8Array, use: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(use));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Decrypts what `sealText` made; undefined: with another key, for another use, or it was changed. */
export function unsealText(sealed: string, key: Uint8Array, use: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes, nonceBytes + tagBytes)];
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(use)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
