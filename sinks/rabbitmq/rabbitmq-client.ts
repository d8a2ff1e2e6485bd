/** The client library of RabbitMQ: the part that is used, connections with a channel to publish on, and errors. */
import { setTimeout } from 'node:timers/promises';
import { ExtractError } from '../../src/core/errors/errors.js';
import { describeSystemError, systemError } from '../../src/core/errors/system-error.js';
import { type HostAndPort, hostText } from '../addresses/server-address.js';
import { loadClient } from '../servers/load-client.js';
import { type LoadedTls, loadTls, type TlsSettings, tlsReason } from '../servers/tls.js';

/** The part of `amqplib` 2 that is used; its own types are not, because the package is optional. */
interface AmqpLibrary {
  connect(place: object, options: object): Promise<AmqpConnection>;
}

interface AmqpConnection {
  createConfirmChannel(): Promise<AmqpChannel>;
  close(): Promise<void>;
  on(event: 'error' | 'close' | 'blocked' | 'unblocked', listener: (about: unknown) => void): unknown;
  readonly connection: { readonly serverProperties?: { readonly product?: unknown } };
}

/** A channel with publisher confirms. A call that the server refuses closes it. */
export interface AmqpChannel {
  checkQueue(name: string): Promise<unknown>;
  assertQueue(name: string, options: object): Promise<unknown>;
  checkExchange(name: string): Promise<unknown>;
  /** `confirmed` gets null, or an error for a refused message and for a channel that has closed. */
  publish(
    exchange: string,
    key: string,
    content: Buffer,
    options: object,
    confirmed: (thrown: Error | null) => void,
  ): boolean;
  close(): Promise<void>;
  on(event: 'error', listener: (thrown: unknown) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  on(event: 'return', listener: (message: { readonly properties: { readonly messageId?: unknown } }) => void): unknown;
}

export interface RabbitServer {
  /** At least one: a cluster may have several. */
  readonly hosts: readonly HostAndPort[];
  readonly user: string;
  readonly password: string;
  readonly vhost: string;
  /** Absent: no TLS. */
  readonly tls?: TlsSettings;
}

/** The packages to install. */
export const rabbitPackages: readonly string[] = ['amqplib'];

/** `acknowledged`: the message is stored. `returned`: no queue gets it. `refused`: a queue did not take it. */
export type Outcome = 'acknowledged' | 'returned' | 'refused';

export interface AmqpMessage {
  readonly exchange: string;
  readonly key: string;
  readonly content: Buffer;
  readonly id: string;
  readonly contentType: string;
}

export interface RabbitEvents {
  /** The connection, or its channel for messages, has ended. Called once. */
  readonly lost: (thrown: unknown) => void;
  /** The broker accepts no messages for now, for this reason. */
  readonly blocked: (reason: string) => void;
  readonly unblocked: () => void;
}

/** A connection with a channel for messages. */
export interface RabbitLink {
  readonly isRabbitMq: boolean;
  /** Why it has ended; undefined: it has not. */
  readonly ending: { readonly thrown: unknown } | undefined;
  /** Publishes a persistent message. `settle` is not called if the connection ends before. */
  publish(message: AmqpMessage, settle: (outcome: Outcome) => void): void;
  /** Runs work on a channel of its own. Rejects with the reason of the server if it closes that. */
  onChannel<T>(work: (channel: AmqpChannel) => Promise<T>): Promise<T>;
  /** Ends the connection, within 2 seconds. */
  close(): Promise<void>;
}

const connectTimeout = 10_000;
/** In seconds. A server that is silent for two or three of these is gone. */
const heartbeat = 15;
const closeTimeout = 2000;

/** Opens a connection to the first host that accepts one. It does not reconnect by itself. Rejects with ERR_SINK. */
export async function connectRabbit(server: RabbitServer, events: RabbitEvents): Promise<RabbitLink> {
  const { connect } = await loadClient<AmqpLibrary>('amqplib', 'amqp:', rabbitPackages);
  const files = server.tls === undefined ? undefined : await loadTls(server.tls, 'amqp');
  let last: unknown;
  for (const host of server.hosts) {
    const socket = new AbortController();
    try {
      const connection = await connect(placeOf(server, host), optionsOf(files, socket.signal));
      return await createLink(connection, socket, events);
    } catch (thrown) {
      socket.abort();
      last = connectError(server, host, thrown);
      if (!isBroken(thrown)) break;
    }
  }
  throw last;
}

const placeOf = ({ user, password, vhost, tls }: RabbitServer, { host, port }: HostAndPort) => ({
  protocol: tls === undefined ? 'amqp' : 'amqps',
  hostname: host,
  port,
  heartbeat,
  username: user,
  password,
  vhost: encodeURIComponent(vhost),
});

/** Options of the socket. */
const optionsOf = (files: LoadedTls | undefined, signal: AbortSignal) => ({
  noDelay: true,
  timeout: connectTimeout,
  signal,
  clientProperties: { connection_name: 'rxtract' },
  ...files,
});

async function createLink(
  connection: AmqpConnection,
  socket: AbortController,
  events: RabbitEvents,
): Promise<RabbitLink> {
  let ending: RabbitLink['ending'];
  let reason: unknown;
  const end = (thrown?: unknown) => {
    reason ??= thrown;
    // The reason may follow: the events of a channel and of its connection come one after the other.
    setImmediate(() => {
      if (ending !== undefined) return;
      ending = { thrown: reason ?? new Error('the connection is closed') };
      events.lost(ending.thrown);
    });
  };
  connection.on('error', (thrown) => {
    reason ??= thrown;
  });
  connection.on('close', end);
  connection.on('blocked', (why) => events.blocked(String(why)));
  connection.on('unblocked', events.unblocked);
  const channel = await connection.createConfirmChannel();
  channel.on('error', (thrown) => {
    reason ??= thrown;
  });
  channel.on('close', () => end());
  return {
    isRabbitMq: connection.connection.serverProperties?.product === 'RabbitMQ',
    get ending() {
      return ending;
    },
    publish: createPublish(channel),
    onChannel: (work) => onChannel(connection, work),
    async close() {
      await Promise.race([connection.close().catch(() => {}), setTimeout(closeTimeout)]);
      socket.abort(); // The server may not read any more what would end it.
    },
  };
}

/** A message that no queue gets is returned just before its confirm. */
function createPublish(channel: AmqpChannel): RabbitLink['publish'] {
  const returned = new Set<unknown>();
  channel.on('return', ({ properties }) => returned.add(properties.messageId));
  return ({ exchange, key, content, id, contentType }, settle) => {
    const options = { persistent: true, mandatory: true, messageId: id, contentType };
    channel.publish(exchange, key, content, options, (thrown) => {
      if (thrown === null) settle(returned.delete(id) ? 'returned' : 'acknowledged');
      else if (/nacked/.test(thrown.message)) settle('refused');
    });
  };
}

async function onChannel<T>(connection: AmqpConnection, work: (channel: AmqpChannel) => Promise<T>): Promise<T> {
  const channel = await connection.createConfirmChannel();
  let reason: unknown;
  channel.on('error', (thrown) => {
    reason ??= thrown;
  });
  try {
    return await work(channel);
  } catch (thrown) {
    throw reason ?? thrown;
  } finally {
    await channel.close().catch(() => {}); // It may be closed.
  }
}

/** The reply code of AMQP 0-9-1 with which the server closed a channel or a connection. */
export function replyCode(thrown: unknown): number | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

export const replyCodes = { accessRefused: 403, notFound: 404, preconditionFailed: 406 } as const;

/** The broker ends (320), or has an error of its own (541). */
const temporary = new Set([320, 541]);

/** Whether the connection is at fault, and not what was asked: another attempt may succeed. */
export function isBroken(thrown: unknown): boolean {
  if (thrown instanceof ExtractError) return thrown.cause !== undefined && isBroken(thrown.cause);
  const code = replyCode(thrown);
  if (code !== undefined) return temporary.has(code);
  if (systemError(thrown) !== undefined) return true;
  return thrown instanceof Error && brokenWords.test(thrown.message) && !thrown.message.includes('ConnectionOpenOk');
}

/** What the client says of a connection or a channel that is gone. */
const brokenWords = /closed?\b|closing|timeout|ETIMEDOUT|no reply/i;

/** Describes an error of the server or of the connection. */
export function rabbitError(action: string, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  return new ExtractError('ERR_SINK', `amqp: cannot ${action}: ${reasonOf(thrown)}`, { cause: thrown });
}

function connectError({ tls, vhost }: RabbitServer, host: HostAndPort, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  const where = `${tls === undefined ? 'amqp' : 'amqps'}://${hostText(host)}`;
  const isVhost = thrown instanceof Error && thrown.message.includes('ConnectionOpenOk');
  const refused = `the server refuses the virtual host "${vhost}": it is missing, or the user has no access to it`;
  const remedy = isVhost
    ? 'Check the virtual host of --to: its name follows the host, and `%2F` is the default.'
    : 'Check host, port, user and password of --to, and that the server runs.';
  return new ExtractError('ERR_SINK', `amqp: cannot connect to ${where}: ${isVhost ? refused : reasonOf(thrown)}`, {
    cause: thrown,
    remedy,
  });
}

/** The words of the server, without those of the client around them. */
export function reasonOf(thrown: unknown): string {
  const text = tlsReason(thrown) ?? describeSystemError(thrown);
  const words = /with message "(.*)"$/s.exec(text)?.[1] ?? text;
  if (/Login was refused/.test(words)) return `the server rejects the user or the password (${words})`;
  if (/access to exchange/.test(words)) return `the user lacks the permission "write" (${words})`;
  if (/access to queue/.test(words)) return `the user lacks the permission "configure" (${words})`;
  if (/during opening handshake/.test(words)) {
    return `the server closed the connection at its beginning: amqps: is for TLS, amqp: for none (${words})`;
  }
  return words;
}
