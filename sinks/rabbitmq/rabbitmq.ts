/** RabbitMQ: a persistent message with a message id for each item, and a page that ends with all of their confirms. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Batch, sizeOf } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { GivenOptions, OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { flag, nonEmptyText, seconds } from '../../src/core/options/kinds.js';
import { defined } from '../../src/core/util/defined.js';
import { hosts, pathName, template } from '../addresses/kinds.js';
import { sinkInCode } from '../addresses/options.js';
import { hostText, readHosts } from '../addresses/server-address.js';
import { countTargets, readTemplate } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import { createTally, nothing } from '../counts.js';
import type { Destination, SinkEntry } from '../entry.js';
import { hasEnded, throwIfAborted } from '../errors.js';
import { createItemErrors, type ItemErrors } from '../item-errors.js';
import { messageIds } from '../messages/message-id.js';
import { envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { credentials } from '../servers/credentials.js';
import { describing, messagesFrom } from '../servers/message-sink.js';
import { connectionOptions, tlsByScheme } from '../servers/tls.js';
import { connectRabbit, type RabbitEvents, type RabbitServer, rabbitError, rabbitPackages } from './rabbitmq-client.js';
import { type RabbitMessage, RabbitPublisher } from './rabbitmq-publisher.js';
import { type RabbitTarget, verifyQueue, verifyTarget } from './rabbitmq-targets.js';

export const rabbitOptions = {
  servers: {
    kind: hosts,
    summary: '`HOST:PORT`, or those of a cluster; without a port it is 5672, 5671 with TLS',
    required: true,
  },
  vhost: { kind: pathName, summary: 'the virtual host', default: '/' },
  ...credentials,
  queue: { kind: template, summary: 'the queue, with `{dataType}`, `{job}` and `{item.PATH}`' },
  exchange: { kind: nonEmptyText, summary: 'the exchange, in place of a queue; it must exist' },
  key: {
    kind: template,
    summary: 'the routing key for the exchange, with `{dataType}`, `{job}` and `{item.PATH}`',
    otherwise: 'empty, for exchanges that need none',
  },
  create: { kind: flag, summary: 'create queues that are missing', default: true },
  wait: {
    kind: seconds(86_400),
    summary: 'for how many seconds the broker may accept no message, because of an alarm or of a full queue',
    default: 600,
  },
  ...envelopeOptions,
  ...connectionOptions,
} as const satisfies OptionRows;

/** The options of `rabbitmq`. Either `queue`, or `exchange`. */
export interface RabbitmqOptions extends GivenOptions<typeof rabbitOptions> {
  /** Is called with the notice `sink-blocked` when the broker accepts no messages for now, and again afterwards. */
  readonly notify?: Notify;
}

/**
 * Creates the sink of the address `amqp://...`: RabbitMQ. Loads the client and connects when the run begins. Throws
 * ERR_USAGE for wrong options; see docs/reference/sinks/amqp.md.
 */
export const rabbitmq = ({ notify, ...values }: RabbitmqOptions): Sink =>
  sinkInCode('amqp', rabbitEntry, values, { notify });

export const rabbitEntry: SinkEntry<typeof rabbitOptions> = {
  summary: 'messages of RabbitMQ, persistent and confirmed, each with an id',
  address: {
    form: 'amqp://[USER[:PASSWORD]@]HOST[:PORT]/VHOST?queue=NAME',
    target: 'server',
    schemes: ['amqp', 'amqps'],
    tlsScheme: 'amqps',
    userIsName: true,
    parts: { hosts: 'servers', path: 'vhost', user: 'user', password: 'password' },
  },
  options: rabbitOptions,
  code: "rabbitmq({ servers: 'localhost:5672', queue: 'items' })",
  recovery: 'none',
  rules: [
    '`amqps` uses TLS. The virtual host is percent-encoded: `%2F` is the default, as is none. Several hosts of a cluster are separated by commas. Without user information, user and password are `guest`, which RabbitMQ accepts from its own machine only.',
    'Either `queue=NAME`, or `exchange=NAME&key=KEY`. A missing queue is created: durable, of the type quorum. Existing queues are never changed. An exchange is never created.',
    'Names of queues and keys have 255 bytes at the most. In values of a key, `.` becomes `%2E` and `%` becomes `%25`, so that a value is always one word of it. Values of a queue name are written as they are.',
    'A message is the item as compact JSON (`application/json`), or its CloudEvent (`application/cloudevents+json`). It is persistent, and its property `message-id` is the message id.',
    'A page ends when the broker has confirmed all of its messages: then a durable queue has them on its disk, a quorum queue on the disks of most of its members. Up to 10,000 messages or 8 MiB are published ahead of their confirms.',
    'A connection that breaks is opened again for one minute, and messages without a confirm are sent again in their order, so some may arrive twice. Consumers recognize them by the `message-id`.',
    'A message that no queue gets is an error, and not lost: messages are `mandatory`.',
    'A broker with an alarm for disk or memory, and a full queue with `x-overflow: reject-publish`, are waited for, `wait` seconds since the last confirm; the notice `sink-blocked` says so. An alarm before the first request is an error at once. Messages that a full queue has refused may change places with those that it accepted meanwhile.',
    'The broker says that a message is too large (`max_message_size`) by closing the channel: the error names the item. `--on-item-error` leaves out such items, those with too long a name, and those whose own key leads to no queue.',
    'The permission `write` is needed for the exchange, with `queue=NAME` for `amq.default`, and `configure` for queues to create.',
  ],
  packages: rabbitPackages,
  example: 'amqp://localhost:5672/?queue={dataType}',
  create: (options, destination) => createRabbitSink(settingsOf(options, destination)),
};

interface RabbitSettings {
  readonly server: RabbitServer;
  readonly target: RabbitTarget;
  readonly form: MessageForm;
  readonly contentType: string;
  readonly patienceMs: number;
  readonly notify: Notify | undefined;
  readonly shown: string;
}

/** The longest name of AMQP 0-9-1, in bytes. */
const longestName = 255;

function settingsOf(options: OptionsOf<typeof rabbitOptions>, destination: Destination): RabbitSettings {
  const { vhost, user, password, wait, envelope } = options;
  const isGuest = user === undefined && password === undefined;
  const own = isGuest ? { user: 'guest', password: 'guest' } : { user: user ?? '', password: password ?? '' };
  const tls = tlsByScheme(options, destination, 'amqps');
  const hosts = readHosts(options.servers, 'amqp', options.tls ? 5671 : 5672);
  return {
    server: { hosts, ...own, vhost, ...defined({ tls }) },
    target: targetOf(options, destination),
    form: readEnvelope(options, destination),
    contentType: envelope === 'cloudevents' ? 'application/cloudevents+json' : 'application/json',
    patienceMs: wait * 1000,
    notify: destination.notify,
    shown: destination.shown,
  };
}

function targetOf(
  { queue, exchange, key = '', create }: OptionsOf<typeof rabbitOptions>,
  { given }: Destination,
): RabbitTarget {
  if (queue !== undefined && exchange !== undefined) throw usage('expected queue=... or exchange=..., found both');
  if (queue !== undefined) {
    if (given.has('key')) throw usage('key belongs to exchange=..., not to queue=...');
    const name = readTemplate(queue, { what: 'amqp: the queue', escape: (value) => value });
    return { kind: 'queue', exchange: '', key: name, mayCreate: create };
  }
  if (exchange === undefined) throw usage('expected the option queue=... or exchange=...');
  if (given.has('create')) throw usage('create belongs to queue=...: an exchange is never created');
  if (/\{(?:dataType|job|item\.[^{}]*)\}/.test(exchange)) throw usage('exchange: a placeholder belongs to key=...');
  return { kind: 'exchange', exchange, key: readTemplate(key, { what: 'amqp: the key', escape: wordOf }) };
}

/** A value as one word of a routing key: dots separate words. */
const wordOf = (value: string): string => value.replaceAll('%', '%25').replaceAll('.', '%2E');

function createRabbitSink(settings: RabbitSettings): Sink {
  const { target, shown, form } = settings;
  const { errors, progress, publisher } = createParts(settings);
  const { messagesOf, isReady, prepare } = createMessages(settings, publisher, errors, progress);
  let isOver = false;
  const end = () => {
    isOver = true;
    return publisher.end();
  };
  const endAll = async () => {
    await publisher.confirmed(undefined, new AbortController().signal);
    progress.confirmAll();
    await end();
  };
  return {
    name: shown,
    async resume(earlier) {
      form.resume(earlier);
      await inRabbit('begin', () => publisher.begin((link) => verifyTarget(link, target, true)));
    },
    async open(dataType, job, opening) {
      progress.tally.open(dataType);
      form.open(job, opening);
      errors.open(opening);
      if (opening?.onFailure !== undefined) publisher.onFailure(opening.onFailure);
      if (!target.key.readsItems) await inRabbit('begin', () => prepare(target.key.nameOf({ dataType, job })));
    },
    async write(batch, signal) {
      if (isOver) throw hasEnded('amqp');
      throwIfAborted(signal);
      for (const message of await messagesOf(batch)) {
        if (!isReady(message.key)) await inRabbit('use a queue', () => prepare(message.key));
        const { byteLength } = message.content;
        while (!publisher.hasRoom(byteLength)) await publisher.room(byteLength, signal);
        publisher.add(message);
      }
      progress.accept(batch);
    },
    prepare: ({ dataType }, signal) => publisher.confirmed(dataType, signal),
    async commit({ dataType }, signal) {
      await publisher.confirmed(dataType, signal);
      progress.confirm(dataType);
    },
    check: () => check(settings),
    close: endAll,
    leave: endAll,
    abort: end,
    summary: () => progress.tally.summary((dataType) => nameOf(settings, dataType)),
  };
}

function createParts({ server, ...settings }: RabbitSettings) {
  const [errors, progress] = [createItemErrors('amqp'), createProgress()];
  const publisher = new RabbitPublisher({
    ...settings,
    connect: (events) => connectRabbit(server, events),
    async refuse(refused) {
      await errors.refuse(refused);
      progress.refuse(refused.batch, refused.index);
    },
  });
  return { errors, progress, publisher };
}

/** The messages of a batch, and their queues. */
function createMessages(settings: RabbitSettings, publisher: RabbitPublisher, errors: ItemErrors, progress: Progress) {
  const { target, form, contentType } = settings;
  const { exchange, key } = target;
  const targets = countTargets(target.kind === 'queue' ? 'amqp: the queue' : 'amqp: the key');
  const isRoutedByItem = target.kind === 'exchange' && key.readsItems;
  const ready = new Set<string>();
  const preparing = new Map<string, Promise<void>>();
  const verify = async (name: string) => {
    targets.add(name);
    if (target.kind === 'queue') await verifyQueue(publisher.onChannel, name, target.mayCreate, true);
    ready.add(name);
  };
  return {
    isReady: (name: string) => ready.has(name),
    /** Verifies a name that is new: a missing queue is created. */
    prepare(name: string) {
      const work = preparing.get(name) ?? verify(name);
      preparing.set(name, work);
      return work;
    },
    /** Without those of items that have no name, or one that is too long. */
    async messagesOf(batch: Batch): Promise<readonly RabbitMessage[]> {
      const [names, ids] = [key.findNames(batch), messageIds(batch)];
      const bodies = form.messagesOf(batch);
      const { messages, refused } = await messagesFrom(
        batch,
        bodies,
        errors,
        ({ buffer, byteOffset, length }, index) => {
          const [name = '', id = ''] = [names[index], ids[index]];
          if (typeof name !== 'string') return name;
          const reason = tooLong(name);
          if (reason !== undefined) return { reason };
          const content = Buffer.from(buffer, byteOffset, length);
          return { exchange, key: name, content, id, contentType, batch, index, isRoutedByItem };
        },
      );
      for (const index of refused) progress.refuse(batch, index);
      return messages;
    },
  };
}

/** Why the name cannot be used; undefined: it can. */
function tooLong(name: string): string | undefined {
  if (name.length * 3 <= longestName || Buffer.byteLength(name) <= longestName) return undefined;
  return `has a name of more than ${longestName} bytes: "${name.slice(0, 50)}..."`;
}

type Progress = ReturnType<typeof createProgress>;

/** What was accepted counts when it is confirmed. */
function createProgress() {
  const [tally, accepted] = [createTally(), createTally()];
  const confirm = (dataType: string) => {
    tally.increase(dataType, accepted.at(dataType));
    accepted.reset(dataType, nothing);
  };
  return {
    tally,
    accept: (batch: Batch) => accepted.add(batch),
    /** An item of an accepted batch, or of one that will be, is left out. */
    refuse: (batch: Batch, index: number) =>
      accepted.increase(batch.dataType, { items: -1, bytes: -sizeOf(batch, index) }),
    confirm,
    confirmAll() {
      for (const { dataType } of accepted.summary()) confirm(dataType);
    },
  };
}

function nameOf({ target, server }: RabbitSettings, dataType: string): string {
  const { exchange, key } = target;
  const path = [exchange, key.summaryOf(dataType)].filter((each) => each !== '').join(' ');
  return `${path} at ${server.hosts.map(hostText).join(',')}`;
}

/** Verifies the target on a connection of its own. */
async function check(settings: RabbitSettings): Promise<void> {
  const { server, target, shown } = settings;
  const connect = (events: RabbitEvents) => connectRabbit(server, events);
  const publisher = new RabbitPublisher({ ...settings, connect, refuse: createItemErrors('amqp').refuse });
  try {
    await inRabbit(`use ${shown}`, () => publisher.begin((link) => verifyTarget(link, target, false)));
  } finally {
    await publisher.end();
  }
}

const inRabbit = describing(rabbitError);

const usage = (message: string) => new ExtractError('ERR_USAGE', `amqp: ${message}`);
