/**
 * One API under one configuration: the rules for requests, credentials, pagination and transport. Each iteration
 * has its own.
 */
import { randomBytes } from 'node:crypto';
import type { Authenticator, LoginSharing } from '../auth/types.js';
import { type Config, type JobConfig, withChildren } from '../config/config.js';
import { collectAll, configError, mapCollecting } from '../core/errors/collect-errors.js';
import { asExtractError } from '../core/errors/errors.js';
import { type ExactObject, stringifyExact } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { addHeaderSecrets, ignoringNames } from '../core/secrets/known-secrets.js';
import { isAllowed } from '../core/url/allowed-hosts.js';
import { resolveUrl } from '../core/url/url.js';
import { digestOf } from '../core/util/digest.js';
import type { ExpressionContext } from '../language/expression/expression.js';
import { attrReference, leafReference } from '../language/expression/reference.js';
import type { Paginator } from '../pagination/types.js';
import type { CacheStore } from './cache/store.js';
import { bodyParamProblems } from './check-body-params.js';
import { checkHosts } from './check-hosts.js';
import type { LoginBroker } from './credential-broker.js';
import { type EvaluatedJob, evaluateJob } from './evaluate-job.js';
import type { PlaceholderBindings } from './instances.js';
import { createAwsSigner } from './interceptors/aws-signature.js';
import { createPageRequester, type PageRequester } from './page-requester.js';
import type { ApiContext } from './pipeline.js';
import type { RateLimiter } from './rate-limiter.js';
import { buildLoginRequest } from './request.js';
import { type ClientRules, evaluateApi, requestRules } from './request-rules.js';
import type { Presence } from './transport/presence.js';
import type { ProxyOf } from './transport/proxy.js';
import { createTransport, type Dispatcher, type Transport } from './transport/transport.js';
import type { Tunnel } from './transport/tunnel.js';
import type { SharedLogin } from './with-credentials.js';
import type { RetryPolicy } from './with-retry.js';

export interface ApiClient extends RetryPolicy, PageRequester {
  /**
   * Evaluates the expressions of a job, as it begins, and fills in its placeholders; `at` is what functions of time
   * take for now. Throws ERR_FUNCTION.
   */
  begin(job: JobConfig, instance?: PlaceholderBindings, at?: number): EvaluatedJob;
  /** Whether a request to this endpoint carries credentials. */
  trusts(endpoint: string): boolean;
  readonly paginator: Paginator;
  /** Requests cannot go side by side: a login goes before each. */
  readonly isSequential: boolean;
  /** Ends connections. */
  close(): Promise<void>;
}

/** Where the logins of a run are held. */
export interface LoginPlaces {
  readonly broker: LoginBroker;
  /** The broker is the caller's: iterations that have a login each share it with those of other extractions. */
  readonly isGiven: boolean;
}

export interface ApiClientContext {
  readonly secrets: Secrets;
  readonly notify: Notify;
  /** What `time` refers to. */
  readonly time: ExactObject;
  /** What functions of time take for now in `api` and in login requests, in epoch ms: a client made again is the same. */
  readonly preparedAt: number;
  /** Of all clients. */
  readonly logins: LoginPlaces;
  readonly dispatcher?: Dispatcher | undefined;
  readonly tunnel?: Tunnel | undefined;
  /** The one of the API, for all its iterations. */
  readonly gate: RateLimiter;
  /** Absent: connections are direct, or go through the tunnel. */
  readonly proxyOf?: ProxyOf | undefined;
  /** Of all clients; absent: a server that is missing is asked again as `retryConfig` says. */
  readonly presence?: Presence | undefined;
  /** Where answers are kept; absent: nowhere. */
  readonly store?: CacheStore | undefined;
  /** The largest body; absent: any. */
  readonly maxBodyBytes?: number | undefined;
}

/** Evaluates what is evaluated once; `iteration` counts from 0. Throws ERR_FUNCTION and ERR_CONFIG; nothing is sent. */
export function createApiClient(config: Config, needs: ApiClientContext, iteration = 0): ApiClient {
  const { secrets } = needs;
  const { ofApi, ofJobs } = contextsOf(config, needs);
  const begin = (job: JobConfig, instance?: PlaceholderBindings, at?: number): EvaluatedJob => {
    const context = at === undefined ? ofJobs : { ...ofJobs, now: () => at };
    const begun = located(job.name, () => evaluateJob(job, context, instance));
    addHeaderSecrets(begun.headers, secrets);
    return begun;
  };
  const [authentication, jobs, evaluated] = collectAll(
    () => authenticate(config, needs),
    () => mapCollecting(withChildren<JobConfig>(config.jobs), (job) => begin(job)),
    () => evaluateApi(config, ofApi),
  );
  checkBodyParams(config, jobs);
  const rules = requestRules(config, evaluated, { ...needs, jobs, authentication });
  checkHosts({ config, baseUrl: rules.baseUrl, logins: authentication?.endpoints ?? [], secrets });
  const transport = transportOf(config, rules, needs);
  const policy: RetryPolicy = { retry: config.retry, notify: needs.notify };

  return {
    ...policy,
    begin,
    trusts: (endpoint) => isTrusted(endpoint, rules),
    paginator: config.paginator,
    ...createPageRequester(
      apiContext(config, needs, { rules, authentication }),
      policy,
      transport.send,
      sharedLogin({ config, rules, authentication }, needs, iteration),
    ),
    isSequential: authentication?.login?.renewal === 'each request',
    close: transport.close,
  };
}

/** Throws ERR_CONFIG with every path into a JSON body that leads nowhere. */
function checkBodyParams({ paginator, http: { defaultOptions: defaults } }: Config, jobs: readonly Job[]): void {
  const problems = bodyParamProblems({ jobs, paginator, defaults });
  if (problems.length > 0) throw configError(problems);
}

/** What expressions of the API refer to, and those of its jobs. */
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
    secrets: loginSecrets(config, secrets),
    notify,
  });
}

/** The store as logins fill it: names of jobs are no secrets. */
function loginSecrets({ jobs }: Config, secrets: Secrets): Secrets {
  const names = withChildren<JobConfig>(jobs).flatMap(({ name, dataType }) => [name, dataType]);
  return ignoringNames(secrets, names);
}

/** Undefined: the client logs in for itself alone. */
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

/** A digest of all that the credentials of a login depend on. */
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

function apiContext(config: Config, needs: ApiClientContext, { rules, authentication }: Prepared): ApiContext {
  const { secrets, notify, store, gate } = needs;
  return {
    ...{ rules, secrets, notify, authentication },
    retry: config.retry,
    limiter: gate,
    sign: config.aws === undefined ? undefined : createAwsSigner(config.aws, secrets),
    ignoreErrors: config.http.ignoreErrors,
    cache: store === undefined || config.cache === undefined ? undefined : { store, senderId: config.cache.senderId },
    allows: config.allowedHosts.length === 0 ? undefined : (url) => isAllowed(config.allowedHosts, url),
    debug: config.debug,
  };
}

function transportOf(config: Config, { origins }: ClientRules, needs: ApiClientContext): Transport {
  const { secrets, presence, maxBodyBytes, dispatcher, tunnel, proxyOf } = needs;
  return createTransport({
    ...{ origins, secrets },
    ...connectionsOf(config),
    ...(presence === undefined ? {} : { presence }),
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(tunnel === undefined ? {} : { tunnel }),
    ...(proxyOf === undefined ? {} : { proxyOf }),
  });
}

/** What is no address is requested as little as it is trusted. */
function isTrusted(endpoint: string, { baseUrl, origins }: ClientRules): boolean {
  try {
    return origins.trusts(resolveUrl(baseUrl, endpoint));
  } catch {
    return false;
  }
}

/** Adds the job to an error. */
function located<T>(job: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw asExtractError(thrown).at({ job });
  }
}

function connectionsOf({ http: { connectTimeout, headersTimeout, idleTimeout, requestTimeout }, tls }: Config) {
  return {
    ...(tls === undefined ? {} : { tls: tls.pem }),
    ...(connectTimeout === undefined ? {} : { connectTimeout }),
    ...(headersTimeout === undefined ? {} : { headersTimeout }),
    ...(idleTimeout === undefined ? {} : { idleTimeout }),
    ...(requestTimeout === undefined ? {} : { requestTimeout }),
  };
}
