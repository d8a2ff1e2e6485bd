/**
 * What all jobs of a run share: secrets, notices, the sink and its turns. It checks all iterations at once; each gets a
 * client when it begins.
 */

import { asyncScheduler } from 'rxjs';
import { inTurn, type Turn } from '../../operators/in-turn.js';
import type { Sink } from '../../sinks/contract.js';
import { sinksOf } from '../../sinks/decorators/fan-out.js';
import { type Journal, noJournal } from '../checkpoint/run-journal.js';
import { createTokenStores } from '../checkpoint/store/token-store.js';
import { type Config, type JobConfig, withChildren } from '../config/config.js';
import type { TableSettings } from '../config/table-settings.js';
import { mapCollecting } from '../core/errors/collect-errors.js';
import { ExtractError } from '../core/errors/errors.js';
import { createNotices } from '../core/errors/notices.js';
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { Notice, Notify } from '../core/model/notice.js';
import type { OnOutlook } from '../core/model/outlook.js';
import type { Secrets } from '../core/model/secrets.js';
import { hasMethods } from '../core/options/kinds.js';
import { addSecretKeys } from '../core/secrets/known-secrets.js';
import { type AllowedHost, readHostName } from '../core/url/allowed-hosts.js';
import { originOf } from '../core/url/url.js';
import { optionError, usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import { elementAt } from '../core/util/element-at.js';
import { mostValueBytes } from '../core/util/limits.js';
import { createRunId } from '../core/util/run-id.js';
import { type ApiClient, type ApiClientContext, createApiClient } from '../http/api-client.js';
import { type CacheStore, createStore } from '../http/cache/store.js';
import { type CredentialBroker, createLoginBroker, loginBrokerOf } from '../http/credential-broker.js';
import { type EngineExchanges, engineExchanges } from '../http/exchanges.js';
import { HeldBytes } from '../http/held-bytes.js';
import { joinObservers, type RunObserver } from '../http/observer.js';
import { createRateLimiter, type MakeRateLimiter, type RateLimiter } from '../http/rate-limiter.js';
import { checkTunnel } from '../http/transport/check-tunnel.js';
import { createPresence } from '../http/transport/presence.js';
import type { ProxyChoice } from '../http/transport/proxy.js';
import type { Dispatcher } from '../http/transport/transport.js';
import { createTunnel, type Tunnel } from '../http/transport/tunnel.js';
import { warnOfVerification } from '../http/transport/verification.js';
import { listeningTogether, type OnActivity } from '../page/progress.js';
import { createSlabMemory, type SlabMemory } from '../page/slab-memory.js';
import type { Prefetch } from '../pagination/types.js';
import { type ClientLease, createClientPool } from './client-pool.js';
import { createDrain, type Drain } from './drain.js';
import type { IncrementalRun } from './incremental-run.js';
import { ItemSample } from './item-sample.js';
import type { CompleteOptions } from './options.js';
import { createSelects, type Selects } from './output/selects.js';
import { createProofLog, type ProofLog } from './proof-log.js';
import type { RememberedShapes } from './remembered-shapes.js';
import type { Revalidation } from './revalidation.js';
import type { ChangedPageRule } from './walk/commit-page.js';
import type { FailedWalks } from './walk/failed-walk.js';

/** Sizes in bytes. */
export interface SizeLimits {
  readonly batchBytes: number;
  readonly maxItemBytes: number;
  readonly maxCaptureBytes: number;
  /** Of a body, and of a file; undefined: no limit. */
  readonly maxBodyBytes: number | undefined;
}

/** One checked iteration. */
export interface Iteration {
  /** In the order of the configuration. */
  readonly jobs: readonly JobConfig[];
  readonly tables: TableSettings;
  /** The base URL of its API. */
  readonly address: string;
  /** Leases its client, and makes it unless the pool keeps it. */
  lease(): ClientLease<ApiClient>;
}

/** What is made of a configuration and its options, without sinks: the tasks of a shared run have it together. */
export interface SharedEngine {
  /** In order: they run one after the other. */
  readonly iterations: readonly Iteration[];
  /** The jobs of all iterations, in the order of the configuration. */
  readonly jobs: readonly JobConfig[];
  readonly secrets: Secrets;
  readonly notify: Notify;
  /** At least one iteration logs in before each request: its requests cannot run in parallel. */
  readonly isSequential: boolean;
  /** At least one iteration has a login that several processes can share. */
  readonly sharesLogin: boolean;
  readonly limits: SizeLimits;
  readonly onActivity: OnActivity | undefined;
  readonly onOutlook: OnOutlook | undefined;
  /** Follows the run; undefined: nothing does. */
  readonly observer: RunObserver | undefined;
  /** Observes a sample of the items; undefined: nothing wants to know their shape. */
  readonly sample: ItemSample | undefined;
  /** Memory of slabs, for sinks that may borrow it. */
  readonly slabs: SlabMemory;
  /** The run works on a data folder. */
  readonly isDataFolder: boolean;
  /** Checks what only loading can show, without a request. Rejects with ERR_CONFIG. */
  check(): Promise<void>;
  /** Settles when tokens that were received are stored. */
  settled(): Promise<void>;
  /** Closes connections. */
  release(): Promise<void>;
}

export interface RunContext extends Omit<SharedEngine, 'settled'> {
  /** The name of the run. */
  readonly runId: string;
  readonly sink: Sink;
  /** The sinks that `sink` consists of. */
  readonly sinks: readonly Sink[];
  /** Which members of items sinks get. */
  readonly selects: Selects;
  readonly inFlight: Drain;
  /** Called with what follows each page; undefined: nothing watches. */
  readonly onStep: EngineExchanges['onStep'];
  /** How many pages are requested ahead; undefined: as the configuration says. */
  readonly prefetch: Prefetch | undefined;
  /** Responses that wait for their page. */
  readonly held: HeldBytes;
  /** Waits for the turn of a data type; the result releases it. Returns a promise only if something waits. */
  acquire(dataType: string, signal: AbortSignal): (() => void) | Promise<() => void>;
  /** Walks of a single page are fingerprinted too: a sink may hold that page. */
  readonly comparesAll: boolean;
  readonly onChangedPage: ChangedPageRule;
  /** Numbers of sinks that may get items twice although they promise more. */
  readonly weakened: Set<number>;
  /** Records pages. */
  readonly journal: Journal;
  /** What jobs remember from run to run; undefined: nothing. */
  readonly increments: IncrementalRun | undefined;
  /** Asks only for pages that have changed; undefined: the run keeps no state, or no job does so. */
  readonly revalidation: Revalidation | undefined;
  /** What items were in earlier runs; undefined: nothing is compared. */
  readonly shapes: RememberedShapes | undefined;
  /** The proofs of its pages; undefined: the run is not certified. */
  readonly proofs: ProofLog | undefined;
  /** The walks of an earlier run that this one takes again; undefined: it takes all. */
  readonly failedWalks: FailedWalks | undefined;
}

export interface RunContextOptions extends CompleteOptions {
  readonly to: Sink;
  /** Absent: a new name. */
  readonly runId?: string | undefined;
}

interface EngineOptions extends CompleteOptions {
  /** What `time` refers to. */
  readonly time: ExactObject;
  /** Has the values of variables, which are secrets everywhere. */
  readonly secrets: Secrets;
  /** Absent: connections are direct. */
  readonly proxies: ProxyChoice | undefined;
}

/**
 * Evaluates what is evaluated once a run, and sends nothing. `document` is the configuration as written: all its
 * secrets are masked from here on. Throws ERR_FUNCTION, ERR_CONFIG and ERR_USAGE.
 */
export function createRunEngine(configs: readonly Config[], document: Exact, options: EngineOptions): SharedEngine {
  const { secrets } = options;
  addSecretKeys(document, secrets);
  const notify = createNotices({
    notify: options.notify ?? (() => {}),
    secrets,
    strict: options.strict,
    allow: options.allow ?? [],
  });
  const { time, dispatcher, maxBodyBytes, prefetch, proxies: { proxyOf } = {} } = options;
  const hosts = checkWayOut(options, configs, notify);
  const tunnel = tunnelOf(configs, notify);
  const limiterOf = rateLimiterOf(configs, options.rateLimiter, notify);
  const exchanges = exchangesOf(options);
  const store = exchanges === undefined ? storeOf(configs, options.cacheFolder, notify) : undefined;
  const tokenStores = createTokenStores({ env: options.env, hide: (secret) => secrets.add(secret) });
  const { broker, isGiven } = loginsOf(options.credentials);
  const stored = { tokenStore: tokenStores.open, ...defined({ sharedTokens: broker.tokens }) };
  const logins = { broker, isGiven, ...(exchanges?.isReplay === true ? {} : stored) };
  const presence = options.dataFolder ? undefined : createPresence();
  const connecting = { dispatcher, tunnel, proxyOf, limiterOf, presence, maxBodyBytes, prefetch, hosts };
  const preparedAt = asyncScheduler.now();
  const observers = observersOf(options);
  const shared = { secrets, notify, time, preparedAt, logins, store, exchanges, ...observers, ...connecting };
  const { iterations, close, ...logging } = iterationsOf(configs, shared);

  return {
    iterations,
    jobs: iterations.flatMap((each) => each.jobs),
    secrets,
    notify,
    ...logging,
    limits: limitsOf(options),
    ...observers,
    onOutlook: options.onOutlook,
    slabs: createSlabMemory(),
    isDataFolder: options.dataFolder,
    check: () => checkTunnel(tunnel, notify),
    settled: tokenStores.idle,
    async release() {
      await tokenStores.idle();
      await close();
      tunnel?.close();
    },
  };
}

/** What one run adds to its engine. Throws ERR_USAGE. */
export function createRunContext(engine: SharedEngine, options: RunContextOptions): RunContext {
  return {
    ...engine,
    ...outputOf(options),
    selects: createSelects(options.select, withChildren<JobConfig>(engine.jobs)),
    inFlight: createDrain(),
    acquire: turnsOfDataTypes(),
    proofs: options.certify === true ? createProofLog() : undefined,
  };
}

/** Throws ERR_USAGE. */
function readHosts(hosts: readonly string[] | undefined): readonly AllowedHost[] | undefined {
  return hosts?.map((text) => {
    const host = readHostName(text);
    if (host !== undefined) return host;
    throw optionError('hosts', `expected a host such as "api.example.com", found "${text}"`);
  });
}

/** What follows the run, and what is called with what its jobs wait for. */
function observersOf({
  observe = [],
  onActivity,
  secrets,
}: EngineOptions): Pick<RunContext, 'observer' | 'onActivity' | 'sample'> {
  const observer = joinObservers([observe].flat().map((each) => each.observer(secrets.mask)));
  return {
    observer,
    onActivity: listeningTogether([onActivity, observer?.onActivity]),
    sample: observer?.samplesItems === true ? new ItemSample() : undefined,
  };
}

/** The turns of all data types: there are as many as the jobs name. */
export function turnsOfDataTypes(): RunContext['acquire'] {
  const turns = new Map<string, Turn>();
  return (dataType, signal) => {
    const turn = turns.get(dataType) ?? inTurn();
    turns.set(dataType, turn);
    return (signal.aborted ? undefined : turn.take()) ?? turn.acquire(signal);
  };
}

/** A recording needs every response, so there is no cache beside it. */
const exchangesOf = ({ exchanges }: EngineOptions): EngineExchanges | undefined =>
  exchanges === undefined ? undefined : engineExchanges(exchanges);

const limitsOf = ({ maxItemBytes, maxBodyBytes }: EngineOptions): SizeLimits => ({
  batchBytes: 1024 * 1024,
  maxItemBytes,
  maxCaptureBytes: mostValueBytes,
  maxBodyBytes,
});

/** The sinks of the run, the defaults of a run without a state, and what is requested ahead. */
const outputOf = ({ to, runId = createRunId(), onChangedPage, prefetch, exchanges }: RunContextOptions) => ({
  runId,
  sink: to,
  sinks: sinksOf(to),
  journal: noJournal,
  increments: undefined,
  revalidation: undefined,
  shapes: undefined,
  failedWalks: undefined,
  comparesAll: false,
  onChangedPage,
  weakened: new Set<number>(),
  onStep: exchanges === undefined ? undefined : engineExchanges(exchanges).onStep,
  prefetch,
  held: new HeldBytes(),
});

/**
 * Checks every iteration by making its client. The pool keeps the first ones; the others are made again when they
 * begin, without a second report. Throws ERR_FUNCTION and ERR_CONFIG with the problems of all iterations.
 */
function iterationsOf(configs: readonly Config[], context: ApiClientContext) {
  const pool = createClientPool((index) => remake(configs[index], context, index));
  const checked = mapCollecting(configs.entries(), ([index, config]) => {
    const client = createApiClient(config, context, index);
    pool.offer(index, client);
    return { isSequential: client.isSequential, sharesLogin: client.sharesLogin, address: client.baseUrl };
  });
  const iterations = configs.map(({ jobs, tables }, index): Iteration => {
    const { address } = elementAt(checked, index);
    return { jobs, tables, address, lease: () => pool.lease(index) };
  });
  return {
    iterations,
    isSequential: checked.some(({ isSequential }) => isSequential),
    sharesLogin: checked.some(({ sharesLogin }) => sharesLogin),
    close: pool.close,
  };
}

function remake(config: Config | undefined, context: ApiClientContext, index: number): ApiClient {
  if (config === undefined) throw new ExtractError('ERR_INTERNAL', 'there is no such iteration');
  let isReady = false;
  const notify: Notify = (notice) => {
    if (isReady) context.notify(notice);
  };
  const client = createApiClient(config, { ...context, notify }, index);
  isReady = true;
  return client;
}

/**
 * Throws ERR_USAGE for two ways out. Reports an environment without a proxy, and one that asks in vain to skip the
 * verification of certificates.
 */
function checkWayOut(
  { dispatcher, proxies, hosts }: EngineOptions,
  configs: readonly Config[],
  notify: Notify,
): readonly AllowedHost[] | undefined {
  if (hosts !== undefined && configs.some(({ sshProxy }) => sshProxy !== undefined))
    throw optionError('hosts', 'cannot be used with `sshProxy` of the configuration, which leads to another host');
  refuseBeside(dispatcher, configs);
  refuseBesideProxy(proxies, dispatcher, configs);
  if (proxies?.isUsed === false) notify(noProxy);
  if (dispatcher === undefined) warnOfVerification(process.env, notify);
  return readHosts(hosts);
}

/** A dispatcher of the caller opens its own connections, with its own certificates and without the tunnel. */
function refuseBeside(dispatcher: Dispatcher | undefined, configs: readonly Config[]): void {
  const [first] = configs.flatMap(({ sshProxy, tls }) => [sshProxy, tls]).filter((each) => each !== undefined);
  if (dispatcher === undefined || first === undefined) return;
  throw new ExtractError('ERR_USAGE', `dispatcher: cannot be used with ${first.path} of the configuration`);
}

/** Proxy, dispatcher and tunnel exclude each other. */
function refuseBesideProxy(
  proxies: ProxyChoice | undefined,
  dispatcher: Dispatcher | undefined,
  configs: readonly Config[],
): void {
  if (proxies === undefined) return;
  if (dispatcher !== undefined) throw new ExtractError('ERR_USAGE', 'proxy: cannot be used with dispatcher');
  const tunnel = configs.find(({ sshProxy }) => sshProxy !== undefined)?.sshProxy;
  if (tunnel === undefined || !proxies.isUsed) return;
  const message = `proxy: cannot be used with ${tunnel.path} of the configuration, which sends all requests through an SSH server`;
  throw new ExtractError('ERR_USAGE', message);
}

const noProxy: Notice = {
  level: 'info',
  code: 'no-proxy',
  message: 'the environment names no proxy (HTTP_PROXY, HTTPS_PROXY): requests are sent directly',
};

/** One rate limiter for all iterations. It is made with the first client. */
function rateLimiterOf(
  [config]: readonly Config[],
  given: RateLimiter | MakeRateLimiter = createRateLimiter,
  notify: Notify,
): ApiClientContext['limiterOf'] {
  const { rateLimit: rates = [], heedsRateLimit = false } = config?.http ?? {};
  if (typeof given === 'object') {
    if (rates.length > 0) notify(otherLimiter);
    return () => given;
  }
  const { maxDelay = 0, retryHeader } = config?.retry ?? {};
  let made: RateLimiter | undefined;
  return (baseUrl) => {
    made ??= checkedLimiter(
      given({ key: originOf(baseUrl), rates, longestHold: heedsRateLimit ? maxDelay : 0, retryHeader, notify }),
    );
    return made;
  };
}

function checkedLimiter(made: RateLimiter): RateLimiter {
  if (hasMethods(made, ['pass', 'around'])) return made;
  throw usageError('rateLimiter: expected a function that returns an object with the methods `pass` and `around`');
}

const otherLimiter: Notice = {
  level: 'info',
  code: 'rate-limiter-given',
  message: '`api.http.rateLimit` has no effect: the option `rateLimiter` replaces it',
};

/** One credential broker for all iterations. */
const loginsOf = (given: CredentialBroker | undefined) =>
  given === undefined
    ? { broker: createLoginBroker(), isGiven: false }
    : { broker: loginBrokerOf(given), isGiven: true };

/** One tunnel for all iterations. */
function tunnelOf(configs: readonly Config[], notify: Notify): Tunnel | undefined {
  const sshProxy = configs.find((each) => each.sshProxy !== undefined)?.sshProxy;
  return sshProxy === undefined ? undefined : createTunnel(sshProxy, { notify });
}

/** One cache for all iterations. The configuration enables it; the caller names its folder. */
function storeOf(configs: readonly Config[], folder: string | undefined, notify: Notify): CacheStore | undefined {
  const cache = configs.find((each) => each.cache !== undefined)?.cache;
  if (cache === undefined) return undefined;
  if (folder !== undefined) return createStore({ folder, ttlSeconds: cache.ttlSeconds, notify });
  const message = '`cache` has no effect: there is no folder for it (`--cache-dir`, in code `cacheFolder`)';
  notify({ level: 'warning', code: 'cache-not-used', message });
  return undefined;
}
