/**
 * The API of a rush, in a process of its own, so that the client's work does not make requests arrive late: it notes
 * when each comes, and loses connections now and then.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { createDice } from './dice.js';
import { listen } from './server.js';

export interface ServerGiven {
  readonly seed: number;
  /** There are so many pages for all jobs together, and none after so many ms. */
  readonly pages: number;
  readonly ms: number;
}

export interface ServerSeen {
  /** Epoch ms with their fractions, in order. */
  readonly arrived: readonly number[];
  /** Connections that were closed after a response, and those that were broken instead of one. */
  readonly closed: number;
  readonly broken: number;
}

const { seed, pages, ms } = await given();
const dice = createDice(seed);
const arrived: number[] = [];
let start = performance.now();
const seen = { closed: 0, broken: 0 };

const server = createServer((_, response) => {
  arrived.push(performance.timeOrigin + performance.now());
  const isOver = arrived.length > pages || performance.now() - start > ms;
  const rows = isOver ? [] : [{ page: arrived.length }];
  setTimeout(() => answer(response, rows), dice.between(1, 40));
});

/** One answer in twenty-five ends its connection, one in a hundred never comes. */
function answer(response: ServerResponse, rows: readonly object[]): void {
  const fate = dice.roll();
  if (fate < 0.01) {
    seen.broken += 1;
    response.socket?.resetAndDestroy();
    return;
  }
  if (fate < 0.05) seen.closed += 1;
  const ending = fate < 0.05 ? { connection: 'close' } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...ending }).end(JSON.stringify(rows));
}

process.once('message', () => {
  process.send?.({ arrived, ...seen } satisfies ServerSeen);
  server.close();
  server.closeAllConnections();
  process.disconnect();
});
const origin = await listen(server);
await warmUp();
process.send?.(origin);

/** The first requests of a process are slow; they shall not be those that are counted. */
async function warmUp(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    const answered = await fetch(origin).catch(() => undefined);
    await answered?.text();
  }
  arrived.length = 0;
  Object.assign(seen, { closed: 0, broken: 0 });
  start = performance.now();
}

/** The first message is the task of the server, the second ends it. */
async function given(): Promise<ServerGiven> {
  const [message]: readonly ServerGiven[] = await once(process, 'message');
  if (message === undefined) throw new Error('nothing was given');
  return message;
}
