/** Records every exchange of a run in a file, secrets masked, while the bodies pass. docs/decisions/034. */
import { createHash, randomInt } from 'node:crypto';
import { ExtractError } from '../core/errors/errors.js';
import type { TakeChunk } from '../core/util/byte-source.js';
import type { EngineExchanges, Exchanges, RecordingContext } from '../http/exchanges.js';
import { headOf } from '../http/response.js';
import type { Handler, HttpBody, HttpResponse } from '../http/types.js';
import { type RecordingClock, startRecordingClock } from './clock.js';
import { createBodyMask } from './mask-body.js';
import { maskLogin, maskLoginHeaders } from './mask-login.js';
import { maskRequest, ofWholeFile } from './mask-request.js';
import { maskResponseHeaders } from './mask-response.js';
import { createRandom } from './random.js';
import { openRecording, type RecordingFile } from './recording-file.js';
import type { FaultLine, Line } from './recording-lines.js';

/**
 * Records a run at `path`, in a file that only its owner can read. The first request replaces a recording that is
 * there; any other file is ERR_RECORDING. Create it right before the run: from here on, until `close`,
 * `asyncScheduler` of this process shows the time of the last exchange.
 */
export async function recordExchanges(path: string): Promise<Exchanges> {
  const clock = startRecordingClock();
  const seed = randomInt(2 ** 31);
  const first = { line: 'recording', format: 1, startedAt: clock.tick(), seed } as const;
  const file = await openRecording(path, first).catch((thrown: unknown) => {
    clock.stop();
    throw thrown;
  });
  const recorder = createRecorder(file, clock);
  const exchanges: EngineExchanges = {
    around: recorder.around,
    random: createRandom(seed),
    async close() {
      clock.stop();
      await recorder.settled();
      await file.close();
      return { ...recorder.counts(), unused: 0 };
    },
  };
  return exchanges;
}

function createRecorder(file: RecordingFile, clock: RecordingClock) {
  const pending = new Set<Promise<void>>();
  let [exchanges, masked] = [0, 0];
  const tracks = {
    clock,
    file,
    later(work: Promise<void>) {
      pending.add(work);
      work.finally(() => pending.delete(work)).catch(() => undefined); // the file reports its failure at its close
    },
    onMasked: () => {
      masked += 1;
    },
  };
  const around =
    (transport: Handler, shared: RecordingContext): Handler =>
    async (given, context) => {
      exchanges += 1;
      const isLogin = context.owner === undefined;
      const request = ofWholeFile(given, context);
      const record = isLogin
        ? createLoginRecord(exchanges, shared, tracks)
        : createPageRecord(exchanges, shared, { ...tracks, isFile: context.file !== undefined });
      const masked = maskRequest(request, shared.secrets);
      const line = { line: 'request', exchange: exchanges, at: clock.tick(), ...masked } as const;
      await file.write([isLogin ? { ...line, login: true } : line]);
      try {
        const response = await transport(request, context);
        await record.head(response, clock.tick());
        return { ...headOf(response), body: recorded(response.body, record, clock) };
      } catch (thrown) {
        await record.fault(thrown, clock.tick());
        throw thrown;
      }
    };
  return { around, counts: () => ({ exchanges, masked }), settled: () => Promise.all(pending) };
}

interface Tracks {
  readonly file: RecordingFile;
  /** Work that the end of the recording waits for. */
  later(work: Promise<void>): void;
  onMasked(): void;
}

/** The record of one response. Its promises wait for the disk; they reject with ERR_RECORDING. */
interface ResponseRecord {
  head(response: HttpResponse, at: number): Promise<void>;
  chunk(chunk: Uint8Array): Promise<void> | undefined;
  end(how: 'end' | 'left', at: number): Promise<void>;
  fault(thrown: unknown, at: number): Promise<void>;
}

/** The body, recorded as its reader takes it. An error of the reader is no fault of the exchange. */
function recorded(body: HttpBody, record: ResponseRecord, clock: RecordingClock): HttpBody {
  let isOver = false;
  const over = async (work: () => Promise<void>) => {
    if (isOver) return;
    isOver = true;
    await work();
  };
  return {
    async read(take: TakeChunk) {
      let isLeft = false;
      const taken = async (work: void | Promise<void>, written: void | Promise<void>) => {
        await written;
        await work;
      };
      const passOn: TakeChunk = (chunk) => {
        const written = record.chunk(chunk);
        try {
          const work = take(chunk);
          if (written === undefined && work === undefined) return undefined;
          return taken(work, written).catch((thrown) => {
            isLeft = true;
            throw thrown;
          });
        } catch (thrown) {
          isLeft = true;
          throw thrown;
        }
      };
      try {
        await body.read(passOn);
      } catch (thrown) {
        await over(() => (isLeft ? record.end('left', clock.tick()) : record.fault(thrown, clock.tick())));
        throw thrown;
      }
      await over(() => record.end('end', clock.tick()));
    },
    cancel() {
      body.cancel();
      void over(() => record.end('left', clock.tick())).catch(() => undefined); // the file keeps its failure
    },
  };
}

interface PageTracks extends Tracks {
  /** The body is a file of `download`. */
  readonly isFile: boolean;
}

function createPageRecord(
  exchange: number,
  shared: RecordingContext,
  { file, onMasked, isFile: isDownload }: PageTracks,
): ResponseRecord {
  const { secrets } = shared;
  const hash = isDownload ? createHash('sha256') : undefined;
  let size = 0;
  let mask = createBodyMask(secrets, file.path);
  let [hasItems, isMasked] = [false, false];
  const partsOf = (parts: ReturnType<typeof mask.end>): readonly Line[] =>
    parts.map(({ line, value, masked }) => {
      if (masked > 0 && hasItems && !isMasked) {
        isMasked = true;
        onMasked();
      }
      return { line, exchange, value, ...(masked === 0 ? {} : { masked }) };
    });
  return {
    head({ status, headers, isOpenEnded }, at) {
      hasItems = status < 300;
      const isFile =
        hasItems && (isDownload || shared.hasFormats === true || isTable.test(String(headers['content-type'] ?? '')));
      if (isFile) mask = createBodyMask(secrets, file.path, { isFile });
      const shown = maskResponseHeaders(headers, shared);
      const head = { line: 'response', exchange, at, status, headers: shown } as const;
      return file.write([isOpenEnded ? { ...head, openEnded: true } : head]);
    },
    chunk(chunk) {
      hash?.update(chunk);
      size += chunk.length;
      const parts = partsOf(mask.push(chunk));
      return parts.length === 0 ? undefined : file.write(parts);
    },
    end(how, at) {
      const parts = partsOf(mask.end(how === 'end' ? 'whole' : 'cut'));
      if (!mask.isLeftOut()) return file.write([...parts, { line: how, exchange, at }]);
      if (hash === undefined || how === 'left') return file.write([...parts, { line: 'left', exchange, at }]);
      return file.write([...parts, { line: how, exchange, at, file: { size, sha256: hash.digest('hex') } }]);
    },
    fault: (thrown, at) => file.write([...partsOf(mask.end('cut')), faultLine(thrown, { exchange, at, secrets })]),
  };
}

/** What is read as CSV without a word in the configuration. */
const isTable = /^\s*(?:text|application)\/(?:csv|tab-separated-values)\b/i;

/**
 * Writes a login when the engine has read its response: only then it knows which values are secret. Other texts of the
 * response are masked too, as they may be credentials that this configuration does not use.
 */
function createLoginRecord(exchange: number, { secrets }: RecordingContext, { file, later }: Tracks): ResponseRecord {
  const chunks: Uint8Array[] = [];
  let head: { readonly response: HttpResponse; readonly at: number } | undefined;
  const lines = (last: Line): readonly Line[] => {
    if (head === undefined) return [last];
    const { response, at } = head;
    const { status, isOpenEnded } = response;
    const part = maskLogin(Buffer.concat(chunks), secrets);
    const headers = maskLoginHeaders(response.headers, secrets);
    const first = { line: 'response', exchange, at, status, headers } as const;
    const body: readonly Line[] = part.value === '' ? [] : [{ exchange, ...part }];
    return [isOpenEnded ? { ...first, openEnded: true } : first, ...body, last];
  };
  const whenRead = async (last: () => Line): Promise<void> => {
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await file.write(lines(last()));
  };
  return {
    async head(response, at) {
      head = { response, at };
    },
    chunk(chunk) {
      chunks.push(Uint8Array.from(chunk));
      return undefined;
    },
    async end(how, at) {
      later(whenRead(() => ({ line: how, exchange, at })));
    },
    async fault(thrown, at) {
      later(whenRead(() => faultLine(thrown, { exchange, at, secrets })));
    },
  };
}

interface FaultAt extends Pick<FaultLine, 'exchange' | 'at'> {
  readonly secrets: RecordingContext['secrets'];
}

/** A cancelled request has no failure: the run has left it. */
function faultLine(thrown: unknown, { exchange, at, secrets }: FaultAt): Line {
  const isFailure = thrown instanceof ExtractError && thrown.code !== 'ERR_ABORTED';
  if (!isFailure) return { line: 'left', exchange, at };
  const { transport, unsent, absentSince, remedy } = thrown.where;
  const known = Object.entries({ transport, unsent, absentSince, remedy }).filter(([, value]) => value !== undefined);
  const where = Object.fromEntries(known);
  return { line: 'fault', exchange, at, code: thrown.code, message: secrets.mask(thrown.message), where };
}
