/** Traces of the runs of this process, exported where the variables of OpenTelemetry say. */
import { asExtractError } from '../core/errors/errors.js';
import { usageError } from '../core/util/check-value.js';
import type { Observe } from '../http/observer.js';
import type { exportTraces, TraceExport, traceAddress } from '../run/traces/export-traces.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import { notifyUnlessAllowed } from './document.js';
import type { Report } from './report.js';
import { watchRows } from './run-flags.js';
import { withoutStrict } from './watch-metrics.js';

/** Traces that are kept while the process runs. */
export interface WatchedTraces {
  readonly observe: Observe;
  /** A run has ended. Spans that are lost are a warning. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface Tracing {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly addressIn: typeof traceAddress;
  /** Loads the SDK. */
  readonly create: (...args: Parameters<typeof exportTraces>) => Promise<TraceExport>;
}

/**
 * Undefined: nothing asks for traces, or they cannot be exported, which is a warning. Rejects with ERR_USAGE for
 * `--traceparent` without traces.
 */
export async function watchTraces(
  args: ParsedArguments,
  report: Pick<Report, 'notice'>,
  { env, addressIn, create }: Tracing,
): Promise<WatchedTraces | undefined> {
  const { traceparent = false } = readFlags(args, watchRows);
  const warn = (thrown: unknown): undefined => {
    const { message } = asExtractError(thrown);
    const notice = { level: 'warning', code: 'traces-not-exported', message } as const;
    notifyUnlessAllowed([notice], withoutStrict(args), report.notice);
  };
  const open = async () => {
    const url = addressIn(env);
    return url === undefined ? undefined : create(url, { traceparent });
  };
  const exporting = await open().catch(warn);
  if (exporting !== undefined) {
    const { traces: observe, flush, close } = exporting;
    return { observe, flush: () => flush().catch(warn), close };
  }
  if (traceparent) throw usageError('--traceparent: there are no traces: set OTEL_EXPORTER_OTLP_ENDPOINT');
  return undefined;
}
