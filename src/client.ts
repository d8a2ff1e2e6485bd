/** One API under one configuration: the rules for requests, the credential stream and the door to the network. Each iteration has its own. */
import { randomBytes } from 'node:crypto';
import { isAllowed } from './allowed-hosts.js';
import type { RefreshTokens } from './auth/refresh-tokens.js';
import { createAwsSigner } from './aws-signature.js';
import { askAlways, createAnswers } from './cache/cache.js';
import type { Store } from './cache/store.js';
import { checkHosts } from './check-hosts.js';
import type { Instance } from './children/instances.js';
import { withChildren } from './config/children.js';
import type { Config, JobConfig } from './config/config.js';
import { configError } from './config/parse-config.js';
import type { TableSettings } from './config/table-settings.js';
import { createDoor, type Door, type Policy } from './door.js';
import { asExtractError } from './errors.js';
import type { ExactObject } from './exact.js';
import { type ExpressionContext, evaluate, evaluateMap, headersFrom } from './expression/expression.js';
import { attrReference, leafReference } from './expression/reference.js';
import { allOf, mapAll } from './faults.js';
import { overlayHeaders } from './headers.js';
import { evaluateJob } from './job.js';
import { learnHeaders, learnUserInformation, sparingNames } from './known-secrets.js';
import { createOrigins } from './origins.js';
import type { Gate } from './send/gate.js';
import type { Tunnel } from './send/tunnel.js';
import { createSend, type Dispatcher } from './send.js';
import type { TryPolicy } from './try-again.js';
import type { Authentication, Job, Notify, Scroller, Secrets } from './types.js';
import { isHttpUrl, resolveUrl } from './url.js';
import { version } from './version.js';

export interface Client extends TryPolicy, Door {
  /** In listed order. */
  readonly jobs: readonly JobConfig[];
  readonly tables: TableSettings;
  /** Evaluates the expressions of a job, as it begins, and fills in its placeholders; `at` is what functions of time take for now. Throws ERR_FUNCTION. */
  begin(job: JobConfig, instance?: Instance, at?: number): Job;
  /** Whether a request to this endpoint carries credentials. */
  trusts(endpoint: string): boolean;
  readonly scroller: Scroller;
  /** Requests cannot go side by side: a login goes before each. */
  readonly isSequential: boolean;
  /** Ends connections. */
  close(): Promise<void>;
}

export interface ClientNeeds {
  readonly secrets: Secrets;
  readonly notify: Notify;
  /** What `time` refers to. */
  readonly time: ExactObject;
  /** Of all clients. */
  readonly refreshTokens: RefreshTokens;
  readonly dispatcher?: Dispatcher | undefined;
  readonly tunnel?: Tunnel | undefined;
  /** The one of the API, for all its iterations. */
  readonly gate: Gate;
  /** Where answers are kept; absent: nowhere. */
  readonly store?: Store | undefined;
  /** The largest body; absent: any. */
  readonly maxBodyBytes?: number | undefined;
}

/** Evaluates what is evaluated once. Throws ERR_FUNCTION and ERR_CONFIG; nothing is sent. */
export function createClient(config: Config, needs: ClientNeeds): Client {
  const { secrets, notify, time, refreshTokens, dispatcher, tunnel, gate, store, maxBodyBytes } = needs;
  const attr = attrReference(config.attr);
  const ofApi: ExpressionContext = { references: new Map([['attr', attr]]), secrets };
  const ofJobs: ExpressionContext = {
    references: new Map([...ofApi.references, ['time', leafReference(time, 'time', () => false)]]),
    secrets,
  };
  const authenticate = () =>
    config.authentication?.({
      attr: config.attr,
      authorization: config.authorization,
      nonce: () => randomBytes(8).toString('hex'),
      refreshTokens,
      secrets: sparingNames(
        secrets,
        withChildren<JobConfig>(config.jobs).flatMap(({ name, dataType }) => [name, dataType]),
      ),
      notify,
    });
  const begin = (job: JobConfig, instance?: Instance, at?: number): Job => {
    const context = at === undefined ? ofJobs : { ...ofJobs, now: () => at };
    const begun = located(job.name, () => evaluateJob(job, context, instance));
    learnHeaders(begun.headers, secrets);
    return begun;
  };
  const [authentication, jobs, evaluated] = allOf(
    authenticate,
    () => mapAll(withChildren<JobConfig>(config.jobs), (job) => begin(job)),
    () => evaluateApi(config, ofApi),
  );
  const rules = requestRules(config, evaluated, { secrets, notify, jobs, authentication });
  const { allowedHosts } = config;
  checkHosts({ config, baseUrl: rules.baseUrl, logins: authentication?.endpoints ?? [], secrets });
  const send = createSend({
    origins: rules.origins,
    allows: (url) => isAllowed(allowedHosts, url),
    secrets,
    userAgent: rules.userAgent,
    gate,
    ...connectionsOf(config),
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    ...(dispatcher === undefined ? {} : { dispatcher }),
    ...(tunnel === undefined ? {} : { tunnel }),
  });
  const policy: Policy = { retry: config.retry, ignoreErrors: config.http.ignoreErrors, notify };
  const sign = config.aws === undefined ? undefined : createAwsSigner(config.aws, secrets);
  const { trusts } = rules.origins;
  const answers =
    store === undefined || config.cache === undefined
      ? askAlways
      : createAnswers({ store, asker: config.cache.asker, trusts, passing: config.retry.codes });
  const door = createDoor({ debug: config.debug, policy, rules, send, secrets, authentication, sign, answers });

  return {
    ...policy,
    jobs: config.jobs,
    tables: config.tables,
    begin,
    trusts: (endpoint) => isTrusted(endpoint, rules),
    scroller: config.scroller,
    ...door,
    isSequential: authentication?.login?.renewal === 'each request',
    close: send.close,
  };
}

/** What is no address is requested as little as it is trusted. */
function isTrusted(endpoint: string, { baseUrl, origins }: ReturnType<typeof requestRules>): boolean {
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

interface RuleNeeds {
  readonly secrets: Secrets;
  readonly notify: Notify;
  readonly jobs: readonly Job[];
  readonly authentication: Authentication | undefined;
}

/** An expression may give anything. Throws ERR_CONFIG, ERR_FUNCTION. */
function baseUrlOf({ baseUrl, apiPath }: Config, attr: ExpressionContext): string {
  const { value } = evaluate(baseUrl, attr);
  if (typeof value === 'string' && isHttpUrl(value)) return value;
  const message = 'the expression gives no http or https URL with a host';
  throw configError([{ path: `${apiPath}.baseUrl`, message }]);
}

/** What the `api` section comes to. Throws ERR_CONFIG, ERR_FUNCTION, with every fault. */
function evaluateApi(config: Config, attr: ExpressionContext) {
  const { headers, defaultOptions } = config.http;
  const evaluated = (map: ExactObject, place: string) => headersFrom(evaluateMap(map, attr, place), place);
  const [baseUrl, ofApi, ofConfig, defaultHeaders] = allOf(
    () => baseUrlOf(config, attr),
    () => evaluated(headers, 'api.http.headers'),
    () => evaluated(config.configHeaders, 'config.http.headers'),
    () => headersFrom(defaultOptions.headers, 'api.http.defaultOptions.headers'),
  );
  return { baseUrl, clientHeaders: overlayHeaders(ofApi, ofConfig), defaultHeaders };
}

function requestRules(config: Config, evaluated: ReturnType<typeof evaluateApi>, needs: RuleNeeds) {
  const { secrets, notify, jobs, authentication } = needs;
  const { baseUrl, clientHeaders, defaultHeaders } = evaluated;
  const { defaultOptions, credentialOrigins } = config.http;
  for (const headers of [clientHeaders, defaultHeaders]) learnHeaders(headers, secrets);
  const endpoints = [...jobs, ...(config.scroller.endpoints ?? []).map((endpoint) => ({ endpoint }))];
  const named = [...endpoints.map(({ endpoint }) => endpoint), ...(authentication?.endpoints ?? [])];
  for (const address of [baseUrl, ...named]) learnUserInformation(address, secrets);
  return {
    baseUrl,
    defaultOptions: { ...defaultOptions, headers: defaultHeaders },
    clientHeaders,
    userAgent: `rxtract/${version}`,
    origins: createOrigins({ baseUrl, endpoints: named, credentialOrigins }, notify),
    secrets,
  };
}
