/** Real brokers and databases as destinations of a chaos run: killed at random, and read when it is over. */
import { gunzipSync } from 'node:zlib';
import { connect } from '@nats-io/transport-node';
import { createClient } from '@redis/client';
import { connect as connectAmqp } from 'amqplib';
import type { Recovery } from '../../sinks/contract.js';
import { sinkFromUri } from '../../sinks/index.js';
import { quoted } from '../../sinks/postgres/sql.js';
import { readTopic, textsOf } from '../support/kafka-reader.js';
import {
  connectReady,
  startKafka,
  startNats,
  startPostgres,
  startRabbit,
  startRedis,
  startS3,
  type TestServer,
} from '../support/servers.js';
import type { Destination } from './destination.js';
import type { Dice } from './dice.js';
import type { Expected } from './folders.js';
import { keyedRows, type ListTables, readKeyedRows } from './list-rows.js';
import type { ChaosServer } from './server.js';

interface BrokerKind {
  readonly recovery: Recovery;
  start(): Promise<TestServer>;
  /** The address of the sink. */
  uri(port: number): string;
  read(server: TestServer, dataType: string): Promise<readonly string[]>;
  /** It is compared with the rows that follow from the items. */
  readonly lists?: ListTables;
}

/** A PostgreSQL with a table for each list. */
const postgresLists = (mode: string, earlier: ListTables['earlier']): BrokerKind => ({
  recovery: 'transaction',
  start: () => startPostgres(),
  uri: (port) => `postgres://rx@127.0.0.1:${port}/postgres?columns=typed&lists=tables&key=id&mode=${mode}`,
  read: readListTables,
  lists: { earlier, rows: keyedRows },
});

/** By the name for `--sink`. Redis writes to its disk before it answers, as a stated promise needs that. */
export const brokers = {
  kafka: {
    recovery: 'none',
    start: startKafka,
    uri: (port) => `kafka://127.0.0.1:${port}/{dataType}`,
    read: readKafka,
  },
  'kafka-transactions': {
    recovery: 'transaction',
    start: startKafka,
    uri: (port) => `kafka://127.0.0.1:${port}/{dataType}?transactions=true`,
    read: readKafka,
  },
  nats: {
    recovery: 'ids',
    start: startNats,
    uri: (port) => `nats://127.0.0.1:${port}/items.{dataType}?stream=S`,
    read: readNats,
  },
  'nats-transactions': {
    recovery: 'transaction',
    start: startNats,
    uri: (port) => `nats://127.0.0.1:${port}/items.{dataType}?stream=S&transactions=true`,
    read: readNats,
  },
  rabbitmq: {
    recovery: 'none',
    start: () => startRabbit(rabbitQueue),
    uri: (port) => `amqp://127.0.0.1:${port}/?exchange=items&key={dataType}`,
    read: readRabbit,
  },
  redis: {
    recovery: 'transaction',
    start: () => startRedis(['--appendfsync', 'always']),
    uri: (port) => `redis://127.0.0.1:${port}/0?stream={dataType}`,
    read: readRedis,
  },
  'redis-pipelined': {
    recovery: 'none',
    start: () => startRedis(['--appendfsync', 'always']),
    uri: (port) => `redis://127.0.0.1:${port}/0?stream={dataType}&transactions=false`,
    read: readRedis,
  },
  postgres: {
    recovery: 'transaction',
    start: () => startPostgres(),
    uri: (port) => `postgres://rx@127.0.0.1:${port}/postgres?type=json`,
    read: readPostgres,
  },
  s3: {
    recovery: 'cut',
    start: startS3,
    uri: (port) => s3Address(port, ''),
    read: (server, dataType) => readS3(server, `${dataType}.ndjson`),
  },
  's3-gzip': {
    recovery: 'cut',
    start: startS3,
    uri: (port) => s3Address(port, '&compress=gzip'),
    read: (server, dataType) => readS3(server, `${dataType}.ndjson.gz`),
  },
  'postgres-log': {
    recovery: 'transaction',
    start: () => startPostgres(),
    uri: (port) => `postgres://rx@127.0.0.1:${port}/postgres?type=json&mode=append&log=true`,
    read: readPostgres,
  },
  'postgres-lists': postgresLists('replace', 'gone'),
  'postgres-lists-merge': postgresLists('merge', 'merged'),
  'postgres-lists-mirror': postgresLists('mirror', 'gone'),
} as const satisfies Readonly<Record<string, BrokerKind>>;

/** A queue that is there from the start: RabbitMQ 3.10 loses one that it made just before it is killed. */
const rabbitQueue = {
  lines: ['load_definitions = {folder}/definitions.json'],
  files: {
    'definitions.json': JSON.stringify({
      users: [{ name: 'guest', password: 'guest', tags: 'administrator' }],
      vhosts: [{ name: '/' }],
      permissions: [{ user: 'guest', vhost: '/', configure: '.*', write: '.*', read: '.*' }],
      exchanges: [{ name: 'items', vhost: '/', type: 'fanout', durable: true, auto_delete: false, arguments: {} }],
      queues: [
        { name: 'items', vhost: '/', durable: true, auto_delete: false, arguments: { 'x-queue-type': 'quorum' } },
      ],
      bindings: [
        {
          ...{ source: 'items', vhost: '/', destination: 'items', destination_type: 'queue' },
          ...{ routing_key: '', arguments: {} },
        },
      ],
    }),
  },
};

export type BrokerName = keyof typeof brokers;

/** Starts a broker, and kills and restarts it up to six times while the API is asked. */
export async function startBroker(
  name: BrokerName,
  api: ChaosServer,
  dice: Dice,
  { writeEarlier, rowsOf }: Expected,
): Promise<Destination> {
  const { start, uri, read, lists }: BrokerKind = brokers[name];
  const server = await start();
  if (lists !== undefined && lists.earlier !== 'none') await writeEarlier(sinkFromUri(uri(server.port)));
  const lines = new Map<string, readonly string[]>();
  let faults = 0;
  let restarting = Promise.resolve();
  const plan = (left: number) => {
    if (left === 0) return;
    const [delay, pause] = [dice.pick([0, 1, 3, 10, 40]), dice.pick([0, 20, 100])];
    const restart = async () => {
      await wait(delay);
      await server.kill();
      faults += 1;
      await wait(pause);
      await server.start();
      plan(left - 1);
    };
    api.after(dice.between(1, 40), dice.pick(['asked', 'answered']), () => {
      restarting = restart();
    });
  };
  plan(dice.between(1, 6));
  return {
    ...(lists !== undefined && { expected: rowsOf(lists) }),
    url: uri(server.port),
    items: (dataType) => lines.get(dataType) ?? [],
    async settle(dataTypes) {
      await restarting;
      for (const dataType of dataTypes) lines.set(dataType, await read(server, dataType));
    },
    get faults() {
      return faults;
    },
    async close() {
      await restarting;
      await server.close();
    },
  };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads the whole stream at once, as a consumer would. */
async function readNats({ port }: TestServer, dataType: string): Promise<readonly string[]> {
  const client = await connect({ servers: `127.0.0.1:${port}` });
  const found: string[] = [];
  try {
    const inbox = 'chaos.read';
    const done = new Promise<void>((resolve) => {
      client.subscribe(inbox, {
        callback: (_, message) => {
          if (message.headers?.code === 408 || message.headers?.code === 404) return resolve();
          if (message.data.length > 0) found.push(message.string());
          return undefined;
        },
      });
    });
    const config = {
      deliver_policy: 'all',
      ack_policy: 'none',
      filter_subject: `items.${dataType}`,
      mem_storage: true,
    };
    const made = await client.request('$JS.API.CONSUMER.CREATE.S', JSON.stringify({ stream_name: 'S', config }));
    const { name } = made.json<{ name: string }>();
    client.publish(`$JS.API.CONSUMER.MSG.NEXT.S.${name}`, JSON.stringify({ batch: 1_000_000, no_wait: true }), {
      reply: inbox,
    });
    await done;
    return found;
  } finally {
    await client.close();
  }
}

async function readKafka({ port }: TestServer, dataType: string): Promise<readonly string[]> {
  return textsOf(await readTopic(port, dataType));
}

async function readRedis({ port }: TestServer, dataType: string): Promise<readonly string[]> {
  const client = createClient({ socket: { host: '127.0.0.1', port }, RESP: 2 });
  await client.connect();
  try {
    const entries = await client.sendCommand(['XRANGE', dataType, '-', '+']);
    return Array.isArray(entries) ? entries.map(([, [, text]]) => String(text)) : [];
  } finally {
    client.destroy();
  }
}

const s3Address = (port: number, options: string) =>
  `s3://KEY:SECRET@lake/raw?endpoint=http://127.0.0.1:${port}${options}`;

/** Reads the object as its own client would; there is none before the run has succeeded. */
async function readS3({ port }: TestServer, name: string): Promise<readonly string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/lake/raw/${name}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) return [];
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n').slice(0, -1);
}

async function readPostgres({ port }: TestServer, dataType: string): Promise<readonly string[]> {
  const client = await connectReady(port);
  try {
    const { rows } = await client.query(`SELECT item::text FROM ${quoted(dataType, 'table')} ORDER BY ctid`);
    return rows.map(({ item }) => String(item));
  } finally {
    await client.end();
  }
}

async function readListTables({ port }: TestServer, dataType: string): Promise<readonly string[]> {
  const client = await connectReady(port, { types: { getTypeParser: () => asText } });
  try {
    const rows = async (sql: string) => (await client.query(sql)).rows;
    return await readKeyedRows({ rows, schema: 'public', texts: '*' }, dataType);
  } finally {
    await client.end();
  }
}

/** Booleans as JSON has them; the worlds have no such texts. */
const asText = (value: string): string => ({ t: 'true', f: 'false' })[value] ?? value;

/** The bodies of each routing key: reading takes them out of the queue. */
const taken = new WeakMap<TestServer, Promise<ReadonlyMap<string, readonly string[]>>>();

/** In the key of a data type, `.` and `%` are escaped. */
async function readRabbit(server: TestServer, dataType: string): Promise<readonly string[]> {
  const all = taken.get(server) ?? takeRabbit(server);
  taken.set(server, all);
  return (await all).get(dataType.replaceAll('%', '%25').replaceAll('.', '%2E')) ?? [];
}

async function takeRabbit({ port }: TestServer): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = await connectAmqp({ hostname: '127.0.0.1', port });
  const channel = await client.createChannel();
  const found = new Map<string, string[]>();
  try {
    let left = (await channel.checkQueue('items')).messageCount;
    await new Promise<void>((resolve) => {
      if (left === 0) return resolve();
      return channel.consume('items', (message) => {
        if (message === null) return;
        const { routingKey } = message.fields;
        const texts = found.get(routingKey) ?? [];
        texts.push(message.content.toString());
        found.set(routingKey, texts);
        channel.ack(message);
        left -= 1;
        if (left === 0) resolve();
      });
    });
    await channel.checkQueue('items'); // What was acknowledged is there before the connection ends.
    return found;
  } finally {
    await client.close();
  }
}
