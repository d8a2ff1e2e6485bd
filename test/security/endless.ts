/** Servers that never stop, and how much of what they had to give was taken. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface Endless {
  readonly origin: string;
  /** Bytes that went into sockets so far. */
  sent(): number;
  close(): void;
}

/** The response on one connection: a head, then pieces as fast as they are read. */
export interface Serving {
  readonly head: string;
  readonly piece?: string | Uint8Array;
  /** Milliseconds before each piece; absent: as fast as they are read. */
  readonly every?: number;
  /** Stands before the pieces, once. */
  readonly begin?: string | Uint8Array;
}

export const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n';

/** Starts a server on loopback; `serve` looks at the request line. */
export async function startEndless(serve: (line: string) => Serving): Promise<Endless> {
  const sockets = new Set<Socket>();
  const gone = { bytes: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      gone.bytes += socket.bytesWritten;
      sockets.delete(socket);
    });
    socket.once('data', (bytes) => void pour(socket, serve(String(bytes).split('\r\n')[0] ?? '')));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    origin: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    sent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, gone.bytes),
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function pour(socket: Socket, { head, begin = '', piece, every }: Serving): Promise<void> {
  socket.write(head);
  socket.write(begin);
  if (piece === undefined) return void socket.end();
  const tick = () => {
    if (socket.destroyed) return;
    if (every !== undefined) {
      socket.write(piece);
      setTimeout(tick, every).unref();
      return;
    }
    if (socket.write(piece)) setImmediate(tick);
    else socket.once('drain', tick);
  };
  tick();
}
