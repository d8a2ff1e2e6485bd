/** A proxy to a server of which connections break, at any byte of what they send. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly port: number;
  /** Breaks a connection after so many more bytes, in either direction; `choose` picks one of so many, from 0. */
  cut(bytes: number, choose: (count: number) => number): void;
  /** How many connections were broken. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** A connection, and how many bytes are left until it breaks. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
  left: number;
}

export async function startCuttingProxy(port: number): Promise<CuttingProxy> {
  const links = new Set<Link>();
  let cuts = 0;
  const proxy = createServer((client) => {
    const link: Link = { client, server: connect(port, '127.0.0.1'), left: Number.POSITIVE_INFINITY };
    links.add(link);
    const end = () => {
      links.delete(link);
      for (const socket of [link.client, link.server]) socket.destroy();
    };
    const pass = (from: Socket, to: Socket) => {
      from.on('error', end);
      from.on('close', end);
      from.on('data', (chunk) => {
        to.write(chunk.subarray(0, link.left));
        link.left -= chunk.length;
        if (link.left > 0) return;
        cuts += 1;
        to.end(); // The other side gets what was sent before.
        setTimeout(end, 5);
      });
    };
    pass(client, link.server);
    pass(link.server, client);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut(bytes, choose) {
      const whole = [...links].filter(({ left }) => left === Number.POSITIVE_INFINITY);
      const chosen = whole[choose(whole.length)];
      if (chosen !== undefined) chosen.left = bytes + 1;
    },
    get cuts() {
      return cuts;
    },
    async close() {
      for (const { client, server } of links) for (const socket of [client, server]) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
