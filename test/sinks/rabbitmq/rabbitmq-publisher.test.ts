/** The window of messages without a confirm, over a link whose outcomes the test decides. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../../sinks/batch.js';
import type { Opening } from '../../../sinks/contract.js';
import { createItemErrors } from '../../../sinks/item-errors.js';
import type { Outcome, RabbitEvents, RabbitLink } from '../../../sinks/rabbitmq/rabbitmq-client.js';
import { mostUnconfirmed, type RabbitMessage, RabbitPublisher } from '../../../sinks/rabbitmq/rabbitmq-publisher.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { calm, rejection, turns } from '../lib.js';

interface Sent {
  readonly text: string;
  readonly settle: (outcome: Outcome) => void;
}

interface FakeLink extends RabbitLink {
  readonly events: RabbitEvents;
  readonly sent: Sent[];
  isClosed: boolean;
  /** Thrown by the next `publish`. */
  fault: Error | undefined;
}

function createLink(events: RabbitEvents): FakeLink {
  const sent: Sent[] = [];
  const link: FakeLink = {
    ...{ events, sent, isClosed: false, fault: undefined, isRabbitMq: true, ending: undefined },
    publish({ content }, settle) {
      if (link.fault !== undefined) throw link.fault;
      sent.push({ text: content.toString(), settle });
    },
    onChannel: () => Promise.reject(new Error('Channel closed')),
    async close() {
      link.isClosed = true;
    },
  };
  return link;
}

/** A publisher whose connections are in `links`. `failures`: what the first attempts to connect are rejected with. */
function createScene({ patienceMs = 60_000, failures = [] as Error[], opening = {} as Opening } = {}) {
  const errors = createItemErrors('amqp');
  errors.open(opening);
  const links: FakeLink[] = [];
  const notices: Notice[] = [];
  const publisher = new RabbitPublisher({
    patienceMs,
    refuse: errors.refuse,
    notify: (notice) => notices.push(notice),
    async connect(events) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const link = createLink(events);
      links.push(link);
      return link;
    },
  });
  const last = () => {
    const link = links.at(-1);
    assert.ok(link);
    return link;
  };
  const texts = () => last().sent.map(({ text }) => text);
  const settle = (outcome: Outcome, ...wanted: readonly string[]) => {
    for (const { text, settle: end } of last().sent) if (wanted.includes(text)) end(outcome);
  };
  return { publisher, links, notices, last, texts, settle };
}

const message = (text: string, part: Partial<RabbitMessage> = {}): RabbitMessage => ({
  ...{ exchange: '', key: 'q', content: Buffer.from(text), id: text, contentType: 'text/plain', index: 1 },
  isRoutedByItem: false,
  batch: batchOf('t', [1, 2], { job: 'j', run: 'r', walk: '0', page: 3, offset: 5 }),
  ...part,
});

const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const closed = (code: number, text: string) => Object.assign(new Error(`Channel closed by server: ${text}`), { code });

/** Waits until the scene has so many connections. */
async function connected({ links }: ReturnType<typeof createScene>, count: number): Promise<void> {
  while (links.length < count) await turns(1);
  await turns(1);
}

test('a page is over when all of its messages are confirmed, in whatever order', async () => {
  const scene = createScene();
  const { publisher } = scene;
  await publisher.begin(async () => {});
  for (const text of ['a', 'b', 'c']) publisher.add(message(text));
  assert.equal(scene.texts(), ['a', 'b', 'c']);
  let isOver = false;
  const over = publisher.confirmed('t', calm).then(() => {
    isOver = true;
  });
  scene.settle('acknowledged', 'c', 'a');
  await turns();
  assert.is(isOver, false);
  await publisher.confirmed('other', calm);
  scene.settle('acknowledged', 'b');
  await over;
  await publisher.end();
  assert.ok(scene.last().isClosed);
});

test('the window has a bound in messages, and one in bytes but for a single message', async () => {
  const { publisher, settle } = createScene();
  await publisher.begin(async () => {});
  assert.ok(publisher.hasRoom(mostUnconfirmed.bytes + 1));
  for (let n = 0; n < mostUnconfirmed.messages; n++) publisher.add(message('x'));
  assert.not.ok(publisher.hasRoom(1));
  const room = publisher.room(1, calm);
  settle('acknowledged', 'x');
  await room;
  publisher.add(message('y', { content: Buffer.alloc(mostUnconfirmed.bytes - 1) }));
  assert.ok(publisher.hasRoom(1));
  assert.not.ok(publisher.hasRoom(2));
  const controller = new AbortController();
  const waiting = publisher.room(2, controller.signal);
  controller.abort();
  await rejection(waiting, 'ERR_ABORTED');
  await publisher.end();
});

test('what has no confirm is sent again on another connection, in its order, and late events do not count', async () => {
  const scene = createScene({ failures: [] });
  const { publisher, links, settle, texts } = scene;
  await publisher.begin(async () => {});
  for (const text of ['a', 'b', 'c']) publisher.add(message(text));
  settle('acknowledged', 'b');
  const [first] = links;
  first?.events.lost(lost);
  publisher.add(message('d'));
  await connected(scene, 2);
  assert.equal(texts(), ['a', 'c', 'd']);
  for (const { settle: end } of first?.sent ?? []) end('acknowledged');
  first?.events.lost(lost);
  assert.is(links.length, 2);
  settle('acknowledged', 'a', 'c', 'd');
  await publisher.confirmed(undefined, calm);
  await publisher.end();
});

test('the first message connects, and so does work on a channel, which is tried again', async () => {
  const failures = [new ExtractError('ERR_SINK', 'amqp: cannot connect', { cause: lost })];
  const scene = createScene({ failures });
  const { publisher, settle } = scene;
  publisher.add(message('a'));
  publisher.add(message('b'));
  await connected(scene, 1);
  assert.equal(scene.texts(), ['a', 'b']);
  settle('acknowledged', 'a', 'b');
  await publisher.confirmed('t', calm);
  let calls = 0;
  scene.last().onChannel = async (work) => {
    calls += 1;
    if (calls === 1) throw new Error('Channel ended, no reply will be forthcoming');
    return work(undefined as never);
  };
  assert.is(await publisher.onChannel(async () => 7), 7);
  await publisher.end();
  const other = createScene();
  const working = other.publisher.onChannel(async () => 7).catch((thrown: unknown) => thrown);
  await connected(other, 1);
  await other.publisher.end();
  assert.instance(await working, Error);
});

test('refused messages are sent again, in their order, when all in flight have an outcome', async () => {
  const scene = createScene();
  const { publisher, settle, texts } = scene;
  await publisher.begin(async () => {});
  for (const text of ['a', 'b', 'c']) publisher.add(message(text));
  settle('refused', 'a', 'b');
  publisher.add(message('d'));
  assert.equal(texts(), ['a', 'b', 'c']);
  settle('acknowledged', 'c');
  while (texts().length < 6) await turns(1);
  assert.equal(texts().slice(3), ['a', 'b', 'd']);
  for (const { settle: end } of scene.last().sent.slice(3)) end('acknowledged');
  await publisher.confirmed('t', calm);
  await publisher.end();
  assert.equal(
    scene.notices.map(({ code, message: text }) => [code, text]),
    [['sink-blocked', 'amqp: a queue refuses messages for now: they are sent again']],
  );
});

test('a broker that confirms nothing, refuses all or has an alarm is an error in the end, each with its reason', async () => {
  const reasons: readonly [(scene: ReturnType<typeof createScene>) => void, RegExp][] = [
    [() => {}, /^amqp: the broker has confirmed no message for 0.03 s$/],
    [({ settle }) => settle('refused', 'a'), /^amqp: the broker has refused messages for 0.03 s: the queue is at its/],
    [({ last }) => last().events.blocked('low on disk'), /^amqp: the broker accepts no messages for 0.03 s: low on/],
  ];
  for (const [act, text] of reasons) {
    const scene = createScene({ patienceMs: 30 });
    const { publisher } = scene;
    const reported: unknown[] = [];
    publisher.onFailure((thrown) => reported.push(thrown));
    await publisher.begin(async () => {});
    publisher.add(message('a'));
    act(scene);
    const error = await rejection(publisher.confirmed('t', calm), 'ERR_SINK', text);
    assert.equal(reported, [error]);
    await rejection(publisher.confirmed(undefined, calm), 'ERR_SINK', text);
    await rejection(async () => publisher.add(message('b')), 'ERR_SINK', text);
    await publisher.end();
  }
});

test('a queue that refuses again and again is an error in the end, however long the pauses between', async () => {
  const { publisher, last } = createScene({ patienceMs: 1100 });
  await publisher.begin(async () => {});
  let refusals = 0;
  Object.assign(last(), {
    publish: (_: RabbitMessage, settle: Sent['settle']) => settle(++refusals < 9 ? 'refused' : 'acknowledged'),
  });
  publisher.add(message('a'));
  await rejection(publisher.confirmed('t', calm), 'ERR_SINK', /^amqp: the broker has refused messages for 1.1 s/);
  await publisher.end();
});

test('a channel that is stuck is an error in the end', async () => {
  const { publisher, last } = createScene({ patienceMs: 30 });
  await publisher.begin(async () => {});
  last().onChannel = () => new Promise(() => {});
  const keep = setTimeout(() => {}, 10_000); // The wait of the channel keeps no process.
  await rejection(
    publisher.onChannel(async () => 7),
    'ERR_SINK',
    /has confirmed no message for 0.03 s/,
  );
  clearTimeout(keep);
  await publisher.end();
});

test('an alarm gives a notice, at its beginning and its end', async () => {
  const { publisher, last, notices } = createScene();
  await publisher.begin(async () => {});
  last().events.blocked('low on memory');
  last().events.unblocked();
  assert.equal(
    notices.map(({ level, code, message: text }) => [level, code, text]),
    [
      ['info', 'sink-blocked', 'amqp: the broker accepts no messages for now: low on memory'],
      ['info', 'sink-blocked', 'amqp: the broker accepts messages again'],
    ],
  );
  await publisher.end();
});

test('an alarm at the beginning is an error at once, and so is a connection that ends then', async () => {
  const { publisher, last } = createScene();
  const beginning = publisher.begin(async () => {
    last().events.blocked('low on disk');
    await new Promise(() => {});
  });
  await rejection(beginning, 'ERR_SINK', /^amqp: the broker accepts no messages: low on disk$/);
  assert.ok(last().isClosed);
  const other = createScene();
  const ended = other.publisher.begin(async (link) => void Object.assign(link, { ending: { thrown: lost } }));
  assert.is(await ended.catch((thrown: unknown) => thrown), lost);
});

test('a message without a queue is an error that names its item', async () => {
  for (const [part, text] of [
    [{}, /^amqp: item 6 of the page \(from 0\) cannot be routed: the queue "q" does not exist any more$/],
    [{ exchange: 'x' }, /cannot be routed: no queue is bound to the exchange "x" for the key "q": add a binding/],
  ] as const) {
    const { publisher, settle } = createScene();
    await publisher.begin(async () => {});
    publisher.add(message('a', part));
    settle('returned', 'a');
    const error = await rejection(publisher.confirmed('t', calm), 'ERR_SINK', text);
    assert.equal([error.where.job, error.where.page], ['j', 3]);
    await publisher.end();
  }
});

test('a channel that the server closes for good ends the run; one message is found by its size', async () => {
  for (const [thrown, text] of [
    [
      closed(406, 'message size 3 is larger than configured max size 2'),
      /^amqp: item 6 .* has 3 bytes, .* of 2: raise/,
    ],
    [closed(406, 'message size 9 is larger than configured max size 2'), /^amqp: cannot publish: .* size 9/],
    [closed(404, 'x with message "NOT_FOUND - no exchange"'), /^amqp: cannot publish: NOT_FOUND - no exchange$/],
    ['nothing', /^amqp: cannot publish: nothing$/],
  ] as const) {
    const { publisher, last, links } = createScene();
    await publisher.begin(async () => {});
    publisher.add(message('a'));
    publisher.add(message('abc'));
    last().events.lost(thrown);
    await rejection(publisher.confirmed('t', calm), 'ERR_SINK', text);
    assert.is(links.length, 1);
    await publisher.end();
  }
});

test('connections that break again and again without a confirm end the run', async () => {
  const scene = createScene();
  const { publisher } = scene;
  await publisher.begin(async () => {});
  publisher.add(message('a'));
  for (let count = 1; count <= 10; count++) {
    scene.last().events.lost(lost);
    await connected(scene, count + 1);
  }
  scene.last().events.lost(lost);
  await rejection(publisher.confirmed('t', calm), 'ERR_SINK', /^amqp: cannot publish: connection reset|ECONNRESET/);
  assert.is(scene.links.length, 11);
  await publisher.end();
});

test('a connection that cannot be opened again is an error, and so is a message that cannot be encoded', async () => {
  const never = createScene({ failures: [new ExtractError('ERR_SINK', 'no package')] });
  never.publisher.add(message('a'));
  await rejection(never.publisher.confirmed('t', calm), 'ERR_SINK', /^no package$/);
  const { publisher, last } = createScene();
  await publisher.begin(async () => {});
  last().fault = new TypeError('wrong kind');
  publisher.add(message('a'));
  await rejection(publisher.confirmed('t', calm), 'ERR_SINK', /^amqp: cannot publish: wrong kind$/);
});

test('a message on a connection that is ending is sent on the next one', async () => {
  const scene = createScene();
  const { publisher, last, settle } = scene;
  await publisher.begin(async () => {});
  last().fault = new Error('Connection closed (by client)');
  publisher.add(message('a'));
  last().events.lost(lost);
  await connected(scene, 2);
  settle('acknowledged', 'a');
  await publisher.confirmed('t', calm);
  await publisher.end();
});

test('a connection that opens after the end is closed', async () => {
  let open = (_: RabbitLink) => {};
  const opening = new Promise<RabbitLink>((resolve) => {
    open = resolve;
  });
  let link: FakeLink | undefined;
  const publisher = new RabbitPublisher({
    patienceMs: 1000,
    refuse: createItemErrors('amqp').refuse,
    connect(events) {
      link = createLink(events);
      return opening;
    },
  });
  publisher.add(message('a'));
  await publisher.end();
  if (link !== undefined) open(link);
  await turns();
  assert.is(link?.isClosed, true);
});

test('a connection that has ended by the time it is used is replaced', async () => {
  const scene = createScene();
  let isFirst = true;
  const publisher = new RabbitPublisher({
    patienceMs: 1000,
    refuse: createItemErrors('amqp').refuse,
    async connect(events) {
      const link = createLink(events);
      scene.links.push(link);
      if (isFirst) Object.assign(link, { ending: { thrown: lost } });
      isFirst = false;
      return link;
    },
  });
  publisher.add(message('a'));
  await connected(scene, 2);
  assert.equal(scene.texts(), ['a']);
  await publisher.end();
});

test('a refused item is left out when its report settles, and the others are sent', async () => {
  const reported: string[] = [];
  let settleReport = () => {};
  const opening: Opening = {
    onItemError({ index, reason }) {
      reported.push(`${index} ${reason}`);
      return new Promise((resolve) => {
        settleReport = resolve;
      });
    },
  };
  const scene = createScene({ opening });
  const { publisher, last, settle, texts, links } = scene;
  await publisher.begin(async () => {});
  for (const text of ['a', 'abc']) publisher.add(message(text));
  publisher.add(message('b', { exchange: 'x', isRoutedByItem: true }));
  last().events.lost(closed(406, 'message size 3 is larger than configured max size 2'));
  publisher.add(message('c'));
  await turns();
  assert.is(links.length, 1);
  settleReport();
  await connected(scene, 2);
  assert.equal(texts(), ['a', 'b', 'c']);
  settle('acknowledged', 'a', 'c');
  settle('returned', 'b');
  const over = publisher.confirmed('t', calm);
  await turns();
  settleReport();
  await over;
  assert.equal(reported, [
    '1 has 3 bytes, and the broker accepts messages of 2: raise its max_message_size',
    '1 cannot be routed: no queue is bound to the exchange "x" for the key "q": add a binding, or an alternate exchange',
  ]);
  await publisher.end();
});

test.run();
