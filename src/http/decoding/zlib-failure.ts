/** Separates errors of zlib from those of a body and of its reader. */
import { ExtractError } from '../../core/errors/errors.js';

/** What zlib throws has a number, and a code of its own. */
export function isOfZlib(thrown: unknown): thrown is Error & { readonly code: unknown } {
  if (!(thrown instanceof Error) || thrown instanceof ExtractError || !('errno' in thrown) || !('code' in thrown)) {
    return false;
  }
  const code = String(thrown.code);
  return /^(?:Z_|ERR__?ERROR)/.test(code) || code.startsWith('ERR_BROTLI');
}
