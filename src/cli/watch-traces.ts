/** Traces of the runs of this process, exported where the variables of OpenTelemetry say. */
import { usageError } from '../core/util/check-value.js';
import type { exportTraces, TraceExport, traceAddress } from '../run/traces/export-traces.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { Report } from './report.js';
import { watchRows } from './run-flags.js';
import { type RunWatch, warnAs } from './run-watch.js';

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
): Promise<RunWatch | undefined> {
  const { traceparent = false } = readFlags(args, watchRows);
  const warn = warnAs('traces-not-exported', args, report);
  const open = async () => {
    const url = addressIn(env);
    return url === undefined ? undefined : create(url, { traceparent });
  };
  const exporting = await open().catch(warn);
  if (exporting !== undefined) {
    const { traces: observe, flush, close } = exporting;
    return { observe, push: () => flush().catch(warn), close };
  }
  if (traceparent) throw usageError('--traceparent: there are no traces: set OTEL_EXPORTER_OTLP_ENDPOINT');
  return undefined;
}
