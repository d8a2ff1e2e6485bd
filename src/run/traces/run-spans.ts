/** The spans of one extraction: a run, its jobs, their pages, requests, logins and commits. */
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { Headers } from '../../core/model/request.js';
import type { ObservedRequest, RequestWatch, ServerAddress } from '../../core/model/request-watch.js';
import {
  type CommitWatch,
  type JobWatch,
  type LoginWatch,
  type PageWatch,
  type RunObserver,
  silentJob,
  silentLogin,
  type WrittenPage,
} from '../../http/observer.js';

/** A context of OpenTelemetry, which has a span. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

type SpanAttributes = Readonly<Record<string, string | number>>;

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string };
}

/** What rxtract calls of a span. */
export interface OtelSpan {
  spanContext(): SpanContext;
  isRecording(): boolean;
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  end(): void;
}

export interface Tracer {
  startSpan(
    name: string,
    options: { readonly kind: number; readonly attributes: SpanAttributes },
    context: OtelContext,
  ): OtelSpan;
}

export type SetSpan = (context: OtelContext, span: OtelSpan) => OtelContext;

export interface Tracing {
  readonly tracer: Tracer;
  readonly setSpan: SetSpan;
  /** Hides secrets in names and messages. */
  mask(text: string): string;
  /** What the run is below. */
  readonly parent: OtelContext;
  /** Whether requests have the header `traceparent`. */
  readonly traceparent: boolean;
}

/** The numbers of `SpanKind` and `SpanStatusCode`. */
const internal = 0;
const client = 2;
const failed = 2;

/** Runs of one extraction that overlap have one span: from the begin of the first to the end of the last. */
export function spansOf(tracing: Tracing): RunObserver {
  const open = new Set<OpenSpan>();
  const above: SpanParent = { tracing, open, context: tracing.parent };
  let run: OpenSpan | undefined;
  let running = 0;
  const begun = (): OpenSpan => {
    run ??= new OpenSpan(above, 'run', {});
    return run;
  };
  // No sampler takes what is below a run that it has left out.
  const isSilent = () => !tracing.traceparent && !begun().span.isRecording();
  return {
    begin() {
      begun();
      running += 1;
    },
    end(failure) {
      if (running > 1) {
        running -= 1;
        return;
      }
      running = 0;
      const whole = begun();
      run = undefined;
      for (const each of [...open].reverse()) if (each !== whole) each.end(interrupted());
      whole.end(failure);
    },
    job: (name) => (isSilent() ? silentJob : new JobSpan(begun(), name)),
    login: (api) => (isSilent() ? silentLogin : new LoginSpan(begun(), api)),
    remembers() {},
  };
}

const interrupted = (): ExtractError => new ExtractError('ERR_ABORTED', 'interrupted');

interface SpanParent {
  readonly tracing: Tracing;
  /** All spans of the run that have not ended. */
  readonly open: Set<OpenSpan>;
  readonly context: OtelContext;
}

/** A span until its end. What ends after its run has ended with it. */
class OpenSpan implements SpanParent {
  readonly tracing: Tracing;
  readonly open: Set<OpenSpan>;
  readonly span: OtelSpan;
  readonly #above: OtelContext;
  #context: OtelContext | undefined = undefined;

  constructor({ tracing, open, context }: SpanParent, name: string, attributes: SpanAttributes, kind = internal) {
    this.tracing = tracing;
    this.open = open;
    this.#above = context;
    this.span = tracing.tracer.startSpan(name, { kind, attributes }, context);
    open.add(this);
  }

  /** That of the spans below. */
  get context(): OtelContext {
    this.#context ??= this.tracing.setSpan(this.#above, this.span);
    return this.#context;
  }

  /** `failure`: undefined with success. */
  end(failure: unknown): void {
    if (failure !== undefined) {
      const { code, message } = asExtractError(failure);
      this.fail(code, this.tracing.mask(message));
    }
    this.close();
  }

  fail(type: string, message?: string): void {
    this.span.setAttributes({ 'error.type': type });
    this.span.setStatus(message === undefined ? { code: failed } : { code: failed, message });
  }

  close(): void {
    if (this.open.delete(this)) this.span.end();
  }
}

class JobSpan extends OpenSpan implements JobWatch {
  readonly #name: string;

  constructor(above: SpanParent, given: string) {
    const name = above.tracing.mask(given);
    super(above, `job ${name}`, { 'rxtract.job': name });
    this.#name = name;
  }

  job(name: string): JobWatch {
    return new JobSpan(this, name);
  }

  page(index: number): PageWatch {
    return new PageSpan(this, this.#name, index);
  }

  request(request: ObservedRequest): RequestWatch {
    return new RequestSpan(this, request, 0);
  }

  ends(failure: unknown): void {
    this.end(failure);
  }
}

class PageSpan extends OpenSpan implements PageWatch {
  #sent = 0;

  constructor(above: SpanParent, job: string, index: number) {
    super(above, 'page', { 'rxtract.job': job, 'rxtract.page': index });
  }

  request(request: ObservedRequest): RequestWatch {
    this.#sent += 1;
    return new RequestSpan(this, request, this.#sent - 1);
  }

  commit(): CommitWatch {
    const commit = new OpenSpan(this, 'commit', {});
    return { ends: (failure) => commit.end(failure) };
  }

  succeeds({ count, bytes }: WrittenPage): void {
    this.span.setAttributes({ 'rxtract.items': count, 'rxtract.items.size': bytes });
    this.close();
  }

  fails(failure: unknown): void {
    this.end(failure);
  }
}

class LoginSpan extends OpenSpan implements LoginWatch {
  #sent = 0;

  constructor(above: SpanParent, server: ServerAddress) {
    super(above, 'login', attributesOf(server));
  }

  request(request: ObservedRequest): RequestWatch {
    this.#sent += 1;
    return new RequestSpan(this, request, this.#sent - 1);
  }

  succeeds(): void {
    this.close();
  }

  fails(failure: unknown): void {
    this.end(failure);
  }
}

/** A request, after the conventions for HTTP clients: it is an error from status 400 on. */
class RequestSpan extends OpenSpan implements RequestWatch {
  readonly headers: Headers | undefined;
  #status = 0;

  /** `resends`: how often the request was sent before. */
  constructor(above: SpanParent, { method, server, url }: ObservedRequest, resends: number) {
    const attributes: Record<string, string | number> = {
      'http.request.method': method,
      'server.address': server.host,
      'server.port': server.port,
      'url.full': withoutSignatures(url()),
    };
    if (resends > 0) attributes['http.request.resend_count'] = resends;
    super(above, method, attributes, client);
    this.headers = above.tracing.traceparent ? headersOf(this.span.spanContext()) : undefined;
  }

  responds(status: number): void {
    this.#status = status;
    this.span.setAttributes({ 'http.response.status_code': status });
  }

  ends(code?: string): void {
    if (code !== undefined) this.fail(code);
    else if (this.#status >= 400) this.fail(String(this.#status));
    this.close();
  }
}

const attributesOf = ({ host, port }: ServerAddress): SpanAttributes => ({
  'server.address': host,
  'server.port': port,
});

/** Signatures in links of an API are no secrets of the configuration. */
const withoutSignatures = (url: string): string => url.replace(signature, '$1REDACTED');

/** The parameters that the conventions name, and those of newer signatures of AWS. */
const signature =
  /([?&](?:AWSAccessKeyId|Signature|sig|X-Goog-Signature|X-Amz-(?:Signature|Credential|Security-Token))=)[^&#]*/gi;

/** The headers of W3C Trace Context; undefined: nothing traces. */
function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext): Headers | undefined {
  if (/^0*$/.test(traceId)) return undefined;
  const state = traceState?.serialize() ?? '';
  const parent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  return new Map([['traceparent', [parent]], ...(state === '' ? [] : [['tracestate', [state]] as const])]);
}
