/** Kafka against a real broker: the conformance kit, restarts, fences, keys, compression, limits and rights. */
import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { Connection, createTopicsV7, endTxnV3, produceV9 } from '@platformatic/kafka';
import { CloudEvent } from 'cloudevents';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import type { Sink } from '../../sinks/contract.js';
import { readPositions } from '../../sinks/kafka/kafka-positions.js';
import { createKafkaSession } from '../../sinks/kafka/kafka-session.js';
import { sinkFromUri } from '../../sinks/registry.js';
import { calm, earlierOf, pageEnd, rejection } from '../sinks/lib.js';
import { readTopic, textsOf } from '../support/kafka-reader.js';
import { kafkaMissing, runKafkaTool, startKafka, type TestServer } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun, mustBeReplaced, mustKeepRules, mustStayEnded, mustStayReplaced } from './lib.js';

const test = testWhere(kafkaMissing);

/** One broker for all tests: it takes seconds to start. Each test has topics of its own. */
let started: Promise<TestServer> | undefined;
const broker = (): Promise<TestServer> => {
  started ??= startKafka();
  return started;
};
run.after(async () => (await started)?.close());

const at = ({ port }: TestServer, rest: string): string => `kafka://127.0.0.1:${port}/${rest}`;

const place = (page: number) => ({ job: 't', run: 'run-0000-0000-00', walk: '0', page, offset: 0 });

/** Writes a page of the data type `t` and commits it. */
async function put(sink: Sink, page: number, items: readonly unknown[]): Promise<void> {
  await sink.write(batchOf('t', items, place(page)), calm);
  await sink.commit?.(pageEnd('t', { page, keep: `k${page}` }), calm);
}

const texts = async ({ port }: TestServer, topic: string) => textsOf(await readTopic(port, topic));

for (const options of ['', '?transactions=true']) {
  test(`keeps every rule of the kit ${options}`, async () => {
    const server = await broker();
    const name = `kit${options.length}`;
    const read = (dataType: string) => texts(server, `${name}-${dataType}`);
    const uri = at(server, `${name}-{dataType}${options}`);
    const calls = options === '' ? (['write', 'commit'] as const) : (['positions', 'write', 'commit'] as const);
    await mustKeepRules(uri, read, options !== '', 'x'.repeat(9 << 20), server, calls);
  });
}

test('a page and its position are in one transaction, and nothing of a run stays at its end', async () => {
  const server = await broker();
  const sink = await begun(at(server, 'pages?transactions=true'));
  for (let page = 0; page < 5; page++)
    await put(sink, page, [
      { page, n: 1 },
      { page, n: 2 },
    ]);
  assert.equal([...((await sink.positions?.()) ?? [])], [['0', 'k4']]);
  const next = await begun(at(server, 'pages?transactions=true'), { epoch: 2 });
  assert.equal([...((await next.positions?.()) ?? [])], [['0', 'k4']]);
  await next.close();
  const published = await begun(at(server, 'pages?transactions=true'), { epoch: 3, phase: 'publishing' });
  assert.equal([...((await published.positions?.()) ?? [])], []);
  await published.close();
  assert.is((await texts(server, 'pages')).length, 10);
});

test('a process that begins after the end of its run is refused for some days', async () => {
  const server = await broker();
  await mustStayEnded(at(server, 'ended?transactions=true'));
  const next = await mustStayReplaced(at(server, 'ended?transactions=true'));
  await next.close();
  assert.equal(await texts(server, 'ended'), ['1']);
  const hosts = [{ host: '127.0.0.1', port: server.port }] as const;
  const options = { identity: 'i', positions: 'rxtract-positions', mayCreate: true, timeoutMs: 60_000 } as const;
  const session = createKafkaSession({
    ...{ ...options, server: { hosts, tls: undefined }, compression: undefined, fenceMs: 0 },
    prepare: async () => {},
  });
  await session.begin(earlierOf({ run: 'later' }));
  await session.positions(); // What is committed can be read now.
  const left = await session.alone((link) => readPositions(link, 'rxtract-positions', ['ended/']));
  session.end();
  assert.equal([...left], []);
});

for (const options of ['', '?transactions=true']) {
  test(`restarts of the broker lose nothing and repeat nothing ${options}`, async () => {
    const server = await broker();
    const name = `restarts${options.length}`;
    const sink = await begun(at(server, `${name}${options}`));
    for (let page = 0; page < 12; page++) {
      const putting = put(
        sink,
        page,
        Array.from({ length: 50 }, (_, n) => ({ page, n })),
      );
      if (page % 5 === 2) {
        await server.kill();
        await server.start();
      }
      await putting;
    }
    await sink.close();
    const wanted = Array.from({ length: 600 }, (_, n) => JSON.stringify({ page: Math.floor(n / 50), n: n % 50 }));
    assert.equal(await texts(server, name), wanted);
  });
}

test('older processes cannot write, and the newest continues', async () => {
  const server = await broker();
  const uri = at(server, 'fence?transactions=true');
  const older = await begun(uri);
  await put(older, 0, [0]);
  const newer = await begun(uri, { epoch: 2 });
  assert.equal([...((await newer.positions?.()) ?? [])], [['0', 'k0']]);
  await older.write(batchOf('t', ['older'], place(1)), calm);
  await rejection(
    async () => older.commit?.(pageEnd('t', { page: 1, keep: 'k1' }), calm),
    'ERR_RESUME',
    /another process/,
  );
  await rejection(() => begun(uri, { epoch: 1 }), 'ERR_RESUME', /another process has resumed this run/);
  await put(newer, 1, [1]);
  await rejection(async () => older.close(), 'ERR_RESUME', /another process/);
  await put(newer, 2, [2]);
  await newer.close();
  assert.equal(await texts(server, 'fence'), ['0', '1', '2']);
});

test('a fresh start removes what the runs it replaces have stored, and ends their processes', async () => {
  const server = await broker();
  const uri = at(server, 'replaced?transactions=true');
  const old = await begun(uri);
  await put(old, 0, [0]);
  const fresh = await begun(uri, { run: 'run-0000-0000-01', replaces: ['run-0000-0000-00'] });
  await rejection(async () => old.positions?.(), 'ERR_RESUME', /another process/);
  await mustBeReplaced(old);
  await fresh.close();
  await rejection(begun(uri), 'ERR_RESUME', /another process/);
});

test('a replaced process that began again before its positions were removed is ended too', async () => {
  const server = await broker();
  const uri = at(server, 'window?transactions=true');
  const old = await begun(uri, { run: 'old' });
  await put(old, 0, [0]);
  intercept(endTxnV3.api, async (send) => {
    await put(old, 1, [1]); // The fresh start has ended its producer, and has not removed its positions yet.
    return send();
  });
  const fresh = await begun(uri, { run: 'new', replaces: ['old'] });
  await old.write(batchOf('t', [2], place(2)), calm);
  await rejection(async () => old.commit?.(pageEnd('t', { page: 2, keep: 'k2' }), calm), 'ERR_RESUME', /another/);
  await fresh.close();
  assert.equal(await texts(server, 'window'), ['0', '1']);
});

/** Replaces the next request of a kind by other work. */
function intercept(api: object, work: (send: () => Promise<unknown>) => Promise<unknown>): void {
  const original: unknown = Reflect.get(api, 'async');
  const send = (given: readonly unknown[]) =>
    typeof original === 'function' ? original.apply(api, given) : Promise.reject(new Error('no request'));
  Reflect.set(api, 'async', (...given: readonly unknown[]) => {
    Reflect.set(api, 'async', original);
    return work(() => send(given));
  });
}

const lost = () => Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' });

for (const [what, options, api] of [
  ['a page whose commit', '?transactions=true', endTxnV3.api],
  ['without transactions, a batch whose connection', '', produceV9.api],
] as const) {
  for (const moment of ['before', 'after']) {
    test(`${what} breaks ${moment} the server has it is there once`, async () => {
      const server = await broker();
      const name = `unanswered-${options.length}-${moment}`;
      const sink = await begun(at(server, `${name}${options}`));
      await put(sink, 0, [0]);
      intercept(api, async (send) => {
        if (moment === 'after') await send();
        throw lost();
      });
      await put(sink, 1, [1]);
      await put(sink, 2, [2]);
      await sink.close();
      assert.equal(await texts(server, name), ['0', '1', '2']);
    });
  }
}

test('a page whose transaction times out again and again is an error', async () => {
  const server = await broker();
  const sink = await begun(at(server, 'timeouts?transactions=true&timeout=50'));
  for (let attempt = 0; attempt < 3; attempt++) await put(sink, attempt, [attempt]);
  const error = { apiCode: 90, apiId: 'PRODUCER_FENCED', message: 'fenced', serverErrorMessage: null };
  let attempts = 0;
  const fail = async (): Promise<never> => {
    if (++attempts < 3) intercept(endTxnV3.api, fail);
    throw Object.assign(new AggregateError([error]), { response: {} });
  };
  intercept(endTxnV3.api, fail);
  await rejection(put(sink, 3, [3]), 'ERR_SINK', /ended the transaction of a page 3 times: it takes longer than 50 s/);
  assert.equal([...((await sink.positions?.()) ?? [])], [['0', 'k2']]);
  await sink.abort(undefined);
  assert.equal(await texts(server, 'timeouts'), ['0', '1', '2']);
});

test('a producer that the server has forgotten begins anew', async () => {
  const server = await broker();
  const sink = await begun(at(server, 'forgotten'));
  await put(sink, 0, [0]);
  intercept(produceV9.api, async () => {
    const error = { apiCode: 59, apiId: 'UNKNOWN_PRODUCER_ID', message: 'unknown', serverErrorMessage: null };
    throw Object.assign(new AggregateError([error]), { response: undefined });
  });
  await put(sink, 1, [1]);
  await sink.close();
  assert.equal(await texts(server, 'forgotten'), ['0', '1']);
});

test('messages after a batch of unknown outcome are not dropped as known', async () => {
  const server = await broker();
  const sink = await begun(at(server, 'unknown'));
  await put(sink, 0, [0]);
  intercept(produceV9.api, async (send) => {
    await send();
    intercept(produceV9.api, async () => {
      const error = { apiCode: 87, apiId: 'INVALID_RECORD', message: 'invalid', serverErrorMessage: null };
      throw Object.assign(new AggregateError([error]), { response: undefined });
    });
    throw lost();
  });
  await rejection(put(sink, 1, [1]), 'ERR_SINK', /invalid \(INVALID_RECORD\)/);
  await put(sink, 2, [2]);
  await sink.close();
  assert.equal(await texts(server, 'unknown'), ['0', '1', '2']);
});

test('without transactions a resume may repeat items, with the same id', async () => {
  const server = await broker();
  const uri = at(server, 'again');
  for (const epoch of [1, 2]) {
    const sink = await begun(uri, { epoch });
    await put(sink, 0, [{ id: 1 }, { id: 2 }]);
    await sink.abort(undefined);
  }
  const ids = (await readTopic(server.port, 'again')).map(({ headers }) => headers['rxtract-id'] ?? '');
  assert.is(ids.length, 4);
  assert.equal(ids.slice(0, 2), ids.slice(2));
  assert.is(new Set(ids).size, 2);
});

test('keys choose partitions as the Java client does, and each keeps its order', async () => {
  const server = await broker();
  const items = Array.from({ length: 60 }, (_, n) => ({ id: `key-${n % 7}`, n }));
  const sink = await begun(at(server, 'keyed?key=item.id&partitions=4'));
  await put(sink, 0, items);
  await sink.close();
  const found = await readTopic(server.port, 'keyed');
  assert.is(found.length, 60);
  assert.equal([...new Set(found.map(({ partition }) => partition))].sort(), [0, 1, 2, 3]);
  for (const key of new Set(items.map(({ id }) => id))) {
    const own = found.filter((record) => record.key === key);
    assert.is(new Set(own.map(({ partition }) => partition)).size, 1);
    assert.equal(
      own.map(({ text }) => JSON.parse(text)),
      items.filter(({ id }) => id === key),
    );
  }
  const shown = ['--property', 'print.partition=true', '--property', 'print.key=true'];
  const java = await consume(server, 'keyed', found.length, shown);
  const wanted = found.map(({ partition, key, text }) => `Partition:${partition}\t${key}\t${text}`);
  assert.equal([...java].sort(), wanted.sort());
  const plain = await begun(at(server, 'unkeyed?partitions=4'));
  await put(plain, 0, items);
  await plain.close();
  const records = await readTopic(server.port, 'unkeyed');
  assert.is(new Set(records.map(({ partition }) => partition)).size, 1);
  assert.equal(
    records.map(({ key, text }) => [key, JSON.parse(text)]),
    items.map((item) => [undefined, item]),
  );
});

test('the topic is a template, whose values cannot be other topics', async () => {
  const server = await broker();
  const sink = await begun(at(server, 'of-{dataType}-{item.kind}?transactions=true&key={dataType}.{item.kind}'));
  await put(sink, 0, [{ kind: 'a b' }, { kind: 'a.b' }, { kind: 'x' }]);
  await sink.close();
  for (const [topic, kind] of [
    ['of-t-a.20b', 'a b'],
    ['of-t-a.2Eb', 'a.b'],
    ['of-t-x', 'x'],
  ]) {
    const [record] = await readTopic(server.port, topic ?? '');
    assert.equal([record?.key, record?.text], [`t.${kind}`, JSON.stringify({ kind })]);
  }
  const none = await begun(at(server, 'by-{item.kind}'));
  await rejection(put(none, 0, [{}]), 'ERR_SINK', /item 0 of the page/);
  await rejection(put(none, 0, [{ kind: 'x'.repeat(300) }]), 'ERR_SINK', /is no name of a topic: expected 1 to 249/);
  await none.abort(undefined);
});

/** The first records of a topic, so many of them, as the console consumer of Kafka prints them: committed ones only. */
async function consume(
  { port }: TestServer,
  topic: string,
  count: number,
  more: readonly string[] = [],
): Promise<readonly string[]> {
  const text = await runKafkaTool([
    ...['org.apache.kafka.tools.consumer.ConsoleConsumer', '--bootstrap-server', `127.0.0.1:${port}`],
    ...['--topic', topic, '--from-beginning', '--max-messages', String(count), '--timeout-ms', '200000'],
    ...['--isolation-level', 'read_committed', ...more],
  ]);
  return text.split('\n').filter((line) => line !== '');
}

test("Kafka's own consumer reads every compression, and no page that was not committed", async () => {
  const server = await broker();
  const kinds = ['gzip', 'snappy', 'lz4', ...('zstdCompressSync' in zlib ? ['zstd'] : [])];
  const items = Array.from({ length: 3000 }, (_, n) => ({ n, text: 'ä\u2028 "\\'.repeat(20) }));
  for (const compression of kinds) {
    const sink = await begun(at(server, `compressed?transactions=true&compression=${compression}`), {
      run: compression,
    });
    await put(sink, 0, items);
    await sink.close();
  }
  const open = await begun(at(server, 'compressed?transactions=true'), { run: 'run-0000-0000-02' });
  intercept(endTxnV3.api, () => Promise.reject(new Error('stopped')));
  await rejection(put(open, 0, ['open']), 'ERR_SINK', /stopped/);
  await open.positions?.();
  await open.abort(undefined);
  const last = await begun(at(server, 'compressed?transactions=true'), { run: 'run-0000-0000-03' });
  await put(last, 0, ['the last one']);
  await last.close();
  const wanted = [...kinds.flatMap(() => items.map((item) => JSON.stringify(item))), '"the last one"'];
  assert.equal(await consume(server, 'compressed', wanted.length), wanted);
  assert.equal(await texts(server, 'compressed'), wanted);
});

test('zstd needs a Node that has it', async () => {
  const create = () => sinkFromUri('kafka://h/t?compression=zstd');
  if ('zstdCompressSync' in zlib) assert.type(create().write, 'function');
  else await rejection(create, 'ERR_USAGE', /zstd needs Node 22.15/);
});

test('CloudEvents have their content type, in both modes', async () => {
  const server = await broker();
  for (const options of ['', '&transactions=true']) {
    const name = `events${options.length}`;
    const sink = await begun(at(server, `${name}?envelope=cloudevents${options}`), { startedAt: Date.UTC(2026, 0, 2) });
    await sink.open?.('t', 't', { address: 'http://api.example.com/v1/' });
    await put(sink, 0, [{ id: 1.5 }]);
    await sink.close();
    const [record] = await readTopic(server.port, name);
    const event = new CloudEvent(JSON.parse(record?.text ?? ''));
    assert.equal([event.validate(), event.source, event.data], [true, 'http://api.example.com/v1/#t', { id: 1.5 }]);
    assert.is(record?.headers['content-type'], 'application/cloudevents+json; charset=UTF-8');
    assert.is(record?.headers['rxtract-id'] === undefined, options !== '');
  }
});

test('an item that is too large is named, and nothing of its page is there', async () => {
  const server = await broker();
  const large = ['small', 'x'.repeat(9 << 20)];
  for (const options of ['', '&transactions=true']) {
    for (const compression of ['none', 'gzip']) {
      const name = `large${options.length}${compression}`;
      const sink = await begun(at(server, `${name}?compression=${compression}${options}`));
      const page = compression === 'none' ? large : ['small', randomBytes(9 << 20).toString('hex')];
      await rejection(
        put(sink, 0, page),
        'ERR_SINK',
        /^kafka: item 1 of the page \(from 0\) has \d+ bytes, and the topic "large.*" accepts messages of .*max.message.bytes$/,
      );
      if (options !== '') assert.equal(await texts(server, name), []);
      await sink.abort(undefined);
    }
  }
});

test('refused items are left out, with their places and reasons', async () => {
  const server = await broker();
  for (const options of ['', '&transactions=true']) {
    const name = `refusals${options.length}`;
    const sink = await begun(at(server, `${name}-{item.to}?key=item.id&compression=gzip${options}`));
    const reasons: string[] = [];
    await sink.open?.('t', 't', { onItemError: ({ index, reason }) => void reasons.push(`${index} ${reason}`) });
    await put(sink, 0, [
      { id: 1, to: 'a' },
      { id: 2 },
      { to: 'a' },
      { id: 3, to: 'x'.repeat(300) },
      { id: 4, to: 'a', text: randomBytes(9 << 20).toString('hex') },
      { id: 5, to: 'a', text: 'x'.repeat(9 << 20) },
    ]);
    await put(sink, 1, [{ id: 6 }]);
    await sink.close();
    assert.equal(
      reasons.map((reason) => reason.slice(0, 5)),
      ['1 has', '2 has', '3 is ', '4 has', '0 has'],
    );
    const stored = (await readTopic(server.port, `${name}-a`)).map(({ key }) => key);
    assert.equal(stored, ['1', '5']);
    assert.is(sink.summary?.()[0]?.items, 2);
  }
});

test('large pages are cut into batches, and a batch that is too large into halves', async () => {
  const server = await broker();
  const items = Array.from({ length: 400 }, (_, n) => ({ n, text: randomBytes(6000).toString('base64') }));
  for (const options of ['', '&transactions=true']) {
    const name = `cut${options.length}`;
    await setTopicLimit(server, name, 200_000);
    const sink = await begun(at(server, `${name}?compression=gzip${options}`));
    await put(sink, 0, items);
    await sink.close();
    assert.equal(
      await texts(server, name),
      items.map((item) => JSON.stringify(item)),
    );
  }
});

/** Makes a topic that accepts batches of so many bytes. */
async function setTopicLimit(
  { port }: TestServer,
  name: string,
  bytes: number,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const configs = Object.entries({ 'max.message.bytes': String(bytes), ...more }).map(([key, value]) => ({
    name: key,
    value,
  }));
  const connection = new Connection('test');
  await connection.connect('127.0.0.1', port);
  const topic = { name, numPartitions: 1, replicationFactor: 1, assignments: [], configs };
  await createTopicsV7.api.async(connection, [topic], 10_000, false);
  await connection.close();
}

test('a topic of positions that is not compacted is an error', async () => {
  const server = await broker();
  await setTopicLimit(server, 'wrong-positions', 1_000_000);
  const uri = at(server, 'positions?transactions=true&positions=wrong-positions');
  for (const work of [() => sinkFromUri(uri).check?.(), () => begun(uri)]) {
    await rejection(work, 'ERR_SINK', /"wrong-positions" for positions has the cleanup.policy "delete"/);
  }
});

test('a topic that is missing, and create=false', async () => {
  const server = await broker();
  await setTopicLimit(server, 'present', 1_000_000);
  for (const [rest, message] of [
    ['absent?create=false', /^kafka: there is no topic "absent", and create=false$/],
    [
      'present?create=false&transactions=true&positions=nowhere',
      /no topic "nowhere".*name another one with `positions`/,
    ],
  ] as const) {
    await rejection(async () => sinkFromUri(at(server, rest)).check?.(), 'ERR_SINK', message);
    await rejection(() => begun(at(server, rest)), 'ERR_SINK', message);
  }
  await sinkFromUri(at(server, 'only-checked')).check?.();
  await rejection(() => begun(at(server, 'only-checked?create=false')), 'ERR_SINK', /no topic "only-checked"/);
  await rejection(() => begun(at(server, 'a?replication=3')), 'ERR_SINK', /too few brokers for this `replication`/);
  await rejection(() => begun(at(server, 'a?transactions=true&timeout=80000')), 'ERR_SINK', /set a shorter `timeout`/);
  const prepared = await begun(at(server, 'pages-{dataType}?partitions=3'));
  await put(prepared, 0, [1]);
  await prepared.close();
});

test('a server that is not there is one error, and one of several hosts is enough', async () => {
  const server = await broker();
  await rejection(
    () => begun('kafka://127.0.0.1:1/items'),
    'ERR_SINK',
    /^kafka: cannot connect to kafka:\/\/127.0.0.1:1: connection refused \(ECONNREFUSED\)$/,
  );
  const sink = await begun(`kafka://127.0.0.1:1,127.0.0.1:${server.port}/hosts`);
  await put(sink, 0, [1]);
  await sink.close();
  assert.equal(await texts(server, 'hosts'), ['1']);
  await rejection(
    () => begun(`kafkas://127.0.0.1:${server.port}/items`),
    'ERR_SINK',
    /^kafka: cannot connect to kafkas:\/\/127.0.0.1:\d+: /,
  );
});

test('a broker whose advertised address cannot be reached is named', async () => {
  const server = await startKafka({ advertised: '127.0.0.1:1' });
  try {
    for (const work of [() => begun(at(server, 'items')), async () => sinkFromUri(at(server, 'items')).check?.()]) {
      const failure = await rejection(
        work,
        'ERR_SINK',
        /^kafka: cannot connect to the broker 127.0.0.1:1, which the cluster names: connection refused/,
      );
      assert.match(failure.where.remedy ?? '', 'advertised.listeners');
    }
  } finally {
    await server.close();
  }
});

test('a page that is too large for memory is refused', async () => {
  const server = await broker();
  const sink = await begun(at(server, 'memory?transactions=true'));
  const large = batchOf('t', new Array<string>(25).fill('x'.repeat(4 << 20)));
  await sink.write(large, calm);
  await sink.write(large, calm);
  await rejection(async () => sink.write(large, calm), 'ERR_SINK', /has more than 268435456 bytes/);
  await sink.rollback?.('t');
  await sink.close();
});

run.run();
