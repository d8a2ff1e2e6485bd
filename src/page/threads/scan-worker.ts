/** The entry of a scan thread. A file of its own, because a worker starts from a file. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { adoptScanner } from '../scanner/instance.js';
import type { ThreadCommand, ThreadStart } from './protocol.js';
import { serveScans } from './scan-server.js';

if (parentPort !== null) {
  const port = parentPort;
  const start = workerData as ThreadStart; // scan-thread.ts starts this file
  adoptScanner(start.scanner);
  port.postMessage('ready');
  const receive = () => receiveMessageOnPort(port)?.message as ThreadCommand | undefined; // scan-thread.ts sends these alone
  serveScans({ receive, send: (message, transfer) => port.postMessage(message, transfer) }, start);
  port.close();
}
