/** Hands batches from a run to a consumer that pulls them, without a buffer. */
import type { Batch } from '../src/core/model/batch.js';
import type { Sink } from './contract.js';
import { hasEnded, orAborted, throwIfAborted } from './errors.js';

export interface Rendezvous<Item> {
  /**
   * A write settles when the consumer requests the next batch. The sink cannot roll back: a batch handed over is gone.
   */
  readonly sink: Sink<Item>;
  /** Returns the next batch; `undefined` at the end. The call acknowledges the previous batch. One call at a time. */
  take(): Promise<Batch<Item> | undefined>;
  /** Ends the hand-over: a pending `take` resolves to `undefined`. */
  end(): void;
}

interface Offer<Item> {
  readonly batch: Batch<Item>;
  readonly taken: () => void;
}

/** Creates a hand-over. Stores only the batches of waiting writes. */
export function createRendezvous<Item = unknown>(): Rendezvous<Item> {
  const offers: Offer<Item>[] = [];
  let current: Offer<Item> | undefined;
  let wake = () => {};
  let isClosed = false;
  let isOver = false;

  const offer = (batch: Batch<Item>, signal: AbortSignal): Promise<void> => {
    let withdraw = () => {};
    const work = new Promise<void>((taken) => {
      const made = { batch, taken };
      withdraw = () => void remove(offers, made);
      offers.push(made);
    });
    wake();
    return orAborted(work, signal).finally(withdraw);
  };
  const close = () => {
    isClosed = true;
  };

  return {
    sink: {
      async write(batch, signal) {
        if (isClosed) throw hasEnded('hand-over');
        throwIfAborted(signal);
        if (batch.count > 0) await offer(batch, signal);
      },
      close,
      abort: close,
    },
    async take() {
      current?.taken();
      current = undefined;
      while (offers.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      current = offers.shift();
      return current?.batch;
    },
    end() {
      isOver = true;
      wake();
    },
  };
}

function remove<T>(list: T[], value: T): void {
  const at = list.indexOf(value);
  if (at >= 0) list.splice(at, 1);
}
