/** The innermost handler: sends one request on undici's connections. No other part of the package opens any. */
import { Agent, type Dispatcher } from 'undici';
import { ExtractError } from '../../core/errors/errors.js';
import type { HttpRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Origins } from '../../core/url/origins.js';
import { originOf } from '../../core/url/url.js';
import { bodyOf, chunksOf, readPrefix } from '../body.js';
import { abortedError, type RequestContext } from '../request-context.js';
import type { Handler, HttpResponse, ResponseHeaders } from '../types.js';
import { lateCode } from './codes.js';
import { createConnector, originOfTarget } from './connect.js';
import { createDeadlines } from './deadlines.js';
import { decodeBody } from './decode.js';
import { Exchange, type ExchangeContext } from './exchange.js';
import type { Presence } from './presence.js';
import { createProxied } from './proxied.js';
import { forwardingProxy, type ProxyOf } from './proxy.js';
import { unauthenticated } from './proxy-failures.js';
import { limitBytes } from './size-limit.js';
import { toUndici } from './to-undici.js';
import { bodyError, connectionError } from './transport-error.js';
import type { Tunnel } from './tunnel.js';

export { transportCode } from './transport-error.js';
export type { Dispatcher };

export interface TransportOptions {
  /** Absent: connections of its own, which `close` ends. */
  readonly dispatcher?: Dispatcher;
  readonly origins: Pick<Origins, 'trusts'>;
  readonly secrets: Secrets;
  /** Milliseconds to connect: 30 s. For connections of its own only. */
  readonly connectTimeout?: number;
  /**
   * Milliseconds from the request to the end of its body, each redirect anew; time in which the reader is busy does not
   * count. Absent: any.
   */
  readonly requestTimeout?: number;
  /** Milliseconds until the headers are there: 300 s, or `requestTimeout`. */
  readonly headersTimeout?: number;
  /**
   * Milliseconds of silence within a body: 300 s, or `requestTimeout`; time in which the reader is busy does not count.
   */
  readonly idleTimeout?: number;
  /** The largest body, decoded; absent: any. */
  readonly maxBodyBytes?: number;
  /** Certificates as PEM. For connections of its own only. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /**
   * Remembers which origins have answered; absent: nothing is remembered, and no error says that its server is
   * missing.
   */
  readonly presence?: Presence;
  /** What connections of its own go through; opened before a request, unless it is open. Its maker closes it. */
  readonly tunnel?: Tunnel;
  /** Which proxy connections of its own go through, in the place of a tunnel; absent: none. */
  readonly proxyOf?: ProxyOf | undefined;
}

export interface Transport {
  /** Any status resolves. Throws ERR_TRANSPORT, ERR_REQUEST, ERR_TUNNEL, ERR_ABORTED. */
  readonly send: Handler;
  /** Ends connections of its own, those in use too. A request made after that opens new ones. */
  close(): Promise<void>;
}

/** In ms. */
const longestConnecting = 30_000;

/** Makes a transport. Nothing is opened before the first request. */
export function createTransport(options: TransportOptions): Transport {
  const { dispatcher: given, tunnel, requestTimeout, headersTimeout, idleTimeout } = options;
  const deadlines = createDeadlines();
  const silence = requestTimeout ?? 300_000;
  const timeouts = { headersTimeout: headersTimeout ?? silence, bodyTimeout: idleTimeout ?? silence };
  const shared = exchangeContext(options, deadlines, timeouts.headersTimeout);
  const isEncoded = ({ headers }: HttpResponse) => headers['content-encoding'] !== undefined;
  const hasLimit = options.maxBodyBytes !== undefined;
  let own: Connections | undefined;
  const dispatcher = (): Dispatcher => {
    if (given !== undefined) return given;
    own ??= createConnections(options);
    return own.dispatcher;
  };

  const dispatch = (request: HttpRequest, context: RequestContext) =>
    new Promise<Exchange>((resolve, reject) => {
      const exchange = new Exchange(shared, request, context, { resolve, reject });
      try {
        if (context.isCancelled) exchange.abort(context.reason);
        else dispatcher().dispatch(toUndici(request, timeouts), exchange);
      } catch (thrown) {
        exchange.abort(thrown);
      }
    });

  return {
    async send(request, context) {
      if (tunnel !== undefined) await ready(tunnel, request, context, shared);
      const response = await dispatch(request, context);
      if (response.status === 407) await refuseUnauthenticated(response, shared, options.proxyOf);
      return hasLimit || isEncoded(response) ? decoded(response, shared, options.maxBodyBytes) : response;
    },
    async close() {
      const ended = own;
      own = undefined;
      deadlines.close();
      await ended?.close();
    },
  };
}

/** Throws where it was not the host that answered, but the proxy that should have forwarded the request. */
async function refuseUnauthenticated(response: Exchange, shared: ExchangeContext, proxyOf: ProxyOf | undefined) {
  const proxy = forwardingProxy(proxyOf, originOf(response.request.url));
  if (proxy === undefined) return;
  await readPrefix(response);
  const { request, context } = response;
  throw shared.toError(unauthenticated(proxy, ' (407)'), { request, context, hasHead: false });
}

async function ready(tunnel: Tunnel, request: HttpRequest, context: RequestContext, shared: ExchangeContext) {
  try {
    await tunnel.ready(context.signal);
  } catch (thrown) {
    throw shared.toError(thrown, { request, context, hasHead: false });
  }
}

function exchangeContext(
  { secrets, requestTimeout, connectTimeout = longestConnecting, presence, dispatcher: given }: TransportOptions,
  deadlines: ExchangeContext['deadlines'],
  headersTimeout: number,
): ExchangeContext {
  const speaks = given === undefined ? 'HTTP/1' : 'anything';
  return {
    deadlines,
    // Interim responses (1xx) would start undici's own clock anew, each of them.
    headTimeout: given === undefined ? connectTimeout + headersTimeout : undefined,
    requestTimeout,
    lateError: () => Object.assign(new Error('the time for a request is over'), { code: lateCode }),
    onHead(exchange) {
      const hasBody = exchange.request.method !== 'HEAD' && exchange.status !== 204;
      exchange.isOpenEnded = hasBody && endsWithConnection(exchange.headers, speaks);
      presence?.answered(originOf(exchange.request.url));
    },
    toError(thrown, { request, context, hasHead }) {
      const masked = describeRequest(request, secrets);
      if (context.isCancelled) return abortedError(masked, context.reason);
      if (hasHead) return bodyError(thrown, masked);
      return withAbsence(connectionError(thrown, masked, context.redirects), request, presence);
    },
  };
}

/** The response with its body decoded, and bounded where that is asked for. */
function decoded(response: Exchange, shared: ExchangeContext, maxBodyBytes = Number.POSITIVE_INFINITY): HttpResponse {
  const { status, headers, contentType, request, isOpenEnded } = response;
  const encoding = [headers['content-encoding'] ?? ''].flat().join(',');
  return {
    ...{ status, headers, contentType, request, isOpenEnded },
    body: {
      async read(take) {
        try {
          await bodyOf(limitBytes(decodeBody(chunksOf(response), encoding), maxBodyBytes)).read(take);
        } catch (thrown) {
          response.cancel();
          throw thrown instanceof ExtractError && thrown.where.request !== undefined
            ? thrown
            : shared.toError(thrown, response);
        }
      },
      cancel: () => response.cancel(),
    },
  };
}

/** By the numbers of curl: the name of a host was not found; no connection was made. */
const absences: ReadonlySet<number | undefined> = new Set([6, 7]);

/** Adds to a connection that was not made since when its origin has been missing, where it has not answered yet. */
function withAbsence(error: ExtractError, { url }: HttpRequest, presence: Presence | undefined): ExtractError {
  const absentSince = absences.has(error.where.transport) ? presence?.missing(originOf(url)) : undefined;
  return absentSince === undefined ? error : error.at({ absentSince });
}

interface Connections {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

/** A client certificate is a credential: it is shown to origins that are trusted, and to no other, nor to a proxy. */
function createConnections(options: TransportOptions): Connections {
  const { connectTimeout = longestConnecting, tls = {}, tunnel, proxyOf, origins } = options;
  const { ca, ...client } = tls;
  const proxied = proxyOf === undefined ? undefined : createProxied({ proxyOf, timeout: connectTimeout });
  const through = tunnel === undefined ? proxied?.through : () => tunnel;
  // Verification is said outright, as the environment of the process could say otherwise:
  // src/http/transport/verification.ts.
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

/** A dispatcher of the caller's may speak HTTP/2, or none at all: there only a header says so. */
function endsWithConnection(headers: ResponseHeaders, speaks: 'HTTP/1' | 'anything'): boolean {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return speaks === 'HTTP/1' || /^close$/i.test([headers.connection ?? ''].flat().join());
}
