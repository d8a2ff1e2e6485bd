/** Refresh tokens as a text that only the holder of a key can read. */
import { ExtractError } from '../../core/errors/errors.js';
import { keyForm, keyIn, keyVariable, sealText, unsealText } from './sealed-text.js';

const remedy = `Set ${keyVariable} to 32 bytes in base64, such as \`openssl rand -base64 32\` prints, and keep it: the tokens are lost without it.`;

/** Reads the key: 32 bytes in base64. Throws ERR_TOKEN_STORE. */
export function readKey(text: string | undefined): Uint8Array {
  if (text === undefined) throw fault(`a token store at a server needs the variable ${keyVariable}`, remedy);
  const key = keyIn(text);
  if (key !== undefined) return key;
  throw fault(`the variable ${keyVariable} is not a key: expected ${keyForm}`, remedy);
}

/** No text of another use of the key is taken for tokens. */
const use = 'rxtract-tokens/1';

/** Encrypts a text. */
export const seal = (text: string, key: Uint8Array): string => sealText(text, key, use);

/** Decrypts what `seal` made, in the place with this name. ERR_TOKEN_STORE for another key, and for a changed text. */
export function unseal(sealed: string, key: Uint8Array, name: string): string {
  const text = unsealText(sealed, key, use);
  if (text !== undefined) return text;
  throw fault(
    `the tokens in "${name}" cannot be decrypted: ${keyVariable} is another key than that of the process that wrote them, or they were changed`,
    `Set ${keyVariable} to the key that wrote them. If it is lost, remove the store, and log in again with \`rxtract login\`.`,
  );
}

const fault = (message: string, how: string) => new ExtractError('ERR_TOKEN_STORE', message, { remedy: how });
