/** What records or replays the exchanges of a run, as the engine sees it. */
import type { PageRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { usageError } from '../core/util/check-value.js';
import type { ExplainedRequest } from './explain-request.js';
import type { Handler } from './types.js';

/** What the requests of one API share. */
export interface RecordingContext {
  readonly secrets: Secrets;
  /** Response headers that paginations read, in lower case: a replay needs them. Absent: none. */
  readonly pagingHeaders?: ReadonlySet<string>;
  /** Jobs say how responses are read: bodies may be CSV, XML or another text. */
  readonly hasFormats?: boolean;
  /** The largest body, in bytes; absent: no limit. */
  readonly maxBodyBytes?: number | undefined;
}

/**
 * A recording that is written, or replayed: the result of `recordExchanges` or `replayExchanges`, for the option
 * `exchanges` of one run.
 */
export interface Exchanges {
  /**
   * Ends it, after the run. Resolves with what it did. Rejects with ERR_RECORDING if a recording is not on the disk.
   */
  close(): Promise<ExchangesSummary>;
}

export interface ExchangesSummary {
  readonly exchanges: number;
  /** Responses with items in which secrets are masked: a replay gives other items. */
  readonly masked: number;
  /** Of a replay: exchanges that no request asked for. */
  readonly unused: number;
  /** These exchanges, by method and masked address, in their order. Absent: it was no replay. */
  readonly unusedRequests?: readonly string[];
}

/** A page that is requested. */
export interface AskedPage {
  /** The name of the job. */
  readonly job: string;
  readonly page: PageRequest;
  /** Explains this request, or another one of the job. Throws ERR_REQUEST. */
  explain(page: PageRequest): ExplainedRequest;
}

/** What follows a page: a request, or the end with its reason. */
export interface PageStep {
  readonly job: string;
  /** From 0. */
  readonly index: number;
  readonly step: PageRequest | { readonly stop: string };
}

/** The internal view. */
export interface EngineExchanges extends Exchanges {
  /** Wraps the transport. */
  around(transport: Handler, context: RecordingContext): Handler;
  /** A number from 0 up to below 1: the same ones in a run and in its replays. */
  random(): number;
  /** Nothing is sent: the tokens of its responses are masked, and no store may get them. */
  readonly isReplay?: true;
  /** Called before each attempt at a page; absent: never. */
  readonly onAsk?: (asked: AskedPage) => void;
  /** Called with what a paginator answers after a page, also if a limit of the run ends the job there. */
  readonly onStep?: (step: PageStep) => void;
}

/** The internal view of the option. Throws ERR_USAGE for an object that is none. */
export function engineExchanges(given: Exchanges): EngineExchanges {
  if ('around' in given && 'random' in given) return given as EngineExchanges; // made by `src/recording`
  throw usageError('exchanges: expected the result of recordExchanges() or replayExchanges() of rxtract');
}
