/**
 * What all jobs of a run share: what is secret, the sink and its turns, what is said; and the iterations, all checked,
 * each with a client from the moment it begins.
 */
import { asyncScheduler } from 'rxjs';
import { inTurn, type Turn } from '../../operators/in-turn.js';
import type { Sink } from '../../sinks/contract.js';
import { sinksOf } from '../../sinks/fan-out.js';
import { type Journal, noJournal } from '../checkpoint/run-journal.js';
import type { Config, JobConfig } from '../config/config.js';
import type { TableSettings } from '../config/table-settings.js';
import { mapCollecting } from '../core/errors/collect-errors.js';
import { ExtractError } from '../core/errors/errors.js';
import { createNotices } from '../core/errors/notices.js';
import type { Exact, ExactObject } from '../core/json/exact.js';
import type { Notice, Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { addSecretKeys } from '../core/secrets/known-secrets.js';
import { createSecrets } from '../core/secrets/secrets.js';
import { mostValueBytes } from '../core/util/limits.js';
import { createRunId } from '../core/util/run-id.js';
import { type ApiClient, type ApiClientContext, createApiClient } from '../http/api-client.js';
import { type CacheStore, createStore } from '../http/cache/store.js';
import { type CredentialBroker, createLoginBroker, loginBrokerOf } from '../http/credential-broker.js';
import { createRateLimiter, type RateLimiter } from '../http/rate-limiter.js';
import { checkTunnel } from '../http/transport/check-tunnel.js';
import { createPresence } from '../http/transport/presence.js';
import type { ProxyChoice } from '../http/transport/proxy.js';
import type { Dispatcher } from '../http/transport/transport.js';
import { createTunnel, type Tunnel } from '../http/transport/tunnel.js';
import { warnOfVerification } from '../http/transport/verification.js';
import type { OnActivity } from '../page/progress.js';
import { type ClientLease, createClientPool } from './client-pool.js';
import type { ChangedPageRule } from './commit-page.js';
import { createDrain, type Drain } from './drain.js';

/** Sizes in bytes. */
export interface SizeLimits {
  readonly batchBytes: number;
  readonly maxItemBytes: number;
  readonly maxCaptureBytes: number;
}

/** One iteration, checked. */
export interface Iteration {
  /** In listed order. */
  readonly jobs: readonly JobConfig[];
  readonly tables: TableSettings;
  /** Its client, which is made now unless it is kept. */
  lease(): ClientLease<ApiClient>;
}

export interface RunContext {
  /** In order: they run one after the other. */
  readonly iterations: readonly Iteration[];
  /** Of all iterations, in listed order. */
  readonly jobs: readonly JobConfig[];
  readonly secrets: Secrets;
  readonly notify: Notify;
  /** Requests of one iteration at least cannot go side by side: a login goes before each. */
  readonly isSequential: boolean;
  /** The name of the run. */
  readonly runId: string;
  readonly sink: Sink;
  /** Those that it is made of. */
  readonly sinks: readonly Sink[];
  readonly limits: SizeLimits;
  readonly inFlight: Drain;
  /** Waits for the turn of a data type; call what it returns to pass the turn on. */
  acquire(dataType: string, signal: AbortSignal): Promise<() => void>;
  readonly onActivity: OnActivity | undefined;
  /** The run is that of a data folder. */
  readonly isDataFolder: boolean;
  /** Pages alone are fingerprinted too: a sink may hold them. */
  readonly comparesAll: boolean;
  readonly onChangedPage: ChangedPageRule;
  /** Sinks, by number, of which items may arrive twice though they promise more. */
  readonly weakened: Set<number>;
  /** Where pages are written down. */
  readonly journal: Journal;
  /** Looks at what only loading can tell, without a request. Rejects with ERR_CONFIG. */
  check(): Promise<void>;
  /** Ends connections. */
  release(): Promise<void>;
}

export interface RunContextOptions {
  readonly to: Sink;
  /** Absent: a new one is made. */
  readonly runId?: string | undefined;
  /** What `time` refers to. */
  readonly time: ExactObject;
  /** Values of the configuration that are secrets wherever they stand. */
  readonly hidden?: readonly string[];
  readonly notify?: Notify;
  readonly strict?: boolean;
  readonly allow?: readonly string[];
  readonly maxItemBytes?: number;
  readonly maxBodyBytes?: number;
  readonly dispatcher?: Dispatcher;
  readonly cacheFolder?: string;
  readonly onActivity?: OnActivity;
  readonly rateLimiter?: RateLimiter;
  readonly credentials?: CredentialBroker;
  readonly dataFolder?: boolean;
  readonly onChangedPage?: ChangedPageRule;
  /** Absent: connections are direct. */
  readonly proxies?: ProxyChoice | undefined;
}

/**
 * Evaluates what is evaluated once a run. `document` is the configuration as written: all its secrets are masked from
 * here on. Throws ERR_FUNCTION and ERR_CONFIG; nothing is sent.
 */
export function createRunContext(configs: readonly Config[], document: Exact, options: RunContextOptions): RunContext {
  const secrets = createSecrets();
  addSecretKeys(document, secrets);
  for (const value of options.hidden ?? []) secrets.add(value);
  const notify = createNotices({
    notify: options.notify ?? (() => {}),
    secrets,
    strict: options.strict ?? false,
    allow: options.allow ?? [],
  });
  const { time, dispatcher, maxBodyBytes, proxies: { proxyOf } = {} } = options;
  checkWayOut(options, configs, notify);
  const tunnel = tunnelOf(configs, notify);
  const gate = gateOf(configs, options.rateLimiter, notify);
  const store = storeOf(configs, options.cacheFolder, notify);
  const logins = loginsOf(options.credentials);
  const presence = options.dataFolder === true ? undefined : createPresence();
  const connecting = { dispatcher, tunnel, proxyOf, gate, presence, maxBodyBytes };
  const preparedAt = asyncScheduler.now();
  const shared = { secrets, notify, time, preparedAt, logins, store, ...connecting };
  const { iterations, isSequential, close } = iterationsOf(configs, shared);

  return {
    iterations,
    jobs: iterations.flatMap(({ jobs }) => jobs),
    secrets,
    notify,
    isSequential,
    ...outputOf(options),
    limits: {
      batchBytes: 1024 * 1024,
      maxItemBytes: options.maxItemBytes ?? 64 * 1024 * 1024,
      maxCaptureBytes: mostValueBytes,
    },
    inFlight: createDrain(),
    acquire: createTurns(),
    onActivity: options.onActivity,
    isDataFolder: options.dataFolder ?? false,
    check: () => checkTunnel(tunnel, notify),
    async release() {
      await close();
      tunnel?.close();
    },
  };
}

/** The turns of all data types: few, so that none is forgotten. */
function createTurns(): RunContext['acquire'] {
  const turns = new Map<string, Turn>();
  return (dataType, signal) => {
    const turn = turns.get(dataType) ?? inTurn();
    turns.set(dataType, turn);
    return turn.acquire(signal);
  };
}

/** What the sinks of the run are, and what is kept of them. */
const outputOf = ({ to, runId = createRunId(), onChangedPage = 'fail' }: RunContextOptions) => ({
  ...{ runId, sink: to, sinks: sinksOf(to), journal: noJournal, comparesAll: false, onChangedPage },
  weakened: new Set<number>(),
});

/**
 * Checks every iteration by making its client, and keeps the first of them; the others are made again as they begin,
 * and report nothing twice. Throws ERR_FUNCTION and ERR_CONFIG with the faults of all.
 */
function iterationsOf(configs: readonly Config[], context: ApiClientContext) {
  const pool = createClientPool((index) => remake(configs[index], context, index));
  const checked = mapCollecting(configs.entries(), ([index, config]) => {
    const client = createApiClient(config, context, index);
    pool.offer(index, client);
    return client.isSequential;
  });
  const iterations = configs.map(
    ({ jobs, tables }, index): Iteration => ({ jobs, tables, lease: () => pool.lease(index) }),
  );
  return { iterations, isSequential: checked.includes(true), close: pool.close };
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

/** Refuses two ways out beside one another, and says what of the one there is may surprise. Throws ERR_USAGE. */
function checkWayOut({ dispatcher, proxies }: RunContextOptions, configs: readonly Config[], notify: Notify): void {
  refuseBeside(dispatcher, configs);
  refuseBesideProxy(proxies, dispatcher, configs);
  if (proxies?.isUsed === false) notify(noProxy);
  if (dispatcher === undefined) warnOfVerification(process.env, notify);
}

/** A dispatcher of the caller's opens connections of its own, past any tunnel and with certificates of its own. */
function refuseBeside(dispatcher: Dispatcher | undefined, configs: readonly Config[]): void {
  const [first] = configs.flatMap(({ sshProxy, tls }) => [sshProxy, tls]).filter((each) => each !== undefined);
  if (dispatcher === undefined || first === undefined) return;
  throw new ExtractError('ERR_USAGE', `dispatcher: cannot be used with ${first.path} of the configuration`);
}

/** Each of the three is a way out of its own. */
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

/** One for all iterations. */
function gateOf([config]: readonly Config[], given: RateLimiter | undefined, notify: Notify): RateLimiter {
  const { rateLimit = [], heedsRateLimit = false } = config?.http ?? {};
  if (given !== undefined && rateLimit.length > 0) notify(otherLimiter);
  if (given !== undefined) return given;
  return createRateLimiter({ rates: rateLimit, longestHold: heedsRateLimit ? config?.retry.maxDelay : 0, notify });
}

const otherLimiter: Notice = {
  level: 'info',
  code: 'rate-limiter-given',
  message: '`api.http.rateLimit` has no effect: the option `rateLimiter` replaces it',
};

/** One for all iterations. */
const loginsOf = (given: CredentialBroker | undefined) =>
  given === undefined
    ? { broker: createLoginBroker(), isGiven: false }
    : { broker: loginBrokerOf(given), isGiven: true };

/** One for all iterations. */
function tunnelOf(configs: readonly Config[], notify: Notify): Tunnel | undefined {
  const sshProxy = configs.find((each) => each.sshProxy !== undefined)?.sshProxy;
  return sshProxy === undefined ? undefined : createTunnel(sshProxy, { notify });
}

/** One for all iterations. A configuration says that answers are kept; where, is for whoever runs it to say. */
function storeOf(configs: readonly Config[], folder: string | undefined, notify: Notify): CacheStore | undefined {
  const cache = configs.find((each) => each.cache !== undefined)?.cache;
  if (cache === undefined) return undefined;
  if (folder !== undefined) return createStore({ folder, ttlSeconds: cache.ttlSeconds, notify });
  const message = '`cache` has no effect: there is no folder for it (`--cache-dir`, in code `cacheFolder`)';
  notify({ level: 'warning', code: 'cache-not-used', message });
  return undefined;
}
