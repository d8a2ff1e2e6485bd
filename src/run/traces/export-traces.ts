/** Exports the traces of the command over OTLP, as the variables of OpenTelemetry say. docs/20-watching.md#traces. */
import { ExtractError } from '../../core/errors/errors.js';
import { usageError } from '../../core/util/check-value.js';
import { loadPackage } from '../../core/util/load-package.js';
import { version } from '../../core/util/version.js';
import type { Observe } from '../../http/observer.js';
import { apiPackage, type OtelApi, type TracerProvider, tracesBy } from './create-traces.js';

type Environment = Readonly<Record<string, string | undefined>>;

interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface SpanExporter {
  export(spans: readonly unknown[], done: (result: ExportResult) => void): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

interface SpanProcessor {
  onStart(): void;
  onEnd(span: unknown): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

interface TraceSdk {
  readonly BasicTracerProvider: new (options: {
    readonly resource: unknown;
    readonly spanProcessors: readonly SpanProcessor[];
  }) => TracerProvider;
  readonly BatchSpanProcessor: new (exporter: SpanExporter) => SpanProcessor;
}

interface Resource {
  merge(other: Resource): Resource;
}

interface ResourceSdk {
  readonly envDetector: unknown;
  detectResources(options: { readonly detectors: readonly unknown[] }): Resource;
  resourceFromAttributes(attributes: Readonly<Record<string, string>>): Resource;
}

interface TraceExporterLibrary {
  readonly OTLPTraceExporter: new (options: { readonly url: string }) => SpanExporter;
}

export interface TraceExport {
  readonly traces: Observe;
  /** Sends what has ended. Rejects with ERR_TRANSPORT if spans were lost since the last call. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** All of them are loaded, and installed, together. */
export const tracePackages = [
  apiPackage,
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/resources',
  '@opentelemetry/exporter-trace-otlp-http',
] as const;

/**
 * Where traces go, as the variables of OpenTelemetry say; undefined: nowhere. Throws ERR_USAGE for an address that is
 * none, and for a protocol that is not HTTP.
 */
export function traceAddress(env: Environment): URL | undefined {
  const textOf = (name: string): string => env[name]?.trim() ?? '';
  const isOff = textOf('OTEL_SDK_DISABLED').toLowerCase() === 'true' || textOf('OTEL_TRACES_EXPORTER') === 'none';
  const own = textOf('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const given = own === '' ? textOf('OTEL_EXPORTER_OTLP_ENDPOINT') : own;
  if (isOff || given === '') return undefined;
  if (!/^https?:/i.test(given) || !URL.canParse(given)) {
    throw usageError('OTEL_EXPORTER_OTLP_ENDPOINT: expected an address such as http://localhost:4318');
  }
  const protocol = textOf('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || textOf('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol === 'grpc') {
    throw usageError(
      'OTEL_EXPORTER_OTLP_PROTOCOL: traces are exported over HTTP, not grpc; use http/json and its port',
    );
  }
  const url = new URL(given);
  if (own === '') url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url;
}

/** Loads the SDK. Rejects with ERR_USAGE if a package is not installed. */
export async function exportTraces(
  url: URL,
  { traceparent = false, packages = tracePackages }: ExportOptions = {},
): Promise<TraceExport> {
  const use = { code: 'ERR_USAGE', user: 'exporting traces', packages } as const;
  const [api, sdk, resources, exporters] = packages;
  const library = await loadPackage<OtelApi>(api, use);
  const { BasicTracerProvider, BatchSpanProcessor } = await loadPackage<TraceSdk>(sdk, use);
  const { envDetector, detectResources, resourceFromAttributes } = await loadPackage<ResourceSdk>(resources, use);
  const { OTLPTraceExporter } = await loadPackage<TraceExporterLibrary>(exporters, use);
  const exporter = new OTLPTraceExporter({ url: url.href });
  const counted = counting(exporter);
  const batches = new BatchSpanProcessor(counted.exporter);
  const own = resourceFromAttributes({ 'service.name': 'rxtract', 'service.version': version });
  const tracerProvider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [counted.processor, batches],
  });
  return {
    traces: tracesBy(library, { tracerProvider, traceparent }),
    async flush() {
      await batches.forceFlush();
      await exporter.forceFlush();
      const failure = counted.takeLoss();
      if (failure === undefined) return;
      const { lost, of, cause } = failure;
      const why = cause?.message ?? 'spans ended faster than they were sent; raise OTEL_BSP_MAX_QUEUE_SIZE';
      const message = `${lost} of ${of} spans could not be exported to ${url.origin}: ${why}`;
      throw new ExtractError('ERR_TRANSPORT', message, { cause });
    },
    close: () => batches.shutdown(),
  };
}

interface ExportOptions {
  readonly traceparent?: boolean;
  readonly packages?: typeof tracePackages | readonly [string, string, string, string];
}

/** Counts spans that end, and those that arrive: the queue of the SDK drops what it has no room for. */
function counting(exporter: SpanExporter) {
  let ended = 0;
  let arrived = 0;
  let cause: Error | undefined;
  const ignore = () => {};
  const nothing = async () => {};
  const processor: SpanProcessor = {
    onStart: ignore,
    onEnd() {
      ended += 1;
    },
    forceFlush: nothing,
    shutdown: nothing,
  };
  const counted: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === 0) arrived += spans.length;
        else cause = result.error;
        done({ code: 0 }); // A failure is reported once, after the run.
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
  return {
    processor,
    exporter: counted,
    /** Undefined: no span was lost. */
    takeLoss() {
      const loss = { lost: ended - arrived, of: ended, cause };
      ended = 0;
      arrived = 0;
      cause = undefined;
      return loss.lost > 0 ? loss : undefined;
    },
  };
}
