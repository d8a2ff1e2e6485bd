/** The proofs of the pages of a run, in the order of their commits: what its certificate consists of. */
import type { ProvenPage, Receipt } from '../core/model/page.js';

export interface ProofLog {
  /** Adds a page that has reached the sink, if its receipt has a proof. */
  add(receipt: Receipt): void;
  /** Replaces all by those of an earlier process of the run. */
  restore(pages: readonly ProvenPage[]): void;
  all(): readonly ProvenPage[];
}

/** Starts empty. */
export function createProofLog(): ProofLog {
  let pages: ProvenPage[] = [];
  return {
    add({ job, index, count, bytes, proof }) {
      if (proof !== undefined) pages.push({ job, index, items: count, bytes, ...proof });
    },
    restore(earlier) {
      pages = [...earlier];
    },
    all: () => pages,
  };
}
