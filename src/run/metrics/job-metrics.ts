/** What is counted of one job while its pages are fetched: plain numbers, which are read when someone asks. */
import type { AttemptWatch, PagePart } from '../../page/attempt-meter.js';
import type { Slab } from '../../page/scanner/scanner.js';
import { metricRows } from './metric-rows.js';
import { Distribution } from './points.js';

/** Why a page waits. */
export const waitCauses = ['rate', 'retry', 'login', 'sink', 'server'] as const;
export type WaitCause = (typeof waitCauses)[number];

const causeOf: Readonly<Record<PagePart, WaitCause | undefined>> = {
  limit: 'rate',
  retry: 'retry',
  login: 'login',
  sink: 'sink',
  waiting: 'server',
  receiving: 'server',
  scanning: undefined,
};

export class JobMetrics {
  received = 0;
  retries = 0;
  /** Items of sinks that are not committed, and their bytes. */
  lagItems = 0;
  lagBytes = 0;
  readonly #waits: Readonly<Record<WaitCause, Waits>> = {
    rate: new Waits(),
    retry: new Waits(),
    login: new Waits(),
    sink: new Waits(),
    server: new Waits(),
  };
  readonly pageDuration = new Distribution(metricRows.pageDuration.buckets);
  readonly commitDuration = new Distribution(metricRows.commitDuration.buckets);
  readonly #now: () => number;

  /** `now`: nanoseconds from any start. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Follows an attempt at a page. */
  attempt(): AttemptWatch {
    return new PageAttemptMetrics(this, this.#now);
  }

  /** An attempt changes from one part to another, now. */
  move(from: PagePart | undefined, to: PagePart | undefined): void {
    const [before, after] = [from && causeOf[from], to && causeOf[to]];
    if (before === after) return;
    const at = this.#now();
    if (before !== undefined) this.#waits[before].change(-1, at);
    if (after !== undefined) this.#waits[after].change(1, at);
  }

  /** Pages that wait now. */
  waiting(cause: WaitCause): number {
    return this.#waits[cause].count;
  }

  /** Seconds, added up over pages. */
  waited(cause: WaitCause): number {
    return this.#waits[cause].sum(this.#now()) / 1e9;
  }
}

/** How many pages wait for one cause, and how long all together. */
class Waits {
  count = 0;
  #sum = 0;
  #since = 0;

  change(by: 1 | -1, at: number): void {
    this.#sum = this.sum(at);
    this.#since = at;
    this.count += by;
  }

  sum(at: number): number {
    return this.#sum + this.count * (at - this.#since);
  }
}

/** One attempt at a page. */
class PageAttemptMetrics implements AttemptWatch {
  readonly #job: JobMetrics;
  readonly #now: () => number;
  readonly #begun: number;
  #commits: number | undefined = undefined;
  #items = 0;
  #bytes = 0;

  constructor(job: JobMetrics, now: () => number) {
    this.#job = job;
    this.#now = now;
    this.#begun = now();
  }

  move(from: PagePart | undefined, to: PagePart | undefined): void {
    this.#job.move(from, to);
    if (to === undefined) this.#end(from);
  }

  received(bytes: number): void {
    this.#job.received += bytes;
  }

  taken({ count, bytes }: Slab): void {
    this.#add(count, bytes.length);
  }

  takenBack(): void {
    this.#add(-this.#items, -this.#bytes);
  }

  commits(): void {
    this.#commits = this.#now();
  }

  retries(): void {
    this.#job.retries += 1;
  }

  #add(items: number, bytes: number): void {
    this.#items += items;
    this.#bytes += bytes;
    this.#job.lagItems += items;
    this.#job.lagBytes += bytes;
  }

  /** The wait before a retry is no attempt. */
  #end(last: PagePart | undefined): void {
    this.takenBack();
    if (last === undefined || last === 'retry') return;
    const at = this.#now();
    this.#job.pageDuration.add((at - this.#begun) / 1e9);
    if (this.#commits !== undefined) this.#job.commitDuration.add((at - this.#commits) / 1e9);
  }
}
