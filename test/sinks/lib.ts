/** What tests of sinks share: a fresh directory, what lies in it, and calls that must fail. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Earlier, PageEnd } from '../../sinks/contract.js';
import type { ErrorCode } from '../../src/core/errors/error-codes.js';
import { ExtractError } from '../../src/core/errors/errors.js';

/** A signal that never aborts. */
export const calm = new AbortController().signal;

/** Runs a test in a directory of its own and removes it. */
export function inFolder(run: (dir: string) => Promise<void>): () => Promise<void> {
  return async () => {
    const dir = mkdtempSync(join(tmpdir(), 'rxtract-test-'));
    try {
      await run(dir);
    } finally {
      await rm(dir, { recursive: true, force: true, maxRetries: 10 }); // what was given up may still write
    }
  };
}

/** File name -> text, for the whole directory. */
export function filesIn(dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dir)
      .sort()
      .map((name) => [name, readFileSync(join(dir, name), 'utf8')]),
  );
}

/** What the work is rejected with; fails when it is not, or with another code or message. */
export async function rejection(work: unknown, code: ErrorCode, message: RegExp = /./): Promise<ExtractError> {
  let thrown: unknown;
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (caught) {
    thrown = caught;
  }
  assert.instance(thrown, ExtractError, `expected ${code}, got ${String(thrown)}`);
  if (!(thrown instanceof ExtractError)) throw thrown;
  assert.is(thrown.code, code, thrown.message);
  assert.match(thrown.message, message);
  return thrown;
}

/** Lets everything that is ready run. */
export async function turns(count = 20): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

/** Bounds the calls of a sink that is broken; for sinks whose calls only a slow machine can delay. */
export const aMinute = (signal: AbortSignal): Promise<unknown> =>
  setTimeout(60_000, undefined, { signal }).catch(() => {});

/** What a run resumes that starts now; `part` replaces members of it. */
export const earlierOf = (part: Partial<Earlier> = {}): Earlier => ({
  ...{ run: 'run-0000-0000-00', epoch: 1, isStored: true, phase: 'writing', checkpoints: new Map() },
  ...part,
});

/** The end of a page of the data type. */
export const pageEnd = (dataType: string, part: Partial<PageEnd> = {}): PageEnd => ({
  ...{ run: 'test-run-0000000', walk: '0', page: 0, job: dataType, dataType, count: 1, bytes: 1, lane: '0' },
  ...part,
});
