/** Where the pages of a walk go: straight to the sink, or somewhere until it is their turn. */
import { type Observable, of } from 'rxjs';
import type { Sink } from './types.js';

/** What one page is written to. */
export interface Target {
  readonly sink: Sink;
  /** Waits for the turn of a data type; call what it returns to pass the turn on. */
  acquire(dataType: string, signal: AbortSignal): Promise<() => void>;
}

export interface Output {
  /** Gives the target of the next page, when there is one. */
  page(): Observable<Target>;
}

/** The sink itself, for every page. */
export const directOutput = ({ sink, acquire }: Target): Output => ({ page: () => of({ sink, acquire }) });
