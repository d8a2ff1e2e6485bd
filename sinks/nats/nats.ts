/** NATS JetStream: messages with ids that the stream drops if they arrive again, or each page in an atomic batch. */

import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { GivenOptions, OptionRows, OptionsOf } from '../../src/core/options/kind.js';
import { flag, nonEmptyText, secret } from '../../src/core/options/kinds.js';
import { rawEncode } from '../../src/core/url/percent.js';
import { usageError } from '../../src/core/util/check-value.js';
import { defined } from '../../src/core/util/defined.js';
import { elementAt } from '../../src/core/util/element-at.js';
import { hosts, template } from '../addresses/kinds.js';
import { sinkInCode } from '../addresses/options.js';
import { hostText, readHosts } from '../addresses/server-address.js';
import { countTargets, type NameTemplate, readTemplate } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import type { Destination, SinkEntry } from '../entry.js';
import { orAborted } from '../errors.js';
import { messageIds } from '../messages/message-id.js';
import { envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { credentials } from '../servers/credentials.js';
import { fencedNote } from '../servers/fences.js';
import { createMessageSink, describing, type Messages, messagesFrom } from '../servers/message-sink.js';
import { pageTransactions } from '../servers/page-transactions.js';
import { readTls, tlsOptions } from '../servers/tls.js';
import {
  mustBeAvailable,
  type NatsLink,
  type NatsServer,
  natsError,
  natsPackages,
  type Outgoing,
} from './nats-client.js';
import { controlSubjects, createNatsSession } from './nats-session.js';
import { mustSucceed, type NatsStream, prepareStream, probe, type StreamFacts } from './nats-stream.js';

export const natsOptions = {
  servers: { kind: hosts, summary: '`HOST:PORT`, or those of a cluster; without a port it is 4222', required: true },
  subject: {
    kind: template,
    summary: 'the subject of each item, with `{dataType}`, `{job}` and `{item.PATH}`',
    required: true,
  },
  ...credentials,
  token: {
    kind: secret,
    summary: 'a token in place of user and password; masked in all messages',
    excludes: ['user', 'password'],
  },
  stream: { kind: nonEmptyText, summary: 'the stream that stores the messages', required: true },
  transactions: {
    kind: flag,
    summary:
      'store each page and its position in one atomic batch; needs nats-server 2.12 and a stream with `allow_atomic`',
    default: false,
  },
  create: { kind: flag, summary: 'create the stream if it is missing', default: true },
  ...envelopeOptions,
  tls: {
    kind: flag,
    summary: 'the connection must use TLS; without it TLS is used if the server offers it',
    default: false,
  },
  ...tlsOptions,
} as const satisfies OptionRows;

/** The options of `nats`. */
export interface NatsOptions extends GivenOptions<typeof natsOptions> {}

/**
 * Creates the sink of the address `nats://...`: NATS JetStream. Loads the client and connects when the run begins.
 * Throws ERR_USAGE for wrong options; see docs/reference/sinks/nats.md.
 */
export const nats = (options: NatsOptions): Sink => sinkInCode('nats', natsEntry, options);

export const natsEntry: SinkEntry<typeof natsOptions> = {
  summary: 'messages of NATS JetStream, with ids that the stream drops if they arrive again',
  address: {
    form: 'nats://[USER:PASSWORD@]HOST:PORT/SUBJECT?stream=NAME',
    target: 'server',
    parts: { hosts: 'servers', path: 'subject', user: 'user', password: 'password', token: 'token' },
  },
  options: natsOptions,
  code: "nats({ servers: 'localhost:4222', subject: 'items.{dataType}', stream: 'ITEMS' })",
  recovery: { usual: 'ids', option: 'transactions=true', withOption: 'transaction' },
  rules: [
    'The subject may contain `{dataType}`, `{job}` and `{item.PATH}`. In their values all but ASCII letters, digits, `-` and `_` is percent-encoded, so that a value is always one token.',
    'Several hosts of a cluster are separated by commas. A user alone is a token. If the server requires TLS, the connection uses it.',
    'A message is the item as compact JSON, or its CloudEvent. Its header `Nats-Msg-Id` is the message id.',
    'The window is read from the stream: 2 minutes, unless it has another `duplicate_window`. A run that is resumed later warns with `window-passed`. For longer interruptions create the stream with a longer window, or use transactions.',
    'A missing stream is created with the subject of the address, storage in files and no limits. An existing stream is never changed: if it lacks the subject, that is an error.',
    'With `transactions=true` a page is one atomic batch, so it has 999 items at the most. The position is a message on a subject below `rxtract.STREAM.`, which is one of the subjects of the stream too. These messages are removed at the end. Consumers without a filter receive them.',
    `With transactions: ${fencedNote} That is a message \`rxtract.STREAM.*.RUN.ended\` for each run with a state, which a later run removes.`,
    'What a server acknowledges survives its end, but not always a power cut: that needs `sync_interval: always`, or replicas. A run with transactions that finds acknowledged pages missing ends with an error, and `--resume` sends them again.',
    'A stream whose limits (`max_age`, `max_bytes`, `max_msgs`) are reached drops its oldest messages, also those of the run, unless it has `discard: new`: then the run ends with an error.',
    'Messages larger than `max_payload` of the server, 1 MiB by default, are an error that names the item.',
  ],
  packages: natsPackages,
  example: 'nats://localhost:4222/items.{dataType}?stream=ITEMS',
  create(options, destination) {
    const settings = settingsOf(options, destination);
    return options.transactions ? transactional(settings) : recognizing(settings);
  },
};

interface NatsSettings {
  readonly server: NatsServer;
  readonly subject: NameTemplate;
  readonly stream: NatsStream;
  readonly form: MessageForm;
  readonly identity: string;
  readonly shown: string;
}

/** The most messages of an atomic batch. One is the position. */
const mostBatched = 1000;

function settingsOf(options: OptionsOf<typeof natsOptions>, destination: Destination): NatsSettings {
  const { stream: name, transactions: hasTransactions, envelope, create } = options;
  if (!/^[^\s.*>/\\{}]+$/.test(name)) {
    const hint = /[{}]/.test(name) ? ': placeholders are for the subject' : '';
    throw usageError(`nats: stream: "${name}" is not a name of a stream${hint}`);
  }
  const subject = readTemplate(options.subject, { what: 'nats: the subject', escape: tokenOf });
  if (!/^[^\s.*>]+(?:\.[^\s.*>]+)*$/.test(subject.pattern('x'))) {
    throw usageError(
      `nats: expected a subject after the host, such as nats://localhost:4222/items?stream=${name}, found "${subject.text}"`,
    );
  }
  const tokens = subject.pattern('\0').split('.');
  const pattern = tokens.map((each) => (each.includes('\0') ? '*' : each)).join('.');
  const subjects = [pattern, ...(hasTransactions ? [controlSubjects(name)] : [])];
  const tls = readTls(options, destination) ?? (options.tls ? {} : undefined);
  return {
    server: { hosts: readHosts(options.servers, 'nats', 4222), ...loginOf(options), ...defined({ tls }) },
    subject,
    stream: { name, subjects, hasTransactions, mayCreate: create },
    form: readEnvelope(options, destination),
    identity: JSON.stringify([options.subject, envelope]),
    shown: destination.shown,
  };
}

/** For the client a user without a password is a token. */
function loginOf({ user, password, token }: OptionsOf<typeof natsOptions>): Pick<NatsServer, 'user' | 'password'> {
  if (token !== undefined) return { user: token };
  return user === undefined ? defined({ password }) : { user, password: password ?? '' };
}

/** A value as one token of a subject. */
const tokenOf = (value: string): string => rawEncode(value).replaceAll('.', '%2E').replaceAll('~', '%7E');

/** What both kinds share: messages, the stream, counts and the end. */
function createBase(settings: NatsSettings) {
  const { subject, server, form } = settings;
  const createSession = () => createNatsSession({ ...settings, stream: settings.stream.name });
  const session = createSession();
  const hosts = server.hosts.map(hostText).join(',');
  const base = createMessageSink({
    ...settings,
    sink: 'nats',
    inServer: inNats,
    end: session.end,
    nameOf: (dataType) => `${subject.summaryOf(dataType)} at ${hosts}`,
    createLine: createSession,
    verify: (link) => verify(link, settings, false),
  });
  const targets = countTargets('nats: the subject');
  let facts: StreamFacts | undefined;
  return {
    ...base,
    session,
    windowMs: () => facts?.windowMs,
    async prepare() {
      facts = await session.once((link) => verify(link, settings, true));
    },
    /** The messages of a batch, without those of items that are refused. */
    messagesOf(batch: Batch, headers: (index: number) => Headers): Promise<Messages<Outgoing>> {
      const names = subject.findNames(batch);
      return messagesFrom(batch, form.messagesOf(batch), base.errors, (data, index) => {
        const name = elementAt(names, index);
        if (typeof name !== 'string') return name;
        const reason = tooLarge(data, facts?.mostBytes);
        if (reason !== undefined) return { reason };
        targets.add(name);
        return { subject: name, data, headers: { 'Nats-Expected-Stream': settings.stream.name, ...headers(index) } };
      });
    },
  };
}

const inNats = describing(natsError);

type Headers = Readonly<Record<string, string>>;

/** Room for the headers of a message. */
const headerBytes = 400;

/** Why a message is refused; undefined: it is not. */
function tooLarge(data: Uint8Array, most = Number.POSITIVE_INFINITY): string | undefined {
  if (data.length + headerBytes <= most) return undefined;
  return `has ${data.length} bytes, and the server accepts messages of ${most}: raise its max_payload, or the max_msg_size of the stream`;
}

/** Verifies the stream and the right to publish, and creates a missing stream if `change` is set. Throws ERR_SINK. */
async function verify(
  link: NatsLink,
  { stream, subject }: NatsSettings,
  change: boolean,
): Promise<StreamFacts | undefined> {
  const facts = await prepareStream(link, stream, change);
  if (facts !== undefined && subject.isConstant) await probe(link, subject.text);
  return facts;
}

/** Each message has an id. Those without an acknowledgement are sent again with the same id. */
function recognizing(settings: NatsSettings): Sink {
  const { session, tally, form, windowMs, prepare, messagesOf, mayWrite, end, members } = createBase(settings);
  return {
    ...members,
    recovery: 'ids',
    get window() {
      return windowMs();
    },
    async resume(earlier) {
      form.resume(earlier);
      await inNats('begin', prepare);
    },
    async write(batch, signal) {
      mayWrite(signal);
      const ids = messageIds(batch);
      const { messages, refused } = await messagesOf(batch, (index) => ({ 'Nats-Msg-Id': elementAt(ids, index) }));
      if (messages.length === 0) return;
      const send = async (link: NatsLink) => mustBeAvailable(await link.publish(messages));
      const replies = await orAborted(
        inNats('publish', () => session.alone(send, signal)),
        signal,
      );
      for (const reply of replies) mustSucceed(reply);
      tally.add(batch, refused);
    },
    close: end,
    leave: end,
    abort: end,
  };
}

/** A page waits in memory until its commit, which publishes it as an atomic batch. */
function transactional(settings: NatsSettings): Sink {
  const { session, prepare, messagesOf, ...base } = createBase(settings);
  return pageTransactions<Outgoing>({
    base,
    session,
    prepare,
    messagesOf: (batch) => messagesOf(batch, () => ({})),
    hasMembers: true,
    mustFit({ messages }, batch) {
      if (messages >= mostBatched) throw tooMany(batch);
    },
  });
}

const tooMany = ({ job, page }: Batch) =>
  new ExtractError(
    'ERR_SINK',
    `nats: the page has more than ${mostBatched - 1} items, and an atomic batch of NATS has ${mostBatched} messages at the most: request smaller pages, or leave out transactions=true`,
    { job, page },
  );
