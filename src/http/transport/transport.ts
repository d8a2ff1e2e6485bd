/** Opens connections, with what lies below src/http/transport/ and nobody else: a request goes out as it is, redirects are followed by our rules, the body is pulled. */
import { Agent, type Dispatcher } from 'undici';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { HttpRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import { beginningOf } from '../../core/secrets/beginning-of.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Origins } from '../../core/url/origins.js';
import { originOf, splitUrl } from '../../core/url/url.js';
import { noRateLimit, type RateLimiter, type RequestOwner } from '../rate-limiter.js';
import { createConnector, originOfTarget } from './connect.js';
import { createDeadline, type Deadline } from './deadline.js';
import { decodeBody } from './decode.js';
import { requestWithSendHook } from './on-request-sent.js';
import type { Presence } from './presence.js';
import { createProxied } from './proxied.js';
import { forwardingProxy, type ProxyOf, type ProxyServer } from './proxy.js';
import { unauthenticated } from './proxy-failures.js';
import { redirected, redirectTarget } from './redirect.js';
import { limitBytes } from './size-limit.js';
import { bareHeaders, toUndici } from './to-undici.js';
import { badStatusCode, bodyError, connectionError } from './transport-error.js';
import type { Tunnel } from './tunnel.js';

export { transportCode } from './transport-error.js';
export type { Dispatcher };

/** An answer. One of three: its body is read (leaving the loop early closes the connection), `discard` or `start` is called. */
export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The request that was answered, after redirects and with its credentials: mask before showing. */
  readonly request: HttpRequest;
  readonly url: string;
  /** The body ends where its connection does: one that was cut short looks as if it were whole. */
  readonly isOpenEnded: boolean;
  /** Pulled by its reader, once. Throws ERR_BODY_CUT, ERR_BODY_SIZE, ERR_TRANSPORT, ERR_ABORTED. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Lets the body go unread. */
  discard(): Promise<void>;
  /** Reads the beginning of the body instead: as far as it comes before a fault and within the time for bodies that nobody wants. */
  start(): Promise<string>;
}

export interface SendOptions {
  /** Absent: connections of its own, which `close` ends. */
  readonly dispatcher?: Dispatcher;
  readonly origins: Origins;
  /** Whether requests may go to an address; absent: to any. */
  readonly allows?: (url: string) => boolean;
  readonly secrets: Secrets;
  /** What goes to origins that are not trusted in place of a configured one. */
  readonly userAgent: string;
  /** Milliseconds to connect: 30 s. For connections of its own only. */
  readonly connectTimeout?: number;
  /** Milliseconds from the request to the end of its body, each redirect anew; while the reader is busy they do not count. Absent: any time, as long as something comes. */
  readonly requestTimeout?: number;
  /** Milliseconds until the headers are there: 300 s, or `requestTimeout`. */
  readonly headersTimeout?: number;
  /** Milliseconds of silence within a body: 300 s, or `requestTimeout`; while the reader is busy they do not count. */
  readonly idleTimeout?: number;
  /** The largest body, decoded; absent: any. */
  readonly maxBodyBytes?: number;
  /** Milliseconds for a body that nobody wants, of a redirect or an error: 2 s. */
  readonly unreadTimeout?: number;
  /** Certificates as PEM. For connections of its own only. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Remembers which origins have answered; absent: nothing is remembered, and no error tells that its server is missing. */
  readonly presence?: Presence;
  /** What every request passes before it goes out, each redirect too; absent: nothing. */
  readonly gate?: RateLimiter;
  /** What connections of its own go through; opened before a request, unless it is open. Closing it stays with whoever made it. */
  readonly tunnel?: Tunnel;
  /** Which proxy connections of its own go through, in the place of a tunnel; absent: none. */
  readonly proxyOf?: ProxyOf | undefined;
}

/** Puts credentials on a request, when it is about to go out. */
type Authorize = (request: HttpRequest) => HttpRequest;

export interface Send {
  /**
   * Sends, following up to 5 redirects. `authorize` is asked anew for each hop to a trusted origin; others get neither credentials nor
   * configured headers. Any status resolves. Throws ERR_TRANSPORT, ERR_REDIRECT, ERR_ORIGIN, ERR_HOST, ERR_REQUEST, ERR_ABORTED.
   */
  send(request: HttpRequest, authorize: Authorize, signal: AbortSignal, sender?: RequestOwner): Promise<Reply>;
  /** Ends connections of its own, those in use too. A request made after that opens new ones. */
  close(): Promise<void>;
}

const maxRedirects = 5;

/** In ms. */
const longestConnecting = 30_000;

/** How far a body is received while its reader is busy, in bytes: enough to keep the connection going while a batch is written. */
const highWaterMark = 512 * 1024;

/** Redirect bodies, and error bodies beyond what is shown, are read this far to keep their connection. */
const discardLimit = 64 * 1024;

/** Makes the door to the network. Nothing is opened before the first request. */
export function createSend(options: SendOptions): Send {
  const { origins, secrets, userAgent, gate = noRateLimit } = options;
  let own: Connections | undefined;
  const dispatcher = () => {
    if (options.dispatcher !== undefined) return options.dispatcher;
    own ??= createConnections(options);
    return own.dispatcher;
  };
  const exchange = createExchange(dispatcher, options);

  function dress(request: HttpRequest, authorize: Authorize): HttpRequest {
    if (origins.trusts(request.url)) return authorize(request);
    origins.warn(request.url);
    const { origin, target } = splitUrl(request.url); // without user information, which an endpoint with a placeholder may have
    return { ...request, url: `${origin}${target}`, headers: bareHeaders(request.headers, userAgent, request.body) };
  }

  /** One request and its answer; what the answers of others say of limits is not heeded. */
  async function hop(request: HttpRequest, authorize: Authorize, ask: (dressed: HttpRequest) => Promise<Reply>) {
    const dressed = dress(request, authorize);
    return origins.trusts(request.url) ? gate.around(() => ask(dressed)) : ask(dressed);
  }

  return {
    async send(request, authorize, signal, sender = {}) {
      let next = request;
      const masked = () => describeRequest(request, secrets);
      for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
        refuseUnlisted(next, options);
        const slot = await gate.pass(sender, signal).catch(() => {
          throw aborted(masked(), signal);
        });
        sender.onRequest?.();
        const reply = await hop(next, authorize, (dressed) =>
          exchange(dressed, { redirects, signal, onSent: slot.begin }),
        ).finally(slot.giveBack);
        const target = redirectTarget(reply);
        if (target === undefined) return reply;
        await reply.discard();
        next = located(masked, () => redirected(next, { status: reply.status, target }, origins));
      }
      throw tooManyRedirects(masked());
    },
    async close() {
      const ended = own;
      own = undefined;
      await ended?.close();
    },
  };
}

const tooManyRedirects = (request: string): ExtractError =>
  new ExtractError('ERR_REDIRECT', `${request}: more than ${maxRedirects} redirects`, { request });

function refuseUnlisted(request: HttpRequest, { allows, secrets }: SendOptions): void {
  if (allows === undefined || allows(request.url)) return;
  const masked = describeRequest(request, secrets);
  const message = `${masked}: image_parameters.allowed_hosts does not list this address`;
  throw new ExtractError('ERR_HOST', message, { request: masked });
}

/** What an answer of 400 or more becomes: status, request and the start of the body, masked. Reads or lets go of the body. */
export async function statusError(reply: Reply, secrets: Secrets): Promise<ExtractError> {
  const request = describeRequest(reply.request, secrets);
  const start = secrets.excerpt(await reply.start(), 120);
  const answer = start === '' ? 'the body is empty' : start;
  return new ExtractError('ERR_STATUS', `${request} was answered ${reply.status}: ${answer}`, {
    request,
    status: reply.status,
  });
}

interface Connections {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

/** A client certificate is a credential: it is shown to origins that are trusted, and to no other, nor to a proxy. */
function createConnections(options: SendOptions): Connections {
  const { connectTimeout = longestConnecting, tls = {}, tunnel, proxyOf, origins } = options;
  const { ca, ...client } = tls;
  const proxied = proxyOf === undefined ? undefined : createProxied({ proxyOf, timeout: connectTimeout });
  const through = tunnel === undefined ? proxied?.through : () => tunnel;
  // Verification is said outright, as the environment of the process could say otherwise: src/http/transport/verification.ts.
  const all = { timeout: connectTimeout, rejectUnauthorized: true, through, ...(ca === undefined ? {} : { ca }) };
  const trusted = createConnector({ ...all, ...client });
  const other = createConnector(all);
  const agent = new Agent({
    connect: (target, callback) => (origins.trusts(originOfTarget(target)) ? trusted : other)(target, callback),
  });
  return {
    dispatcher: proxied === undefined ? agent : agent.compose(proxied.forwarding),
    async close() {
      await Promise.all([agent.destroy(), proxied?.close()]);
    },
  };
}

interface Exchanging {
  readonly redirects: number;
  readonly signal: AbortSignal;
  /** Called as the request goes out, once at the least where it was answered. */
  readonly onSent: () => void;
}

type Exchange = (request: HttpRequest, exchanging: Exchanging) => Promise<Reply>;

/** One request and its answer, redirects not followed. */
function createExchange(
  dispatcher: () => Dispatcher,
  {
    secrets,
    requestTimeout,
    headersTimeout,
    idleTimeout,
    connectTimeout = longestConnecting,
    unreadTimeout = 2_000,
    maxBodyBytes = Number.POSITIVE_INFINITY,
    tunnel,
    presence,
    proxyOf,
    dispatcher: given,
  }: SendOptions,
): Exchange {
  const speaks = given === undefined ? 'HTTP/1' : 'anything';
  const silence = requestTimeout ?? 300_000;
  const timeouts = {
    headersTimeout: headersTimeout ?? silence,
    bodyTimeout: idleTimeout ?? silence,
    highWaterMark,
  };
  return async (request, { redirects, signal, onSent }) => {
    const masked = () => describeRequest(request, secrets);
    try {
      await tunnel?.ready(signal);
      const deadline = createDeadline(requestTimeout, signal);
      // Interim answers (1xx) would start undici's own clock anew, each of them.
      const head = createDeadline(
        given === undefined ? connectTimeout + timeouts.headersTimeout : undefined,
        deadline.signal,
      );
      const options = { ...toUndici(request), ...timeouts, signal: head.signal, onInfo: mustBeStatus };
      const ask = () => requestWithSendHook(dispatcher(), options, onSent);
      const response = await deadline.waiting(() => head.waiting(ask));
      onSent();
      await refuseUnauthenticated(response, forwardingProxy(proxyOf, originOf(request.url)));
      presence?.answered(originOf(request.url));
      // A body may break before anyone reads it; its reader meets the error then.
      response.body.on('error', () => undefined);
      const hasBody = request.method !== 'HEAD' && response.statusCode !== 204;
      const isOpenEnded = hasBody && endsWithConnection(response.headers, speaks);
      const answered = { request, masked, signal, deadline, isOpenEnded, maxBodyBytes };
      return toReply(answered, response, () => AbortSignal.timeout(unreadTimeout));
    } catch (thrown) {
      if (signal.aborted) throw aborted(masked(), signal);
      throw withAbsence(connectionError(thrown, masked(), redirects), request, presence);
    }
  };
}

/** Throws where it was not the host that answered, but the proxy that should have forwarded the request. */
async function refuseUnauthenticated({ statusCode, body }: Dispatcher.ResponseData, proxy: ProxyServer | undefined) {
  if (statusCode !== 407 || proxy === undefined) return;
  await body.dump({ limit: discardLimit }).catch(() => undefined);
  throw unauthenticated(proxy, ' (407)');
}

/** By the numbers of curl: the name of a host was not found; no connection was made. */
const absences: ReadonlySet<number | undefined> = new Set([6, 7]);

/** Adds to a connection that was not made since when its origin has been missing, where it has not answered yet. */
function withAbsence(error: ExtractError, { url }: HttpRequest, presence: Presence | undefined): ExtractError {
  const absentSince = absences.has(error.where.transport) ? presence?.missing(originOf(url)) : undefined;
  return absentSince === undefined ? error : error.at({ absentSince });
}

/** Throws for an interim answer that is none, on which the parser of undici fails an assertion: RFC 9110 15 has no status below 100. */
function mustBeStatus({ statusCode }: { readonly statusCode: number }): void {
  if (statusCode < 100) throw Object.assign(new Error('a status below 100'), { code: badStatusCode });
}

/** A request that has been answered. */
interface Answered {
  readonly request: HttpRequest;
  /** What it is called in a message: worked out when there is one. */
  readonly masked: () => string;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  readonly isOpenEnded: boolean;
  readonly maxBodyBytes: number;
}

/** A dispatcher of the caller's may speak HTTP/2, or none at all: there only a header says so. */
function endsWithConnection(headers: Reply['headers'], speaks: 'HTTP/1' | 'anything'): boolean {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return speaks === 'HTTP/1' || /^close$/i.test([headers.connection ?? ''].flat().join());
}

function toReply(
  { request, masked, signal, deadline, isOpenEnded, maxBodyBytes }: Answered,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  late: () => AbortSignal,
): Reply {
  async function* pull(): AsyncGenerator<Uint8Array> {
    try {
      const encoding = [headers['content-encoding'] ?? ''].flat().join(',');
      yield* limitBytes(decodeBody(deadline.body(body), encoding), maxBodyBytes);
      await connectionFreed();
    } catch (thrown) {
      throw signal.aborted ? aborted(masked(), signal) : bodyError(thrown, masked());
    } finally {
      body.destroy();
    }
  }
  return {
    status: statusCode,
    headers,
    request,
    url: request.url,
    isOpenEnded,
    body: pull(),
    async discard() {
      await body.dump({ limit: discardLimit, signal: late() }).catch(() => undefined);
      await connectionFreed();
    },
    start: () => readStart(pull(), late(), () => body.destroy()),
  };
}

/** Adds the request to an error that does not know it. */
function located<T>(request: () => string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw asExtractError(thrown).at({ request: request() });
  }
}

/** undici takes a connection back one turn after its body has ended; a request made before that would open another. */
const connectionFreed = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The beginning of a body: an error on the way is not what is reported. `giveUp` ends the body when it takes too long. */
async function readStart(body: AsyncIterable<Uint8Array>, late: AbortSignal, giveUp: () => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  late.addEventListener('abort', giveUp);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= discardLimit) break;
    }
  } catch {
    // What came before the fault is shown.
  } finally {
    late.removeEventListener('abort', giveUp);
  }
  return beginningOf(Buffer.concat(chunks).subarray(0, discardLimit));
}

function aborted(request: string, signal: AbortSignal): ExtractError {
  return new ExtractError('ERR_ABORTED', `${request}: interrupted`, { request, cause: signal.reason });
}
