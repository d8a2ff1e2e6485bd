/** The proofs of the pages of a run that is certified, in the order of their commits, with their top-level jobs. */
import type { ProvenPage } from '../core/model/page.js';
import type { LaneProof, PageDraft } from './records.js';

export interface ProvenPages {
  take(page: Pick<PageDraft, 'job' | 'page' | 'took'>): void;
  /**
   * Keeps those of a lane up to its page `m` with items. `last`: the proof of that page, from the sink that holds it.
   * Without it, that of the journal stays.
   */
  cut(lane: number, m: number, last: LaneProof | undefined): void;
  all(): readonly LaneProof[];
  restore(all: readonly LaneProof[]): void;
}

/** Starts empty. */
export function createProvenPages(): ProvenPages {
  let pages: LaneProof[] = [];
  return {
    take(page) {
      const proof = laneProof(page);
      if (proof !== undefined) pages.push(proof);
    },
    cut(lane, m, last) {
      const most = last === undefined ? m : m - 1;
      let withItems = 0;
      pages = pages.filter(([own, , , items]) => {
        if (own !== lane) return true;
        const isKept = withItems < most || (items === 0 && last !== undefined && withItems === most);
        if (items > 0) withItems += 1;
        return isKept;
      });
      if (last !== undefined) pages.push(last);
    },
    all: () => pages,
    restore(all) {
      pages = [...all];
    },
  };
}

/** Undefined: the run is not certified. */
export const laneProof = ({ job, page, took }: Pick<PageDraft, 'job' | 'page' | 'took'>): LaneProof | undefined =>
  took.proof === undefined ? undefined : [job, took.job, page, took.count, took.bytes, took.proof];

/** The pages, with the names of their jobs. */
export const provenByName = (all: readonly LaneProof[], names: readonly string[]): readonly ProvenPage[] =>
  all.map(([, job, index, items, bytes, proof]) => ({ job: names[job] ?? '', index, items, bytes, ...proof }));
