/** NATS JetStream: messages with ids that the stream drops if they arrive again, or each page in an atomic batch. */

import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import { rawEncode } from '../../src/core/url/percent.js';
import { usageError } from '../../src/core/util/check-value.js';
import type { AddressOptions, SinkAddress } from '../addresses/address.js';
import { addressOf, type ServerUser } from '../addresses/address-of.js';
import { sinkFrom } from '../addresses/address-secrets.js';
import { flagOption, hostText, readServer, textOption } from '../addresses/server-address.js';
import { countTargets, type NameTemplate, readTemplate } from '../addresses/templates.js';
import type { Sink } from '../contract.js';
import { orAborted } from '../errors.js';
import { messageIds } from '../messages/message-id.js';
import { type EnvelopeOptions, envelopeOptions, type MessageForm, readEnvelope } from '../messages/messages.js';
import { createMessageSink, describing, type Messages, messagesFrom } from '../servers/message-sink.js';
import { pageTransactions } from '../servers/page-transactions.js';
import { readTls, type TlsFiles, tlsOptions } from '../servers/tls.js';
import { mustBeAvailable, type NatsLink, type NatsServer, natsError, type Outgoing } from './nats-client.js';
import { controlSubjects, createNatsSession } from './nats-session.js';
import { mustSucceed, type NatsStream, prepareStream, probe, type StreamFacts } from './nats-stream.js';

/** The options of its address. */
export const natsOptions = {
  stream: { summary: 'the stream that stores the messages', type: 'a name', required: true },
  transactions: {
    summary:
      'store each page and its position in one atomic batch; needs nats-server 2.12 and a stream with `allow_atomic`',
    type: '`true` or `false`',
    default: 'false',
  },
  create: { summary: 'create the stream if it is missing', type: '`true` or `false`', default: 'true' },
  ...envelopeOptions,
  tls: {
    summary: 'the connection must use TLS; without it TLS is used if the server offers it',
    type: '`true` or `false`',
    default: 'false',
  },
  ...tlsOptions,
} as const satisfies AddressOptions;

/** The options of `nats`. */
export interface NatsOptions extends ServerUser, EnvelopeOptions, TlsFiles {
  /** `HOST:PORT`, or those of a cluster. The port is 4222 if it is left out. */
  readonly servers: string | readonly string[];
  /** Instead of user and password. Masked in all messages. */
  readonly token?: string;
  /** The subject of each item, with `{dataType}`, `{job}` and `{item.PATH}`; `%7B` is a brace. */
  readonly subject: string;
  /** The stream that stores the messages. */
  readonly stream: string;
  /** Each page and its position are one atomic batch: exactly once. Needs nats-server 2.12. Default: false. */
  readonly transactions?: boolean;
  /** Create the stream if it is missing. Default: true. */
  readonly create?: boolean;
  /** The connection must use TLS. Default: if the server offers it. */
  readonly tls?: boolean;
}

/**
 * Creates the sink of the address `nats://...`: NATS JetStream. Loads the client and connects when the run begins.
 * Throws ERR_USAGE for wrong options; see docs/reference/sinks/nats.md.
 */
export function nats({ servers, subject, token, user, password, ...values }: NatsOptions): Sink {
  const target = { hosts: servers, path: subject, token, user, password };
  const more = ['servers', 'subject', 'token', 'user', 'password'];
  return sinkFrom(addressOf('nats', target, { ...values }, { options: natsOptions, more }), natsFromAddress);
}

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

/** Creates the sink of an address. Throws ERR_USAGE. */
export function natsFromAddress(address: SinkAddress): Sink {
  const settings = settingsOf(address);
  return settings.stream.hasTransactions ? transactional(settings) : recognizing(settings);
}

function settingsOf(address: SinkAddress): NatsSettings {
  const { path, ...server } = readServer(address, 4222);
  const name = textOption(address, 'stream') ?? '';
  if (!/^[^\s.*>/\\{}]+$/.test(name)) {
    const hint = /[{}]/.test(name) ? ': placeholders are for the subject' : '';
    throw usageError(`nats: stream: "${name}" is not a name of a stream${hint}`);
  }
  const subject = readTemplate(path, { what: 'nats: the subject', escape: tokenOf });
  if (!/^[^\s.*>]+(?:\.[^\s.*>]+)*$/.test(subject.pattern('x'))) {
    throw usageError(
      `nats: expected a subject after the host, such as nats://localhost:4222/items?stream=${name}, found "${subject.text}"`,
    );
  }
  const hasTransactions = flagOption(address, 'transactions', false);
  const tokens = subject.pattern('\0').split('.');
  const pattern = tokens.map((token) => (token.includes('\0') ? '*' : token)).join('.');
  const subjects = [pattern, ...(hasTransactions ? [controlSubjects(name)] : [])];
  const tls = readTls(address) ?? (flagOption(address, 'tls', false) ? {} : undefined);
  return {
    server: { ...server, path, ...(tls === undefined ? {} : { tls }) },
    subject,
    stream: { name, subjects, hasTransactions, mayCreate: flagOption(address, 'create', true) },
    form: readEnvelope(address),
    identity: JSON.stringify([path, address.options.get('envelope') ?? 'none']),
    shown: address.shown,
  };
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
        const name = names[index] ?? '';
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
      const { messages, refused } = await messagesOf(batch, (index) => ({ 'Nats-Msg-Id': ids[index] ?? '' }));
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
