/** What a certificate says of a run: its name, what it was asked to do, and the proofs of its pages. */
import type { Checkpoint } from '../checkpoint/checkpoint.js';
import { markOfConfiguration, type RunIdentity } from '../checkpoint/run-identity.js';
import { type ExactObject, stringifyExact } from '../core/json/exact.js';
import type { ProvenPage } from '../core/model/page.js';
import type { RunContext } from './run-context.js';

export interface RunProof {
  /** The name of the run. */
  readonly run: string;
  /** When it first started, in epoch ms. */
  readonly startedAt: number;
  /** Whether another process has begun it. */
  readonly isResumed: boolean;
  /** A digest of the configuration without its secrets, and without what a resume may change. */
  readonly fingerprint: string;
  /** The options that decide which items it extracts and that are set: JSON texts, masked. */
  readonly options: Readonly<Record<string, string>>;
  /** In the order of their commits. */
  readonly pages: readonly ProvenPage[];
}

interface Proving {
  readonly known: RunIdentity;
  readonly checkpoint: Pick<Checkpoint, 'earlier'> | undefined;
}

/** Undefined: the run is not certified. */
export function runProof({ proofs, runId, secrets }: RunContext, { known, checkpoint }: Proving): RunProof | undefined {
  if (proofs === undefined) return undefined;
  const { written, startedAt } = known;
  return {
    run: runId,
    startedAt,
    isResumed: (checkpoint?.earlier.length ?? 0) > 0,
    fingerprint: fingerprintOf(written, secrets),
    options: setOptions(known, secrets),
    pages: proofs.all(),
  };
}

/** The fingerprint of a configuration, by which a certificate knows it. */
export const fingerprintOf = markOfConfiguration;

/** The state of a data folder is no choice, and may be large. A certificate lists the jobs. */
const isShown = (name: string): boolean => !['state', 'certify', 'jobs'].includes(name);

function setOptions({ options, unsetOptions }: RunIdentity, { mask }: RunContext['secrets']): RunProof['options'] {
  const textOf = (of: ExactObject, name: string) => stringifyExact(of.get(name) ?? null);
  const names = [...options.keys()].filter(
    (name) => isShown(name) && textOf(options, name) !== textOf(unsetOptions, name),
  );
  return Object.fromEntries(names.map((name) => [name, mask(textOf(options, name))]));
}
