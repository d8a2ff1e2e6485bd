/**
 * Destinations of a chaos run: services that outlive the processes which write to them. They are slow, lose calls, or
 * lose their answers, as the dice say.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { createCalls, listen } from '../../examples/sinks/service.js';
import type { Dice } from './dice.js';

export interface Destination {
  readonly url: string;
  items(dataType: string): readonly string[];
  /** Calls that were lost, refused, or not answered. */
  readonly faults: number;
  /** Reads what `items` returns, once the run is over. Absent: it is known at any time. */
  settle?(dataTypes: Iterable<string>): Promise<void>;
  /** What `items` is to return after `settle`, by the data types, where that is not the JSON of the items. */
  readonly expected?: ReadonlyMap<string, readonly string[]>;
  /** The data types of which a reader sees a part; there must be none, whenever the process is killed. */
  torn?(): Promise<readonly string[]>;
  close(): void | Promise<void>;
}

/** Beyond them all goes well, so that a run ends. */
const mostFaults = 6;

type Fault = 'lost' | 'refused' | 'unanswered';

export async function startDestination(dice: Dice, probability: number): Promise<Destination> {
  const { items, answer } = createCalls();
  let faults = 0;
  const draw = (): Fault | undefined => {
    if (faults >= mostFaults || !dice.happens(probability)) return undefined;
    faults += 1;
    return dice.pick<Fault>(['lost', 'refused', 'unanswered']);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const fault = draw();
    if (fault === 'lost') return request.socket.destroy();
    if (fault === 'refused') return response.writeHead(503).end();
    // A call that is here is carried out, though the process that made it may be dead by then.
    await setTimeout(dice.pick([0, 0, 0, 2, 20]));
    const [status, text] = answer((request.url ?? '').slice(1), Buffer.concat(chunks).toString());
    if (fault === 'unanswered') return request.socket.destroy();
    await setTimeout(dice.pick([0, 0, 0, 2, 20]));
    return response.writeHead(status).end(text);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy()); // its process was killed within the body
  });
  const { url, close } = await listen(server, items);
  return {
    url,
    items,
    close,
    get faults() {
      return faults;
    },
  };
}
