/** What is counted of requests and logins: by job, and by server. */
import type { LoginWatch, ObservedRequest, RequestWatch, ServerAddress } from '../../http/observer.js';
import { metricRows } from './metric-rows.js';
import { type Attributes, Distribution, type MetricPoint, SeriesMap } from './points.js';

export interface RequestMetrics {
  request(request: ObservedRequest): RequestWatch;
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
  return {
    request: (request) => new RequestFollower(request, serverIn(servers, request.server), requests, now),
    login: ({ host }) => ({
      succeeds({ expiresAt }) {
        count(logins, host, () => ({ 'server.address': host }));
        if (Number.isFinite(expiresAt)) expiries.set(host, expiresAt);
        else expiries.delete(host);
      },
      fails: (code) => count(logins, `${host} ${code}`, () => ({ 'server.address': host, 'error.type': code })),
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

/** One request. */
class RequestFollower implements RequestWatch {
  readonly #request: ObservedRequest;
  readonly #server: ServerMetrics;
  readonly #requests: SeriesMap<number>;
  readonly #now: () => number;
  readonly #begun: number;
  #status: number | undefined = undefined;

  constructor(request: ObservedRequest, server: ServerMetrics, requests: SeriesMap<number>, now: () => number) {
    this.#request = request;
    this.#server = server;
    this.#requests = requests;
    this.#now = now;
    this.#begun = now();
    server.active += 1;
  }

  responds(status: number): void {
    this.#status = status;
    this.#server.firstByte.add(this.#passed());
  }

  ends(code: string | undefined): void {
    const { method, job } = this.#request;
    const { attributes, durations } = this.#server;
    this.#server.active -= 1;
    const outcome = `${this.#status} ${code}`;
    this.#requests.of(`${outcome} ${job}`, () => ({ ...ownerOf(job), ...this.#outcome(code) })).value += 1;
    const series = durations.of(`${outcome} ${method}`, () => ({
      'http.request.method': method,
      ...attributes,
      ...this.#outcome(code),
    }));
    series.value.add(this.#passed());
  }

  #passed(): number {
    return (this.#now() - this.#begun) / 1e9;
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
