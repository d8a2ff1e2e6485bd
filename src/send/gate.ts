/** What stands before the network: a request goes out when the rates of the configuration let it. */
import { type Limited, limited, type Rate } from '../../operators/limited.js';

/** One who asks, as far as the gate is concerned. */
export interface Sender {
  /** Those of one name stand in line behind one another; names take turns. A login has none. */
  readonly name?: string;
  /** Hears that a request waits, and that it does no more. */
  readonly onGate?: (state: 'limit' | 'answer') => void;
}

export interface Gate {
  /** Settles when a request may go out: each redirect and each attempt passes anew. Rejects with the reason of the signal. */
  pass(sender: Sender, signal: AbortSignal): Promise<void>;
}

/** Makes the gate of an API: one for all its jobs, logins and iterations. */
export function createGate(rates: readonly Rate[]): Gate {
  const limit: Limited<string | undefined> = limited(rates);
  return {
    async pass({ name, onGate }, signal) {
      const waits = limit.wait() > 0;
      if (waits) onGate?.('limit');
      await limit.acquire(name, signal);
      if (waits) onGate?.('answer');
    },
  };
}

/** Lets everything through. */
export const openGate: Gate = { pass: async () => undefined };
