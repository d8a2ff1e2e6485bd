/**
 * Tests that need what not every machine has. Where it is missing they are skipped: the runner counts and names them,
 * none passes.
 */
import { test } from 'uvu';

declare global {
  /** The skipped tests of the file at hand; run-file.mjs sets it. Absent where a file is run without the runner. */
  var skippedTests: { readonly name: string; readonly reason: string }[] | undefined;
}

/**
 * Returns the function that makes tests; if `missing` says why they cannot run here, one that records them as skipped.
 */
export function testWhere(missing: string | undefined): (name: string, work: () => void | Promise<void>) => void {
  if (missing === undefined) return test;
  return (name) => {
    if (globalThis.skippedTests === undefined) console.error(`skipped, ${missing}: ${name}`);
    else globalThis.skippedTests.push({ name, reason: missing });
  };
}

/** Why what POSIX alone has (modes of files, pipes with names) cannot be tested here; undefined: it can. */
export const posixMissing = process.platform === 'win32' ? 'this is Windows' : undefined;

/** Why what Linux alone has cannot be tested here; undefined: it can. */
export const linuxMissing = process.platform === 'linux' ? undefined : 'this is not Linux';
