/** RabbitMQ against a real server: the conformance kit, rights, faults, alarms and restarts. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in addresses are the subject.
import { createHash } from 'node:crypto';
import { type ConfirmChannel, connect } from 'amqplib';
import { CloudEvent } from 'cloudevents';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { restartingRules } from '../../sinks/conformance/restarting.js';
import { checkRules } from '../../sinks/conformance.js';
import type { RefusedItem } from '../../sinks/contract.js';
import { sinkFromUri } from '../../sinks/registry.js';
import type { Notice } from '../../src/core/model/notice.js';
import { aMinute, calm, pageEnd, rejection } from '../sinks/lib.js';
import { rabbitMissing, startRabbit, type TestRabbit } from '../support/servers.js';
import { testWhere } from '../where.js';
import { begun, mustKeepRules, restarting } from './lib.js';

const test = testWhere(rabbitMissing);

/** A hash of RabbitMQ: salt, and SHA-256 of salt and password. */
const hashOf = (password: string) => {
  const salt = Buffer.from('salt');
  return Buffer.concat([salt, createHash('sha256').update(salt).update(password).digest()]).toString('base64');
};

const user = (name: string, password: string, tags = '') => ({ name, password_hash: hashOf(password), tags });

const right = (name: string, part: object = {}) => ({
  ...{ user: name, vhost: '/', configure: '.*', write: '.*', read: '.*' },
  ...part,
});

const definitions = {
  users: [user('guest', 'guest', 'administrator'), user('joe', 'p@ss/1'), user('ann', 'secret'), user('eve', 'secret')],
  vhosts: [{ name: '/' }, { name: 'a/b č' }],
  permissions: [
    right('guest'),
    right('guest', { vhost: 'a/b č' }),
    right('joe', { write: '' }),
    right('ann', { configure: '' }),
  ],
  exchanges: [
    { name: 'x', vhost: '/', type: 'topic', durable: true, auto_delete: false, internal: false, arguments: {} },
    { name: 'f', vhost: '/', type: 'fanout', durable: true, auto_delete: false, internal: false, arguments: {} },
  ],
  queues: [
    { name: 'there', vhost: '/', durable: true, auto_delete: false, arguments: {} },
    { name: 'all', vhost: '/', durable: true, auto_delete: false, arguments: {} },
    // RabbitMQ 3.10 loses a quorum queue that is younger than half a second when it is killed.
    { name: 'older', vhost: '/', durable: true, auto_delete: false, arguments: { 'x-queue-type': 'quorum' } },
    {
      ...{ name: 'short', vhost: '/', durable: true, auto_delete: false },
      arguments: { 'x-max-length': 3, 'x-overflow': 'reject-publish' },
    },
  ],
  bindings: [
    {
      ...{ source: 'x', vhost: '/', destination: 'there', destination_type: 'queue', arguments: {} },
      routing_key: '*.a%2Eb',
    },
    {
      ...{ source: 'f', vhost: '/', destination: 'all', destination_type: 'queue', arguments: {} },
      routing_key: '',
    },
  ],
};

let started: Promise<TestRabbit> | undefined;

/** One server for all tests of this file, because it needs ten seconds to start. */
function server(): Promise<TestRabbit> {
  started ??= startRabbit({
    lines: ['load_definitions = {folder}/definitions.json', 'max_message_size = 2000000'],
    files: { 'definitions.json': JSON.stringify(definitions) },
  });
  return started;
}

interface Lent {
  readonly rabbit: TestRabbit;
  readonly uri: (rest: string) => string;
  /** The bodies of a queue, which stay there. */
  readonly read: (queue: string) => Promise<readonly string[]>;
  readonly onChannel: <T>(work: (channel: ConfirmChannel) => Promise<T>) => Promise<T>;
}

const withRabbit = (work: (lent: Lent) => Promise<void>) => async () => {
  const rabbit = await server();
  const onChannel = async <T>(run: (channel: ConfirmChannel) => Promise<T>, vhost = '/') => {
    const client = await connect({ hostname: '127.0.0.1', port: rabbit.port, vhost: encodeURIComponent(vhost) });
    client.on('error', () => {});
    try {
      const channel = await client.createConfirmChannel();
      channel.on('error', () => {});
      return await run(channel);
    } finally {
      await client.close();
    }
  };
  const read = (queue: string) => onChannel((channel) => bodiesOf(channel, queue));
  await work({ rabbit, onChannel, read, uri: (rest) => `amqp://127.0.0.1:${rabbit.port}/${rest}` });
};

/** Messages without an acknowledgement return to the queue when the channel closes. */
async function messagesOf(channel: ConfirmChannel, queue: string) {
  const found = [];
  for (;;) {
    const message = await channel.get(queue).catch((thrown: Error & { code?: number }) => {
      if (thrown.code === 404) return false as const;
      throw thrown;
    });
    if (message === false) return found;
    found.push(message);
  }
}

const bodiesOf = async (channel: ConfirmChannel, queue: string) =>
  (await messagesOf(channel, queue)).map(({ content }) => content.toString());

const items = (page: number, count: number) => Array.from({ length: count }, (_, n) => ({ page, n }));

const place = { job: 'j', run: 'r', walk: '0', page: 0, offset: 0 };

test(
  'keeps every rule of the kit',
  withRabbit(async ({ uri, read }) => {
    const refused = 'x'.repeat(2_000_000);
    await mustKeepRules(uri('?queue=kit.{dataType}'), (dataType) => read(`kit.${dataType}`), false, refused);
  }),
);

test(
  'keeps the rule of the kit on a broker that ends between calls',
  withRabbit(async ({ uri, onChannel, rabbit }) => {
    // A classic queue: a new quorum queue may be lost, see "older".
    const read = (dataType: string) =>
      onChannel(async (channel) => {
        const found = (await messagesOf(channel, 'all')).filter(({ fields }) => fields.routingKey === dataType);
        return found.map(({ content }) => content.toString());
      });
    const checks = await checkRules(restartingRules, () => sinkFromUri(uri('?exchange=f&key={dataType}')), read, {
      ...restarting(rabbit),
      ...{ restartAfter: ['write', 'commit'], tooLong: aMinute },
    });
    assert.equal(
      checks.map(({ outcome, reason = '' }) => `${outcome} ${reason}`),
      ['pass '],
    );
  }),
);

test(
  'messages are persistent, typed and have the message id; a new queue is a quorum queue',
  withRabbit(async ({ uri, onChannel, rabbit }) => {
    const sink = await begun(uri('%2F?queue=items'));
    await sink.open?.('t', 'j');
    await sink.write(batchOf('t', [{ a: 1.5 }, 'č'], place), calm);
    await sink.commit?.(pageEnd('t'), calm);
    assert.equal(sink.summary?.(), [{ dataType: 't', name: `items at 127.0.0.1:${rabbit.port}`, items: 2, bytes: 15 }]);
    await sink.close();
    const [first, second] = await onChannel((channel) => messagesOf(channel, 'items'));
    assert.equal([first?.content.toString(), second?.content.toString()], ['{"a":1.5}', '"č"']);
    const { contentType, deliveryMode, messageId } = first?.properties ?? {};
    assert.equal([contentType, deliveryMode], ['application/json', 2]);
    assert.match(messageId, /^[\w-]{16}-0-[\w-]{8}$/);
    const listed = await rabbit.control('list_queues', 'name', 'type', 'durable', '--no-table-headers', '--quiet');
    assert.match(listed, /^items\s+rabbit_quorum_queue\s+true$|^items\s+quorum\s+true$/m);
    assert.match(listed, /^there\s+(?:classic|rabbit_classic_queue)\s+true$/m);
  }),
);

test(
  'a virtual host, CloudEvents, and the start of the run',
  withRabbit(async ({ rabbit }) => {
    const at = `amqp://guest:guest@127.0.0.1:${rabbit.port}/a%2Fb%20%C4%8D?queue=items&envelope=cloudevents`;
    const sink = await begun(at, { startedAt: Date.UTC(2026, 0, 2) });
    await sink.open?.('t', 'j', { address: 'http://api.example.com/v1/?x=1' });
    await sink.write(batchOf('t', [{ id: 1 }], place), calm);
    await sink.close();
    const client = await connect({ hostname: '127.0.0.1', port: rabbit.port, vhost: encodeURIComponent('a/b č') });
    const message = await (await client.createChannel()).get('items', { noAck: true });
    await client.close();
    assert.ok(message !== false);
    const event = new CloudEvent(JSON.parse(message.content.toString()));
    assert.equal(
      [event.validate(), event.source, event.time, event.data, event.id, message.properties.contentType],
      [
        ...[true, 'http://api.example.com/v1/#j', '2026-01-02T00:00:00.000Z', { id: 1 }],
        ...[message.properties.messageId, 'application/cloudevents+json'],
      ],
    );
  }),
);

test(
  'every item arrives through a restart, in order but for those that arrive again',
  withRabbit(async ({ rabbit, uri, read }) => {
    const sink = await begun(uri('?queue=older'));
    for (let page = 0; page < 4; page++) {
      for (const half of [0, 1]) {
        const writing = sink.write(batchOf('t', items(page * 2 + half, 300), { ...place, page }), calm);
        if (page === 1 && half === 0) {
          await rabbit.kill();
          await rabbit.start();
        }
        await writing;
      }
      await sink.commit?.(pageEnd('t', { page }), calm);
    }
    await sink.close();
    const found = await read('older');
    const wanted = Array.from({ length: 8 }, (_, page) => items(page, 300).map((item) => JSON.stringify(item))).flat();
    assert.equal([...new Set(found)], wanted);
  }),
);

test(
  'a connection that the server closes is opened again',
  withRabbit(async ({ rabbit, uri, read }) => {
    const sink = await begun(uri('?queue=closed'));
    for (let page = 0; page < 4; page++) {
      if (page % 2 === 1) await rabbit.control('close_all_connections', 'test');
      await sink.write(batchOf('t', items(page, 10), { ...place, page }), calm);
      await sink.commit?.(pageEnd('t', { page }), calm);
    }
    await sink.close();
    assert.is(new Set(await read('closed')).size, 40);
  }),
);

test(
  'more than a window is published as its confirms arrive',
  withRabbit(async ({ uri, onChannel }) => {
    const sink = await begun(uri('?queue=window'));
    await sink.write(batchOf('t', items(0, 25_000), place), calm);
    await sink.write(batchOf('t', ['x'.repeat(900_000), ...Array(12).fill('y'.repeat(900_000))], place), calm);
    await sink.commit?.(pageEnd('t'), calm);
    assert.is((await onChannel((channel) => channel.checkQueue('window'))).messageCount, 25_013);
    await sink.close();
  }),
);

test(
  'keys of an exchange are words, and a message without a queue is an error',
  withRabbit(async ({ uri, read }) => {
    const sink = await begun(uri('?exchange=x&key={job}.{item.to}'));
    await sink.open?.('t', 'j');
    await sink.write(batchOf('t', [{ to: 'a.b' }], place), calm);
    await sink.commit?.(pageEnd('t'), calm);
    assert.equal(await read('there'), ['{"to":"a.b"}']);
    assert.match(sink.summary?.()[0]?.name ?? '', /^x \{job\}\.\{item\.to\} at 127/);
    await sink.write(batchOf('t', [{ to: 'a.b' }, { to: 'c' }], { ...place, page: 3, offset: 5 }), calm);
    const message =
      /^amqp: item 6 of the page \(from 0\) cannot be routed: no queue is bound to the exchange "x" for the key "j.c"/;
    const error = await rejection(async () => sink.commit?.(pageEnd('t'), calm), 'ERR_SINK', message);
    assert.equal([error.where.job, error.where.page], ['j', 3]);
    await rejection(async () => sink.write(batchOf('t', [1]), calm), 'ERR_SINK', /./);
    await rejection(async () => sink.close(), 'ERR_SINK', message);
    await sink.abort(undefined);
  }),
);

test(
  'a queue that is deleted during the run is an error, which is reported at once',
  withRabbit(async ({ uri, onChannel }) => {
    const sink = await begun(uri('?queue=deleted'));
    const reported = new Promise<unknown>((resolve) => {
      void sink.open?.('t', 'j', { onFailure: resolve });
    });
    await onChannel((channel) => channel.deleteQueue('deleted'));
    await sink.write(batchOf('t', [1], place), calm);
    await rejection(
      async () => {
        throw await reported;
      },
      'ERR_SINK',
      /the queue "deleted" does not exist any more/,
    );
    await sink.abort(undefined);
  }),
);

test(
  'items choose their queue, 1,000 at the most',
  withRabbit(async ({ uri, read }) => {
    const sink = await begun(uri('?queue=to-{item.to}'));
    await sink.write(batchOf('t', [{ to: 'a.b *' }, { to: 7 }, { to: 7 }], place), calm);
    await sink.commit?.(pageEnd('t'), calm);
    assert.equal([await read('to-a.b *'), await read('to-7')], [['{"to":"a.b *"}'], ['{"to":7}', '{"to":7}']]);
    await rejection(
      async () => sink.write(batchOf('t', [{ to: 'ž'.repeat(130) }], place), calm),
      'ERR_SINK',
      /^amqp: item 0 of the page \(from 0\) has a name of more than 255 bytes: "to-ž+\.\.\."$/,
    );
    await sink.abort(undefined);
    const keys = await begun(uri('?exchange=f&key={item.to}'));
    const many = batchOf(
      't',
      Array.from({ length: 1001 }, (_, to) => ({ to })),
      place,
    );
    await rejection(
      async () => keys.write(many, calm),
      'ERR_SINK',
      /^amqp: the key has more than 1000 different values/,
    );
    await keys.abort(undefined);
  }),
);

test(
  'a message that is too large names its item',
  withRabbit(async ({ uri, read }) => {
    const sink = await begun(uri('?queue=large'));
    await sink.write(batchOf('t', ['x', 'x'.repeat(2_000_000)], { ...place, page: 2, offset: 5 }), calm);
    const error = await rejection(
      async () => sink.commit?.(pageEnd('t'), calm),
      'ERR_SINK',
      /^amqp: item 6 of the page \(from 0\) has 2000002 bytes, and the broker accepts messages of 2000000: raise/,
    );
    assert.equal([error.where.job, error.where.page], ['j', 2]);
    await sink.abort(undefined);
    assert.equal(await read('large'), ['"x"']);
  }),
);

test(
  'refused items are reported and left out, and the others arrive',
  withRabbit(async ({ uri, read }) => {
    const reported: string[] = [];
    const sink = await begun(uri('?exchange=x&key=j.{item.to}'));
    const onItemError = ({ batch, index, reason }: RefusedItem) =>
      void reported.push(`${batch.offset + index} ${reason.slice(0, 40)}`);
    await sink.open?.('t', 'j', { onItemError });
    const large = 'x'.repeat(2_000_000);
    const to = ['a.b', 'none', 'x'.repeat(300), 'a.b'];
    const page = to.map((each, n) => ({ to: each, n, ...(n === 3 ? { large } : {}) }));
    await sink.write(batchOf('t', [...page, { to: 'a.b', n: 4 }], { ...place, offset: 10 }), calm);
    await sink.prepare?.(pageEnd('t'), calm);
    assert.equal(reported.sort(), [
      '11 cannot be routed: no queue is bound to t',
      '12 has a name of more than 255 bytes: "j.xx',
      '13 has 2000029 bytes, and the broker accept',
    ]);
    await sink.commit?.(pageEnd('t'), calm);
    await sink.close();
    assert.equal(
      sink.summary?.().map(({ items: count }) => count),
      [2],
    );
    const found = (await read('there')).filter((text) => text.includes('"n"'));
    assert.equal([...new Set(found)], ['{"to":"a.b","n":0}', '{"to":"a.b","n":4}']);
  }),
);

test(
  'a full queue is waited for, and is an error in the end',
  withRabbit(async ({ uri, onChannel }) => {
    const sink = await begun(uri('?queue=short&wait=60'));
    await sink.write(batchOf('t', [1, 2, 3, 4, 5, 6], place), calm);
    const committing = sink.commit?.(pageEnd('t'), calm);
    const found: string[] = [];
    await onChannel(async (channel) => {
      while (found.length < 6) {
        const message = await channel.get('short', { noAck: true });
        if (message !== false) found.push(message.content.toString());
      }
    });
    await committing;
    assert.equal(found.sort(), ['1', '2', '3', '4', '5', '6']);
    await sink.close();
    const short = await begun(uri('?queue=short&wait=4'));
    await short.write(batchOf('t', [1, 2, 3, 4], place), calm);
    await rejection(
      async () => short.commit?.(pageEnd('t'), calm),
      'ERR_SINK',
      /^amqp: the broker has refused messages for 4 s: the queue is at its limit/,
    );
    await short.abort(undefined);
  }),
);

test(
  'an alarm of the broker is waited for with a notice, and is an error in the end or before the first request',
  withRabbit(async ({ rabbit, uri, read }) => {
    const notices: Notice[] = [];
    const open = (rest: string) =>
      begun(uri(`?queue=alarm${rest}`), {}, { notify: (notice) => void notices.push(notice) });
    const [patient, hasty] = [await open(''), await open('&wait=4')];
    await rabbit.control('set_disk_free_limit', '1000000GB');
    await patient.write(batchOf('t', [1], place), calm);
    await hasty.write(batchOf('t', [2], place), calm);
    await rejection(
      async () => hasty.commit?.(pageEnd('t'), calm),
      'ERR_SINK',
      /^amqp: the broker accepts no messages for 4 s: low on disk$/,
    );
    await hasty.abort(undefined);
    await rejection(() => open(''), 'ERR_SINK', /^amqp: the broker accepts no messages: low on disk$/);
    await rejection(async () => sinkFromUri(uri('?queue=alarm')).check?.(), 'ERR_SINK', /low on disk/);
    const committing = patient.commit?.(pageEnd('t'), calm);
    await rabbit.control('set_disk_free_limit', '1MB');
    await committing;
    await patient.close();
    assert.ok((await read('alarm')).includes('1'));
    const [first] = notices;
    assert.equal([first?.level, first?.code], ['info', 'sink-blocked']);
    assert.match(first?.message ?? '', /^amqp: the broker accepts no messages for now: low on disk/);
    assert.match(notices.at(-1)?.message ?? '', /accepts messages again/);
  }),
);

test(
  'what is missing is an error before the first request',
  withRabbit(async ({ uri, onChannel }) => {
    const faults: readonly [string, RegExp][] = [
      [
        'none?queue=there',
        /^amqp: cannot connect to amqp:\/\/127\.0\.0\.1:\d+: the server refuses the virtual host "none": it is/,
      ],
      ['?queue=none&create=false', /^amqp: there is no queue "none", and create=false$/],
      ['?exchange=none&key=k', /^amqp: there is no exchange "none": create it, with the bindings to its queues$/],
      [
        '?queue=amq.mine',
        /^amqp: cannot create the queue "amq.mine": ACCESS_REFUSED - queue name 'amq.mine' contains reserved/,
      ],
    ];
    for (const [rest, message] of faults) await rejection(() => begun(uri(rest)), 'ERR_SINK', message);
    for (const rest of ['?queue=there&create=false', '?queue=new', '?exchange=x&key=a', '?exchange=amq.fanout']) {
      await sinkFromUri(uri(rest)).check?.();
    }
    await onChannel(async (channel) => {
      await channel.checkQueue('new').then(
        () => assert.unreachable(),
        (thrown) => assert.is(thrown.code, 404),
      );
    });
    const each = await begun(uri('?queue=none-{dataType}&create=false'));
    await rejection(
      async () => each.open?.('t', 'j'),
      'ERR_SINK',
      /^amqp: there is no queue "none-t", and create=false$/,
    );
    await each.abort(undefined);
  }),
);

test(
  'users, passwords and rights',
  withRabbit(async ({ rabbit }) => {
    const at = (who: string, rest = '?queue=there') => `amqp://${who}@127.0.0.1:${rabbit.port}/${rest}`;
    const env = { WORD: 'p@ss/1' };
    const wrong = await rejection(
      async () => sinkFromUri(at('joe:wrong-word')).check?.(),
      'ERR_SINK',
      /^amqp: cannot connect to amqp:\/\/127\.0\.0\.1:\d+: the server rejects the user or the password/,
    );
    assert.not.match(wrong.message, 'wrong-word');
    assert.match(wrong.where.remedy ?? '', /Check host, port, user and password/);
    for (const rest of ['?queue=there', '?exchange=x&key=k']) {
      const write = /^amqp: cannot use .*: the user lacks the permission "write" \(ACCESS_REFUSED - access to exchange/;
      await rejection(async () => sinkFromUri(at('joe:${WORD}', rest), { env }).check?.(), 'ERR_SINK', write);
    }
    await rejection(
      () => begun(at('ann:secret', '?queue=anns')),
      'ERR_SINK',
      /^amqp: cannot create the queue "anns": the user lacks the permission "configure" \(ACCESS_REFUSED/,
    );
    await rejection(() => begun(at('eve:secret')), 'ERR_SINK', /refuses the virtual host "\/"/);
    await sinkFromUri(at('ann:secret')).check?.();
    assert.ok(sinkFromUri(at('ann:secret')).secrets?.includes('secret'));
    assert.is(sinkFromUri(at('ann:secret')).name, at('***'));
  }),
);

test(
  'a server that is not there, or speaks no AMQP, is one error',
  withRabbit(async ({ rabbit }) => {
    await rejection(
      () => begun('amqp://127.0.0.1:1/?queue=items'),
      'ERR_SINK',
      /^amqp: cannot connect to amqp:\/\/127.0.0.1:1: connection refused \(ECONNREFUSED\)$/,
    );
    await rejection(
      () => begun(`amqps://127.0.0.1:${rabbit.port}/?queue=there`),
      'ERR_SINK',
      /cannot connect to amqps/,
    );
    const sink = await begun(`amqp://127.0.0.1:1,127.0.0.1:${rabbit.port}/?queue=there`);
    await sink.close();
  }),
);

run.after(async () => (await started)?.close());
run.run();
