/** Where the pages of a walk go: straight to the sink, or into a buffer until it is their turn. */
import { type Observable, of } from 'rxjs';
import type { PageEnd, Sink } from '../../sinks/contract.js';
import type { Entry } from '../checkpoint/entries.js';
import type { RunBooks } from '../checkpoint/run-books.js';
import { asExtractError } from '../core/errors/errors.js';
import type { Exact } from '../core/json/exact.js';

/** What one page is written to. */
export interface PageTarget {
  readonly sink: Sink;
  /** Waits for the turn of a data type; call what it returns to pass the turn on. */
  acquire(dataType: string, signal: AbortSignal): Promise<() => void>;
  /** The page is whole; its turn still lasts. A promise only where something waits. Throws ERR_SINK. */
  commit(page: PageEnd, entry: Entry | undefined, signal: AbortSignal): void | Promise<void>;
}

export interface TargetSource {
  /** That of every page; absent: `page` gives one to each. */
  readonly target?: PageTarget;
  /** Gives the target of the next page, when there is one. */
  page(): Observable<PageTarget>;
}

/** What pages are written to, and what each is committed to. */
interface OutputOptions extends Pick<PageTarget, 'sink' | 'acquire'> {
  readonly sinks: readonly Sink[];
  readonly books?: RunBooks | undefined;
}

/** The sink itself, for every page. */
export function directOutput({ sink, sinks, acquire, books }: OutputOptions): TargetSource {
  const target: PageTarget = {
    sink,
    acquire,
    commit(page, entry, signal) {
      const commits = page.count === 0 ? [] : commitAll(sinks, page, signal);
      const { dataType } = page;
      const enter = (checkpoints: readonly Checkpoint[]) => {
        if (entry !== undefined) books?.enter(entry, page.count === 0 ? undefined : { dataType, checkpoints });
      };
      return commits instanceof Promise ? commits.then(enter) : enter(commits);
    },
  };
  return { target, page: () => of(target) };
}

/** Where a sink stands; undefined: it has not said. */
// biome-ignore lint/suspicious/noConfusingVoidType: what a commit returns.
type Checkpoint = Exact | void;

/** Commits in all sinks side by side. A promise only if one waits; then it settles when all have. */
function commitAll(
  sinks: readonly Sink[],
  page: PageEnd,
  signal: AbortSignal,
): readonly Checkpoint[] | Promise<readonly Checkpoint[]> {
  try {
    const commits = sinks.map((sink) => sink.commit?.(page, signal));
    return commits.some((each) => each instanceof Promise) ? Promise.all(commits).catch(refuse) : (commits as Exact[]);
  } catch (thrown) {
    return refuse(thrown);
  }
}

function refuse(thrown: unknown): never {
  throw asExtractError(thrown, 'ERR_SINK');
}
