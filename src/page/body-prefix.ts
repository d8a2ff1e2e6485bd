/**
 * The first bytes of a body, kept for two messages: the error of one that is no JSON at all, as an error page says more
 * than its first character, and the warning of one whose list is not where it was looked for.
 */
import { beginningOf } from '../core/secrets/beginning-of.js';

export interface BodyPrefix {
  /** Notes the next bytes of the body. */
  add(chunk: Uint8Array): void;
  /** The beginning of a body that does not start as JSON does, not masked; undefined for any other. */
  readonly strange: string | undefined;
  /** The body as far as it was kept; it may end anywhere. */
  readonly text: string;
}

const keptBytes = 16 * 1024;
const strangeBytes = 1024;

/** As a JSON text starts, a byte-order mark and white space left out. */
const startOfJson = /^\uFEFF?\s*(?:[[{"\d-]|true|false|null|$)/;

/** Starts before the first chunk. */
export function createBodyPrefix(): BodyPrefix {
  let first = Buffer.alloc(0);

  return {
    add(chunk) {
      if (first.length >= keptBytes) return;
      first = Buffer.concat([first, chunk.subarray(0, keptBytes - first.length)]);
    },
    get strange() {
      const text = beginningOf(first.subarray(0, strangeBytes));
      return startOfJson.test(text) ? undefined : text;
    },
    get text() {
      return beginningOf(first);
    },
  };
}
