/** A sink whose destination refuses some items: found as they are written, or when the page is prepared. */
import { partsWithout } from '../../sinks/batch-parts.js';
import type { RefusedItem, Sink } from '../../sinks/contract.js';
import { delegate } from '../../sinks/delegate.js';
import { createItemErrors } from '../../sinks/item-errors.js';

export const secret = 'wrong-secret';

export const idOf = (item: unknown): number => (item as { id: number }).id;

interface PickyOptions {
  readonly refuses: (item: unknown) => boolean;
  readonly when?: 'write' | 'prepare';
}

/** Puts such a destination before a sink. */
export function picky(inner: Sink, { refuses, when = 'write' }: PickyOptions): Sink {
  const errors = createItemErrors(inner.name ?? 'picky');
  let waiting: Pick<RefusedItem, 'batch' | 'index'>[] = [];
  const refuse = async (refused: typeof waiting) => {
    for (const each of refused) await errors.refuse({ ...each, reason: `has the wrong id "${secret}"` });
  };
  const prepare = async () => {
    const all = waiting;
    waiting = [];
    await refuse(all);
  };
  return delegate(inner, {
    open(dataType, job, opening) {
      errors.open(opening);
      return inner.open?.(dataType, job, opening);
    },
    async write(batch, signal) {
      const indexes = batch.values().flatMap((item, index) => (refuses(item) ? [index] : []));
      const refused = indexes.map((index) => ({ batch, index }));
      if (when === 'write') await refuse(refused);
      else waiting.push(...refused);
      for (const part of partsWithout(batch, indexes)) await inner.write(part, signal);
    },
    ...(when === 'write' ? {} : { prepare }),
  });
}
