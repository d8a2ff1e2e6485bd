/** What tests of a page share: options, slabs of lines, and temporary files in a folder of the test's own. */
import { readdirSync } from 'node:fs';
import type { PageOptions } from '../../src/page/read-page.js';
import type { Slab } from '../../src/page/scanner/scanner.js';
import { inFolder } from '../sinks/lib.js';

/** How pages are read, unless the test says otherwise. */
export const pageOptions: PageOptions = {
  dataField: { kind: 'auto' },
  captures: [],
  batchBytes: 16,
  maxItemBytes: 1 << 20,
  maxCaptureBytes: 1 << 16,
  fingerprint: true,
};

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

/**
 * Makes a test whose temporary files lie in a folder of its own; `files` lists what is there, and all of it must be
 * gone in the end.
 */
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
