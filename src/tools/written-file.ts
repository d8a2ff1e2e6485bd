/** Files that a run writes at its end: that they can be written is checked before its first request. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ExtractError } from '../core/errors/errors.js';
import { describeSystemError } from '../core/errors/system-error.js';
import { usageError } from '../core/util/check-value.js';
import { makeFolder } from '../core/util/make-folder.js';

/** Makes the folder of the file. Rejects with ERR_USAGE if that fails, or if nothing can be written to it. */
export async function mustBeWritable(option: string, path: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
    await access(dirname(path), constants.W_OK);
  } catch (thrown) {
    throw notWritten(option, path, thrown);
  }
}

export const notWritten = (option: string, path: string, thrown: unknown): ExtractError =>
  usageError(`${option} ${path}: cannot be written: ${describeSystemError(thrown)}`);
