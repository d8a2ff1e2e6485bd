/** How many pages a walk requests ahead: fewer after failures, more again after pages that arrive well. */
import { asyncScheduler } from 'rxjs';
import type { Prefetch } from '../../pagination/types.js';

/** The most pages that `auto` requests ahead. */
export const mostAuto = 16;

/** The most pages without a failure that a growth by one may need. */
const longestPatience = 64;

/** The weight of the latest page in a mean. */
const weight = 0.25;

export class AheadWindow {
  /** How many pages may be under way ahead of the current one. */
  size: number;
  readonly #isAuto: boolean;
  /** The size that it grows back to. */
  #most: number;
  /** In bytes, for all pages of the window together. */
  readonly #bytes: number;
  /** The number of requests so far, and at the last failure. */
  #sent = 0;
  #sentAtFailure = 0;
  /** Pages without a failure since the last change, and how many a growth needs. */
  #good = 0;
  #patience = 1;
  /** No page is requested ahead before, in epoch ms. */
  #closedUntil = 0;
  #latency: number | undefined = undefined;
  #work: number | undefined = undefined;

  /** `bytes` limits what `auto` requests, by the size of the pages so far. */
  constructor(prefetch: Prefetch, bytes: number) {
    this.#isAuto = prefetch === 'auto';
    this.#most = prefetch === 'auto' ? 1 : prefetch;
    this.size = this.#most;
    this.#bytes = bytes;
  }

  /** Counts a request, and returns its number. */
  send(): number {
    this.#sent += 1;
    return this.#sent;
  }

  /** Whether pages may be requested ahead now. */
  isOpen(): boolean {
    return asyncScheduler.now() >= this.#closedUntil;
  }

  /**
   * A request has failed: halves the window, once for all requests that were under way then, and closes it for `ms`.
   * With each failure it grows back more slowly, until it is whole again.
   */
  failed(number: number, ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, asyncScheduler.now() + ms);
    if (number <= this.#sentAtFailure) return;
    this.#sentAtFailure = this.#sent;
    this.size = Math.floor(this.size / 2);
    this.#good = 0;
    this.#patience = Math.min(longestPatience, this.#patience * 2);
  }

  /** The rate limiter delayed a request: with `auto`, more requests would only wait. */
  delayed(): void {
    if (this.#isAuto) this.size = Math.max(1, this.size - 1);
    this.#good = 0;
  }

  /** A page was read without a failure. */
  succeeded(): void {
    if (this.size >= this.#most) {
      this.#patience = 1;
      return;
    }
    this.#good += 1;
    if (this.#good < this.#patience) return;
    this.#good = 0;
    this.size += 1;
  }

  /** With `auto`: a response took `ms` to begin. */
  answered(ms: number): void {
    if (this.#isAuto) this.#latency = mean(this.#latency, ms);
  }

  /**
   * With `auto`: a page of `bytes` took `ms` from its response to its end. The window holds as many pages as are read
   * in the time that a response takes to begin.
   */
  worked(ms: number, bytes: number): void {
    if (!this.#isAuto) return;
    this.#work = mean(this.#work, ms);
    const wanted = Math.ceil((this.#latency ?? 0) / Math.max(this.#work, 0.25));
    const fitting = Math.floor(this.#bytes / Math.max(bytes, 1));
    const isWhole = this.size >= this.#most;
    this.#most = Math.max(1, Math.min(wanted, fitting, mostAuto));
    if (isWhole || this.size > this.#most) this.size = this.#most;
  }
}

const mean = (before: number | undefined, value: number): number =>
  before === undefined ? value : before + weight * (value - before);
