/** What tests of a page share: options, slabs of lines, and temporary files in a folder of the test's own. */
import { readdirSync } from 'node:fs';
import { memory } from '../../sinks/index.js';
import { composeStages } from '../../src/page/page-pipeline.js';
import type { PageResultDraft } from '../../src/page/page-result.js';
import type { PageAttempt, PageStage } from '../../src/page/page-stage.js';
import { createPageWriter, type PageWriter } from '../../src/page/page-writer.js';
import { createProgressReporter } from '../../src/page/progress.js';
import type { PageOptions } from '../../src/page/read-page.js';
import type { Slab } from '../../src/page/scanner/scanner.js';
import { createReplayGuard } from '../../src/page/stages/replay-guard.js';
import { calm, inFolder } from '../sinks/lib.js';

/** The default options of pages. */
export const pageOptions: PageOptions = {
  dataField: { kind: 'auto' },
  captures: [],
  batchBytes: 16,
  maxItemBytes: 1 << 20,
  maxCaptureBytes: 1 << 16,
  fingerprint: true,
};

/** An attempt at a page with default values for everything else. */
export const attemptOf = (part: Partial<PageAttempt> = {}): PageAttempt => ({
  page: 0,
  memo: undefined,
  room: Infinity,
  progress: createProgressReporter('users', 0, undefined),
  sink: memory(),
  acquire: async () => () => {},
  signal: calm,
  delivered: createReplayGuard(),
  ...part,
});

/** The writer of one attempt at a page. */
export function writerOf(attempt: Partial<PageAttempt>): PageWriter {
  const writer = createPageWriter({ job: 'users', dataType: 'people', run: 'r', walk: '0' });
  writer.begin(attemptOf(attempt));
  return writer;
}

/** A result before any stage has filled in its members, of so many items and bytes. */
export const draftOf = (count = 0, bytes = 0): PageResultDraft => ({
  ...{ count, bytes, found: 'list', pathMiss: { beside: [] }, envelope: new Map(), chain: [], itemsDigest: undefined },
  ...{
    repeated: false,
    received: count,
    cut: 0,
    followed: undefined,
    volume: 0,
    memo: undefined,
    rows: undefined,
    lists: [],
  },
  ...{
    address: 'https://api.example/',
    headers: new Map(),
    isPastEnd: false,
    isCached: false,
    loginNames: new Set(),
    error: undefined,
    verdict: undefined,
    isFailed: false,
    shifted: 0,
    isApart: false,
    revalidated: undefined,
    sha256: undefined,
  },
});

/** One stage on its own over a writer that notes what reaches it, begun with the attempt. */
export function stageOf(stage: PageStage | undefined, attempt: Partial<PageAttempt> = {}, failsBack?: Error) {
  const calls: string[] = [];
  const written: string[] = [];
  const pipeline = composeStages(stage === undefined ? [] : [stage], {
    begin: () => {},
    write: ({ bytes, offsets, count }) => {
      if (offsets.length !== count + 1 || offsets[0] !== 0 || offsets.at(-1) !== bytes.length)
        throw new Error('offsets');
      calls.push(`write ${count}`);
      written.push(Buffer.from(bytes).toString());
    },
    rollback: () => {
      calls.push('rollback');
      if (failsBack !== undefined) throw failsBack;
      written.length = 0;
    },
    complete: () => {},
    end: () => {},
    leave: () => () => {},
  });
  pipeline.begin(attemptOf(attempt));
  const report = (count = 0, bytes = 0) => {
    const draft = draftOf(count, bytes);
    pipeline.report(draft);
    return draft;
  };
  return { ...pipeline, calls, written, report };
}

/** A slab of these items. */
export function slabOf(...items: readonly unknown[]): Slab {
  const lines = items.map((item) => Buffer.from(`${JSON.stringify(item)}\n`));
  const ends = lines.map((_, at) => lines.slice(0, at + 1).reduce((sum, line) => sum + line.length, 0));
  return { bytes: Buffer.concat(lines), offsets: Uint32Array.of(0, ...ends), count: items.length };
}

/** The items of a slab. */
export const itemsOf = ({ bytes }: Pick<Slab, 'bytes'>): readonly unknown[] =>
  Buffer.from(bytes)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));

/** Makes a test with its own folder of temporary files. `files` lists them; all of them must be gone at the end. */
export function withTemporaryFiles(work: (files: () => readonly string[]) => Promise<void>): () => Promise<void> {
  return inFolder(async (dir) => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = dir;
    const files = () => readdirSync(dir, { recursive: true }).map(String);
    try {
      await work(files);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    if (files().length > 0) throw new Error(`temporary files stay: ${files().join(', ')}`);
  });
}
