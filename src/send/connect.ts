/** Sockets whose end waits for a slow reader: undici's parser fails an assertion, outside of any promise, when one ends while it is paused. */
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';

/** What a reset is called here. Under its own code undici takes it for the orderly end of a body. */
export const resetCode = 'CONNECTION_RESET';

/** Makes the connector of an agent. `timeout` in milliseconds. */
export function createConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) => {
    connect(target, (error, socket) => {
      if (socket === null || error !== null) {
        callback(error ?? new Error('no socket'), null);
        return;
      }
      holdEnd(socket);
      // Runs before undici's own listener.
      socket.on('error', renameReset);
      callback(null, socket);
    });
  };
}

/** Keeps the end of the stream back until its reader has asked for more than there is: a paused reader does not ask. */
function holdEnd(socket: Socket): void {
  const push = socket.push.bind(socket);
  const read = socket.read.bind(socket);
  let isDrained = true;
  let isHeld = false;
  socket.push = (chunk, encoding) => {
    if (chunk === null && !isDrained) {
      isHeld = true;
      return false;
    }
    isDrained = false;
    return push(chunk, encoding);
  };
  socket.read = (size) => {
    const chunk = read(size);
    if (chunk !== null || size !== undefined) return chunk;
    isDrained = true;
    if (isHeld) process.nextTick(push, null);
    isHeld = false;
    return chunk;
  };
}

function renameReset(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = resetCode;
}
