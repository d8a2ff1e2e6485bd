/**
 * The client of one API: the rules for requests, credentials, pagination and transport. Each iteration has its own
 * client.
 */
import { randomBytes } from 'node:crypto';
import type { TokenStore } from '../auth/refresh-tokens.js';
import type { Authenticator, LoginSharing } from '../auth/types.js';
import { type Config, endsByStatus, type JobConfig, recordedOf, withChildren } from '../config/config.js';
import { collectAll, configError, mapCollecting } from '../core/errors/collect-errors.js';
import { type ExactObject, stringifyExact } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { ignoringNames } from '../core/secrets/known-secrets.js';
import { type AllowedHost, isAllowed, isListed } from '../core/url/allowed-hosts.js';
import { resolveUrl } from '../core/url/url.js';
import { defined } from '../core/util/defined.js';
import { digestOf } from '../core/util/digest.js';
import { elementAt } from '../core/util/element-at.js';
import { type BeginJob, createJobEvaluator, type EvaluatedJob } from '../job/evaluate-job.js';
import { rulesFailures } from '../language/condition/response-rule.js';
import type { ExpressionContext } from '../language/expression/expression.js';
import { attrReference, leafReference } from '../language/expression/reference.js';
import type { Paginator, Prefetch } from '../pagination/types.js';
import { type AheadClient, overlapProblems, reportSequential } from './ahead-rules.js';
import type { CacheStore } from './cache/store.js';
import { bodyParamProblems } from './check-body-params.js';
import { checkHosts } from './check-hosts.js';
import type { LoginBroker } from './credential-broker.js';
import type { EngineExchanges } from './exchanges.js';
import { createExplainer, type Explainer, type JobOfPage } from './explain-request.js';
import { chosenHosts, type HostRule, listedHosts, namedPrivateHosts } from './interceptors/allowed-hosts.js';
import { createAwsSigner } from './interceptors/aws-signature.js';
import { observeLogins, observeRequests } from './observe-requests.js';
import type { RunObserver } from './observer.js';
import { createPageRequester, type PageRequester } from './page-requester.js';
import type { ApiContext } from './pipeline.js';
import type { RateLimiter } from './rate-limiter.js';
import { buildLoginRequest } from './request.js';
import { type ClientRules, evaluateApi, requestRules } from './request-rules.js';
import { revalidateProblems } from './revalidate-rules.js';
import type { Presence } from './transport/presence.js';
import type { ProxyOf } from './transport/proxy.js';
import { createTransport, type Dispatcher, type Transport } from './transport/transport.js';
import type { Tunnel } from './transport/tunnel.js';
import type { SharedLogin } from './with-credentials.js';
import type { RetryPolicy } from './with-retry.js';

export interface ApiClient extends RetryPolicy, PageRequester {
  readonly begin: BeginJob;
  /** Whether a request to this endpoint carries credentials. */
  trusts(endpoint: string): boolean;
  readonly paginator: Paginator;
  /** Requests must run one at a time, because each needs its own login. */
  readonly isSequential: boolean;
  /** It logs in, and other clients may have the login too. */
  readonly sharesLogin: boolean;
  /** As evaluated. */
  readonly baseUrl: string;
  /** Explains requests; called only for a plan. */
  explainer(): Explainer;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Where the logins of a run are stored. */
export interface LoginPlaces {
  readonly broker: LoginBroker;
  /** The caller passed the broker: iterations with their own login share it with other extractions. */
  readonly isGiven: boolean;
  /** Opens a file that outlives the run; absent: refresh tokens are not stored, as in a replay. */
  readonly tokenStore?: (path: string) => TokenStore;
  /** Shares the refresh tokens that no such file keeps. */
  readonly sharedTokens?: TokenStore;
}

export interface ApiClientContext {
  readonly secrets: Secrets;
  readonly notify: Notify;
  /** The value of `time` in expressions. */
  readonly time: ExactObject;
  /**
   * The current time for time functions in `api` and in login requests, in epoch ms. A client that is created again
   * uses the same value.
   */
  readonly preparedAt: number;
  /** Shared by all clients. */
  readonly logins: LoginPlaces;
  readonly dispatcher?: Dispatcher | undefined;
  readonly tunnel?: Tunnel | undefined;
  /** Returns the rate limiter of the API, which all iterations share. */
  readonly limiterOf: (baseUrl: string) => RateLimiter;
  /** Absent: connections are direct, or use the tunnel. */
  readonly proxyOf?: ProxyOf | undefined;
  /** Shared by all clients. Absent: `retryConfig` decides how often a missing server is retried. */
  readonly presence?: Presence | undefined;
  /** Stores responses; absent: no cache. */
  readonly store?: CacheStore | undefined;
  /** The only hosts that requests may go to; absent: all. */
  readonly hosts?: readonly AllowedHost[] | undefined;
  /** The largest body, in bytes; absent: no limit. */
  readonly maxBodyBytes?: number | undefined;
  /** How many pages are requested ahead; absent: as the paginators say. */
  readonly prefetch?: Prefetch | undefined;
  /** Records exchanges, or replays them. */
  readonly exchanges?: EngineExchanges | undefined;
  /** Absent: nothing follows requests and logins. */
  readonly observer?: RunObserver | undefined;
}

/**
 * Creates the client and evaluates all expressions that are evaluated once. `iteration` counts from 0. Sends nothing.
 * Throws ERR_FUNCTION and ERR_CONFIG.
 */
export function createApiClient(config: Config, context: ApiClientContext, iteration = 0): ApiClient {
  const { secrets } = context;
  const { ofApi, ofJobs } = contextsOf(config, context);
  const begin = createJobEvaluator(ofJobs, secrets);
  const [authentication, jobs, evaluated] = collectAll(
    () => authenticate(config, context),
    () => mapCollecting(withChildren<JobConfig>(config.jobs), (job) => begin(job)),
    () => evaluateApi(config, ofApi),
  );
  checkBodyParams(config, jobs);
  const rules = requestRules(config, evaluated, { ...context, jobs, authentication });
  checkHosts({ config, baseUrl: rules.baseUrl, logins: authentication?.endpoints ?? [], secrets });
  const transport = transportOf(config, rules, context);
  const { send, login } = watchedBy(context, { transport, authentication, rules });
  const policy: RetryPolicy = { retry: config.retry, notify: context.notify, ...randomOf(context) };

  const { paginator } = config;
  const requester = createPageRequester(
    apiContext(config, context, { rules, authentication: login }),
    policy,
    context.exchanges?.around(send, { ...context, ...recordedOf(config) }) ?? send,
    sharedLogin({ config, rules, authentication }, context, iteration),
  );
  const isSequential = authentication?.login?.renewal === 'each request';
  const asked = { isSequential, methodOf: requester.methodOf };
  checkOverlap(config, jobs, asked);
  checkRevalidation(config, jobs, requester.methodOf);
  reportSequential({ jobs, paginator, client: asked, prefetch: context.prefetch, notify: context.notify });
  const explainer = () => createExplainer({ config, rules, authentication, secrets, sign: signerOf(config, secrets) });
  return {
    ...policy,
    ...requester,
    ...watched({ begin, ask: requester.ask }, explainer, context.exchanges?.onAsk),
    trusts: (endpoint) => isTrusted(endpoint, rules),
    paginator,
    isSequential,
    sharesLogin: authentication?.login?.sharing !== undefined,
    baseUrl: rules.baseUrl,
    explainer,
    close: transport.close,
  };
}

/** The transport and the authenticator, followed by an observer if there is one. */
function watchedBy(
  { observer, secrets }: ApiClientContext,
  { transport: { send }, authentication, rules }: Prepared & { readonly transport: Transport },
) {
  if (observer === undefined) return { send, login: authentication };
  return {
    send: observeRequests(send, secrets, (url) => isTrusted(url, rules)),
    login: observeLogins(authentication, observer, rules.baseUrl, secrets.mask),
  };
}

/** Reports each page that is asked for, with its sources, if something watches. */
function watched(
  { begin, ask }: Pick<ApiClient, 'begin' | 'ask'>,
  explainer: ApiClient['explainer'],
  onAsk: EngineExchanges['onAsk'],
): Pick<ApiClient, 'begin' | 'ask'> {
  if (onAsk === undefined) return { begin, ask };
  const { page: explain } = explainer();
  const begun = new Map<string, JobOfPage>();
  return {
    begin(config, instance, at, range) {
      const job = begin(config, instance, at, range);
      begun.set(job.name, { config, job });
      return job;
    },
    ask(page, context) {
      const of = begun.get(context.owner?.name ?? '');
      if (of !== undefined) {
        onAsk({ job: of.job.name, page, explain: (asked) => explain(asked, of, context.credentials) });
      }
      return ask(page, context);
    },
  };
}

/** A replay waits as long as the run that was recorded. */
const randomOf = ({ exchanges }: ApiClientContext) => (exchanges === undefined ? {} : { random: exchanges.random });

/** Throws ERR_CONFIG with every parameter path that does not exist in its JSON body. */
function checkBodyParams({ paginator, http: { defaultOptions: defaults } }: Config, jobs: readonly Job[]): void {
  const problems = bodyParamProblems({ jobs, paginator, defaults });
  if (problems.length > 0) throw configError(problems);
}

/** Throws ERR_CONFIG with every job that cannot have the `overlap` of its pagination. */
function checkOverlap({ paginator, jobs: configs }: Config, jobs: readonly EvaluatedJob[], client: AheadClient): void {
  const withChildJobs = withChildren<JobConfig>(configs).map(({ children }) => children.length > 0);
  const all = jobs.map((job, index) => ({ job, hasChildren: withChildJobs[index] === true }));
  const problems = overlapProblems(all, paginator, client);
  if (problems.length > 0) throw configError(problems);
}

/** Throws ERR_CONFIG with every job that cannot ask only for what has changed. */
function checkRevalidation(config: Config, jobs: readonly EvaluatedJob[], methodOf: AheadClient['methodOf']): void {
  const configs = withChildren<JobConfig>(config.jobs);
  const problems = revalidateProblems(
    jobs.map((job, index) => ({ job, config: elementAt(configs, index) })),
    config.paginator,
    methodOf,
  );
  if (problems.length > 0) throw configError(problems);
}

/** The contexts for the expressions of the API and for those of its jobs. */
function contextsOf({ attr }: Config, { time, preparedAt, secrets }: ApiClientContext) {
  const references = new Map([['attr', attrReference(attr)]]);
  const ofApi: ExpressionContext = { references, secrets, now: () => preparedAt };
  const withTime = new Map([...references, ['time', leafReference(time, 'time', () => false)]]);
  const ofJobs: ExpressionContext = { references: withTime, secrets };
  return { ofApi, ofJobs };
}

function authenticate(config: Config, context: ApiClientContext): Authenticator | undefined {
  const { preparedAt, logins, secrets, notify } = context;
  return config.authentication?.({
    attr: config.attr,
    authorization: config.authorization,
    nonce: () => randomBytes(8).toString('hex'),
    preparedAt,
    refreshTokens: logins.broker.refreshTokens,
    ...defined({ tokenStore: logins.tokenStore, sharedTokens: logins.sharedTokens }),
    secrets: loginSecrets(config, secrets),
    notify,
  });
}

/** The secret store for logins, which ignores job names: they are not secret. */
function loginSecrets({ jobs }: Config, secrets: Secrets): Secrets {
  const names = withChildren<JobConfig>(jobs).flatMap(({ name, dataType }) => [name, dataType]);
  return ignoringNames(secrets, names);
}

/** Undefined: the client does not share its login. */
function sharedLogin(
  { config, rules, authentication }: Prepared & { readonly config: Config },
  { logins: { broker, isGiven }, secrets }: ApiClientContext,
  iteration: number,
): SharedLogin | undefined {
  const sharing = authentication?.login?.sharing;
  if (sharing === undefined || !(sharing.isShared || isGiven)) return undefined;
  const place = sharing.isShared ? 'shared' : iteration;
  return {
    holder: () => broker.open(keyOfLogin(sharing, { place, config, rules })),
    secrets: loginSecrets(config, secrets),
  };
}

/** A digest of everything that the credentials of a login depend on. */
function keyOfLogin(
  { request, others }: LoginSharing,
  { place, config, rules }: { readonly place: 'shared' | number; readonly config: Config; readonly rules: ClientRules },
): string {
  const { method, url, headers, body = null } = buildLoginRequest(request, rules);
  const { tls, aws = null } = config;
  const written = [place, method, url, [...headers], body, stringifyExact(others), tls?.pem ?? null, aws];
  return digestOf(JSON.stringify(written));
}

interface Prepared {
  readonly rules: ClientRules;
  readonly authentication: Authenticator | undefined;
}

function apiContext(config: Config, context: ApiClientContext, { rules, authentication }: Prepared): ApiContext {
  const { secrets, notify, store, limiterOf } = context;
  const { codes } = config.retry;
  return {
    rules,
    secrets,
    notify,
    authentication,
    retry: config.retry,
    limiter: limiterOf(rules.baseUrl),
    sign: signerOf(config, secrets),
    ignoreErrors: config.http.ignoreErrors,
    endsByStatus: endsByStatus(config),
    rulesFailures: withChildren<JobConfig>(config.jobs).some((job) => rulesFailures(job.responseRules ?? [], codes)),
    revalidates: withChildren<JobConfig>(config.jobs).some((job) => job.revalidate === true),
    cache: store === undefined || config.cache === undefined ? undefined : { store, senderId: config.cache.senderId },
    hostRules: hostRules(config, rules, context.hosts),
    debug: config.debug,
    hasFiles: withChildren<JobConfig>(config.jobs).some(({ download }) => download !== undefined),
  };
}

/** What decides on the host of each request. */
const hostRules = (
  { allowedHosts: listed }: Config,
  { privateHosts }: ClientRules,
  hosts: readonly AllowedHost[] | undefined,
): readonly HostRule[] => [
  ...(hosts === undefined ? [] : [chosenHosts((url) => isListed(hosts, url))]),
  ...(listed.length === 0 ? [] : [listedHosts((url) => isAllowed(listed, url))]),
  namedPrivateHosts(privateHosts.allows),
];

const signerOf = ({ aws }: Config, secrets: Secrets) => (aws === undefined ? undefined : createAwsSigner(aws, secrets));

function transportOf(config: Config, { origins, privateHosts }: ClientRules, context: ApiClientContext): Transport {
  const { secrets, presence, maxBodyBytes, dispatcher, tunnel, proxyOf } = context;
  return createTransport({
    origins,
    privateHosts,
    secrets,
    ...connectionsOf(config),
    ...defined({ presence, maxBodyBytes, dispatcher, tunnel, proxyOf }),
  });
}

/** An invalid address is not trusted; it is never requested either. */
function isTrusted(endpoint: string, { baseUrl, origins }: ClientRules): boolean {
  try {
    return origins.trusts(resolveUrl(baseUrl, endpoint));
  } catch {
    return false;
  }
}

function connectionsOf({ http, tls }: Config) {
  const { connectTimeout, headersTimeout, idleTimeout, requestTimeout, acceptsEncodings } = http;
  return {
    acceptsEncodings,
    ...(tls === undefined ? {} : { tls: tls.pem }),
    ...defined({ connectTimeout, headersTimeout, idleTimeout, requestTimeout }),
  };
}
