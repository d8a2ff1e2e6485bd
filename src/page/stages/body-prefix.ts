/**
 * Keeps the first bytes of a body for two messages: the error of a body that is not JSON, such as an error page, and
 * the warning of a list at an unexpected place.
 */
import { decodePrefix } from '../../core/secrets/secrets.js';
import { isLent, owned } from '../../core/util/lent-memory.js';
import type { PageStage } from '../page-stage.js';
import { listsWithin } from './lists-within.js';

export interface BodyPrefix extends PageStage {
  /** The start of a body that does not begin like JSON, not masked; undefined for any other. */
  strange(): string | undefined;
}

const keptBytes = 16 * 1024;
const strangeBytes = 1024;

/** Matches the start of a JSON text, after a byte-order mark and white space. */
const startOfJson = /^\uFEFF?\s*(?:[[{"\d-]|true|false|null|$)/;

/** Keeps references to the chunks, unless they are lent; copies no others before it is needed. */
export function bodyPrefix(): BodyPrefix {
  let chunks: Uint8Array[] = [];
  let size = 0;
  const reset = () => {
    chunks = [];
    size = 0;
  };
  const first = (most: number) => decodePrefix(Buffer.concat(chunks).subarray(0, most));

  return {
    begin: reset,
    see(chunk) {
      if (size >= keptBytes) return;
      chunks.push(isLent(chunk) ? owned(chunk.subarray(0, keptBytes - size)) : chunk);
      size += chunk.length;
    },
    report(result) {
      if (result.found === 'none' || result.found === 'empty') result.lists = listsWithin(first(keptBytes));
      reset();
    },
    strange() {
      const text = first(strangeBytes);
      return startOfJson.test(text) ? undefined : text;
    },
  };
}
