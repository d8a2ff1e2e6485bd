/** The file that `init` writes. */
import { access } from 'node:fs/promises';
import type { ParsedArguments } from '../../cli/arguments.js';
import { usageError } from '../../core/util/check-value.js';

/** The path of `--out`. */
export function outOf(args: ParsedArguments): string {
  const out = args.last('out') ?? 'config.json';
  if (out === '') throw usageError('--out needs a file, or - for standard output');
  return out;
}

/** Throws ERR_USAGE if the file is there, before any request. */
export async function checkOut(out: string, isForced: boolean): Promise<void> {
  if (out === '-' || isForced) return;
  const isThere = await access(out).then(
    () => true,
    () => false,
  );
  if (isThere) throw usageError(`${out} is there already: --out FILE writes another file, --force replaces it`);
}
