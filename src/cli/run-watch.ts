/** What watches the runs of a process: metrics, traces and lineage have this in common. */
import { asExtractError } from '../core/errors/errors.js';
import type { Observe } from '../http/observer.js';
import type { ParsedArguments } from './arguments.js';
import { notifyUnlessAllowed } from './document.js';
import type { Report } from './report.js';

export interface RunWatch {
  readonly observe: Observe;
  /** A run has ended: sends what was seen of it. A failure is a warning. */
  push(): Promise<void>;
  /** The process ends. */
  close(): Promise<void>;
}

/** Reports what could not be sent to those who watch: that never fails a run, also with `--strict`. */
export const warnAs =
  (code: string, args: ParsedArguments, { notice }: Pick<Report, 'notice'>) =>
  (thrown: unknown): undefined => {
    const { message } = asExtractError(thrown);
    const plain = { ...args, has: (name: string) => name !== 'strict' && args.has(name) };
    notifyUnlessAllowed([{ level: 'warning', code, message }], plain, notice);
  };
