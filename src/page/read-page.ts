/** Reads one page: body in, batches out to the sink, at the sink's pace; what pagination needs stays behind. */
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { DataField } from '../core/model/job.js';
import type { Captured, CapturePath, Envelope } from '../core/model/page.js';
import type { ByteSource } from '../core/util/byte-source.js';
import type { PathMiss } from '../core/util/suggest.js';
import { createSlabBuffer, type SlabBuffer } from './buffer/slab-buffer.js';
import type { PageWriter } from './page-writer.js';
import { type Reader, readerOf } from './readers.js';
import type { Scan, ScanEvent, Slab } from './scanner/scanner.js';

export interface PageOptions {
  /** Of the response: chooses the reader. */
  readonly contentType?: string | undefined;
  /** Nothing but the document itself tells whether the body is whole: one that is not complete was cut short. */
  readonly isOpenEnded?: boolean;
  readonly dataField: DataField;
  readonly captures: readonly CapturePath[];
  readonly batchBytes: number;
  readonly maxItemBytes: number;
  readonly maxCaptureBytes: number;
  /** Whether pages of this walk are compared with one another. */
  readonly fingerprint: boolean;
  /** The chain of the page before, to notice a repeat. */
  readonly previous?: readonly bigint[] | undefined;
}

export interface PageRead {
  readonly count: number;
  /** Bytes of the items as NDJSON. */
  readonly bytes: number;
  /** What the data field led to; `no body`: nothing but white space came. */
  readonly found: Scan['found'] | 'no body';
  /** Where the path of the data field stopped leading on. */
  readonly astray: PathMiss;
  readonly envelope: Envelope;
  readonly chain: readonly bigint[];
  /** The digest of the items alone; undefined where pages are not compared, or there was no body. */
  readonly itemsDigest: bigint | undefined;
  /** The page equals the one before it and was not delivered. */
  readonly repeated: boolean;
}

/**
 * Reads the body and writes its batches; the next chunk is not read before the sink has taken the last batch.
 * On any failure the page is taken back before the error goes on. Throws ERR_JSON, ERR_UTF8, ERR_DEPTH, ERR_ITEM_SIZE,
 * ERR_DATA_FIELD with the byte offset, ERR_ROLLBACK, ERR_PAGE_CHANGED, ERR_SINK, and what the body throws.
 */
export async function readPage(body: ByteSource, page: PageWriter, options: PageOptions): Promise<PageRead> {
  const reader = readerOf(options.contentType);
  const captures = options.captures.map(({ segments }) => segments);
  const scan = reader.start({ ...options, captures, ...kindsOf(options.captures) });
  const hold = createSlabBuffer();
  try {
    const read = await scanBody(body, { reader, scan, gate: createGate(scan, hold, page, options.previous) }, options);
    page.complete();
    return read;
  } catch (thrown) {
    throw await takenBack(page, asExtractError(thrown));
  } finally {
    await hold.clear();
    scan.dispose();
  }
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
  await body.read((chunk) => {
    blank &&= isBlank(chunk);
    return takeAll(scan.feed(chunk)[Symbol.iterator](), gate);
  });
  if (blank && !reader.mayBeBlank) {
    const nothing = { count: 0, bytes: 0, astray: { beside: [] }, envelope: new Map(), chain: [] };
    return { ...nothing, found: 'no body', itemsDigest: undefined, repeated: false };
  }

  for (const event of ending(scan, options)) await gate.take(event);
  const repeated = await gate.finish();
  return {
    count: repeated ? 0 : scan.count,
    bytes: repeated ? 0 : scan.itemBytes,
    found: scan.found,
    astray: scan.astray(),
    envelope: envelopeOf(scan, options.captures),
    chain: scan.chain,
    itemsDigest: scan.itemsDigest,
    repeated,
  };
}

/** Passes events on until one waits; the promise is that of all that follow. */
function takeAll(events: Iterator<ScanEvent>, gate: RepeatGate): void | Promise<void> {
  for (let step = events.next(); step.done !== true; step = events.next()) {
    const waiting = gate.take(step.value);
    if (waiting !== undefined) return waiting.then(() => takeAll(events, gate));
  }
}

/** The last events of a scan. Throws ERR_BODY_CUT, by the number of curl for it, where it can be nothing else. */
function* ending(scan: Scan, { isOpenEnded = false }: PageOptions): Iterable<ScanEvent> {
  try {
    yield* scan.end();
  } catch (thrown) {
    const error = asExtractError(thrown);
    if (!isOpenEnded || !(error.code === 'ERR_JSON' || error.code === 'ERR_UTF8')) throw error;
    const message = `the body ended with its connection before it was complete: ${error.message}`;
    throw new ExtractError('ERR_BODY_CUT', message, { ...error.where, transport: 18, cause: error });
  }
}

/**
 * Takes the page back; where the sink cannot, the error says that items stay. A sink that failed has said why: that
 * comes first.
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

interface RepeatGate {
  take(event: ScanEvent): Promise<void>;
  /** The body has ended: lets the held slabs go, or drops them when the page repeats the one before. */
  finish(): Promise<boolean>;
}

/** Holds slabs back only as long as the page agrees with the one before. */
function createGate(
  scan: Scan,
  hold: SlabBuffer,
  page: PageWriter,
  previous: readonly bigint[] | undefined,
): RepeatGate {
  let open = previous === undefined;

  const release = async () => {
    open = true;
    for await (const slab of hold.drain()) await page.write(slab);
  };
  const deliver = async (slab: Slab) => {
    if (!open && !agrees(scan.chain, previous)) await release();
    if (open) await page.write(slab);
    else await hold.add(slab);
  };

  return {
    async take(event) {
      if ('slab' in event) return deliver(event.slab);
      await hold.clear();
      await page.rollback();
      open = previous === undefined;
    },
    async finish() {
      if (open) return false;
      const repeated = scan.chain.length === previous?.length && agrees(scan.chain, previous);
      if (!repeated) await release();
      return repeated;
    },
  };
}

function agrees(chain: readonly bigint[], previous: readonly bigint[] | undefined): boolean {
  if (previous === undefined || chain.length > previous.length) return false;
  return chain.every((digest, at) => digest === previous[at]);
}

function kindsOf(captures: readonly CapturePath[]) {
  const having = (kind: 'shallow' | 'silent') =>
    new Set(captures.flatMap((capture, index) => (capture[kind] === true ? [index] : [])));
  return { shallow: having('shallow'), silent: having('silent') };
}

function envelopeOf(scan: Scan, captures: readonly CapturePath[]): Envelope {
  const found = captures.flatMap(({ text, silent }, index) => {
    const captured = capturedOf(scan, index, text);
    return silent === true && captured.value === undefined ? [] : [[text, captured] as const];
  });
  return new Map(found);
}

function capturedOf(scan: Scan, index: number, text: string): Captured {
  const { json, beside, depth } = scan.captured(index);
  if (json === undefined) return { value: undefined, beside, depth };
  try {
    return { value: parseExact(json), beside };
  } catch (cause) {
    throw new ExtractError('ERR_INTERNAL', `the value at "${text}" was validated but cannot be read`, { cause });
  }
}
