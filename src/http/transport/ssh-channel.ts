/**
 * Wraps a channel of an SSH connection as a socket that ends, breaks and is destroyed like a Node stream; ssh2 channels
 * are not.
 */
import { Duplex } from 'node:stream';

/**
 * Wraps a channel. Only the owner destroys the socket, which closes the channel: TLS takes an early close for a reset
 * and loses unread data. An error without a listener is not a fault.
 */
export function channelSocket(channel: Duplex): Duplex {
  const socket = new Duplex({
    autoDestroy: false,
    read: () => void channel.resume(),
    write: (chunk, encoding, done) => void channel.write(chunk, encoding, done),
    final(done) {
      channel.end();
      // A closed channel never emits `finish`.
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
