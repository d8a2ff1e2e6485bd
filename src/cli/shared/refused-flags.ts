/** Flags of `rxtract run` that a run with workers cannot have. */
import type { Problem } from '../../core/errors/errors.js';
import { flagName } from '../../core/options/flags.js';
import { noOrder, noProof, ofBoard, refusedPart } from '../../run/shared/shared-options.js';
import type { ParsedArguments } from '../arguments.js';

const runAgain = `${ofBoard}: \`rxtract retry\` continues one that has failed`;

const flagsAlone: Readonly<Record<string, string>> = {
  resume: runAgain,
  resumeOnly: runAgain,
  retryFailed: runAgain,
  drain: 'an interrupt leaves the run at the board, and its tasks after the pages in progress',
  record: noOrder,
  replay: noOrder,
  report: 'its page shows the pages of one process as they come. `rxtract status` shows the run',
  certificate: noProof,
  traceparent: 'workers export no traces',
  lineage: 'no process sees the items of all',
};

/** Those that are given, by the names of options. */
export const refusedFlags = (args: Pick<ParsedArguments, 'has'>): readonly Problem[] =>
  Object.entries(flagsAlone).flatMap(([name, why]) =>
    args.has(flagName(name, undefined)) ? [refusedPart(name, why)] : [],
  );
