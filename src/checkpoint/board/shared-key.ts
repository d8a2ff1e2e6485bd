/** The key that is the same for all processes of a board: what is a secret is stored there encrypted. */
import type { EnvironmentVariables } from '../../config/env.js';
import { ExtractError } from '../../core/errors/errors.js';
import { keyForm, keyIn, keyVariable } from '../store/sealed-text.js';

/** What to do about a key that is missing, or another one. */
export const keyRemedy = `Set ${keyVariable} to ${keyForm}, such as \`openssl rand -base64 32\` prints, the same for all workers.`;

/** Reads the key of the environment; undefined: none, or an empty one. Throws ERR_USAGE for a text that is no key. */
export function keyOf(env: EnvironmentVariables): Uint8Array | undefined {
  const text = env[keyVariable];
  if (text === undefined || text === '') return undefined;
  const key = keyIn(text);
  if (key !== undefined) return key;
  throw new ExtractError('ERR_USAGE', `the variable ${keyVariable} is not a key: expected ${keyForm}`, {
    remedy: keyRemedy,
  });
}
