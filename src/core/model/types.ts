/** The words of the engine: pure data that its parts hand to one another. */
import type { Observable, ObservableInput } from 'rxjs';
import type { Exact, ExactObject } from '../json/exact.js';

export type Method = 'GET' | 'POST' | 'FORM' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';

/** Header name as configured -> its values, one header line each. Names are compared without case. */
export type Headers = ReadonlyMap<string, readonly string[]>;

/** Where the items of a page lie: the automatic search, or the segments of a path (none: the whole response). */
export type DataField =
  | { readonly kind: 'auto' }
  | { readonly kind: 'path'; readonly segments: readonly string[]; readonly text: string };

/** One job, its expressions evaluated. `name` is unique within a run. */
export interface Job {
  readonly name: string;
  readonly endpoint: string;
  readonly method?: Method;
  readonly params: ExactObject;
  readonly headers: Headers;
  readonly dataField: DataField;
  readonly dataType: string;
  /** Its own, or the one that it names, in the place of that of the API. */
  readonly scroller?: Scroller;
  /** Members that each item gets behind its own; absent: none. */
  readonly columns?: ExactObject;
  /** Pages with the items of others are no loop; absent: as its scroller has it. */
  readonly allowRepeatedItems?: boolean;
}

/** What a scroller asks for: pure data, before defaults, encoding and credentials. */
export interface PageRequest {
  readonly endpoint: string;
  /** Absent: the default of `api.http.defaultOptions.method`, else GET. */
  readonly method?: Method;
  readonly params: ExactObject;
  readonly headers: Headers;
  /** The endpoint is a link that a response gave: what its query carries is no parameter of the job. Decision 7. */
  readonly link?: true;
  /** Names in `params` that a link brought, none of them the job's. Decision 7. */
  readonly linkNames?: readonly string[];
  /** Values at paths into the JSON body, set once the defaults are laid under `params`. */
  readonly placed?: readonly Placed[];
  /** What a user should know of this step; it is said, and travels no further. */
  readonly warning?: Notice;
}

/** A value at a path into the JSON body of a request. */
export interface Placed {
  readonly path: readonly string[];
  readonly value: Exact;
}

/** Where a parameter of pagination goes: its name, or a path into the JSON body. */
export type Param = string | readonly string[];

/** A parameter of pagination that is a path into the JSON body: what is needed to check it before the first request. */
export interface BodyParam {
  /** The key of the method's configuration that gives it. */
  readonly key: string;
  readonly path: readonly string[];
  /** Where the key is in the document; absent: not known. */
  readonly at?: string;
  /** The request that it goes into, without it. */
  request(job: Job): PageRequest;
}

/** One value that pagination named, read from a page. `beside` are the member names where the path stopped leading on, behind `depth` segments. */
export interface Captured {
  readonly value: Exact | undefined;
  readonly depth?: number;
  readonly beside: readonly string[];
}

/** Captured values by the path text that the scroller gave in `captures`. */
export type Envelope = ReadonlyMap<string, Captured>;

/** A page that has been taken by the sink. `index` counts from 0; `count` is the number of items. Pure data, as all that a walk knows. */
export interface Page extends Walked {
  readonly request: PageRequest;
  readonly index: number;
  readonly count: number;
  /** Items of the response: also those that the scroller left out, and all of a page that repeats the one before it. */
  readonly received: number;
  readonly envelope: Envelope;
  /** The address that answered, redirects followed, without user information and query. */
  readonly address: string;
  /** The response headers that the scroller named, and those that tell whether the data goes on, in lower case. */
  readonly headers: Headers;
  /** When the page had been taken, in epoch ms. */
  readonly takenAt: number;
}

/** What a walk adds up to, the last page included. */
export interface Walked {
  /** When the first request was prepared, in epoch ms. */
  readonly startedAt: number;
  readonly items: number;
  /** Bytes of the responses as compact JSON with `\/` and `\uXXXX`; counted where the scroller asks for it, else 0. */
  readonly volume: number;
  /** What the scroller has folded the items into. */
  readonly memo?: Exact;
}

/** The end of a walk, with its reason in plain words for the summary. */
export interface Stop {
  readonly stop: string;
  /** The configuration wants no more than this: that items are missing is no surprise. */
  readonly isWanted?: true;
  readonly warning?: Notice;
}

/** A pagination method at work: pure functions of the job and the last page; no state, no reset. */
export interface Scroller {
  /** Paths whose values `next` reads from `page.envelope`. */
  readonly captures: readonly CapturePath[];
  /** Endpoints that the configuration gives this method; the origins of absolute ones are trusted. */
  readonly endpoints?: readonly string[];
  /** Response headers that `next` reads, in lower case. */
  readonly headers?: readonly string[];
  /** `next` reads `page.volume`. */
  readonly volume?: true;
  /** One request a job: `next` always ends the walk. */
  readonly single?: true;
  /** Where each response tells how many items there are in all. */
  readonly total?: CapturePath;
  /** The parameter that counts pages or items; absent: it counts nothing. */
  readonly counter?: string;
  /** The parameter that carries a value of the last page to the next one; absent: a link does, or nothing. */
  readonly cursor?: Param;
  /** Parameters that are paths into the JSON body; absent: there are none. */
  readonly bodyParams?: readonly BodyParam[];
  /** Pages with the items of others are no loop. */
  readonly allowsRepeatedItems?: boolean;
  /** The walk leaves out the first items. */
  skips?(job: Job): boolean;
  /** Scrollers of which a job may name one in its place. */
  readonly named?: ReadonlyMap<string, Scroller>;
  first(job: Job): PageRequest;
  next(job: Job, page: Page): PageRequest | Stop;
  /** `next` is asked about a page that repeats the one before it, too; absent: such a page ends the walk. */
  readonly judgesRepeats?: true;
  /**
   * How many of the first items, those of `items` on, the walk had before: they are left out. `already` of them were in batches before; `memo` is
   * that of the page before.
   */
  repeated?(memo: Exact, items: Items, already: number): number;
  /** Folds items, in order and a batch at a time, into the memo that `next` finds in the page. Throws ERR_PAGINATION. */
  fold?(memo: Exact | undefined, items: Items): Exact;
}

/** Items on their way to the sink, as in a batch. */
export type Items = Pick<Batch, 'bytes' | 'offsets' | 'count'>;

export interface CapturePath {
  /** Names the value in the envelope. */
  readonly text: string;
  readonly segments: readonly string[];
  /** Of a list or an object only its kind counts: it is captured as an empty one, however large it is. */
  readonly shallow?: true;
  /** Only a value is told; of one that is missing, or too large to be captured, nothing stands in the envelope. */
  readonly silent?: true;
}

export const isStop = (step: PageRequest | Stop): step is Stop => 'stop' in step;

/** A request as it goes on the wire. `url` is absolute and encoded; `method` is the wire method. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body?: string;
  /** Names in the query of `url` that only a link or a redirect brought: a login value replaces them. Decision 7. */
  readonly linkNames?: ReadonlySet<string>;
}

/** What a login gave. `expiresAt` in epoch ms; Infinity: never. */
export interface Credentials {
  readonly headers: Headers;
  readonly query: ExactObject;
  readonly expiresAt: number;
  /** To be called when others have replaced them and the last request with them is over: the secrets of the login may be forgotten. */
  readonly release?: () => void;
}

/** The reply to a login request, its body whole. Status is below 400, or one that the login takes. */
export interface LoginReply {
  readonly status: number;
  readonly body: Uint8Array;
}

/** The login request before encoding: only what `loginRequest` says, expressions evaluated. */
export type LoginRequest = PageRequest;

/** An authentication type at work. */
export interface Authentication {
  /** Endpoints that the configuration names for this type; the origins of absolute ones are trusted. */
  readonly endpoints: readonly string[];
  /** Absent: all that a request needs is in the configuration. */
  readonly login?: Login;
  /** Puts credentials on a request: asked anew for each attempt and each hop. Pure but for clock and nonce. Throws ERR_FUNCTION. */
  authorize(request: HttpRequest, credentials: Credentials): HttpRequest;
}

/** One that logs in. */
export interface LoginAuthentication extends Authentication {
  readonly login: Login;
}

/** Answers by which credentials are refused: of these statuses, all of them errors, or of any status with this text at the beginning. */
export interface Refusal {
  readonly statuses: ReadonlySet<number>;
  readonly text?: string;
}

/** How credentials are got. `obtain` is cold: each subscription logs in once. */
export interface Login {
  /** `each request`: never shared, and login and request are one critical section. */
  readonly renewal: 'once' | 'on expiry' | 'each request';
  /** Statuses of 400 and more whose replies `obtain` reads itself; where they are tried again, the last one. */
  readonly takes?: ReadonlySet<number>;
  /** How the API says that it refuses what `obtain` gave; absent: by 401. */
  readonly refusal?: Refusal;
  obtain(login: (request: LoginRequest) => Observable<LoginReply>): Observable<Credentials>;
}

/** A slab of NDJSON: item i is `bytes[offsets[i] .. offsets[i + 1] - 1)`, its newline behind it. Never touched again once handed over. */
export interface Batch<Item = unknown> {
  readonly job: string;
  readonly dataType: string;
  /** Items as compact JSON, a newline after each. */
  readonly bytes: Uint8Array;
  /** `count + 1` byte offsets into `bytes`; the first is 0, the last `bytes.length`. */
  readonly offsets: Uint32Array;
  readonly count: number;
  /** The items by `JSON.parse`; numbers beyond 2^53 lose digits. `Item` is the caller's word: nothing is checked. */
  values(): readonly Item[];
  /** The items with number text and member order kept. */
  exact(): readonly Exact[];
}

/**
 * Acknowledgement, progress and checkpoint of one page: its sink has taken it, and answers for it. Its last batch may still be on its way;
 * where that does not arrive, the run fails before anything is published. Only `durable` of the sink says that it is safe.
 * `bytes` are those of its items. Without `next` the walk has ended, for the reason in `stop`.
 */
export interface Receipt {
  readonly job: string;
  readonly dataType: string;
  readonly index: number;
  readonly count: number;
  readonly bytes: number;
  /** False: the page repeated the one before it and was not delivered. */
  readonly delivered: boolean;
  /** There was nothing where its items belong, at `dataField` or as a list, not even an empty one. */
  readonly unfound?: true;
  /** Requests this page took, login requests and retries included. */
  readonly requests: number;
  readonly retries: number;
  /** It came from the cache, where nothing is requested but logins and what the page took before. */
  readonly cached?: true;
  readonly next?: PageRequest;
  readonly stop?: string;
  /** A bound of the run ended the walk before its own end: items may be missing. */
  readonly bounded?: true;
}

/** A place in the output of one data type, as its sink understands it. */
export interface Mark {
  readonly dataType: string;
  readonly position: unknown;
}

/**
 * How often an item arrives where a run was broken off and gone on with. `effectively once`: it may come again, under the same key, so that
 * the destination can tell.
 */
export type Guarantee = 'exactly once' | 'effectively once' | 'at least once';

/** What a run that was broken off has left in a sink. */
export interface Earlier {
  /** `publishing`: all had been written, and `close` may have been under way. */
  readonly phase: 'writing' | 'publishing';
  /** What `checkpoint` said last, by data type; one that had got nothing yet may be missing. */
  readonly checkpoints: ReadonlyMap<string, Exact>;
}

/** What a run gives to a sink with each data type. */
export interface Opening {
  /**
   * Fails the run at once with what a batch failed at that `write` had taken already: no further request goes out. The sink calls it
   * where no call waits that could reject; later calls fail all the same.
   */
  readonly onFailure?: (thrown: unknown) => void;
}

/** What a run that succeeded says to a sink. */
export interface Closing {
  /** Data types without items whose earlier output `published` has named: `close` leaves it as it is. */
  readonly keep: ReadonlySet<string>;
}

/**
 * Where items go. `write` settles when the sink has room for more; the engine sends nothing else to that data type until then.
 * A sink may take a batch and write it behind: what it could not write makes its next call for that data type fail, and `close`.
 * A page is a transaction: `mark` before it, `rollback` to take back what it wrote. A sink that cannot take back leaves both out.
 */
export interface Sink<Item = unknown> {
  /** Announces a data type and the job that will write it, before any request. */
  open?(dataType: string, job: string, opening?: Opening): void | Promise<void>;
  write(batch: Batch<Item>, signal: AbortSignal): void | Promise<void>;
  /** May wait for what was taken before to be written, no longer than the signal lets it. */
  mark?(dataType: string, signal?: AbortSignal): Mark | Promise<Mark>;
  rollback?(mark: Mark): void | Promise<void>;
  /** Settles when all that was written survives a crash. */
  durable?(): Promise<void>;
  /** What a run that keeps a state may promise; absent: at least once. */
  readonly guarantee?: Guarantee;
  /**
   * Called before `open` where the run keeps a state: `checkpoint` will be asked for, and the output goes on where it stood; what came
   * behind is cut off. Throws ERR_RESUME where it is not what it was, and has changed nothing then; it may be called once more, with earlier checkpoints.
   */
  resume?(earlier: Earlier): void | Promise<void>;
  /** Where the output of a data type stands once all that was taken before the call has landed: plain data that outlives the process. */
  checkpoint?(dataType: string): Promise<Exact>;
  /**
   * Names what an earlier run has published of the data type, if it has items and `close` would replace it; else nothing. Asked after the
   * last write. A sink that replaces has it; one that adds to what is there leaves it out.
   */
  published?(dataType: string): readonly string[] | Promise<readonly string[]>;
  /** The run succeeded: publish and let go. Without `closing` nothing is kept. */
  close(closing?: Closing): void | Promise<void>;
  /** The run failed or was interrupted: leave what was delivered valid and unpublished. */
  abort(reason: unknown): void | Promise<void>;
  /** Lines for the end of the run: what was written where. */
  summary?(): readonly SinkOutput[];
}

export interface SinkOutput {
  readonly dataType: string;
  readonly name: string;
  readonly items: number;
  readonly bytes: number;
  /** It has not been published: `name` is where the items are for now. */
  readonly unfinished?: true;
  /** `name` is the output of an earlier run, which this one did not replace. */
  readonly kept?: true;
}

/** The short form of a sink: the next batch waits until what it returns has completed. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a sink too.
export type SinkFunction<Item = unknown> = (batch: Batch<Item>, signal: AbortSignal) => ObservableInput<unknown> | void;

/** Something a user should know. Warnings become errors under `strict`. Messages are masked. */
export interface Notice {
  readonly level: 'debug' | 'info' | 'warning';
  /** Stable, for filters: `missing-response-param`, `unknown-key`, ... */
  readonly code: string;
  readonly message: string;
  readonly job?: string;
  readonly page?: number;
  /** What a warning is said of, once a job, where its message has figures that differ; it is not passed on. */
  readonly subject?: string;
}

export type Notify = (notice: Notice) => void;

/**
 * All values that must never show. Masking is by value, from 4 characters up, whatever encodings the value is met in: HTML references,
 * percent-encoding, JSON escapes and base64, up to 3 of them within one another.
 */
export interface Secrets {
  /**
   * Values shorter than 4 characters are masked only where they are a whole parameter or header value.
   * `passing`: one of many short-lived values, computed for a request. `request`: made for one request, such as a signature. Only the latest
   * 1,000 of each are sure to be kept.
   */
  add(value: string, lifetime?: 'run' | 'passing' | 'request'): void;
  /** For values that live as long as something else does, such as those of a login as its credentials. */
  scope(): SecretScope;
  isSecret(value: string): boolean;
  mask(text: string): string;
  /** Masks an address: also user information, and values in its query that are secrets as a whole, however short. */
  maskUrl(url: string): string;
  /** Masks, then cuts to `length` characters in one line without control characters. `text` may end within a secret. */
  excerpt(text: string, length: number): string;
}

/** Values with an owner. None of them is forgotten before they are let go. */
export interface SecretScope {
  add(value: string): void;
  /** The owner is gone: the values may be forgotten, those of the scope that is closed last not yet. */
  close(): void;
}
