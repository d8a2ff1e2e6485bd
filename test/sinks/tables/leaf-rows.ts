/** Rows of leaves as values, for comparisons. */
import { LeafRow, type ReadRows } from '../../../sinks/tables/leaves.js';

/** A value of a leaf. */
export interface LeafValue {
  readonly kind: string;
  /** As in the item; of a text what is between its quotes, with its escapes. */
  readonly raw: string;
}

/** The values of each row by the index of their leaf. */
export function leafRows({ chunks, seen }: ReadRows): readonly (readonly (LeafValue | undefined)[])[] {
  const row = new LeafRow();
  const most = Math.max(-1, ...[...seen.keys()].map(({ index }) => index));
  return chunks.flatMap((chunk) =>
    Array.from(chunk.ends, (_, at) => {
      row.read(chunk, at);
      return Array.from({ length: most + 1 }, (_, leaf) => {
        if (!row.has(leaf)) return undefined;
        const raw = chunk.source.toString('utf8', row.from(leaf), row.to(leaf));
        const kind = row.kind(leaf);
        return { kind, raw: kind === 'text' ? raw.slice(1, -1) : raw };
      });
    }),
  );
}
