/**
 * The first bytes of a body, kept for two messages: the error of one that is no JSON at all, as an error page says more
 * than its first character, and the warning of one whose list is not where it was looked for.
 */
import { decodePrefix } from '../../core/secrets/secrets.js';
import type { PageStage } from '../page-stage.js';
import { listsWithin } from './lists-within.js';

export interface BodyPrefix extends PageStage {
  /** The beginning of a body that does not start as JSON does, not masked; undefined for any other. */
  readonly strange: string | undefined;
}

const keptBytes = 16 * 1024;
const strangeBytes = 1024;

/** As a JSON text starts, a byte-order mark and white space left out. */
const startOfJson = /^\uFEFF?\s*(?:[[{"\d-]|true|false|null|$)/;

/** Keeps the chunks themselves: nothing is copied before it is asked for. */
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
      chunks.push(chunk);
      size += chunk.length;
    },
    report(result) {
      if (result.found === 'none') result.lists = listsWithin(first(keptBytes));
      reset();
    },
    get strange() {
      const text = first(strangeBytes);
      return startOfJson.test(text) ? undefined : text;
    },
  };
}
