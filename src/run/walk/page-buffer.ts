/** Buffers pages of a walk that are read before their turn: in memory, beyond that in temporary files. */
import { concatMap, defer, EMPTY, finalize, from, type Observable } from 'rxjs';
import { fromAbortable } from '../../../operators/from-abortable.js';
import type { PageEnd, Sink } from '../../../sinks/contract.js';
import { hasRequestLetter } from '../../../sinks/decorators/dead-letters.js';
import { inSink } from '../../../sinks/errors.js';
import type { PageDraft } from '../../checkpoint/records.js';
import { createBatch, type PageOrigin } from '../../core/model/batch.js';
import { createSlabBuffer, type SlabBuffer } from '../../page/buffer/slab-buffer.js';
import { memoryBytes } from '../../page/buffer/temp-file.js';
import type { Drain } from '../drain.js';
import type { CommitOutcome, PageTarget, TargetSource } from './page-target.js';

/** What all walks of a run buffer together. */
export interface BufferBudget {
  /** Buffered bytes, in memory and in files; each page adds 1 KiB. */
  kept: number;
}

export interface PageBuffer {
  /** Begins a page: the target buffers what it gets. */
  next(): PageTarget;
  /** Whether all walks together buffer so much that none should begin another page. */
  isFull(): boolean;
  /** Writes the pages to the output, in order, and forgets them. */
  drain(output: TargetSource): Observable<never>;
  /** Forgets the remaining pages, and removes their files. */
  clear(): Promise<void>;
}

interface BufferedPage {
  readonly hold: SlabBuffer;
  /** The origin of its batches; absent: it has none. */
  of?: PageOrigin;
  /** Its share of the budget, in bytes. */
  charged: number;
  /** How it ended, and its record if a journal is kept. */
  end?: PageEnd;
  draft?: PageDraft | undefined;
}

/** A walk of empty pages must not run ahead without limit either. */
const pageBytes = 1024;

/** Starts empty. The caller must call `clear` in the end, or temporary files may stay. */
export function createPageBuffer(budget: BufferBudget, inFlight: Drain): PageBuffer {
  const pages = new Set<BufferedPage>();
  const charge = (page: BufferedPage, bytes: number) => {
    page.charged += bytes;
    budget.kept += bytes;
  };
  const forget = async (page: BufferedPage) => {
    charge(page, -page.charged);
    await page.hold.clear();
  };
  const handOn = async (page: BufferedPage, target: PageTarget, signal: AbortSignal): Promise<CommitOutcome> => {
    pages.delete(page);
    charge(page, -page.charged);
    let outcome: CommitOutcome = 'done';
    try {
      outcome = await writeTo(target, page, signal);
      return outcome;
    } finally {
      if (outcome === 'done') await forget(page);
    }
  };

  return {
    next() {
      const page: BufferedPage = { hold: createSlabBuffer(() => budget.kept <= memoryBytes), charged: 0 };
      pages.add(page);
      charge(page, pageBytes);
      return {
        sink: keeper(page, { charge, forget, isKept: () => pages.has(page) }),
        acquire: async () => () => {},
        commit(end, draft) {
          page.end = end;
          page.draft = draft;
          return 'done';
        },
      };
    },
    isFull: () => budget.kept >= memoryBytes,
    drain: (output) =>
      defer(() => from([...pages])).pipe(
        concatMap((page) => {
          const write = (target: PageTarget, signal: AbortSignal) => inFlight.track(handOn(page, target, signal));
          return sent(output, write).pipe(finalize(() => void inFlight.track(forget(page))));
        }),
      ),
    async clear() {
      const left = [...pages];
      pages.clear();
      await Promise.all(left.map(forget));
    },
  };
}

/** Writes a page to the next target. If a sink has lost it, the page is written again for the sinks that lack it. */
const sent = (
  output: TargetSource,
  write: (target: PageTarget, signal: AbortSignal) => Promise<CommitOutcome>,
): Observable<never> =>
  output.page().pipe(
    concatMap((target) => fromAbortable((signal) => write(target, signal))),
    concatMap((outcome) => (outcome === 'again' ? sent(output, write) : EMPTY)),
  );

interface BufferContext {
  readonly charge: (page: BufferedPage, bytes: number) => void;
  readonly forget: (page: BufferedPage) => Promise<void>;
  /** False once the page is cleared or handed on. */
  readonly isKept: () => boolean;
}

/** A page is buffered whole or not at all: a rollback forgets it. */
function keeper(page: BufferedPage, { charge, forget, isKept }: BufferContext): Sink {
  return {
    async write({ job, dataType, run, walk, page: index, columns, bytes, offsets, count }) {
      page.of = { job, dataType, run, walk, page: index, columns };
      charge(page, bytes.length);
      await page.hold.add({ bytes, offsets, count });
      if (!isKept()) await forget(page);
    },
    commit() {},
    rollback: () => forget(page),
    close() {},
    abort() {},
  };
}

/** Writes and commits a page. `again`: a sink has lost it. Throws what the target throws. */
async function writeTo(
  { sink, acquire, commit }: PageTarget,
  { hold, of, end, draft }: BufferedPage,
  signal: AbortSignal,
): Promise<CommitOutcome> {
  const committed = async () => (end === undefined ? 'done' : commit(end, draft, signal));
  const hasLetter = end !== undefined && hasRequestLetter(end);
  const dataType = hasLetter ? end.dataType : of?.dataType;
  if (dataType === undefined) return committed();
  const leave = await acquire(dataType, signal);
  try {
    if (of === undefined || hasLetter) return await committed();
    let offset = 0;
    for await (const slab of hold.all()) {
      signal.throwIfAborted();
      const batch = createBatch(of, slab, offset);
      await inSink(() => sink.write(batch, signal));
      offset += slab.count;
    }
    return await committed();
  } finally {
    leave();
  }
}
