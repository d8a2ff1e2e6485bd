/** The file that `init` writes. */
import { access, writeFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { usageError } from '../../core/util/check-value.js';
import { initError } from './init-error.js';

/** A path, or `-` for standard output. */
export interface OutFile {
  readonly out: string;
  /** Whether it replaces a file that is there. */
  readonly isForced: boolean;
}

/** Throws ERR_USAGE if the file is there, before any request. */
export async function checkOut({ out, isForced }: OutFile): Promise<void> {
  if (out === '-' || isForced) return;
  const isThere = await access(out).then(
    () => true,
    () => false,
  );
  if (isThere) throw usageError(`${out} is there already: --out FILE writes another file, --force replaces it`);
}

/** Writes the text. Rejects with ERR_INIT. */
export async function writeOut({ out, isForced }: OutFile, text: string, stdout: Writable): Promise<void> {
  if (out === '-') {
    stdout.write(text);
    return;
  }
  try {
    await writeFile(out, text, { flag: isForced ? 'w' : 'wx' });
  } catch (thrown) {
    throw initError(`${out} cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
