// What a careful script does that pulls an API into a queue with the guarantee that the sink of rxtract has: undici,
// `body.json()`, one message an item, and the number of the page stored when the page counts.
//
//   node queue.mjs KIND ORIGIN PORT PAGES FOLDER
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Pool } from 'undici';

const [kind, origin, port, most, folder] = process.argv.slice(2);
const pages = Number(most);

/** Calls `deliver` with the items of each page as texts, and the number of the page. */
async function eachPage(deliver) {
  const pool = new Pool(origin, { connections: 1 });
  for (let page = 1; page <= pages; page++) {
    const { body } = await pool.request({ path: `/items?page=${page}`, method: 'GET' });
    const { data } = await body.json();
    await deliver(
      data.map((item) => JSON.stringify(item)),
      page,
    );
  }
  await pool.close();
}

/** The position of loops whose destination cannot store it with the items. */
const store = (page) => writeFileSync(join(folder, 'position'), String(page));

async function withRedis(work) {
  const { createClient } = await import('@redis/client');
  const client = createClient({ socket: { host: '127.0.0.1', port: Number(port) }, RESP: 2 });
  await client.connect();
  await work(client);
  client.destroy();
}

/** A producer of Kafka, and the topics that it needs. It waits shortly where the default is a second. */
async function withKafka(options, work) {
  const { Admin, Producer } = await import('@platformatic/kafka');
  const server = { clientId: 'loop', bootstrapBrokers: [`127.0.0.1:${port}`] };
  const admin = new Admin(server);
  await admin.createTopics({ topics: ['items', 'positions'], partitions: 1, replicas: 1 });
  await admin.close();
  const producer = new Producer({ ...server, idempotent: true, retryDelay: 5, ...options });
  await work(producer);
  await producer.close();
}

/** Separators that compact JSON cannot contain: nothing is escaped. */
const copyStatement = String.raw`COPY items FROM STDIN (FORMAT csv, QUOTE e'\x01', DELIMITER e'\x02', ESCAPE e'\x01')`;

const kinds = {
  /** Messages with ids, all of a page in flight. */
  async nats() {
    const { connect, headers } = await import('@nats-io/transport-node');
    const link = await connect({ servers: `127.0.0.1:${port}` });
    const config = { name: 'S', subjects: ['items'], storage: 'file', duplicate_window: 120e9, max_msgs: -1 };
    await link.request('$JS.API.STREAM.CREATE.S', JSON.stringify(config));
    await eachPage(async (items, page) => {
      const replies = items.map((item, index) => {
        const head = headers();
        head.set('Nats-Msg-Id', `run.${page}.${index}`);
        return link.request('items', item, { headers: head, timeout: 30_000 });
      });
      for (const reply of await Promise.all(replies))
        if (reply.json().error !== undefined) throw new Error(reply.string());
      store(page);
    });
    await link.close();
  },

  /** Parts of 8 MiB, one under way; what is not sent is in a file, for a resume. */
  async s3() {
    const { createS3Client, bodyOf } = await import('../../dist/sinks/s3/s3-client.js');
    const { createS3Objects } = await import('../../dist/sinks/s3/s3-objects.js');
    const address = `http://127.0.0.1:${port}`;
    const credentials = { accessKeyId: 'KEY', secretAccessKey: 'SECRET' };
    const client = createS3Client({ bucket: 'lake', origin: address, region: 'x', basePath: '/lake', credentials });
    const objects = createS3Objects(client);
    const [key, { signal }, parts, tail] = ['items.ndjson', new AbortController(), [], join(folder, 'tail')];
    const upload = await objects.begin(key, {});
    let [waiting, bytes, sending] = [[], 0, Promise.resolve()];
    const send = async () => {
      const body = bodyOf(Buffer.concat(waiting), address);
      [waiting, bytes] = [[], 0];
      await sending;
      const number = parts.length + 1;
      const part = { number, etag: '' };
      parts.push(part);
      sending = objects.sendPart({ key, upload, number }, body, signal).then((etag) => {
        part.etag = etag;
      });
    };
    writeFileSync(tail, '');
    await eachPage(async (items, page) => {
      const text = Buffer.from(`${items.join('\n')}\n`);
      waiting.push(text);
      bytes += text.length;
      appendFileSync(tail, text);
      if (bytes >= 8 * 1024 * 1024) await send();
      store(page);
    });
    await send();
    await sending;
    await objects.complete(key, upload, parts);
    client.close();
  },

  /** Persistent messages with ids that have a queue, and the confirms of a page. */
  async rabbitmq() {
    const { connect } = await import('amqplib');
    const link = await connect({ hostname: '127.0.0.1', port: Number(port) });
    const channel = await link.createConfirmChannel();
    await channel.assertQueue('items', { durable: true, arguments: { 'x-queue-type': 'quorum' } });
    channel.on('return', ({ properties }) => {
      throw new Error(`${properties.messageId} has no queue`);
    });
    await eachPage(async (items, page) => {
      for (const [index, item] of items.entries()) {
        const options = { persistent: true, mandatory: true, messageId: `run.${page}.${index}` };
        const isFree = channel.publish('', 'items', Buffer.from(item), options);
        if (!isFree) await new Promise((resolve) => channel.once('drain', resolve));
      }
      await channel.waitForConfirms();
      store(page);
    });
    await link.close();
  },

  /** Messages with ids of an idempotent producer, a page at once. */
  kafka: () =>
    withKafka({}, (producer) =>
      eachPage(async (items, page) => {
        const messages = items.map((item, index) => ({
          ...{ topic: 'items', partition: 0, value: Buffer.from(item) },
          headers: new Map([[Buffer.from('id'), Buffer.from(`run.${page}.${index}`)]]),
        }));
        await producer.send({ messages });
        store(page);
      }),
    ),

  /** A page and its number in one transaction. */
  'kafka-transactions': () =>
    withKafka({ transactionalId: 'loop' }, (producer) =>
      eachPage(async (items, page) => {
        const messages = items.map((item) => ({ topic: 'items', partition: 0, value: Buffer.from(item) }));
        const position = { topic: 'positions', partition: 0, key: Buffer.from('run'), value: Buffer.from(`${page}`) };
        const transaction = await producer.beginTransaction();
        await transaction.send({ messages: [...messages, position] });
        await transaction.commit();
      }),
    ),

  /** A page and its number in one transaction. */
  redis: () =>
    withRedis((client) =>
      eachPage(async (items, page) => {
        const transaction = client.multi();
        for (const item of items) transaction.addCommand(['XADD', 'items', '*', 'data', item]);
        transaction.addCommand(['SET', 'position', String(page)]);
        await transaction.exec();
      }),
    ),

  /** A page and its number in one transaction: rows of one column `json`. */
  postgres: async () => {
    const { default: pg } = await import('pg');
    const { from } = await import('pg-copy-streams');
    const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'rx', database: 'postgres' });
    await client.connect();
    await client.query('CREATE TABLE items (item json); CREATE TABLE positions (page int)');
    await client.query('INSERT INTO positions VALUES (0)');
    await eachPage(async (items, page) => {
      await client.query('BEGIN');
      const copying = client.query(from(copyStatement));
      copying.end(`${items.join('\n')}\n`);
      await finished(copying);
      await client.query('UPDATE positions SET page = $1', [page]);
      await client.query('COMMIT');
    });
    await client.end();
  },

  /** A page in a pipeline. */
  'redis-pipelined': () =>
    withRedis((client) =>
      eachPage(async (items, page) => {
        await Promise.all(items.map((item) => client.sendCommand(['XADD', 'items', '*', 'data', item])));
        store(page);
      }),
    ),
};

await kinds[kind]();
