/** Undoes what `response.decode` lists, while a body is pushed. docs/14-any-response.md#decoding. */
import { ExtractError } from '../../core/errors/errors.js';
import type { DecodeStep, ResponseFormat } from '../../core/model/response-format.js';
import type { ByteSource } from '../../core/util/byte-source.js';
import { limitGrowth } from '../transport/size-limit.js';
import { brotli, type Coding, endingInZeros, gzip, zlibDecoder } from '../transport/zlib-decoder.js';
import { fromBase64 } from './base64-body.js';
import { unzip } from './zip/unzip.js';
import { isOfZlib } from './zlib-failure.js';

/** Each step by its name: a body in, the decoded body out. */
const steps: Readonly<Record<Exclude<DecodeStep, 'unzip'>, (body: ByteSource) => ByteSource>> = {
  base64: fromBase64,
  gunzip: (body) => inflated(body, gzip, 'gzip'),
  brotli: (body) => inflated(body, brotli, 'brotli'),
};

/** What is undone, and which files of an archive are read. */
export interface Decoding extends Pick<ResponseFormat, 'decode'> {
  readonly members?: readonly string[] | undefined;
}

/**
 * Returns the body after all steps, in their order; each file of an archive passes the steps after `unzip`. Reading it
 * throws ERR_DECODE, ERR_BODY_SIZE for a decompression bomb, and the errors of the body.
 */
export function decodedBody(body: ByteSource, { decode, members }: Decoding): ByteSource {
  const [name, ...rest] = decode;
  if (name === undefined) return body;
  if (name !== 'unzip') return decodedBody(steps[name](body), { decode: rest, members });
  return {
    read(take, endFile) {
      const { compressed, decoded } = limitGrowth(body, take);
      return unzip(compressed, {
        members,
        async takeFile(file) {
          await decodedBody(file, { decode: rest, members }).read(decoded, endFile);
          await endFile?.();
        },
      });
    },
  };
}

function inflated(body: ByteSource, coding: Coding, name: string): ByteSource {
  return {
    async read(take) {
      const { compressed, decoded } = limitGrowth(body, take);
      const decoder = endingInZeros(zlibDecoder(coding));
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

function decodeError(thrown: unknown, name: string, length: number): unknown {
  if (!isOfZlib(thrown)) return thrown;
  const what = thrown.code === 'Z_BUF_ERROR' ? 'ends before it is complete' : 'is not valid';
  const message = `the ${name} data ${what} (after ${length} bytes): ${thrown.message}`;
  return new ExtractError('ERR_DECODE', message, { cause: thrown });
}
