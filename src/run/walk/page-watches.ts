/** What follows the pages of a walk: a page that is requested before its turn begins with that request. */
import { type MonoTypeOperatorFunction, tap } from 'rxjs';
import { ExtractError } from '../../core/errors/errors.js';
import type { JobWatch, PageWatch, WrittenPage } from '../../http/observer.js';

export class PageWatches {
  readonly #job: JobWatch;
  /** By the index of the page. */
  readonly #open = new Map<number, PageWatch>();

  constructor(job: JobWatch) {
    this.#job = job;
  }

  /** That of the page; it begins unless it has begun. */
  of(index: number): PageWatch {
    const known = this.#open.get(index);
    if (known !== undefined) return known;
    const begun = this.#job.page(index);
    this.#open.set(index, begun);
    return begun;
  }

  /** Ends that of the page with its outcome. */
  following<Outcome extends { readonly receipt: WrittenPage }>(index: number): MonoTypeOperatorFunction<Outcome> {
    const fail = (failure: unknown) => this.#take(index)?.fails(failure);
    return tap({
      next: ({ receipt }) => this.#take(index)?.succeeds(receipt),
      error: fail,
      unsubscribe: () => fail(interrupted()),
    });
  }

  /** The walk is over: pages that it did not reach are not needed. */
  end(): void {
    for (const each of this.#open.values()) each.fails(undefined);
    this.#open.clear();
  }

  #take(index: number): PageWatch | undefined {
    const taken = this.#open.get(index);
    this.#open.delete(index);
    return taken;
  }
}

/** The same walk; its end is that of what follows it. */
export const followedBy = <T>(watch: JobWatch): MonoTypeOperatorFunction<T> =>
  tap<T>({
    error: (failure) => watch.ends(failure),
    complete: () => watch.ends(undefined),
    unsubscribe: () => watch.ends(interrupted()),
  });

const interrupted = (): ExtractError => new ExtractError('ERR_ABORTED', 'interrupted');

/** Commits a page, followed if something follows the page. Returns a promise only if `commit` does. */
export function watchedCommit<T>(page: PageWatch | undefined, commit: () => T | Promise<T>): T | Promise<T> {
  if (page === undefined) return commit();
  const watch = page.commit();
  const end = () => watch.ends(undefined);
  const fail = (failure: unknown): never => {
    watch.ends(failure);
    throw failure;
  };
  try {
    const committed = commit();
    if (!(committed instanceof Promise)) {
      end();
      return committed;
    }
    return committed.then((value) => {
      end();
      return value;
    }, fail);
  } catch (thrown) {
    return fail(thrown);
  }
}
