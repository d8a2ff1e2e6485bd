/** A file of which only size and digest remain: for sinks that keep no bytes. */
import { createHash } from 'node:crypto';
import type { FileDraft } from './contract.js';

export async function digestedFile(): Promise<FileDraft> {
  const hash = createHash('sha256');
  let size = 0;
  return {
    async begin() {},
    write(chunk) {
      hash.update(chunk);
      size += chunk.length;
    },
    end: async () => ({ size, sha256: hash.digest('hex') }),
    async leave() {},
  };
}
