/** Reads a recording: the head of every exchange, and where its body is in the file. */
import { type FileHandle, open } from 'node:fs/promises';
import { describeSystemError } from '../core/errors/system-error.js';
import { readAll } from '../core/util/file-io.js';
import {
  type BeginLine,
  type EndLine,
  type FaultLine,
  type HeadLine,
  type Line,
  type PartLine,
  parseLine,
  type RequestLine,
  recordingError,
} from './recording-lines.js';

/** One exchange. Without `head` or `end` the recorded run stopped before that. */
export interface RecordedExchange {
  readonly request: RequestLine;
  readonly head: HeadLine | undefined;
  readonly end: EndLine | FaultLine | undefined;
  /** Secrets are masked in its body. */
  readonly isMasked: boolean;
  /** The bytes of its body, part by part. Throws ERR_RECORDING. */
  parts(): AsyncIterable<Uint8Array>;
}

export interface Recording {
  readonly begin: BeginLine;
  /** In the order of their requests. */
  readonly exchanges: readonly RecordedExchange[];
  close(): Promise<void>;
}

/** A line of a body in the file. */
interface Place {
  readonly from: number;
  readonly length: number;
}

interface Draft {
  readonly request: RequestLine;
  head?: HeadLine;
  end?: EndLine | FaultLine;
  isMasked: boolean;
  readonly places: Place[];
}

/** Opens a recording. A last line that is incomplete is left out: the run was killed. Rejects with ERR_RECORDING. */
export async function readRecording(path: string): Promise<Recording> {
  const handle = await open(path, 'r').catch((thrown: unknown) => {
    throw recordingError(path, `cannot be read: ${describeSystemError(thrown)}`, thrown);
  });
  try {
    const { begin, drafts } = await readDrafts(handle, path);
    const exchanges = drafts.map(({ places, request, head, end, isMasked }) => ({
      request,
      head,
      end,
      isMasked,
      parts: () => readParts(handle, path, places),
    }));
    return { begin, exchanges, close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

async function readDrafts(handle: FileHandle, path: string) {
  const drafts = new Map<number, Draft>();
  let begin: BeginLine | undefined;
  let number = 0;
  for await (const { text, ...place } of linesOf(handle)) {
    number += 1;
    const line = parseLine(text);
    const isFirst = number === 1;
    if (line === undefined || (line.line === 'recording') !== isFirst) {
      throw recordingError(path, isFirst ? 'is no recording' : `line ${number} is no line of a recording`);
    }
    if (line.line === 'recording') begin = line;
    else if (!addLine(drafts, line, place)) throw recordingError(path, `line ${number} belongs to no request`);
  }
  if (begin === undefined) throw recordingError(path, 'is no recording: it has no complete line');
  if (begin.format !== 1) throw recordingError(path, `has format ${begin.format}; this version reads format 1`);
  return { begin, drafts: [...drafts.values()] };
}

/** False: the line belongs to no request. */
function addLine(drafts: Map<number, Draft>, line: Exclude<Line, BeginLine>, place: Place): boolean {
  if (line.line === 'request') {
    drafts.set(line.exchange, { request: line, isMasked: false, places: [] });
    return true;
  }
  const draft = drafts.get(line.exchange);
  if (draft === undefined) return false;
  if (line.line === 'response') draft.head = line;
  else if (isPart(line)) {
    draft.places.push(place);
    draft.isMasked ||= line.masked !== undefined && (draft.head?.status ?? 0) < 300 && draft.request.login !== true;
  } else draft.end = line;
  return true;
}

const isPart = (line: Line): line is PartLine => line.line === 'text' || line.line === 'bytes';

interface PlacedLine extends Place {
  readonly text: string;
}

/** Bytes that are read at once. */
const readBytes = 1024 * 1024;

/** The complete lines of a file. */
async function* linesOf(handle: FileHandle): AsyncGenerator<PlacedLine> {
  let [rest, from] = [Buffer.alloc(0), 0];
  for (;;) {
    const chunk = Buffer.alloc(readBytes);
    const count = await readAll(handle, chunk, from + rest.length);
    if (count === 0) return;
    const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
    let at = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
      yield { text: bytes.toString('utf8', at, end), from: from + at, length: end - at };
      at = end + 1;
    }
    rest = bytes.subarray(at);
    from += at;
  }
}

async function* readParts(handle: FileHandle, path: string, places: readonly Place[]): AsyncGenerator<Uint8Array> {
  for (const { from, length } of places) {
    const bytes = Buffer.alloc(length);
    await readAll(handle, bytes, from);
    const line = parseLine(bytes.toString());
    if (line === undefined || !isPart(line)) throw recordingError(path, 'has changed while it was read');
    yield Buffer.from(line.value, line.line === 'text' ? 'utf8' : 'latin1');
  }
}
