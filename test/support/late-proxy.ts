/** A proxy between a client and a server whose connection breaks while a request is on its way: it arrives later. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface LateProxy {
  readonly port: number;
  /** The next chunk with this text stays here, and its connection to the client breaks. */
  hold(text: string): void;
  /** Lets the server have what was held, and waits for its reply. */
  release(): Promise<void>;
  /** Called before each other chunk reaches the server. */
  onChunk: (text: string) => Promise<void>;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  held: Buffer | undefined;
}

export async function startLateProxy(port: number): Promise<LateProxy> {
  const pairs: Pair[] = [];
  let wanted: string | undefined;
  const proxy = createServer((client) => {
    const pair: Pair = { client, server: connect(port, '127.0.0.1'), held: undefined };
    pairs.push(pair);
    let last = Promise.resolve();
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      if (wanted === undefined || !text.includes(wanted)) {
        last = last.then(() => made.onChunk(text)).then(() => void pair.server.write(chunk));
        return;
      }
      wanted = undefined;
      pair.held = chunk;
      client.destroy();
    });
    client.on('close', () => pair.held ?? pair.server.destroy());
    for (const socket of [client, pair.server]) socket.on('error', () => {});
    pair.server.on('data', (chunk) => client.destroyed || client.write(chunk));
    pair.server.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  const made: LateProxy = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    onChunk: async () => {},
    hold(text) {
      wanted = text;
    },
    async release() {
      for (const pair of pairs) {
        if (pair.held === undefined) continue;
        const replied = once(pair.server, 'data');
        pair.server.write(pair.held);
        pair.held = undefined;
        await replied;
      }
    },
    async close() {
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
  return made;
}
