/**
 * A channel of an SSH connection as a socket: one that ends, breaks and is destroyed as the streams of Node are, which
 * those of ssh2 are not.
 */
import { Duplex } from 'node:stream';

/**
 * Its owner destroys it, which closes the channel: TLS above it takes its close for a reset, and loses what was
 * not read yet. An error of it that has no listener is no fault.
 */
export function channelSocket(channel: Duplex): Duplex {
  const socket = new Duplex({
    autoDestroy: false,
    read: () => void channel.resume(),
    write: (chunk, encoding, done) => void channel.write(chunk, encoding, done),
    final(done) {
      channel.end();
      // A channel that has been closed never says that it has finished.
      done();
    },
    destroy(error, done) {
      channel.destroy();
      done(error);
    },
  });
  channel.on('data', (chunk) => {
    if (!socket.push(chunk)) channel.pause();
  });
  channel.on('end', () => socket.push(null));
  channel.on('error', (error) => socket.destroy(error));
  socket.on('error', () => undefined);
  return socket;
}
