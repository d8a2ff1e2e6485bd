/** `--metrics` and `--metrics-push`: metrics of the runs of this process, for those who ask and for a collector. */
import { hostText } from '../../sinks/addresses/server-address.js';
import type { Board } from '../checkpoint/board/board.js';
import type { Notify } from '../core/model/notice.js';
import { type Metrics, readable } from '../run/metrics/create-metrics.js';
import type { MetricsPush } from '../run/metrics/push-metrics.js';
import type { LocalServer, LocalServers } from '../tools/local-server.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { Report } from './report.js';
import { watchRows } from './run-flags.js';
import { placeOf } from './run-schedule.js';
import { type RunWatch, warnAs } from './run-watch.js';

/** Metrics that are kept while the process runs. */
export interface MetricsWatch extends RunWatch {
  /** Shows the runs of a board too, until the result is called. */
  watchBoard(board: Pick<Board, 'openRuns'>): () => void;
}

interface Watching {
  readonly servers: LocalServers;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Loads prom-client. */
  readonly create: () => Promise<Metrics>;
  readonly createPush: (metrics: Metrics, address: string) => Promise<MetricsPush>;
}

/** Undefined: no option asks for metrics. Rejects with ERR_USAGE for wrong options and for missing packages. */
export async function watchMetrics(
  args: ParsedArguments,
  report: Report,
  { servers, env, create, createPush }: Watching,
): Promise<MetricsWatch | undefined> {
  const { metrics: place, metricsPush: address } = readFlags(args, watchRows);
  if (place === undefined && address === undefined) return undefined;
  const metrics = await create();
  const pushing = address === undefined ? undefined : await createPush(metrics, address);
  const server = place === undefined ? undefined : await listen(place, metrics, servers, report.notice);
  const warn = warnAs('metrics-not-pushed', args, report);
  const push = async () => pushing?.push().catch(warn);
  const timer = pushing === undefined ? undefined : setInterval(push, intervalOf(env)).unref();
  return {
    observe: metrics,
    watchBoard: (board) => readable(metrics).watchBoard(() => board.openRuns()),
    push,
    async close() {
      clearInterval(timer);
      await server?.close();
    },
  };
}

async function listen(place: string, metrics: Metrics, servers: LocalServers, notify: Notify): Promise<LocalServer> {
  const { host, port } = placeOf(place, '--metrics');
  const { registry } = metrics;
  const { refresh } = readable(metrics);
  const written = async () => {
    await refresh();
    return { status: 200, text: await registry.metrics(), contentType: registry.contentType };
  };
  const server = await servers.listen({
    host,
    port,
    answer(target) {
      return target.replace(/\?.*/s, '') === '/metrics' ? written() : undefined;
    },
  });
  const at = hostText({ host, port: server.port });
  notify({ level: 'info', code: 'metrics', message: `metrics are at http://${at}/metrics` });
  return server;
}

/** The variable of OpenTelemetry, in ms. */
function intervalOf({ OTEL_METRIC_EXPORT_INTERVAL: given = '' }: Watching['env']): number {
  const ms = Number(given);
  return given !== '' && ms >= 1 && ms <= longestTimer ? ms : 60_000;
}

const longestTimer = 2 ** 31 - 1;
