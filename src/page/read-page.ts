/** Reads one page: body in, batches out to the sink, at the sink's pace. Its result holds the facts for pagination. */
import type { ErrorCode } from '../core/errors/error-codes.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { DataField } from '../core/model/job.js';
import type { Captured, CapturePath, Envelope } from '../core/model/page.js';
import { type ByteSource, borrowingChunks, type EndFile, type TakeChunk } from '../core/util/byte-source.js';
import { rememberFor } from '../core/util/remember.js';
import type { FormatSettings } from './formats/format-scan.js';
import { NamedRows } from './named-rows.js';
import type { PageRead } from './page-result.js';
import type { PageWriter } from './page-writer.js';
import { PartedScan } from './parted-scan.js';
import { json, type Reader, readerOf } from './readers.js';
import { RepeatGate } from './repeat-gate.js';
import type { Scan, ScanEvent, ScanOptions } from './scanner/scan.js';
import type { CapturedText } from './scanner/slots.js';
import type { SlabMemory } from './slab-memory.js';

/** Reports captured values while the body still arrives. */
export interface EarlyCaptures {
  /** The number of paths that are needed: the first ones of `captures`. */
  readonly count: number;
  /** Called once, when all of them have a value. A member that is repeated later may change it. Must not throw. */
  readonly onFound: (envelope: Envelope) => void;
}

export interface PageOptions {
  /** The content type of the response selects the reader. */
  readonly contentType?: string | undefined;
  /** The body ends with its connection, so only a complete document shows that it is complete. */
  readonly isOpenEnded?: boolean;
  readonly dataField: DataField;
  readonly captures: readonly CapturePath[];
  readonly batchBytes: number;
  readonly maxItemBytes: number;
  readonly maxCaptureBytes: number;
  /** Whether pages of this walk are compared with one another. */
  readonly fingerprint: boolean;
  /** The fingerprint chain of the previous page, to detect a repeat. */
  readonly previous?: readonly bigint[] | undefined;
  /** Absent: captured values are known at the end. */
  readonly early?: EarlyCaptures | undefined;
  /** Judges a page that was read, before it is complete: `skip` rolls it back. May throw. Absent: none does. */
  readonly judge?: ((read: PageRead) => 'end' | 'skip' | undefined) | undefined;
  /** Memory for slabs; absent: each has its own. */
  readonly slabs?: SlabMemory | undefined;
  /** How the body is read; absent: as its content type says. */
  readonly format?: FormatSettings | undefined;
  /** Gets each chunk before it is scanned, to look at it. What it keeps it must retain or copy if it is lent. */
  readonly see?: ((chunk: Uint8Array) => void) | undefined;
}

/**
 * Reads the body and writes its batches; does not read the next chunk before the sink has accepted the last batch. On
 * any failure it rolls the page back before it throws. Throws ERR_JSON, ERR_UTF8, ERR_DEPTH, ERR_ITEM_SIZE,
 * ERR_DATA_FIELD with the byte offset, the errors of other formats with their place, ERR_ROLLBACK,
 * ERR_PAGE_CHANGED, ERR_SINK, and the errors of the body.
 */
export async function readPage(body: ByteSource, page: PageWriter, options: PageOptions): Promise<PageRead> {
  const { format } = options;
  const columns = format?.options.columns;
  const reader = columns === undefined ? readerOf(options.contentType, format?.options.format) : json;
  const start = () =>
    columns === undefined ? reader.start(scanOptionsOf(options), format) : namedRows(columns, options);
  const isArchive = format?.options.decode.includes('unzip') === true;
  const scan = isArchive ? new PartedScan(start, options.fingerprint) : start();
  const gate = new RepeatGate(scan, page, options.previous);
  try {
    const read = await scanBody(body, { reader, scan, gate }, options);
    if (options.judge?.(read) === 'skip') {
      await page.rollback();
      return { ...read, count: 0, bytes: 0 };
    }
    page.complete();
    return read;
  } catch (thrown) {
    throw await takenBack(page, asExtractError(thrown));
  } finally {
    const clearing = gate.clear();
    if (clearing !== undefined) await clearing;
    scan.dispose();
  }
}

/** Rows get memory of their own: those before their names wait. */
function namedRows(columns: string | readonly string[], options: PageOptions): Scan {
  const scan = scanOptionsOf(options);
  const segments = typeof columns === 'string' ? columns.split('.') : columns;
  const captures = [...scan.captures, segments];
  return new NamedRows(json.start({ ...scan, captures, allocate: undefined }), {
    path: segments.join('.'),
    index: scan.captures.length,
    memory: options.format?.memory ?? {},
    mostWaiting: options.maxItemBytes,
  });
}

interface ScanContext {
  readonly reader: Reader;
  readonly scan: Scan;
  readonly gate: RepeatGate;
}

async function scanBody(
  body: ByteSource,
  { reader, scan, gate }: ScanContext,
  options: PageOptions,
): Promise<PageRead> {
  let blank = true;
  const look = options.early === undefined ? undefined : earlyLook(scan, reader, options.captures, options.early);
  look?.();
  const { see } = options;
  const take: TakeChunk = (chunk) => {
    see?.(chunk);
    blank &&= isBlank(chunk);
    const waiting = takeAll(scan.feed(chunk)[Symbol.iterator](), gate, options.slabs);
    look?.();
    return look === undefined || waiting === undefined ? waiting : waiting.then(look);
  };
  // The scanner of JSON copies what it reads; other formats keep parts of chunks.
  await body.read(reader === json ? borrowingChunks(take) : take, endOfFile({ scan, gate }, options));
  if (blank && !reader.mayBeBlank) return noBody();

  const last = options.isOpenEnded === true ? ending(scan) : scan.end();
  const waiting = takeAll(last[Symbol.iterator](), gate, options.slabs);
  if (waiting !== undefined) await waiting;
  const finishing = gate.finish();
  return readOf(scan, typeof finishing === 'boolean' ? finishing : await finishing, options);
}

/** Passes on the last items of a file of an archive. */
function endOfFile({ scan, gate }: Omit<ScanContext, 'reader'>, { slabs }: PageOptions): EndFile | undefined {
  const endFile = scan.endFile?.bind(scan);
  return endFile && (() => takeAll(endFile()[Symbol.iterator](), gate, slabs));
}

/** Looks for early captures: called after each chunk. Of several JSON texts the last one counts, so none is early. */
function earlyLook(
  scan: Scan,
  reader: Reader,
  captures: readonly CapturePath[],
  { count, onFound }: EarlyCaptures,
): () => void {
  const paths = captures.slice(0, count);
  let isDone = count > 0 && (reader !== json || scan.endFile !== undefined);
  return () => {
    if (isDone || !paths.every((_, index) => scan.captured(index).json !== undefined)) return;
    isDone = true;
    onFound(envelopeOf(scan, paths));
  };
}

const readOf = (scan: Scan, repeated: boolean, { captures }: PageOptions): PageRead => ({
  count: repeated ? 0 : scan.count,
  bytes: repeated ? 0 : scan.itemBytes,
  found: scan.found,
  pathMiss: scan.pathMiss(),
  envelope: envelopeOf(scan, captures),
  chain: scan.chain,
  itemsDigest: scan.itemsDigest,
  repeated,
});

const noBody = (): PageRead => ({
  count: 0,
  bytes: 0,
  found: 'no body',
  pathMiss: { beside: [] },
  envelope: noEnvelope,
  chain: [],
  itemsDigest: undefined,
  repeated: false,
});

/** One literal, so that all scanner options have one shape. */
function scanOptionsOf(options: PageOptions): ScanOptions {
  const { dataField, captures, batchBytes, maxItemBytes, maxCaptureBytes, fingerprint, slabs } = options;
  const { segments, shallow, silent, figures } = splitPaths(captures.length === 0 ? noCaptures : captures);
  return {
    dataField,
    captures: segments,
    shallow,
    silent,
    figures,
    batchBytes,
    maxItemBytes,
    maxCaptureBytes,
    fingerprint,
    allocate: slabs?.allocate,
  };
}

interface CapturedPaths {
  readonly segments: readonly (readonly string[])[];
  readonly shallow: ReadonlySet<number>;
  readonly silent: ReadonlySet<number>;
  readonly figures: ReadonlySet<number>;
}

const noCaptures: readonly CapturePath[] = [];

/** The paths of a list of captures, made once: the pages of a walk, and the first pages of walks, share their lists. */
const splitPaths = rememberFor((captures: readonly CapturePath[]): CapturedPaths => {
  const having = (kind: 'shallow' | 'silent' | 'figures') =>
    new Set(captures.flatMap((capture, index) => (capture[kind] === true ? [index] : [])));
  return {
    segments: captures.map(({ segments }) => segments),
    shallow: having('shallow'),
    silent: having('silent'),
    figures: having('figures'),
  };
});

/** Passes events on until one waits; the returned promise covers all that follow. */
function takeAll(events: Iterator<ScanEvent>, gate: RepeatGate, slabs: SlabMemory | undefined): void | Promise<void> {
  for (let step = events.next(); step.done !== true; step = events.next()) {
    const event = step.value;
    const waiting = gate.take(event);
    if (waiting !== undefined) {
      return waiting.then(() => {
        settle(event, slabs);
        return takeAll(events, gate, slabs);
      });
    }
    settle(event, slabs);
  }
}

/** Ends the loan of a slab. After a failure its memory is not used again. */
function settle(event: ScanEvent, slabs: SlabMemory | undefined): void {
  if (slabs !== undefined && 'slab' in event) slabs.settled(event.slab.bytes);
}

/** Yields the last events of a scan of an open-ended body. Throws what `incompleteError` returns. */
function* ending(scan: Scan): Iterable<ScanEvent> {
  try {
    yield* scan.end();
  } catch (thrown) {
    throw incompleteError(asExtractError(thrown));
  }
}

/** The codes of a body that is not what its format says. */
const invalidBody: ReadonlySet<ErrorCode> = new Set(['ERR_JSON', 'ERR_UTF8', 'ERR_CSV', 'ERR_XML']);

/** The error of an incomplete document: ERR_BODY_CUT, with its curl number, if it can only be truncated. */
function incompleteError(error: ExtractError): ExtractError {
  if (!invalidBody.has(error.code)) return error;
  const message = `the connection ended before the body was complete: ${error.message}`;
  return new ExtractError('ERR_BODY_CUT', message, { ...error.where, transport: 18, cause: error });
}

/**
 * Rolls the page back; if the sink cannot, the error reports the remaining items. An error of the sink itself comes
 * first.
 */
async function takenBack(page: PageWriter, error: ExtractError): Promise<ExtractError> {
  try {
    await page.rollback();
    return error;
  } catch (thrown) {
    const failure = asExtractError(thrown);
    return failure.code === 'ERR_ROLLBACK' || error.code === 'ERR_SINK' ? error.at({ kept: true }) : failure;
  }
}

const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);
const isBlank = (chunk: Uint8Array): boolean => chunk.every((byte) => blanks.has(byte));

const noEnvelope: Envelope = new Map();

/** A first page has a hundred paths, and most of them lead to nothing: most envelopes are empty, and no map is made. */
function envelopeOf(scan: Pick<Scan, 'captured'>, captures: readonly CapturePath[]): Envelope {
  let found: Map<string, Captured> | undefined;
  captures.forEach((path, index) => {
    const captured = scan.captured(index);
    if (captured.json === undefined && !isEntry(path, captured)) return;
    found ??= new Map();
    found.set(path.text, parsed(captured, path.text));
  });
  return found ?? noEnvelope;
}

/** Whether a path that leads to no value has an entry. */
const isEntry = ({ silent, within }: CapturePath, { depth }: CapturedText): boolean =>
  silent !== true && (within !== true || depth > 0);

function parsed({ json, beside, depth }: CapturedText, text: string): Captured {
  if (json === undefined) return { value: undefined, beside, depth };
  try {
    return { value: parseExact(json), beside };
  } catch (cause) {
    throw new ExtractError('ERR_INTERNAL', `the value at "${text}" was validated but cannot be read`, { cause });
  }
}
