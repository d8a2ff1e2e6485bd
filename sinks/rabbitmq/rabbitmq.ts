/** RabbitMQ: a persistent message with a message id for each item, and a page that ends with all of their confirms. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Batch, sizeOf } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import { rawEncode } from '../../src/core/url/percent.js';
import { type AddressOptions, decodeText, type SinkAddress } from '../addresses/address.js';
import { addressOf, type ServerUser } from '../addresses/address-of.js';
import { sinkFrom } from '../addresses/address-secrets.js';
import { countOption, flagOption, hostText, readServer, textOption } from '../addresses/server-address.js';
import { countTargets, readTemplate } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import { createTally, nothing } from '../counts.js';
import { hasEnded, throwIfAborted } from '../errors.js';
import { createItemErrors, type ItemErrors } from '../item-errors.js';
import { messageIds } from '../messages/message-id.js';
import { type EnvelopeOptions, envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { describing, messagesFrom } from '../servers/message-sink.js';
import { mustNotHaveTls, readTls, type TlsFiles, tlsOptions } from '../servers/tls.js';
import { connectRabbit, type RabbitEvents, type RabbitServer, rabbitError } from './rabbitmq-client.js';
import { type RabbitMessage, RabbitPublisher } from './rabbitmq-publisher.js';
import { type RabbitTarget, verifyQueue, verifyTarget } from './rabbitmq-targets.js';

/** The options of its address. */
export const rabbitOptions = {
  queue: { summary: 'the queue, with `{dataType}`, `{job}` and `{item.PATH}`', type: 'a name' },
  exchange: { summary: 'the exchange, in place of a queue', type: 'a name' },
  key: {
    summary: 'the routing key for the exchange, with `{dataType}`, `{job}` and `{item.PATH}`',
    type: 'a text',
    otherwise: 'empty, for exchanges that need none',
  },
  create: { summary: 'create queues that are missing', type: '`true` or `false`', default: 'true' },
  wait: {
    summary: 'for how many seconds the broker may accept no message, because of an alarm or of a full queue',
    type: 'a whole number',
    default: '600',
  },
  ...envelopeOptions,
  ...tlsOptions,
} as const satisfies AddressOptions;

/** The options of `rabbitmq`. Either `queue`, or `exchange`. */
export interface RabbitmqOptions extends ServerUser, EnvelopeOptions, TlsFiles {
  /** `HOST:PORT`, or those of a cluster. The port is 5672 if it is left out, 5671 with TLS. */
  readonly servers: string | readonly string[];
  /** The virtual host. Default: `/`. */
  readonly vhost?: string;
  /** The connection uses TLS. Default: false. */
  readonly tls?: boolean;
  /** The queue of each item, with `{dataType}`, `{job}` and `{item.PATH}`; `%7B` is a brace. */
  readonly queue?: string;
  /** The exchange, in place of a queue. It must exist. */
  readonly exchange?: string;
  /** The routing key of each item for the exchange, with placeholders as `queue`. Default: empty. */
  readonly key?: string;
  /** Create queues that are missing. Default: true. */
  readonly create?: boolean;
  /** For how many seconds the broker may accept no message, because of an alarm or of a full queue. Default: 600. */
  readonly wait?: number;
  /** Is called with the notice `sink-blocked` when the broker accepts no messages for now, and again afterwards. */
  readonly notify?: Notify;
}

/**
 * Creates the sink of the address `amqp://...`: RabbitMQ. Loads the client and connects when the run begins. Throws
 * ERR_USAGE for wrong options; see docs/reference/sinks/amqp.md.
 */
export function rabbitmq({ servers, vhost, tls, user, password, notify, ...values }: RabbitmqOptions): Sink {
  const path = vhost === undefined ? undefined : rawEncode(vhost);
  const more = ['servers', 'vhost', 'tls', 'user', 'password', 'notify'];
  const rules = { options: rabbitOptions, templates: ['queue', 'key'], more };
  const target = { hosts: servers, path, user, password };
  const address = addressOf(tls === true ? 'amqps' : 'amqp', target, { ...values }, rules);
  return sinkFrom(address, (each) => rabbitFromAddress(each, notify));
}

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

/** Creates the sink of an address. Throws ERR_USAGE. */
export function rabbitFromAddress(address: SinkAddress, notify?: Notify): Sink {
  return createRabbitSink(settingsOf(address, notify));
}

function settingsOf(address: SinkAddress, notify: Notify | undefined): RabbitSettings {
  const hasTls = address.scheme === 'amqps';
  const { hosts, path, user, password } = readServer(address, hasTls ? 5671 : 5672);
  if (path.includes('/')) throw usage('expected one virtual host after the server: a slash in its name is written %2F');
  const tls = readTls(address);
  if (!hasTls) mustNotHaveTls(tls, 'amqp', 'use amqps://, in code `tls: true`');
  const isGuest = user === undefined && password === undefined;
  const credentials = isGuest ? { user: 'guest', password: 'guest' } : { user: user ?? '', password: password ?? '' };
  return {
    server: {
      hosts,
      ...credentials,
      vhost: path === '' ? '/' : decodeText(path),
      ...(hasTls ? { tls: tls ?? {} } : {}),
    },
    target: targetOf(address),
    form: readEnvelope(address),
    contentType:
      address.options.get('envelope') === 'cloudevents' ? 'application/cloudevents+json' : 'application/json',
    patienceMs: (countOption(address, 'wait', 86_400) ?? 600) * 1000,
    notify,
    shown: address.shown,
  };
}

function targetOf(address: SinkAddress): RabbitTarget {
  const { options } = address;
  const [queue, exchange] = [options.get('queue'), options.get('exchange')];
  if (queue !== undefined && exchange !== undefined) throw usage('expected queue=... or exchange=..., found both');
  if (queue === undefined && exchange === undefined) throw usage('expected the option queue=... or exchange=...');
  const mayCreate = flagOption(address, 'create', true);
  if (queue !== undefined) {
    if (options.has('key')) throw usage('key belongs to exchange=..., not to queue=...');
    const key = readTemplate(queue, { what: 'amqp: the queue', escape: (value) => value });
    return { kind: 'queue', exchange: '', key, mayCreate };
  }
  if (options.has('create')) throw usage('create belongs to queue=...: an exchange is never created');
  const name = textOption(address, 'exchange') ?? '';
  if (!readTemplate(exchange ?? '', { what: 'amqp: the exchange', escape: wordOf }).isConstant) {
    throw usage('exchange: a placeholder belongs to key=...');
  }
  const key = readTemplate(options.get('key') ?? '', { what: 'amqp: the key', escape: wordOf });
  return { kind: 'exchange', exchange: name, key };
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
    async close() {
      await publisher.confirmed(undefined, new AbortController().signal);
      progress.confirmAll();
      await end();
    },
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
