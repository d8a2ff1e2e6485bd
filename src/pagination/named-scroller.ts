import type { Paginator } from './types.js';

/** The paginator, or the names to choose from. Without a choice there is one paginator, whatever the name. */
export type ScrollerLookup = { readonly scroller: Paginator } | { readonly names: readonly string[] };

/** Looks up the name, also in nested choices. */
export function namedScroller(scroller: Paginator, name: string): ScrollerLookup {
  if (scroller.named === undefined) return { scroller };
  const chosen = scroller.named.get(name);
  return chosen === undefined ? { names: [...scroller.named.keys()] } : namedScroller(chosen, name);
}
