/**
 * The SSH tunnel of a run: opens before the first request, reopens when it breaks, closes at the end.
 * docs/01-configuration.md#through-an-ssh-server.
 */
import type { Duplex } from 'node:stream';
import {
  catchError,
  defer,
  fromEvent,
  lastValueFrom,
  merge,
  Subject,
  share,
  takeUntil,
  throwError,
  timeout,
} from 'rxjs';
import { fromAbortable } from '../../../operators/from-abortable.js';
import { retryTransient } from '../../../operators/retry-transient.js';
import type { SshProxy } from '../../config/ssh-proxy.js';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { Notice, Notify } from '../../core/model/notice.js';
import { createHostKey } from './host-key.js';
import { checkKey } from './private-key.js';
import { broken, openSshConnection, type SshConnection } from './ssh-connection.js';
import { loadSsh2 } from './ssh2.js';
import { transportFailure } from './transport-error.js';

export interface Tunnel {
  /**
   * Checks the key and the library without a connection. Rejects with ERR_CONFIG for a key that cannot be read,
   * ERR_TUNNEL if the library is missing.
   */
  check(): Promise<void>;
  /**
   * Settles when the tunnel is open; opens it if needed, with up to 5 attempts. Aborting ends the wait, and the attempt
   * if nothing else waits. Rejects with ERR_TUNNEL, ERR_CONFIG for a key that cannot be read.
   */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Opens a connection from the SSH server, which resolves the name. Rejects with the codes of `lineCodes`, or after
   * `timeoutMs`.
   */
  connect(host: string, port: number, timeoutMs: number): Promise<Duplex>;
  /** Closes the tunnel, or ends an attempt. A later call opens it again. */
  close(): void;
}

export interface TunnelOptions {
  readonly notify: Notify;
  /** Milliseconds for one attempt: 30 s. */
  readonly attemptTimeout?: number;
  readonly load?: typeof loadSsh2;
}

const maxAttempts = 5;

/** Creates the tunnel. Opens nothing yet. */
export function createTunnel(proxy: SshProxy, options: TunnelOptions): Tunnel {
  const { notify, attemptTimeout = 30_000, load = loadSsh2 } = options;
  const at = `the SSH tunnel through ${proxy.host}:${proxy.port}`;
  const hostKey = createHostKey(proxy, notify);
  const closing = new Subject<void>();
  let connection: SshConnection | undefined;
  let wasOpen = false;

  async function attempt(signal: AbortSignal): Promise<void> {
    const ssh2 = await load();
    const key = checkKey(ssh2, proxy);
    const { host, port, user: username } = proxy;
    const settings = { host, port, username, ...key, readyTimeout: attemptTimeout, accepts: hostKey.accepts };
    try {
      connection = await openSshConnection(ssh2, settings, signal);
    } catch (thrown) {
      throw hostKey.refused() ?? openingError(thrown, at);
    }
    wasOpen = true;
  }

  const say = (...failed: Parameters<typeof retryNotice>) => notify(retryNotice(...failed));
  // `api.retryConfig` applies only to a server that was reached before.
  const giveUp = (thrown: unknown) => {
    const error = asExtractError(thrown);
    return throwError(() => (wasOpen ? error : error.at({ final: true })));
  };
  const opening = defer(() => fromAbortable(attempt)).pipe(retryTransient(waitAfter, say), catchError(giveUp), share());

  return {
    async check() {
      checkKey(await load(), proxy);
    },
    async ready(signal) {
      signal.throwIfAborted();
      if (connection?.isOpen() === true) return;
      const ended = merge(closing, fromEvent(signal, 'abort'));
      await lastValueFrom(opening.pipe(takeUntil(ended)), { defaultValue: undefined });
    },
    async connect(host, port, timeoutMs) {
      if (connection === undefined) throw broken();
      return lastValueFrom(connection.forward(host, port).pipe(timeout({ first: timeoutMs, with: tooLate })));
    },
    close() {
      closing.next();
      connection?.close();
      connection = undefined;
    },
  };
}

/** The delay in ms before the next attempt; undefined: no further attempt. */
const waitAfter = (thrown: unknown, attempt: number): number | undefined =>
  asExtractError(thrown).where.transport === undefined || attempt >= maxAttempts
    ? undefined
    : 2 ** (attempt - 1) * 1000;

const retryNotice = (thrown: unknown, attempt: number, ms: number): Notice => ({
  level: 'info',
  code: 'tunnel-retry',
  message: `${asExtractError(thrown).message}; retrying in ${ms / 1000} s (attempt ${attempt + 1} of ${maxAttempts})`,
});

const tooLate = () => throwError(() => Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));

/** Only temporary failures have a transport code: an unreachable server. A refusal by the server is final. */
function openingError(thrown: unknown, at: string): ExtractError {
  const level = thrown instanceof Error && 'level' in thrown ? thrown.level : undefined;
  if (level === 'client-authentication') {
    return failed(`${at}: the server rejects \`user\` with \`#privateKey\``, thrown);
  }
  if (level === 'handshake') return failed(`${at}: the server supports no common encryption`, thrown);
  const { transport = 7, reason } = level === 'client-timeout' ? noAnswer : transportFailure(thrown);
  return failed(`${at}: ${reason}`, thrown, transport);
}

const noAnswer = { transport: 28, reason: 'no connection in time' };

const failed = (message: string, cause: unknown, transport?: number): ExtractError =>
  new ExtractError('ERR_TUNNEL', message, { cause, ...(transport === undefined ? {} : { transport }) });
