/**
 * The entry of the process that serves the generated API. Arguments: its shape as JSON, and a port (0: any free one).
 * Sends `{ origin, configuration }` to its parent, and ends with it.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { startTimer } from '../text/format.js';
import { configurationFor, createGeneratedApi, type GeneratedApi, type PlannedResponse } from './generated-api.js';
import { type ApiShape, defaultShape } from './shape.js';

/** How often a body that takes time is continued. */
const slices = 20;

/** Serves the API on this machine only. Resolves with its origin. */
async function serve(api: GeneratedApi, port: number): Promise<string> {
  let [inFlight, most] = [0, 0];
  const server = createServer((request, response) => {
    const { url = '/' } = request;
    if (url === '/stats') {
      response.setHeader('content-type', 'application/json');
      return void response.end(JSON.stringify({ ...api.counts(), mostInFlight: most }));
    }
    inFlight += 1;
    most = Math.max(most, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    // The client has left: there is nothing to report.
    send(api.answer(url), response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
}

async function send(planned: PlannedResponse, response: ServerResponse): Promise<void> {
  const { status, headers, body, delay, bodyTime, cutAt, endless } = planned;
  if (delay > 0) await setTimeout(delay);
  if (endless !== undefined) {
    response.writeHead(status, headers);
    return sendEndless(body, endless, response);
  }
  response.writeHead(status, { ...headers, 'content-length': body.length });
  if (cutAt !== undefined) {
    response.write(body.subarray(0, cutAt), () => response.destroy());
    return;
  }
  if (bodyTime > 0) await sendSlowly(body, bodyTime, response);
  else response.end(body);
}

/** The first slice at once, the last after `ms`. */
async function sendSlowly(body: Buffer, ms: number, response: ServerResponse): Promise<void> {
  const elapsed = startTimer();
  for (let slice = 0; slice < slices; slice++) {
    const due = (slice * ms) / (slices - 1) - elapsed();
    if (due > 0) await setTimeout(due);
    response.write(body.subarray((slice * body.length) / slices, ((slice + 1) * body.length) / slices));
  }
  response.end();
}

async function sendEndless(
  begin: Buffer,
  { block, bytes, end }: NonNullable<PlannedResponse['endless']>,
  response: ServerResponse,
): Promise<void> {
  const closed = once(response, 'close');
  response.write(begin);
  for (let sent = begin.length; sent < bytes && !response.destroyed; sent += block.length + 1) {
    const isFirst = sent === begin.length;
    const hasRoom = response.write(isFirst ? block : Buffer.concat([Buffer.from(','), block]));
    if (!hasRoom) await Promise.race([once(response, 'drain'), closed]);
  }
  response.end(end);
}

const [shape = '{}', port = '0'] = process.argv.slice(2);
const written = JSON.parse(shape) as Partial<ApiShape>; // from the parent, which has checked it
const whole = { ...defaultShape, ...written };
const origin = await serve(createGeneratedApi(whole), Number(port));
process.send?.({ origin, configuration: configurationFor(origin, whole) });
process.on('disconnect', () => process.exit(0));
