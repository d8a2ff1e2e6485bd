/** Undoes `Content-Encoding` while a body is pushed, whether we asked for compression or not. */
import { ExtractError } from '../../core/errors/errors.js';
import type { ByteSource } from '../../core/util/byte-source.js';
import { limitGrowth } from './size-limit.js';
import {
  brotli,
  type Coding,
  type Decoder,
  deflate,
  endingInZeros,
  gzip,
  rawDeflate,
  zlibDecoder,
} from './zlib-decoder.js';
import { zstdCoding, zstdVersions } from './zstd.js';

/** The decoders of one transport, whose memory is used again from body to body. */
export interface Decoders {
  /**
   * The decoded body; the last coding is undone first. Reading it throws ERR_TRANSPORT (61) for an unknown coding,
   * ERR_BODY_SIZE for a decompression bomb, and an error of zlib for a broken body, also for one that other bytes than
   * zeros follow.
   */
  decode(body: ByteSource, contentEncoding: string): ByteSource;
  close(): void;
}

/** More codings on one body are an attack, not a service. */
const maxCodings = 3;

/** Unused decoders of a coding that are kept: few bodies are read at once. */
const mostUnused = 4;

/** Creates the decoders of a transport. */
export function createDecoders(create: (coding: Coding) => Decoder = zlibDecoder): Decoders {
  const unused = new Map<Coding, Decoder[]>();
  const release = (coding: Coding, decoder: Decoder) => {
    const others = unused.get(coding) ?? [];
    if (others.length >= mostUnused || !decoder.reset()) decoder.close();
    else unused.set(coding, [...others, decoder]);
  };

  const undo = (source: ByteSource, codingOf: CodingOf): ByteSource => ({
    async read(take) {
      let used: { readonly coding: Coding; readonly decoder: Decoder } | undefined;
      let isComplete = false;
      try {
        await source.read((chunk) => {
          if (used === undefined) {
            const coding = codingOf(chunk);
            used = { coding, decoder: unused.get(coding)?.pop() ?? endingInZeros(create(coding)) };
          }
          return used.decoder.write(chunk, take);
        });
        await used?.decoder.end(take); // A response without a body may name a coding too.
        isComplete = true;
      } finally {
        if (used !== undefined) {
          if (isComplete) release(used.coding, used.decoder);
          else used.decoder.close();
        }
      }
    },
  });

  return {
    decode: (body, contentEncoding) => ({
      async read(take) {
        const codings = codingsOf(contentEncoding);
        const { compressed, decoded } = limitGrowth(body, take);
        await codings.reduceRight(undo, compressed).read(decoded);
      },
    }),
    close() {
      for (const decoder of [...unused.values()].flat()) decoder.close();
      unused.clear();
    },
  };
}

/** The coding of a body, whose first bytes distinguish the two kinds of deflate. */
type CodingOf = (first: Uint8Array) => Coding;

const zstd = zstdCoding();

const known: ReadonlyMap<string, CodingOf> = new Map<string, CodingOf>([
  ['gzip', () => gzip],
  ['x-gzip', () => gzip],
  ['br', () => brotli],
  ['deflate', ([first = 0]) => (first % 16 === 8 ? deflate : rawDeflate)],
  ...(zstd === undefined ? [] : [['zstd', () => zstd] as const]),
]);

/** What `Accept-Encoding` may ask for, the codings of this Node in the order of preference. */
export const acceptedEncodings: readonly string[] = ['gzip', 'br', 'zstd'].filter((name) => known.has(name));

/** The codings in the order in which they were applied. */
function codingsOf(contentEncoding: string): readonly CodingOf[] {
  const names = contentEncoding.toLowerCase().split(',');
  const applied = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  if (applied.length > maxCodings) throw refused(`more than ${maxCodings} nested content encodings`);
  return applied.map((name) => {
    const coding = known.get(name);
    if (coding !== undefined) return coding;
    if (name !== 'zstd') throw refused('an unknown content encoding');
    throw refused(`the content encoding zstd, which requires ${zstdVersions}; this is Node ${process.versions.node}`);
  });
}

const refused = (what: string) => new ExtractError('ERR_TRANSPORT', `the response has ${what}`, { transport: 61 });
