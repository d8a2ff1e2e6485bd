/** Undoes what `response.decode` lists, while a body is pushed. docs/14-any-response.md#decoding. */
import { ExtractError } from '../../core/errors/errors.js';
import type { DecodeStep } from '../../core/model/response-format.js';
import type { ByteSource } from '../../core/util/byte-source.js';
import { limitGrowth } from '../transport/size-limit.js';
import { brotli, type Coding, gzip, zlibDecoder } from '../transport/zlib-decoder.js';
import { fromBase64 } from './base64-body.js';

/** Each step by its name: a body in, the decoded body out. */
const steps: Readonly<Record<DecodeStep, (body: ByteSource) => ByteSource>> = {
  base64: fromBase64,
  gunzip: (body) => inflated(body, gzip, 'gzip'),
  brotli: (body) => inflated(body, brotli, 'brotli'),
};

/**
 * Returns the body after all steps, in their order. Reading it throws ERR_DECODE, ERR_BODY_SIZE for a decompression
 * bomb, and the errors of the body.
 */
export const decodedBody = (body: ByteSource, names: readonly DecodeStep[]): ByteSource =>
  names.reduce((source, name) => steps[name](source), body);

function inflated(body: ByteSource, coding: Coding, name: string): ByteSource {
  return {
    async read(take) {
      const { compressed, decoded } = limitGrowth(body, take);
      const decoder = zlibDecoder(coding);
      let length = 0;
      try {
        await compressed.read((chunk) => {
          length += chunk.length;
          return decoder.write(chunk, decoded);
        });
        if (length > 0) await decoder.end(decoded);
      } catch (thrown) {
        throw decodeError(thrown, name, length);
      } finally {
        decoder.close();
      }
    },
  };
}

/** What zlib throws has a number; all other errors are those of the body and of its reader. */
function decodeError(thrown: unknown, name: string, length: number): unknown {
  if (!(thrown instanceof Error) || thrown instanceof ExtractError || !('errno' in thrown) || !('code' in thrown)) {
    return thrown;
  }
  const code = String(thrown.code);
  if (!/^(?:Z_|ERR__?ERROR)/.test(code) && !code.startsWith('ERR_BROTLI')) return thrown;
  const what = code === 'Z_BUF_ERROR' ? 'ends before it is complete' : 'is not valid';
  const message = `the ${name} data ${what} (after ${length} bytes): ${thrown.message}`;
  return new ExtractError('ERR_DECODE', message, { cause: thrown });
}
