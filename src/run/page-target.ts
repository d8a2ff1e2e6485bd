/** Where the pages of a walk go: straight to the sink, or somewhere until it is their turn. */
import { type Observable, of } from 'rxjs';
import type { Sink } from '../../sinks/contract.js';
import type { Entry } from '../checkpoint/entries.js';
import type { RunBooks } from '../checkpoint/run-books.js';

/** What one page is written to. */
export interface PageTarget {
  readonly sink: Sink;
  /** Waits for the turn of a data type; call what it returns to pass the turn on. */
  acquire(dataType: string, signal: AbortSignal): Promise<() => void>;
  /** The page is whole; its turn still lasts. Without a data type it had no items. Absent: nobody keeps books. */
  enter?(entry: Entry, dataType: string | undefined): void;
}

export interface TargetSource {
  /** Gives the target of the next page, when there is one. */
  page(): Observable<PageTarget>;
}

/** The sink itself, for every page. */
export function directOutput({
  sink,
  acquire,
  books,
}: PageTarget & { readonly books?: RunBooks | undefined }): TargetSource {
  const target: PageTarget = {
    sink,
    acquire,
    ...(books === undefined ? {} : { enter: (entry, dataType) => books.enter(entry, sink, dataType) }),
  };
  return { page: () => of(target) };
}
