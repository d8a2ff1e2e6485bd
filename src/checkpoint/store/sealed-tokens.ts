/** Refresh tokens as a text that only the holder of a key can read: AES-256-GCM, with a new nonce for each text. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ExtractError } from '../../core/errors/errors.js';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/** The variable with the key. */
export const keyVariable = 'RXTRACT_KEY';

const remedy = `Set ${keyVariable} to 32 bytes in base64, such as \`openssl rand -base64 32\` prints, and keep it: the tokens are lost without it.`;

/** Reads the key: 32 bytes in base64. Throws ERR_TOKEN_STORE. */
export function readKey(text: string | undefined): Uint8Array {
  if (text === undefined) throw fault(`a token store at a server needs the variable ${keyVariable}`, remedy);
  const key = Buffer.from(text, 'base64');
  if (key.length === keyBytes && /^[\w+/-]{43}=?$/.test(text.trim())) return key;
  throw fault(`the variable ${keyVariable} is not a key: expected ${keyBytes} bytes in base64`, remedy);
}

/** No text of another use of the key is taken for tokens. */
const use = Buffer.from('rxtract-tokens/1');

/** Encrypts a text. */
export function seal(text: string, key: Uint8Array): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(use);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Decrypts what `seal` made, in the place with this name. ERR_TOKEN_STORE for another key, and for a changed text. */
export function unseal(sealed: string, key: Uint8Array, name: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes, nonceBytes + tagBytes)];
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(use).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    throw fault(
      `the tokens in "${name}" cannot be decrypted: ${keyVariable} is another key than that of the process that wrote them, or they were changed`,
      `Set ${keyVariable} to the key that wrote them. If it is lost, remove the store, and log in again with \`rxtract login\`.`,
    );
  }
}

const fault = (message: string, how: string) => new ExtractError('ERR_TOKEN_STORE', message, { remedy: how });
