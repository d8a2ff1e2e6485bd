/** The traces of runs, as spans of OpenTelemetry. docs/20-watching.md#traces. */
import { loadPackage } from '../../core/util/load-package.js';
import { version } from '../../core/util/version.js';
import type { Observe } from '../../http/observer.js';
import { type OtelContext, type SetSpan, spansOf, type Tracer } from './run-spans.js';

/** A tracer provider of OpenTelemetry. */
export interface TracerProvider {
  getTracer(name: string, version?: string): Tracer;
}

export interface TracesOptions {
  /** Absent: the provider that is registered with `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider;
  /** Whether requests have the header `traceparent`, where they have those of the configuration. Default: false. */
  readonly traceparent?: boolean;
}

/** What rxtract uses of `@opentelemetry/api`. */
export interface OtelApi {
  readonly context: { active(): OtelContext };
  readonly trace: { getTracerProvider(): TracerProvider; readonly setSpan: SetSpan };
}

export const apiPackage = '@opentelemetry/api';

/**
 * Loads `@opentelemetry/api`, and makes what the option `observe` takes. A run is below the span that is active when it
 * is prepared. Rejects with ERR_USAGE if the package is not installed.
 */
export async function createTraces(options: TracesOptions = {}, specifier = apiPackage): Promise<Observe> {
  return tracesBy(await loadPackage<OtelApi>(specifier, { code: 'ERR_USAGE', user: 'traces' }), options);
}

export function tracesBy({ context, trace }: OtelApi, { tracerProvider, traceparent }: TracesOptions): Observe {
  const provider = tracerProvider ?? trace.getTracerProvider();
  const tracer = provider.getTracer('rxtract', version);
  const { setSpan } = trace;
  return {
    observer: (mask) => spansOf({ tracer, setSpan, mask, parent: context.active(), traceparent: traceparent === true }),
  };
}
