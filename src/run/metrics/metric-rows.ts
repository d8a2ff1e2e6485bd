/**
 * The metrics of a run, a row each: the names of Prometheus, the pushed names and the tables of chapter 17 are these
 * rows. Names and attributes are those of OpenTelemetry's semantic conventions where these have one.
 */

export type MetricKind = 'counter' | 'gauge' | 'histogram';

/** `rxtract.` begins the names that are ours. */
export type MetricAttribute =
  | 'cpu.mode'
  | 'error.type'
  | 'http.request.method'
  | 'http.response.status_code'
  | 'rxtract.cause'
  | 'rxtract.job'
  | 'rxtract.outcome'
  | 'rxtract.request.kind'
  | 'rxtract.run'
  | 'rxtract.task.state'
  | 'server.address'
  | 'server.port';

export interface MetricRow {
  /** As OpenTelemetry has it. */
  readonly name: string;
  readonly kind: MetricKind;
  /** `s`, `By`, or a word in braces for what is counted. */
  readonly unit: string;
  readonly attributes: readonly MetricAttribute[];
  readonly summary: string;
  /** Upper bounds, of a histogram. */
  readonly buckets?: readonly number[];
}

/** Those that the conventions advise for the time of requests, in seconds. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const pageBuckets = [0.001, 0.0025, ...requestBuckets, 30, 60, 300];

const job = ['rxtract.job'] as const;
const server = ['server.address', 'server.port'] as const;
const request = ['http.request.method', 'http.response.status_code', 'error.type', ...server] as const;

export const metricRows = {
  items: {
    name: 'rxtract.items',
    kind: 'counter',
    unit: '{item}',
    attributes: job,
    summary: 'items of pages that the sinks have accepted',
  },
  itemBytes: {
    name: 'rxtract.items.size',
    kind: 'counter',
    unit: 'By',
    attributes: job,
    summary: 'the bytes of these items',
  },
  pages: {
    name: 'rxtract.pages',
    kind: 'counter',
    unit: '{page}',
    attributes: job,
    summary: 'pages that the sinks have accepted',
  },
  received: {
    name: 'rxtract.received',
    kind: 'counter',
    unit: 'By',
    attributes: job,
    summary: 'bytes of the bodies of pages, decoded',
  },
  requests: {
    name: 'rxtract.requests',
    kind: 'counter',
    unit: '{request}',
    attributes: ['rxtract.job', 'rxtract.request.kind', 'http.response.status_code', 'error.type'],
    summary: 'requests for pages (`page`) and logins (`login`), by status; one without a response has its error code',
  },
  retries: {
    name: 'rxtract.retries',
    kind: 'counter',
    unit: '{retry}',
    attributes: job,
    summary: 'attempts at a page that failed and are repeated',
  },
  leftOut: {
    name: 'rxtract.requests.left_out',
    kind: 'counter',
    unit: '{request}',
    attributes: job,
    summary: 'requests that failed and were left out, as `onError` says',
  },
  waited: {
    name: 'rxtract.wait.time',
    kind: 'counter',
    unit: 's',
    attributes: ['rxtract.job', 'rxtract.cause'],
    summary:
      'the time that pages have waited, added up: for the `rate` limit, a `retry`, a `login`, a `sink`, or the `server`, its head and its body',
  },
  waiting: {
    name: 'rxtract.pages.waiting',
    kind: 'gauge',
    unit: '{page}',
    attributes: ['rxtract.job', 'rxtract.cause'],
    summary: 'pages that wait now, for the same causes',
  },
  pageDuration: {
    name: 'rxtract.page.duration',
    kind: 'histogram',
    unit: 's',
    attributes: job,
    summary: 'an attempt at a page, from its first wait to the end of its commit',
    buckets: pageBuckets,
  },
  commitDuration: {
    name: 'rxtract.commit.duration',
    kind: 'histogram',
    unit: 's',
    attributes: job,
    summary: 'the commit of a page, where it takes time: sinks and state',
    buckets: pageBuckets,
  },
  lagItems: {
    name: 'rxtract.sink.lag.items',
    kind: 'gauge',
    unit: '{item}',
    attributes: job,
    summary: 'items that sinks have accepted and not committed',
  },
  lagBytes: {
    name: 'rxtract.sink.lag.size',
    kind: 'gauge',
    unit: 'By',
    attributes: job,
    summary: 'the bytes of these items',
  },
  duration: {
    name: 'http.client.request.duration',
    kind: 'histogram',
    unit: 's',
    attributes: request,
    summary: 'requests, from sending one to the end of its response; a slow sink slows the body',
    buckets: requestBuckets,
  },
  firstByte: {
    name: 'rxtract.response.delay',
    kind: 'histogram',
    unit: 's',
    attributes: server,
    summary: 'the time from sending a request to the head of its response',
    buckets: requestBuckets,
  },
  active: {
    name: 'http.client.active_requests',
    kind: 'gauge',
    unit: '{request}',
    attributes: server,
    summary: 'requests in flight',
  },
  logins: {
    name: 'rxtract.logins',
    kind: 'counter',
    unit: '{login}',
    attributes: ['server.address', 'error.type'],
    summary: 'logins; one that failed has its error code',
  },
  credential: {
    name: 'rxtract.credential.lifetime',
    kind: 'gauge',
    unit: 's',
    attributes: ['server.address'],
    summary: 'the time until the credentials of the last login expire; absent: they do not',
  },
  remembered: {
    name: 'rxtract.remembered.age',
    kind: 'gauge',
    unit: 's',
    attributes: job,
    summary: 'the age of the date that a job with `incremental` remembers: the oldest, if it has several',
  },
  runs: {
    name: 'rxtract.runs',
    kind: 'counter',
    unit: '{run}',
    attributes: ['rxtract.outcome'],
    summary: 'runs that have ended: `success`, `failure` or `interrupted`; at a worker each task is one',
  },
  running: {
    name: 'rxtract.runs.active',
    kind: 'gauge',
    unit: '{run}',
    attributes: [],
    summary: 'runs at work; at a worker each task is one',
  },
  tasks: {
    name: 'rxtract.board.tasks',
    kind: 'gauge',
    unit: '{task}',
    attributes: ['rxtract.run', 'rxtract.task.state'],
    summary:
      'tasks of shared runs that have not ended: `ready`, `waiting` (parked, or after a failure), `leased`, `done` or `failed`',
  },
  longestLease: {
    name: 'rxtract.board.lease.time',
    kind: 'gauge',
    unit: 's',
    attributes: ['rxtract.run'],
    summary: 'how long a worker has its task, of the task at work that was taken first',
  },
  memory: {
    name: 'process.memory.usage',
    kind: 'gauge',
    unit: 'By',
    attributes: [],
    summary: 'the resident memory of the process',
  },
  cpu: {
    name: 'process.cpu.time',
    kind: 'counter',
    unit: 's',
    attributes: ['cpu.mode'],
    summary: 'CPU time of the process: `user` and `system`',
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof metricRows;

const units: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

/** The name in Prometheus: `rxtract_items_total`, `rxtract_http_client_request_duration_seconds`. */
export function prometheusName({ name, kind, unit }: MetricRow): string {
  const own = name.startsWith('rxtract.') ? name : `rxtract.${name}`;
  return `${own.replaceAll('.', '_')}${units[unit] ?? ''}${kind === 'counter' ? '_total' : ''}`;
}

/** The label in Prometheus: `job`, `http_request_method`. */
export const labelName = (attribute: string): string => attribute.replace(/^rxtract\./, '').replaceAll('.', '_');
