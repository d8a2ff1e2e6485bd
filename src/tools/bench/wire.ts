/** Measures requests where undici sends them: pages that are requested ahead, redirects and logins too. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createLatencies, type Latencies } from './latencies.js';

export interface WireLatencies {
  /** From the request to the head of its response. */
  readonly firstByte: Latencies;
  /** From the head to the last byte; it includes the time in which the reader is busy. */
  readonly body: Latencies;
  readonly total: Latencies;
}

export interface WireWatch {
  readonly latencies: WireLatencies;
  /** How many responses came, by origin and status. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<number, number>>;
  end(): void;
}

interface SeenRequest {
  readonly createdAt: number;
  headAt: number;
}

/** What undici publishes, as far as it is read: https://undici.nodejs.org/#/docs/api/DiagnosticsChannel. */
interface Published {
  readonly request: { readonly origin?: unknown };
  readonly response?: { readonly statusCode: number };
}

/** Watches all requests of this process until `end`. Responses of status 400 and above do not count. */
export function watchRequests(now: () => number): WireWatch {
  const latencies = { firstByte: createLatencies(), body: createLatencies(), total: createLatencies() };
  const answers = new Map<string, Map<number, number>>();
  const seen = new WeakMap<object, SeenRequest>();
  const listeners: Readonly<Record<string, (published: Published) => void>> = {
    'undici:request:create': ({ request }) => seen.set(request, { createdAt: now(), headAt: 0 }),
    'undici:request:headers'({ request, response }) {
      const times = seen.get(request);
      const status = response?.statusCode ?? 0;
      if (times === undefined || status < 200) return;
      times.headAt = now();
      count(answers, String(request.origin), status);
      if (status >= 400) seen.delete(request);
      else latencies.firstByte.record(times.headAt - times.createdAt);
    },
    'undici:request:trailers'({ request }) {
      const times = seen.get(request);
      if (times === undefined) return;
      const at = now();
      latencies.body.record(at - times.headAt);
      latencies.total.record(at - times.createdAt);
    },
  };
  const subscriptions = Object.entries(listeners).map(([channel, take]) => {
    const listener = (message: unknown) => take(message as Published); // as undici documents it
    subscribe(channel, listener);
    return () => unsubscribe(channel, listener);
  });
  return {
    latencies,
    answers,
    end() {
      for (const stop of subscriptions) stop();
    },
  };
}

function count(answers: Map<string, Map<number, number>>, origin: string, status: number): void {
  const own = answers.get(origin) ?? new Map<number, number>();
  answers.set(origin, own.set(status, (own.get(status) ?? 0) + 1));
}
