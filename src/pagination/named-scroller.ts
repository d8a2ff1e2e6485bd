import type { Paginator } from './types.js';

/** The scroller, or the names that there are. Without a choice there is one scroller, whatever the name. */
export type ScrollerLookup = { readonly scroller: Paginator } | { readonly names: readonly string[] };

/** Looks the name up, and again where it leads to another choice. */
export function namedScroller(scroller: Paginator, name: string): ScrollerLookup {
  if (scroller.named === undefined) return { scroller };
  const chosen = scroller.named.get(name);
  return chosen === undefined ? { names: [...scroller.named.keys()] } : namedScroller(chosen, name);
}
