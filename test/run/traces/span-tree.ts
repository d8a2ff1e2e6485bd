/** Traces for tests: spans in memory, and their tree as text. */
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createTraces, type Observe, type TracesOptions } from '../../../src/index.js';

export interface RecordedTraces {
  readonly traces: Observe;
  readonly provider: BasicTracerProvider;
  spans(): ReturnType<InMemorySpanExporter['getFinishedSpans']>;
  /** One line a span, in the order of their begins, indented below its parent. */
  tree(): readonly string[];
}

export async function recordTraces(options: TracesOptions = {}): Promise<RecordedTraces> {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const traces = await createTraces({ tracerProvider: provider, ...options });
  const spans = () => exporter.getFinishedSpans();
  return { traces, provider, spans, tree: () => treeOf(spans()) };
}

type Spans = ReturnType<RecordedTraces['spans']>;

const shown = ['rxtract.page', 'http.response.status_code', 'http.request.resend_count', 'rxtract.items', 'error.type'];

function treeOf(spans: Spans): readonly string[] {
  const begun = (span: Spans[number]) => span.startTime[0] * 1e9 + span.startTime[1];
  const below = (parent: string | undefined, depth: number): readonly string[] =>
    [...spans]
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
      .sort((a, b) => begun(a) - begun(b))
      .flatMap((span) => ['  '.repeat(depth) + textOf(span), ...below(span.spanContext().spanId, depth + 1)]);
  return below(undefined, 0);
}

const textOf = ({ name, attributes, status }: Spans[number]): string => {
  const values = shown.flatMap((key) => {
    const value = attributes[key];
    return value === undefined ? [] : [`${key.slice(key.lastIndexOf('.') + 1)}=${String(value)}`];
  });
  return [name, ...values, ...(status.code === 2 ? ['failed'] : [])].join(' ');
};
