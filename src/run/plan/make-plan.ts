/** What a run would send, without a request: the first requests of each job with the sources of their values. */
import { asyncScheduler } from 'rxjs';
import type { Config, JobConfig } from '../../config/config.js';
import type { ReportConfig } from '../../config/report/read-report.js';
import { asExtractError } from '../../core/errors/errors.js';
import type { ExactObject } from '../../core/json/exact.js';
import type { Secrets } from '../../core/model/secrets.js';
import { defined } from '../../core/util/defined.js';
import type { ApiClient } from '../../http/api-client.js';
import type { ExplainedLogin, ExplainedRequest, Explainer } from '../../http/explain-request.js';
import type { EvaluatedJob } from '../../job/evaluate-job.js';
import { noBindings, type PlaceholderBindings } from '../../job/instances.js';
import { countPartitions, isDivided, type Partition, partitionsOf } from '../../job/partitions.js';
import { prepareRun } from '../extract.js';
import type { ExtractOptions } from '../options.js';
import { jobsOfReport } from '../walk/report-requests.js';
import { withoutParams } from '../walk/report-values.js';
import { planPages } from './plan-pages.js';

/** The plan of a run: plain data, secrets masked. */
export interface Plan {
  readonly iterations: readonly IterationPlan[];
}

/** One API, as one iteration sees it. */
export interface IterationPlan {
  readonly baseUrl: string;
  /** Absent: there is no login. */
  readonly login?: { readonly renewal: string; readonly request: ExplainedRequest };
  /** Rules for every request: name and text, such as `retries`. */
  readonly rules: Readonly<Record<string, string>>;
  readonly jobs: readonly JobPlan[];
}

/** One job. */
export interface JobPlan {
  readonly job: string;
  /** Its path in the configuration. */
  readonly path: string;
  /** The job whose items it is requested for. */
  readonly parent?: string;
  readonly dataType: string;
  /** Which of its walks the plan shows; absent: it has one. */
  readonly walks?: string;
  /** The requests around its report, by their keys in `await`; absent: it has none. */
  readonly report?: readonly { readonly key: string; readonly request: ExplainedRequest }[];
  /** Headers that only a state can fill in; absent: there are none. */
  readonly validators?: string;
  /** Where the items are in a response. */
  readonly items: string;
  /** Absent: its address is a link, which only a response of its report has. */
  readonly first?: ExplainedRequest;
  /** That link, such as `{url} of the last poll`. Absent: it is none. */
  readonly link?: string;
  /** The request after a full page; absent: there is none, or only a response shows it. */
  readonly second?: ExplainedRequest;
  /** What the second one takes from the response. */
  readonly reads: readonly string[];
  /** When the job ends. */
  readonly ends: readonly string[];
}

export interface PlannedRun {
  readonly plan: Plan;
  readonly mask: Secrets['mask'];
  /** How the first iteration connects: for checks without a request. */
  readonly connections: Pick<Config, 'tls' | 'sshProxy'>;
}

/** Plans a run. Sends nothing. Throws as `extract`, and ERR_REQUEST for a request that cannot be sent. */
export async function planRun(configuration: ExactObject, options: ExtractOptions): Promise<PlannedRun> {
  const { context, configs, jobs } = prepareRun(configuration, options);
  try {
    const iterations = configs.flatMap((config, index) => {
      const lease = context.iterations[index]?.lease();
      if (lease === undefined) return [];
      const chosen = config.jobs.filter((job) => jobs.includes(job));
      const planned = planIteration(config, chosen, lease.client, context.secrets);
      lease.release();
      return [planned];
    });
    const [{ tls, sshProxy } = {}] = configs;
    return { plan: { iterations }, mask: context.secrets.mask, connections: defined({ tls, sshProxy }) };
  } finally {
    await context.release();
  }
}

function planIteration(config: Config, jobs: readonly JobConfig[], client: ApiClient, secrets: Secrets): IterationPlan {
  const explainer = client.explainer();
  const login = explainer.login();
  return {
    baseUrl: secrets.maskUrl(client.baseUrl),
    ...(login === undefined ? {} : { login: { ...login, renewal: renewals[login.renewal] } }),
    rules: rulesOf(config, secrets),
    jobs: jobs.flatMap((job) => planJob(job, undefined, { client, explainer, secrets })),
  };
}

const renewals: Readonly<Record<ExplainedLogin['renewal'], string>> = {
  once: 'before the first request, and again if the API rejects its credentials',
  'on expiry': 'before the first request, and again when its credentials expire or are rejected',
  'each request': 'before each request',
};

interface Planning {
  readonly client: ApiClient;
  readonly explainer: Explainer;
  readonly secrets: Secrets;
}

/** The job and its children. */
function planJob(config: JobConfig, parent: string | undefined, planning: Planning): readonly JobPlan[] {
  const { client, explainer, secrets } = planning;
  const { name, path, dataField, dataType, children } = config;
  try {
    const { windows } = client.begin(config);
    const [walk] = isDivided(config) ? partitionsOf(config, windows, noBindings) : [];
    const job = client.begin(config, walk?.instance);
    const paginator = job.paginator ?? client.paginator;
    const pages = planPages(paginator, job, client.baseUrl, asyncScheduler.now());
    const of = { config, job };
    const plan: JobPlan = {
      job: secrets.mask(name),
      path,
      ...(parent === undefined ? {} : { parent: secrets.mask(parent) }),
      dataType: secrets.mask(dataType),
      ...(walk === undefined ? {} : { walks: secrets.mask(walksOf(config, job, walk)) }),
      ...(config.report === undefined ? {} : { report: planReport(config, config.report, walk?.instance, planning) }),
      ...(config.revalidate === true ? { validators } : {}),
      items: config.download === undefined ? itemsOf(dataField, secrets) : fileOf(config.download, secrets),
      ...(config.report?.links === undefined
        ? { first: explainer.page(pages.first, of) }
        : { link: secrets.mask(linkOf(config.report)) }),
      ...(pages.second === undefined ? {} : { second: explainer.page(pages.second, of) }),
      reads: pages.reads,
      ends: pages.ends.map((end) => secrets.mask(end)),
    };
    return [plan, ...children.flatMap((child) => planJob(child, name, planning))];
  } catch (thrown) {
    throw asExtractError(thrown).at({ job: name });
  }
}

const linkOf = ({ links = [], fetch }: ReportConfig): string =>
  `{${links.join('.')}} of ${fetch === undefined ? 'the last poll' : 'the response to `fetch`'}`;

const validators = 'If-None-Match and If-Modified-Since, where the state has them of a page (`revalidate`)';

function planReport(
  config: JobConfig,
  report: ReportConfig,
  instance: PlaceholderBindings = noBindings,
  { client, explainer }: Planning,
): NonNullable<JobPlan['report']> {
  return jobsOfReport(config, report).map(([key, of]) => {
    const job = client.begin(of, key === 'create' ? instance : withoutParams(instance));
    const { endpoint, params, headers, method } = job;
    // The colon of `{header:Location}` ends no scheme.
    const page = { endpoint: endpoint.replace(/^\{/, './{'), params, headers, ...defined({ method }) };
    return { key, request: explainer.page(page, { config: of, job }) };
  });
}

/** The values of the first walk, and how many there are. */
function walksOf(config: JobConfig, job: EvaluatedJob, { instance }: Partition): string {
  const values = [...instance].map(([name, { text }]) => `${name}=${text}`).join(' ');
  const { combinations, windows } = countPartitions(config, job);
  const ofEach = config.each === undefined ? [] : [`${combinations} combinations`];
  const counts = config.windows === undefined ? ofEach : [...ofEach, `${windows} windows`];
  return `${values}, the first of ${counts.join(' with ')}`;
}

function itemsOf(field: JobConfig['dataField'], secrets: Secrets): string {
  if (field.kind === 'auto') return 'found in the response';
  return field.segments.length === 0 ? 'the whole response' : secrets.mask(field.text);
}

const fileOf = ({ to }: NonNullable<JobConfig['download']>, secrets: Secrets): string =>
  `one for the file, ${to === undefined ? 'with the last part of its URL as its name' : secrets.mask(to)}`;

const seconds = (ms: number): string => `${ms / 1000} s`;

/** The rules that hold for every request, in the order of the summary. */
function rulesOf({ retry, http, allowedHosts, cache }: Config, secrets: Secrets): IterationPlan['rules'] {
  const statuses = [...retry.codes].sort((a, b) => a - b).join(', ');
  const rates = http.rateLimit.map(({ most, ms }) => `${most} in ${seconds(ms)}`);
  const hosts = allowedHosts.map(({ scheme = '*', host, port, endpoint = '' }) => {
    return `${scheme}://${host}${port === undefined ? '' : `:${port}`}${endpoint}`;
  });
  const given: Readonly<Record<string, string | undefined>> = {
    retries:
      retry.maxRetries === 0
        ? 'none'
        : `at most ${retry.maxRetries}, after ${retry.jitter === 'full' ? 'up to ' : ''}1, 2, 4, ... s (at most ${seconds(retry.maxDelay)}) or the time in ${retry.retryHeader}, for the statuses ${statuses} and failed connections`,
    rates: rates.length === 0 ? undefined : `at most ${rates.join(' and ')}`,
    'rate headers': http.heedsRateLimit ? 'requests wait if a response states that none is left' : undefined,
    encodings: http.acceptsEncodings ? 'requests ask for compressed responses' : undefined,
    'pages of errors': http.ignoreErrors.size === 0 ? undefined : [...http.ignoreErrors].join(', '),
    'allowed hosts': hosts.length === 0 ? undefined : hosts.join(', '),
    cache: cache === undefined ? undefined : `responses are used again for ${cache.ttlSeconds} s`,
  };
  const known = Object.entries(given).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, secrets.mask(text)]],
  );
  return Object.fromEntries(known);
}
