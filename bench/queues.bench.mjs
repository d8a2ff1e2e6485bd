// How fast are items in a queue, next to the plainest loop of the same client that gives the same guarantee? Both pull
// 200,000 items of 340 bytes, 500 a page, and keep a position. Whole processes in turn, each with a new server. Then a
// pull of 1,000,000 items, whose memory must be that of the short one. Needs the servers, like `npm run test:servers`.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { createClient } from '@redis/client';
import { connect as connectAmqp } from 'amqplib';
import { readTopic } from '../test/support/kafka-reader.ts';
import {
  connectReady,
  kafkaMissing,
  natsMissing,
  postgresMissing,
  rabbitMissing,
  redisMissing,
  s3Missing,
  startKafka,
  startNats,
  startPostgres,
  startRabbit,
  startRedis,
  startS3,
} from '../test/support/servers.ts';
import {
  interleaved,
  machine,
  measure,
  megabytes,
  middleOf,
  program,
  pullOf,
  ratioOf,
  withServer,
} from './harness.mjs';

export const question = 'How fast are items in a queue, next to the plainest loop with the same guarantee?';
export const isLong = true;

const loop = 'plain loop';
const items = 500;

/** By the name of the loop in peers/queue.mjs. `count` returns how many items have arrived. */
const queues = {
  kafka: {
    missing: kafkaMissing,
    start: startKafka,
    uri: (port) => `kafka://127.0.0.1:${port}/items`,
    count: countKafka,
  },
  'kafka-transactions': {
    missing: kafkaMissing,
    start: startKafka,
    uri: (port) => `kafka://127.0.0.1:${port}/items?transactions=true`,
    count: countKafka,
  },
  nats: {
    missing: natsMissing,
    start: startNats,
    uri: (port) => `nats://127.0.0.1:${port}/items?stream=S`,
    count: countNats,
  },
  postgres: {
    missing: postgresMissing,
    start: startPostgres,
    uri: (port) => `postgres://rx@127.0.0.1:${port}/postgres?type=json&mode=append&log=true`,
    count: countPostgres,
  },
  rabbitmq: {
    missing: rabbitMissing,
    start: startRabbit,
    uri: (port) => `amqp://127.0.0.1:${port}/?queue=items`,
    count: countRabbit,
  },
  redis: {
    missing: redisMissing,
    start: () => startRedis(['--appendfsync', 'everysec']),
    uri: (port) => `redis://127.0.0.1:${port}/0?stream=items`,
    count: countRedis,
  },
  s3: {
    missing: s3Missing,
    start: startS3,
    uri: (port) => `s3://KEY:SECRET@lake?endpoint=http://127.0.0.1:${port}`,
    count: countS3,
  },
  'redis-pipelined': {
    missing: redisMissing,
    start: () => startRedis(['--appendfsync', 'everysec']),
    uri: (port) => `redis://127.0.0.1:${port}/0?stream=items&transactions=false`,
    count: countRedis,
  },
};

export async function run({ rounds = 5, pages = 400, long = 2000 } = {}) {
  const rows = [];
  for (const [name, queue] of Object.entries(queues)) {
    if (queue.missing !== undefined) console.log(`${name} is left out: ${queue.missing}`);
    else rows.push(...(await compare(name, queue, { rounds, pages, long })));
  }
  return rows;
}

const compare = (name, queue, { rounds, pages, long }) =>
  withServer({ pages: long, items }, async (place) => {
    const measured = await interleaved(['rxtract', loop], rounds, (variant) =>
      pull(name, queue, variant, place, pages),
    );
    const { peak } = await pull(name, queue, 'rxtract', place, long);
    return ['rxtract', loop].map((variant) => {
      const { middle, text } = ratioOf(measured[loop], measured[variant], 'seconds');
      return {
        queue: name,
        variant,
        'items/s': Math.round((pages * items) / middleOf(measured[variant], 'seconds')),
        'CPU s': +middleOf(measured[variant], 'cpu').toFixed(2),
        'peak MB': megabytes(middleOf(measured[variant], 'peak')),
        [`peak MB, ${long / pages} times the items`]: variant === loop ? '' : megabytes(peak),
        'of the loop': middle,
        quartiles: text,
      };
    });
  });

/** One pull into a server of its own. Throws if not all items have arrived. */
async function pull(name, { start, uri, count }, variant, place, pages) {
  const server = await start();
  const state = join(place.dir, 'state');
  try {
    const words =
      variant === loop
        ? [program('peers/queue.mjs'), name, place.origin, String(server.port), String(pages), place.dir]
        : [...pullOf(place, pages, uri(server.port)), '--state', state];
    const used = await measure(words);
    const arrived = await count(server.port);
    if (arrived !== pages * items) throw new Error(`${name}, ${variant}: ${arrived} items instead of ${pages * items}`);
    return used;
  } finally {
    await server.close();
    await rm(state, { recursive: true, force: true });
  }
}

async function countRedis(port) {
  const client = createClient({ socket: { host: '127.0.0.1', port }, RESP: 2 });
  await client.connect();
  const length = await client.sendCommand(['XLEN', 'items']);
  client.destroy();
  return Number(length);
}

async function countKafka(port) {
  return (await readTopic(port, 'items')).length;
}

async function countRabbit(port) {
  const link = await connectAmqp({ hostname: '127.0.0.1', port });
  const { messageCount } = await (await link.createChannel()).checkQueue('items');
  await link.close();
  return messageCount;
}

async function countS3(port) {
  const response = await fetch(`http://127.0.0.1:${port}/lake/items.ndjson`);
  let lines = 0;
  for await (const chunk of response.body) for (const byte of chunk) if (byte === 10) lines += 1;
  return lines;
}

async function countPostgres(port) {
  const client = await connectReady(port);
  const { rows } = await client.query('SELECT count(*) AS count FROM items');
  await client.end();
  return Number(rows[0].count);
}

async function countNats(port) {
  const link = await connect({ servers: `127.0.0.1:${port}` });
  const reply = await link.request('$JS.API.STREAM.INFO.S');
  await link.close();
  return reply.json().state.messages;
}

const ours = (rows) => rows.filter(({ variant }) => variant === 'rxtract');

export const goals = (rows) =>
  ours(rows).map((row) => ({ what: `${row.queue}: of the plain loop`, goal: 0.9, value: row['of the loop'] }));

export const reading = (rows) => [
  `Queues, against the plainest loop of the same client: ${ours(rows)
    .map((row) => `${row.queue} ${row['of the loop']}`)
    .join(', ')} times its items a second.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
