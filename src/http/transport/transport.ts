/** The innermost handler: sends one request on undici's connections. Only this file opens HTTP connections. */
import { Agent, type Dispatcher } from 'undici';
import { ExtractError } from '../../core/errors/errors.js';
import type { HttpRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Origins } from '../../core/url/origins.js';
import { originOf } from '../../core/url/url.js';
import { readPrefix } from '../body.js';
import { abortedError, type RequestContext } from '../request-context.js';
import type { Handler, HttpResponse, ResponseHeaders } from '../types.js';
import { lateCode } from './codes.js';
import { type AddressRules, createConnector, originOfTarget } from './connect.js';
import { createDeadlines } from './deadlines.js';
import { acceptedEncodings, createDecoders, type Decoders } from './decode.js';
import { Exchange, type ExchangeContext } from './exchange.js';
import type { Presence } from './presence.js';
import { createProxied } from './proxied.js';
import { forwardingProxy, type ProxyOf } from './proxy.js';
import { unauthenticated } from './proxy-failures.js';
import { limitBytes } from './size-limit.js';
import { createTranslator } from './to-undici.js';
import { bodyError, connectionError } from './transport-error.js';
import type { Tunnel } from './tunnel.js';

export { transportCode } from './transport-error.js';
export type { Dispatcher };

export interface TransportOptions {
  /** Absent: the transport opens its own connections, which `close` ends. */
  readonly dispatcher?: Dispatcher;
  readonly origins: Pick<Origins, 'trusts'>;
  /** For its own connections only, unless a tunnel or a proxy resolves the name. */
  readonly privateHosts: AddressRules;
  readonly secrets: Secrets;
  /** Connect timeout in ms: 30 s. For its own connections only. */
  readonly connectTimeout?: number;
  /**
   * Time limit in ms from the request to the end of its body, anew for each redirect; pauses while the reader is busy.
   * Absent: no limit.
   */
  readonly requestTimeout?: number;
  /** Time limit in ms for the headers: 300 s, or `requestTimeout`. */
  readonly headersTimeout?: number;
  /** Time limit in ms for silence within a body: 300 s, or `requestTimeout`; pauses while the reader is busy. */
  readonly idleTimeout?: number;
  /** Requests ask for the encodings that this Node decodes, unless they have an `Accept-Encoding` of their own. */
  readonly acceptsEncodings?: boolean;
  /** The largest decoded body, in bytes; absent: no limit. */
  readonly maxBodyBytes?: number;
  /** Certificates as PEM. For its own connections only. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Records which origins have answered; absent: no record, and no error reports its server as missing. */
  readonly presence?: Presence;
  /** The tunnel for its own connections, opened before a request if needed. The creator closes it. */
  readonly tunnel?: Tunnel;
  /** The proxy for its own connections, instead of a tunnel; absent: none. */
  readonly proxyOf?: ProxyOf | undefined;
}

export interface Transport {
  /** Resolves with any status. Throws ERR_TRANSPORT, ERR_REQUEST, ERR_TUNNEL, ERR_ABORTED. */
  readonly send: Handler;
  /** Closes its own connections, active ones too. A later request opens new ones. */
  close(): Promise<void>;
}

/** In ms. */
const longestConnecting = 30_000;

/** Creates a transport. Opens nothing before the first request. */
export function createTransport(options: TransportOptions): Transport {
  const { dispatcher: given, tunnel, requestTimeout, headersTimeout, idleTimeout, acceptsEncodings = false } = options;
  const deadlines = createDeadlines();
  const decoders = createDecoders();
  const silence = requestTimeout ?? 300_000;
  const timeouts = { headersTimeout: headersTimeout ?? silence, bodyTimeout: idleTimeout ?? silence };
  const shared = exchangeContext(options, deadlines, timeouts.headersTimeout);
  const translate = createTranslator(timeouts, acceptsEncodings ? acceptedEncodings.join(', ') : undefined);
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
        else dispatcher().dispatch(translate(request), exchange);
      } catch (thrown) {
        exchange.abort(thrown);
      }
    });

  return {
    async send(request, context) {
      if (tunnel !== undefined) await ready(tunnel, request, context, shared);
      const response = await dispatch(request, context);
      if (response.status === 407) await refuseUnauthenticated(response, shared, options.proxyOf);
      return hasLimit || isEncoded(response) ? decoded(response, decoders, shared, options.maxBodyBytes) : response;
    },
    async close() {
      const ended = own;
      own = undefined;
      deadlines.close();
      decoders.close();
      await ended?.close();
    },
  };
}

/** Throws if the forwarding proxy itself answered and demands credentials. */
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
    // Each interim response (1xx) would restart undici's own clock.
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

/** The response with its decoded, and if configured limited, body. */
function decoded(response: Exchange, decoders: Decoders, shared: ExchangeContext, most?: number): HttpResponse {
  const { status, headers, contentType, request, isOpenEnded } = response;
  const encoding = [headers['content-encoding'] ?? ''].flat().join(',');
  const whole = decoders.decode(response, encoding);
  const body = most === undefined ? whole : limitBytes(whole, most);
  return {
    status,
    headers,
    contentType,
    request,
    isOpenEnded,
    body: {
      async read(take) {
        try {
          await body.read(take);
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

/** Curl numbers: host name not found; connection failed. */
const absences: ReadonlySet<number | undefined> = new Set([6, 7]);

/** Adds to a connection error since when its origin has been missing, if it has not answered yet. */
function withAbsence(error: ExtractError, { url }: HttpRequest, presence: Presence | undefined): ExtractError {
  const absentSince = absences.has(error.where.transport) ? presence?.missing(originOf(url)) : undefined;
  return absentSince === undefined ? error : error.at({ absentSince });
}

interface Connections {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

/**
 * Creates the connections. Trusted origins alone receive the client certificate, which is a credential; proxies do not.
 */
function createConnections(options: TransportOptions): Connections {
  const { connectTimeout = longestConnecting, tls = {}, tunnel, proxyOf, origins, privateHosts } = options;
  const { ca, ...client } = tls;
  const proxied = proxyOf === undefined ? undefined : createProxied({ proxyOf, timeout: connectTimeout });
  const through = tunnel === undefined ? proxied?.through : () => tunnel;
  // Explicit, because the environment of the process could disable verification: src/http/transport/verification.ts.
  const shared = { timeout: connectTimeout, rejectUnauthorized: true, through, privateHosts };
  const all = { ...shared, ...(ca === undefined ? {} : { ca }) };
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

/**
 * Whether the body ends with its connection. A caller's dispatcher may use HTTP/2 or no protocol: then only a header
 * decides.
 */
function endsWithConnection(headers: ResponseHeaders, speaks: 'HTTP/1' | 'anything'): boolean {
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return speaks === 'HTTP/1' || /^close$/i.test([headers.connection ?? ''].flat().join());
}
