/** Sends the requests of the sink http, again if the receiver asks for that or the connection fails. */
import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { ExtractError } from '../../src/core/errors/errors.js';
import { describeSystemError } from '../../src/core/errors/system-error.js';
import { asBuffer } from '../../src/core/util/as-buffer.js';
import type { AddressSecrets } from '../addresses/address-secrets.js';
import { orAborted, refused } from '../errors.js';
import { createHttpAgent, type HttpAgent } from '../servers/http-agent.js';
import { repeated } from '../servers/reconnect.js';
import { longestWait, retryAfterOf } from '../servers/retry-after.js';
import { loadTls, type TlsSettings, tlsReason } from '../servers/tls.js';

/** A request to the receiver. */
export interface Delivery {
  readonly method: 'POST' | 'PUT' | 'OPTIONS';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface HttpReceiver {
  /** Resolves when the receiver has accepted the request with a status 2xx. Rejects with ERR_SINK, or ERR_ABORTED. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** Sends a request once, and resolves to its status. */
  statusOf(delivery: Delivery): Promise<number>;
  close(): void;
}

const retried = new Set([408, 425, 429, 500, 502, 503, 504]);
const mostShown = 300;

/** A failure that another attempt may end. */
class TemporaryFailure extends Error {
  readonly leastWait: number;

  constructor(message: string, leastWait: number, cause?: unknown) {
    super(message, { cause });
    this.leastWait = leastWait;
  }
}

/** The receiver refuses the content of a request: its size, its form, or a value in it. */
export class RefusedContent extends ExtractError {
  /** What is wrong with a single item: `gets status 422 from https://example.com/in: too old`. */
  readonly reason: string;

  constructor(delivery: Delivery, statusCode: number, text: string) {
    super('ERR_SINK', failure(delivery, `status ${statusCode}${text}`).message);
    this.reason = `gets status ${statusCode} from ${placeOf(delivery)}${text}`;
  }
}

const ofContent = new Set([400, 413, 422]);

/** What a receiver needs. */
export interface ReceiverSettings extends Pick<AddressSecrets, 'excerpt'> {
  /** Absent: the authorities of Node.js, and no certificate of the client. */
  readonly tls: TlsSettings | undefined;
}

/** Opens no connection before the first request. */
export function createReceiver({ tls, excerpt }: ReceiverSettings): HttpReceiver {
  const agent = createHttpAgent(tls, 'http');
  return {
    deliver: (delivery, signal) => deliver(agent, excerpt, { delivery, signal }),
    async statusOf(delivery) {
      const { statusCode } = await send(agent, delivery, undefined).catch((thrown: unknown) => {
        throw failure(delivery, tlsReason(thrown) ?? describeSystemError(thrown), thrown);
      });
      return statusCode;
    },
    close: agent.close,
  };
}

interface Sending {
  readonly delivery: Delivery;
  readonly signal: AbortSignal;
}

async function deliver(
  agent: HttpAgent,
  excerpt: AddressSecrets['excerpt'],
  { delivery, signal }: Sending,
): Promise<void> {
  const attempt = async () => {
    const response = await send(agent, delivery, signal).catch((thrown: unknown) => {
      const wrongTls = tlsReason(thrown);
      if (wrongTls !== undefined) throw failure(delivery, wrongTls, thrown);
      throw signal.aborted ? thrown : new TemporaryFailure(describeSystemError(thrown), 0, thrown);
    });
    const { statusCode, headers } = response;
    if (statusCode >= 200 && statusCode < 300) return;
    const detail = await excerpt(response.text, mostShown);
    const text = detail === '' ? '' : `: ${detail}`;
    const message = `status ${statusCode}${text}`;
    const wait = retryAfterOf(headers);
    if (ofContent.has(statusCode)) throw new RefusedContent(delivery, statusCode, text);
    if (!retried.has(statusCode) || wait > longestWait) throw withRemedy(failure(delivery, message), statusCode);
    throw new TemporaryFailure(message, wait);
  };
  const options = {
    isTemporary: (thrown: unknown) => thrown instanceof TemporaryFailure,
    leastWait: (thrown: unknown) => (thrown instanceof TemporaryFailure ? thrown.leastWait : 0),
    signal,
  };
  try {
    await orAborted(repeated(attempt, options), signal);
  } catch (thrown) {
    throw thrown instanceof TemporaryFailure
      ? failure(delivery, thrown.message, thrown.cause)
      : refused('deliver', thrown);
  }
}

async function send(agent: HttpAgent, { method, url, headers, body }: Delivery, signal: AbortSignal | undefined) {
  const connections = await agent.open();
  const {
    statusCode,
    headers: answered,
    body: content,
  } = await connections.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body: asBuffer(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { statusCode, headers: answered, text: await content.text() };
}

/** The query may have a secret. */
const placeOf = ({ url }: Delivery): string => `${url.origin}${url.pathname}`;

function failure(delivery: Delivery, reason: string, cause?: unknown): ExtractError {
  const message = `http: ${delivery.method} ${placeOf(delivery)}: ${reason}`;
  return new ExtractError('ERR_SINK', message, cause === undefined ? {} : { cause });
}

const remedies: readonly (readonly [statuses: readonly number[], remedy: string])[] = [
  [[301, 302, 303, 307, 308], 'Redirects are not followed: use the address that they lead to.'],
  [[401, 403], 'Check user, password and headers of --to, and their permissions.'],
  [[404, 405, 410], 'Check the path of --to, and its `method`.'],
  [[415], 'Check `format` of --to, or set `header.Content-Type`.'],
];

/** Adds what to do about a status. */
function withRemedy(error: ExtractError, statusCode: number): ExtractError {
  const remedy = remedies.find(([statuses]) => statuses.includes(statusCode))?.[1];
  return remedy === undefined ? error : error.at({ remedy });
}

/** Opens a connection, with https also its TLS, and closes it: no request is sent. Rejects with ERR_SINK. */
export async function checkConnection({ protocol, hostname, port }: URL, tls?: TlsSettings): Promise<void> {
  const secure = protocol === 'https:' ? await import('node:tls') : undefined;
  const at = Number(port === '' ? (secure === undefined ? 80 : 443) : port);
  const host = hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: at, timeout: 10_000 };
  const named = isIP(host) === 0 ? { servername: host } : {};
  const files = tls === undefined ? {} : await loadTls(tls, 'http');
  const socket = secure === undefined ? connect(place) : secure.connect({ ...place, ...named, ...files });
  socket.once('timeout', () => socket.destroy(new Error('no connection for 10 s')));
  try {
    await once(socket, secure === undefined ? 'connect' : 'secureConnect');
  } catch (thrown) {
    const reason = tlsReason(thrown) ?? describeSystemError(thrown);
    const remedy = 'Check host and port of --to, and that the server runs.';
    const message = `http: cannot connect to ${hostname}:${at}: ${reason}`;
    throw new ExtractError('ERR_SINK', message, { cause: thrown, remedy });
  } finally {
    socket.destroy();
  }
}
