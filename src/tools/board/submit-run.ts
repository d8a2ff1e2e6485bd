/** A run on its way to a board: submitted, or joined if it is there already. */
import type { Board, RunSpec, RunStatus } from '../../checkpoint/board/board.js';
import { differences } from '../../checkpoint/config-fingerprint.js';
import type { EnvironmentVariables } from '../../config/env.js';
import { type ExactObject, stringifyExact } from '../../core/json/exact.js';
import type { Secrets } from '../../core/model/secrets.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { extract } from '../../run/extract.js';
import type { Summary } from '../../run/job-stats.js';
import type { ExtractOptions } from '../../run/options.js';
import { describeWork, type SharedExtras } from '../../run/shared/describe-work.js';
import type { FoundState } from '../../run/shared/state-of-run.js';
import { readWork, type Work } from '../../run/shared/work.js';

export interface GivenRun {
  readonly name: string;
  readonly configuration: ExactObject;
  /** With addresses in place of sinks. */
  readonly options: ExtractOptions;
  /** `RunSpec.block`. */
  readonly block?: number | undefined;
  /** The state that has what its jobs remember; absent: they remember nothing. */
  readonly state?: FoundState | undefined;
  /** What else was given that cannot be shared. */
  readonly refused?: SharedExtras['refused'];
}

export interface PreparedShare {
  readonly spec: RunSpec;
  /** Jobs that have not begun, in the order of their numbers. */
  readonly jobs: Summary['jobs'];
  readonly mask: Secrets['mask'];
}

/** Checks the run, and sends nothing. Throws as `describeWork`. */
export async function prepareShare(given: GivenRun): Promise<PreparedShare> {
  const { name, configuration, options, block, state, refused } = given;
  const start = await describeWork(name, configuration, options, { remembered: state?.remembered, refused });
  const { summary, mask } = extract(configuration, { ...options, notify: () => {} }); // which `describeWork` has notified
  return { spec: { ...start, name, ...defined({ block, state: state?.ofRun }) }, jobs: summary().jobs, mask };
}

/**
 * Submits the run. `joined`: the same one is at the board already, and has not ended. Rejects with ERR_USAGE if there
 * is another one of the name, or it has ended. `env`: with the key of the work.
 */
export async function submitOrJoin(
  board: Board,
  spec: RunSpec,
  env: EnvironmentVariables,
): Promise<'submitted' | 'joined'> {
  const { name, begin } = spec;
  const there = (await board.find(name)) ?? (await submit(board, spec));
  if (there === undefined) return 'submitted';
  if (there.begin.version !== begin.version) {
    throw usageError(`the run "${name}" is one of rxtract ${there.begin.version}: choose another name`);
  }
  const changed = differences(there.begin, { marks: begin.marks, values: begin.values ?? {} });
  if (changed.length > 0) {
    throw usageError(
      `the run "${name}" has another configuration or window (${changed.join(', ')}): choose another name`,
    );
  }
  const others = [
    ...differingOptions(readWork(there, env), readWork(spec, env)),
    ...(there.block === spec.block ? [] : ['block']),
    ...(there.state?.name === spec.state?.name ? [] : ['state']),
  ];
  if (others.length > 0) {
    throw usageError(`the run "${name}" has other options (${others.join(', ')}): choose another name`);
  }
  const status = await board.status(name);
  if (status === undefined || status.state === 'running') return 'joined';
  throw usageError(`there is a run "${name}" already, and it ${wayOut[status.state]}`);
}

/** Another process may submit the run at the same moment: resolves to that one. */
async function submit(board: Board, spec: RunSpec): Promise<RunSpec | undefined> {
  try {
    await board.submit(spec);
    return undefined;
  } catch (thrown) {
    const there = await board.find(spec.name);
    if (there === undefined) throw thrown;
    return there;
  }
}

/** The names of options, without their values, which may be secrets. */
function differingOptions(before: Work, now: Work): readonly string[] {
  const textOf = ({ options }: Work, name: string) => stringifyExact(options.get(name) ?? null);
  const names = new Set([...before.options.keys(), ...now.options.keys()]);
  return [...names].filter((name) => textOf(before, name) !== textOf(now, name)).sort();
}

const wayOut: Readonly<Record<Exclude<RunStatus['state'], 'running'>, string>> = {
  done: 'is done: choose another name, or remove it with `rxtract sweep`',
  failed: 'has failed: `rxtract retry` continues it, `rxtract sweep` removes it',
  cancelled: 'was cancelled: `rxtract retry` continues it, `rxtract sweep` removes it',
};
