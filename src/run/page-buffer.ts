/** Buffers pages of a walk that are read before their turn: in memory, beyond that in temporary files. */
import { concatMap, defer, from, ignoreElements, type Observable } from 'rxjs';
import { fromAbortable } from '../../operators/from-abortable.js';
import type { PageEnd, Sink } from '../../sinks/contract.js';
import { inSink } from '../../sinks/errors.js';
import type { PageDraft } from '../checkpoint/records.js';
import { ExtractError } from '../core/errors/errors.js';
import { createBatch, type PageOrigin } from '../core/model/batch.js';
import { createSlabBuffer, type SlabBuffer } from '../page/buffer/slab-buffer.js';
import { memoryBytes } from '../page/buffer/temp-file.js';
import type { Drain } from './drain.js';
import type { PageTarget, TargetSource } from './page-target.js';

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
  const handOn = async (page: BufferedPage, target: PageTarget, signal: AbortSignal) => {
    pages.delete(page);
    charge(page, -page.charged);
    try {
      await writeTo(target, page, signal);
    } finally {
      await forget(page);
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
        concatMap((page) =>
          output
            .page()
            .pipe(concatMap((target) => fromAbortable((signal) => inFlight.track(handOn(page, target, signal))))),
        ),
        ignoreElements(),
      ),
    async clear() {
      const left = [...pages];
      pages.clear();
      await Promise.all(left.map(forget));
    },
  };
}

interface BufferContext {
  readonly charge: (page: BufferedPage, bytes: number) => void;
  readonly forget: (page: BufferedPage) => Promise<void>;
  /** False once the page is cleared or handed on. */
  readonly isKept: () => boolean;
}

/** A page is buffered whole or not at all: a rollback forgets it. */
function keeper(page: BufferedPage, { charge, forget, isKept }: BufferContext): Sink {
  return {
    async write({ job, dataType, run, walk, page: index, bytes, offsets, count }) {
      page.of = { job, dataType, run, walk, page: index };
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

async function writeTo({ sink, acquire, commit }: PageTarget, page: BufferedPage, signal: AbortSignal): Promise<void> {
  const { hold, of, end, draft } = page;
  if (of === undefined) {
    if (end !== undefined) await commitTo(commit, end, draft, signal);
    return;
  }
  const leave = await acquire(of.dataType, signal);
  try {
    let offset = 0;
    for await (const slab of hold.drain()) {
      signal.throwIfAborted();
      const batch = createBatch(of, slab, offset);
      await inSink(() => sink.write(batch, signal));
      offset += slab.count;
    }
    if (end !== undefined) await commitTo(commit, end, draft, signal);
  } finally {
    leave();
  }
}

/** A buffered page cannot be read again: a resume does that. Throws ERR_SINK. */
async function commitTo(
  commit: PageTarget['commit'],
  end: PageEnd,
  draft: PageDraft | undefined,
  signal: AbortSignal,
): Promise<void> {
  if ((await commit(end, draft, signal)) === 'done') return;
  throw new ExtractError('ERR_SINK', 'the sink has lost a page that was read ahead; resume the run', {
    job: end.job,
    page: end.page,
  });
}
