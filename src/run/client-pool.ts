/** The clients of a run: the pool makes each when its iteration begins, and keeps a bounded number of idle ones. */

/** What the pool holds. */
interface Closable {
  /** The pool calls `end` when it closes the client for good. */
  readonly credentials: { end(): void };
  close(): Promise<void>;
}

export interface ClientLease<Client> {
  readonly client: Client;
  /** Returns the client to the pool; a second call does nothing. */
  release(): void;
}

export interface ClientPool<Client> {
  /** Keeps an existing client, if there is room. */
  offer(iteration: number, client: Client): void;
  /** The client of this iteration: the one in use or kept, or a new one. */
  lease(iteration: number): ClientLease<Client>;
  /** Closes the connections of all clients; a kept client opens new ones at its next use. */
  close(): Promise<void>;
}

interface Entry<Client> {
  readonly client: Client;
  uses: number;
}

/** How many idle clients are kept: their credentials serve the next run of the same jobs. */
export const mostIdle = 16;

/** Makes a pool. A lease calls `make` if no client is kept; clients that were idle longest are closed first. */
export function createClientPool<Client extends Closable>(make: (iteration: number) => Client): ClientPool<Client> {
  const entries = new Map<number, Entry<Client>>();
  const closing = new Set<Promise<void>>();
  const evict = (iteration: number, { client }: Entry<Client>) => {
    entries.delete(iteration);
    client.credentials.end();
    const closed = client.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const giveBack = (iteration: number, entry: Entry<Client>) => {
    entry.uses -= 1;
    if (entry.uses > 0) return;
    entries.delete(iteration);
    entries.set(iteration, entry);
    const idle = [...entries].filter(([, { uses }]) => uses === 0);
    for (const each of idle.slice(0, Math.max(0, idle.length - mostIdle))) evict(...each);
  };

  return {
    offer(iteration, client) {
      if (entries.size < mostIdle) entries.set(iteration, { client, uses: 0 });
    },
    lease(iteration) {
      const entry = entries.get(iteration) ?? { client: make(iteration), uses: 0 };
      entries.set(iteration, entry);
      entry.uses += 1;
      let isHeld = true;
      return {
        client: entry.client,
        release() {
          if (isHeld) giveBack(iteration, entry);
          isHeld = false;
        },
      };
    },
    async close() {
      await Promise.all([...closing, ...[...entries.values()].map(({ client }) => client.close())]);
    },
  };
}
