/** What is counted of requests and logins: by job, and by server. */
import { asExtractError } from '../../core/errors/errors.js';
import type { ObservedRequest, RequestWatch, ServerAddress } from '../../core/model/request-watch.js';
import { remember } from '../../core/util/remember.js';
import type { CommitWatch, JobWatch, LoginWatch, PageWatch } from '../../http/observer.js';
import { metricRows } from './metric-rows.js';
import { type Attributes, Distribution, type MetricPoint, SeriesMap } from './points.js';

export interface RequestMetrics {
  /** Follows jobs of one run. */
  jobs(nameOf: (name: string) => string): (name: string) => JobWatch;
  login(api: ServerAddress): LoginWatch;
  readonly requests: () => readonly MetricPoint[];
  readonly duration: () => readonly MetricPoint[];
  readonly firstByte: () => readonly MetricPoint[];
  readonly active: () => readonly MetricPoint[];
  readonly logins: () => readonly MetricPoint[];
  /** By host: when its credentials expire, in epoch ms. */
  readonly expiries: ReadonlyMap<string, number>;
}

interface ServerMetrics {
  readonly attributes: Attributes;
  active: number;
  readonly firstByte: Distribution;
  readonly durations: SeriesMap<Distribution>;
}

/** `now`: nanoseconds from any start. */
export function createRequestMetrics(now: () => number): RequestMetrics {
  const servers = new Map<string, ServerMetrics>();
  const requests = new SeriesMap(() => 0);
  const logins = new SeriesMap(() => 0);
  const expiries = new Map<string, number>();
  const count = (series: SeriesMap<number>, key: string, attributes: () => Attributes) => {
    series.of(key, attributes).value += 1;
  };
  const following = (job: string | undefined) => ({
    request: (request: ObservedRequest) =>
      new RequestFollower(request, job, { server: serverIn(servers, request.server), requests, now }),
  });
  return {
    jobs(nameOf) {
      const jobOf: (name: string) => JobWatch = remember((name) => {
        const requests = following(nameOf(name));
        const page: PageWatch = { ...requests, commit: () => uncounted, succeeds() {}, fails() {} };
        return { ...requests, job: jobOf, page: () => page, ends() {} };
      });
      return jobOf;
    },
    login: ({ host }) => ({
      ...following(undefined),
      succeeds({ expiresAt }) {
        count(logins, host, () => ({ 'server.address': host }));
        if (Number.isFinite(expiresAt)) expiries.set(host, expiresAt);
        else expiries.delete(host);
      },
      fails(failure) {
        const { code } = asExtractError(failure);
        count(logins, `${host} ${code}`, () => ({ 'server.address': host, 'error.type': code }));
      },
    }),
    requests: () => requests.all(),
    logins: () => logins.all(),
    duration: () => [...servers.values()].flatMap(({ durations }) => durations.all()),
    firstByte: () => [...servers.values()].map(({ attributes, firstByte }) => ({ attributes, value: firstByte })),
    active: () => [...servers.values()].map(({ attributes, active }) => ({ attributes, value: active })),
    expiries,
  };
}

function serverIn(servers: Map<string, ServerMetrics>, { host, port }: ServerAddress): ServerMetrics {
  const place = `${host}:${port}`;
  const known = servers.get(place);
  if (known !== undefined) return known;
  const made: ServerMetrics = {
    attributes: { 'server.address': host, 'server.port': port },
    active: 0,
    firstByte: new Distribution(metricRows.firstByte.buckets),
    durations: new SeriesMap(() => new Distribution(metricRows.duration.buckets)),
  };
  servers.set(place, made);
  return made;
}

/** Attempts and redirects are requests of their own; the end of a commit is in the time of its page. */
const uncounted: CommitWatch = { ends() {} };

/** What requests are counted in. */
interface Counting {
  readonly server: ServerMetrics;
  readonly requests: SeriesMap<number>;
  readonly now: () => number;
}

/** One request. */
class RequestFollower implements RequestWatch {
  readonly #method: string;
  readonly #job: string | undefined;
  readonly #counting: Counting;
  readonly #begun: number;
  #status: number | undefined = undefined;

  /** `job`: undefined for a login. */
  constructor({ method }: ObservedRequest, job: string | undefined, counting: Counting) {
    this.#method = method;
    this.#job = job;
    this.#counting = counting;
    this.#begun = counting.now();
    counting.server.active += 1;
  }

  responds(status: number): void {
    this.#status = status;
    this.#counting.server.firstByte.add(this.#passed());
  }

  ends(code: string | undefined): void {
    const { server, requests } = this.#counting;
    const { attributes, durations } = server;
    const [method, job] = [this.#method, this.#job];
    server.active -= 1;
    const outcome = `${this.#status} ${code}`;
    requests.of(`${outcome} ${job}`, () => ({ ...ownerOf(job), ...this.#outcome(code) })).value += 1;
    const series = durations.of(`${outcome} ${method}`, () => ({
      'http.request.method': method,
      ...attributes,
      ...this.#outcome(code),
    }));
    series.value.add(this.#passed());
  }

  #passed(): number {
    return (this.#counting.now() - this.#begun) / 1e9;
  }

  #outcome(code: string | undefined): Attributes {
    const status = this.#status;
    const failed = code ?? (status !== undefined && status >= 400 ? status : undefined);
    return {
      ...(status === undefined ? {} : { 'http.response.status_code': status }),
      ...(failed === undefined ? {} : { 'error.type': failed }),
    };
  }
}

const ownerOf = (job: string | undefined): Attributes =>
  job === undefined ? { 'rxtract.request.kind': 'login' } : { 'rxtract.job': job, 'rxtract.request.kind': 'page' };
