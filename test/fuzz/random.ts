/** Random choices from one seed: fast enough for millions of cases, and the same on every machine. */

import { fragments } from '../page/mutations.js';
import { mulberry32 } from '../support/mulberry32.js';

export interface Random {
  /** From 0 up to, not including, `below`. */
  int(below: number): number;
  pick<T>(all: readonly [T, ...T[]]): T;
}

export function createRandom(seed: number): Random {
  const next = mulberry32(seed);
  const int = (below: number) => next() % below;
  return { int, pick: (all) => all[int(all.length)] ?? all[0] };
}

const parts = fragments.map((text) => Buffer.from(text));

/** Returns the bytes with up to four edits: parts removed, inserted, repeated, or changed by a bit. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let mutated = bytes;
  for (let edits = random.int(5); edits > 0; edits -= 1) mutated = edit(mutated, random);
  return mutated;
}

function edit(bytes: Buffer, random: Random): Buffer {
  const from = random.int(bytes.length + 1);
  const to = Math.min(bytes.length, from + random.int(4));
  const [before, after] = [bytes.subarray(0, from), bytes.subarray(to)];
  const kind = random.int(6);
  if (kind === 0) return Buffer.concat([before, after]);
  if (kind === 1) return Buffer.concat([before, Buffer.from([random.int(256)]), after]);
  if (kind === 2) return Buffer.concat([before, bytes.subarray(random.int(from + 1), to), after]);
  if (kind === 3 && from < bytes.length) {
    const flipped = Buffer.from(bytes);
    flipped[from] = (flipped[from] ?? 0) ^ (1 << random.int(8));
    return flipped;
  }
  return Buffer.concat([before, parts[random.int(parts.length)] ?? Buffer.alloc(0), after]);
}
