/** The client library of NATS: the part that is used, connections, messages with acknowledgements, and errors. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { describeSystemError, systemError } from '../../src/core/errors/system-error.js';
import { type HostAndPort, hostText } from '../addresses/server-address.js';
import { loadClient } from '../servers/load-client.js';
import { loadTls, type TlsSettings, tlsReason } from '../servers/tls.js';

/** The part of `@nats-io/transport-node` 3 that is used; its own types are not, because the package is optional. */
interface NatsLibrary {
  connect(options: object): Promise<NatsConnection>;
  headers(): NatsHeaders;
  createInbox(): string;
}

interface NatsHeaders {
  set(name: string, value: string): void;
}

interface NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: { readonly code: number };
}

interface NatsConnection {
  readonly info?: { readonly max_payload: number };
  publish(subject: string, data: Uint8Array | string, options: { reply?: string; headers?: NatsHeaders }): void;
  request(subject: string, data: string, options: { timeout: number }): Promise<NatsMessage>;
  subscribe(subject: string, options: { callback: (error: Error | null, message: NatsMessage) => void }): unknown;
  status(): AsyncIterable<{ readonly type: string; readonly error?: unknown }>;
  closed(): Promise<unknown>;
  close(): Promise<void>;
  isClosed(): boolean;
}

/** The server of an address. */
export interface NatsServer {
  readonly hosts: readonly HostAndPort[];
  /** Without a password it is a token. */
  readonly user?: string;
  readonly password?: string;
  /** The connection must use TLS, with these files. Absent: if the server offers it. */
  readonly tls?: TlsSettings;
}

/** The packages to install. */
export const natsPackages: readonly string[] = ['@nats-io/transport-node'];

/** A message to publish. */
export interface Outgoing {
  readonly subject: string;
  readonly data: Uint8Array | string;
  readonly headers: Readonly<Record<string, string>>;
  /** No reply is expected. */
  readonly isSilent?: true;
}

/** What the server replied: the acknowledgement of a stream, or an error. */
export interface Reply {
  readonly seq?: number;
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description: string };
}

export interface NatsLink {
  /** The longest message that the server accepts, in bytes. */
  readonly maxPayload: number;
  /** Calls the API of JetStream. Resolves to its reply, also to an error. */
  call(name: string, body: object): Promise<Reply & Readonly<Record<string, unknown>>>;
  /** Publishes messages in order and resolves to a reply for each. Rejects if the connection breaks. */
  publish(messages: readonly Outgoing[]): Promise<readonly Reply[]>;
  isClosed(): boolean;
  close(): void;
}

/** How long a reply may take, in ms, since the last one. */
const patience = 10_000;

/** Opens a connection that does not reconnect by itself. Rejects with ERR_SINK. */
export async function connectNats(server: NatsServer): Promise<NatsLink> {
  const library = await loadClient<NatsLibrary>('@nats-io/transport-node', 'nats:', natsPackages);
  const { hosts, user, password } = server;
  const tls = server.tls === undefined ? undefined : await tlsOf(server, server.tls);
  const credentials = password === undefined ? { token: user } : { user: user ?? '', pass: password };
  try {
    const connection = await library.connect({
      servers: hosts.map(hostText),
      ...(user === undefined && password === undefined ? {} : credentials),
      ...(tls === undefined ? {} : { tls }),
      name: 'rxtract',
      reconnect: false,
      timeout: patience,
    });
    return createLink(connection, library);
  } catch (thrown) {
    throw connectError(hosts.map(hostText).join(','), thrown);
  }
}

/** The client verifies a host name by itself, and the address of a single host by its option `host`. */
async function tlsOf({ hosts }: NatsServer, files: TlsSettings): Promise<object> {
  const [only, second] = hosts;
  return { ...(await loadTls(files, 'nats')), ...(second === undefined ? { host: only?.host } : {}) };
}

/** What waits for replies: each number is one message. */
interface Awaiting {
  accept(number: number, reply: Reply): void;
  fail(thrown: unknown): void;
}

function createLink(connection: NatsConnection, { createInbox, headers }: NatsLibrary): NatsLink {
  const inbox = createInbox();
  const awaiting = new Map<string, Awaiting>();
  let published = 0;
  const failAll = (thrown: unknown) => {
    for (const each of awaiting.values()) each.fail(thrown);
  };
  connection.subscribe(`${inbox}.*.*`, {
    callback(error, message) {
      const [page = '', number] = message.subject.slice(inbox.length + 1).split('.');
      if (error === null) awaiting.get(page)?.accept(Number(number), replyOf(message));
    },
  });
  connection.closed().then((thrown) => failAll(brokenError(thrown)), failAll);
  reportErrors(connection, failAll).catch(() => {}); // It ends with the connection.

  return {
    maxPayload: connection.info?.max_payload ?? Number.POSITIVE_INFINITY,
    async call(name, body) {
      const { data } = await connection.request(`$JS.API.${name}`, JSON.stringify(body), { timeout: patience });
      return JSON.parse(Buffer.from(data).toString());
    },
    publish(messages) {
      const page = String(published++);
      const heads = messages.map(({ headers: wanted }) => {
        const made = headers();
        for (const [name, value] of Object.entries(wanted)) made.set(name, value);
        return made;
      });
      const replies = collectReplies(messages, (each) => awaiting.set(page, each));
      for (const [index, { subject, data, isSilent }] of messages.entries()) {
        const reply = isSilent ? {} : { reply: `${inbox}.${page}.${index}` };
        connection.publish(subject, data, { headers: heads[index] ?? headers(), ...reply });
      }
      return replies.finally(() => awaiting.delete(page));
    },
    isClosed: () => connection.isClosed(),
    close: () => void connection.close().catch(() => {}),
  };
}

function collectReplies(messages: readonly Outgoing[], begin: (awaiting: Awaiting) => void): Promise<readonly Reply[]> {
  return new Promise((resolve, reject) => {
    const replies: Reply[] = messages.map(() => ({}));
    const open = new Set(messages.flatMap(({ isSilent }, index) => (isSilent ? [] : [index])));
    const late = setTimeout(() => reject(brokenError(`no acknowledgement for ${patience / 1000} s`)), patience);
    begin({
      accept(number, reply) {
        late.refresh();
        replies[number] = reply;
        if (!open.delete(number) || open.size > 0) return;
        clearTimeout(late);
        resolve(replies);
      },
      fail(thrown) {
        clearTimeout(late);
        reject(thrown);
      },
    });
  });
}

/** A missing right is an event of the connection, not a reply. */
async function reportErrors(connection: NatsConnection, fail: (thrown: unknown) => void): Promise<void> {
  for await (const { type, error } of connection.status()) if (type === 'error') fail(error);
}

const noResponders = 503;

function replyOf({ data, headers }: NatsMessage): Reply {
  if (headers?.code === noResponders)
    return { error: { code: noResponders, description: 'no stream has this subject' } };
  return data.length === 0 ? {} : JSON.parse(Buffer.from(data).toString());
}

/** Throws if a stream is not available yet, as after a restart: another attempt may succeed. */
export function mustBeAvailable(replies: readonly Reply[]): readonly Reply[] {
  const found = replies.find(({ error }) => error?.code === noResponders)?.error;
  if (found !== undefined) throw new BrokenConnection(found.description);
  return replies;
}

/** The connection is at fault: another attempt may succeed. */
class BrokenConnection extends Error {}

const brokenError = (thrown: unknown) =>
  new BrokenConnection(
    thrown instanceof Error ? describeSystemError(thrown) : String(thrown ?? 'the connection is closed'),
  );

/** Errors of the client for a connection that is gone, or a server that does not answer. */
const connectionErrors = new Set([
  'ClosedConnectionError',
  'ConnectionError',
  'DrainingConnectionError',
  'NoRespondersError',
  'RequestError',
  'TimeoutError',
]);

/** Whether the connection is at fault, and not the message: another attempt may succeed. */
export function isBroken(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof ExtractError) return thrown.cause !== undefined && isBroken(thrown.cause);
  if (thrown instanceof BrokenConnection || systemError(thrown) !== undefined) return true;
  return connectionErrors.has(thrown.constructor.name);
}

/** Describes an error of the server or of the connection. */
export function natsError(action: string, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  return new ExtractError('ERR_SINK', `nats: cannot ${action}: ${reasonOf(thrown)}`, { cause: thrown });
}

function connectError(hosts: string, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return thrown;
  const remedy = 'Check host, port, user and password of --to, and that the server runs.';
  return new ExtractError('ERR_SINK', `nats: cannot connect to nats://${hosts}: ${reasonOf(thrown)}`, {
    cause: thrown,
    remedy,
  });
}

function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const text = tlsReason(thrown) ?? describeSystemError(cause);
  if (/does not support 'tls'/.test(text)) return 'the server has no TLS, which the options tls, ca or cert require';
  if (/authorization violation|authentication/i.test(text))
    return `the server rejects the user or the password (${text})`;
  if (/no responders/i.test(text)) return `JetStream is not available: it is not enabled, or not ready (${text})`;
  if (/maximum (?:bytes|messages) exceeded/.test(text))
    return `the stream is full (${text}): raise its limits, or remove messages`;
  if (/permissions violation/i.test(text)) return `the user lacks a permission (${text})`;
  return text;
}
