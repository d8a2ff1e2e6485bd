/** What tests of scan threads share: random pages, what a scan of them shows, and a thread without a thread. */
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { ScanEvent, ScanOptions, ScanResult } from '../../../src/page/scanner/scan.js';
import { startScan } from '../../../src/page/scanner/scanner.js';
import { createRingMemory, createRingWriter } from '../../../src/page/threads/byte-ring.js';
import type { ThreadCommand, ThreadMessage } from '../../../src/page/threads/protocol.js';
import { createScanServer } from '../../../src/page/threads/scan-server.js';
import type { ScanThread } from '../../../src/page/threads/scan-thread.js';
import { createSlotFiller, createSlotLender, createSlotMemory } from '../../../src/page/threads/slots.js';
import { ThreadScan } from '../../../src/page/threads/thread-scan.js';
import { mutate, type Random } from '../../fuzz/random.js';
import { at, auto, defaults } from '../scanner-run.js';

export interface RandomPage {
  readonly body: Buffer;
  readonly chunks: readonly Uint8Array[];
  readonly options: ScanOptions;
}

const text = (random: Random, most: number) =>
  random.pick(['x', 'é', '漢', '😀', '\\n', '"', '\\']).repeat(random.int(most));

const item = (random: Random): unknown =>
  random.pick<() => unknown>([
    () => ({ id: random.int(1000), name: text(random, 30), tags: [1, null, true] }),
    () => random.int(10),
    () => text(random, 400),
    () => [[], {}, { data: [1] }],
  ])();

/** A page of items at `data`, sometimes with the member twice, broken, cut short, or beyond a limit. */
export function randomPage(random: Random, most = 60): RandomPage {
  const list = () =>
    JSON.stringify(
      Array.from({ length: random.int(most) }, () => item(random)),
      null,
      random.int(3),
    );
  const meta = `"meta":{"next":${JSON.stringify(text(random, 40))},"n":[1,{"id":2}]}`;
  const members = [meta, `"data":${list()}`, `"da\\u0074a":${list()}`, `"other":{"data":${list()}}`];
  const chosen = members.filter((_, index) => index === 1 || random.int(3) === 0);
  if (random.int(2) === 0) chosen.reverse();
  const whole = Buffer.from(`${random.pick(['', ' ', '\uFEFF'])}{${chosen.join(random.pick([',', ' ,\n']))}}`);
  const fault = random.int(5);
  const body = fault === 0 ? mutate(whole, random) : fault === 1 ? whole.subarray(0, random.int(whole.length)) : whole;
  return { body, chunks: chunksOf(body, random), options: randomOptions(random) };
}

const randomOptions = (random: Random): ScanOptions => ({
  ...defaults,
  dataField: random.pick([at('data'), at('data'), at('data'), at('other', 'data'), at(), auto]),
  captures: random.pick([[], [['meta', 'next'], ['data', '1', 'id'], ['none']]]),
  batchBytes: random.pick([1, 300, 5000, 1 << 20]),
  maxItemBytes: random.pick([1 << 20, 1 << 20, 200]),
  maxCaptureBytes: random.pick([1 << 16, 1 << 16, 20]),
  fingerprint: random.int(2) === 0,
});

function chunksOf(body: Buffer, random: Random): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  const most = random.pick([3, 200, 3000, 1 << 16]);
  for (let from = 0; from < body.length; ) {
    const to = from + 1 + random.int(most);
    chunks.push(body.subarray(from, to));
    from = to;
  }
  return chunks;
}

/** A scan as its reader sees it. */
export interface Seen {
  /** Each slab as its text, and each restart. */
  readonly events: readonly string[];
  /** The items since the last restart. */
  readonly items: string;
  /** The facts, or the error. */
  readonly end: unknown;
}

/** Notes events. */
export function createNotes() {
  const events: string[] = [];
  let items = '';
  return {
    take(event: ScanEvent): void {
      const shown = 'slab' in event ? Buffer.from(event.slab.bytes).toString() : 'restart';
      events.push('slab' in event ? `${shown} ${event.slab.offsets.join()} ${event.slab.count}` : shown);
      items = 'slab' in event ? items + shown : '';
    },
    seen: (end: unknown): Seen => ({ events, items, end }),
  };
}

export const factsOf = (scan: ScanResult, { captures }: ScanOptions): unknown => ({
  count: scan.count,
  itemBytes: scan.itemBytes,
  found: scan.found,
  captured: captures.map((_, index) => plain(scan.captured(index))),
  pathMiss: { beside: scan.pathMiss().beside, depth: scan.pathMiss().depth },
  chain: [...scan.chain],
  itemsDigest: scan.itemsDigest,
});

const plain = ({ json, beside, depth }: ReturnType<ScanResult['captured']>) => ({
  json: json === undefined ? undefined : Buffer.from(json).toString(),
  beside: [...beside],
  depth,
});

/** An error as a reader sees it. */
export function errorOf(thrown: unknown): unknown {
  if (!(thrown instanceof ExtractError)) throw thrown;
  return { code: thrown.code, message: thrown.message, offset: thrown.where.offset };
}

/** Scans in this thread. */
export function seenHere({ chunks, options }: Omit<RandomPage, 'body'>): Seen {
  const notes = createNotes();
  const scan = startScan(options);
  try {
    for (const chunk of chunks) for (const event of scan.feed(chunk)) notes.take(event);
    for (const event of scan.end()) notes.take(event);
    return notes.seen(factsOf(scan, options));
  } catch (thrown) {
    return notes.seen(errorOf(thrown));
  } finally {
    scan.dispose();
  }
}

/** Scans in a thread. Each event takes so many turns of the loop, as in a slow sink. */
export async function seenIn(
  thread: ScanThread,
  { chunks, options }: Omit<RandomPage, 'body'>,
  { turns = 0, early }: { readonly turns?: number; readonly early?: number | undefined } = {},
): Promise<Seen> {
  const notes = createNotes();
  const scan = thread.start(options, early);
  const slowly = async (event: ScanEvent) => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    notes.take(event);
  };
  scan.connect(turns === 0 ? notes.take : slowly, () => undefined);
  try {
    for (const chunk of chunks) await scan.feed(chunk);
    await scan.end();
    return notes.seen(factsOf(scan, options));
  } catch (thrown) {
    return notes.seen(errorOf(thrown));
  } finally {
    scan.dispose();
  }
}

/** The two ends of a scan thread in one thread: `step` does what the other thread would do next. */
export function localThread() {
  const commands: ThreadCommand[] = [];
  const slotMemory = createSlotMemory();
  const slots = createSlotLender(slotMemory);
  const scans = new Map<number, ThreadScan>();
  const ended: number[] = [];
  const send = (message: ThreadMessage, transfer: readonly ArrayBuffer[]) => {
    if (message === 'ready') return;
    if (message.end !== undefined) ended.push(message.lane);
    scans.get(message.lane)?.report(structuredClone(message, { transfer: [...transfer] }));
  };
  const server = createScanServer({ receive: () => commands.shift(), send }, createSlotFiller(slotMemory));
  return {
    ended,
    words: new Int32Array(slotMemory.words),
    close: () => void commands.push('close'),
    step: () => server.step(),
    start(
      options: ScanOptions,
      { lane = 0, early }: { readonly lane?: number; readonly early?: number } = {},
    ): ThreadScan {
      const memory = createRingMemory();
      const scan = new ThreadScan({
        ring: createRingWriter(memory),
        slots,
        wake: () => undefined,
        wakeSoon: () => undefined,
      });
      scans.set(lane, scan);
      commands.push({ lane, memory, options, early });
      return scan;
    },
  };
}
