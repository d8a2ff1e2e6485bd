/** The clients of a run: each is made when its iteration begins, and a bounded number of those that are over is kept. */

/** What the pool holds. */
interface Closable {
  /** Its credentials: they are not used any more once it is closed for good. */
  readonly credentials: { end(): void };
  close(): Promise<void>;
}

export interface ClientLease<Client> {
  readonly client: Client;
  /** Gives it back; a second call does nothing. */
  release(): void;
}

export interface ClientPool<Client> {
  /** Keeps a client that was made already, as long as there is room. */
  offer(iteration: number, client: Client): void;
  /** The client of this iteration: the one in use or kept, or a new one. */
  lease(iteration: number): ClientLease<Client>;
  /** Ends the connections of all clients; those that are kept open new ones when they are used again. */
  close(): Promise<void>;
}

interface Entry<Client> {
  readonly client: Client;
  uses: number;
}

/** How many clients are kept that no walk uses: their credentials serve the next run of the same jobs. */
export const mostIdle = 16;

/** Makes a pool. `make` is called as a client is leased; the clients that were used longest ago are closed first. */
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
