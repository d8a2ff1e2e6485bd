/** `rxtract state`: shows, sets and forgets what jobs remember from run to run. */
import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { flag, text } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { usageError } from '../core/util/check-value.js';
import { didYouMean } from '../core/util/suggest.js';
import type { RunMemory } from '../incremental/run-memory.js';
import { readFlags } from './arguments.js';
import type { Command } from './command.js';

const details = `Actions
  show PATH                what each job remembers: its value, how many items the next run recognises, and its pages
  set PATH JOB VALUE       the next run asks from VALUE on
  reset PATH [JOB]         the next run asks for everything, of this job or of all

Examples
  rxtract state show st
  rxtract state set st orders 2026-10-01T00:00:00Z
  rxtract state set st members 2026-10-01 --parent 17       of the parent 17 of a child job
  rxtract state reset st orders

PATH is that of --state: a folder, or an address such as postgres://...?state=NAME. Nothing changes while a run uses it,
or before an interrupted one is resumed.
`;

const stateRows = {
  parent: {
    kind: listOf(text, 'values'),
    value: 'VALUE',
    summary: 'with set: the parent of a child job, a value for each placeholder',
    otherwise: 'a top-level job',
  },
  json: { kind: flag, summary: 'print a list of `{job, parent, value, recent, at}` and `{job, pages}` as JSON' },
} satisfies OptionRows;

const actions = ['show', 'set', 'reset'] as const;

export const state: Command = {
  name: 'state',
  summary: 'show, set or forget what jobs remember from run to run',
  argument: 'ACTION',
  argumentOneOf: actions,
  options: flagsOf(stateRows),
  details: async () => details,
  async execute(args, shell, report) {
    const { parent = [], json } = readFlags(args, stateRows);
    const [action, path, ...rest] = args.positionals;
    const tools = await import('./engine.js');
    const edit = editOf(action, rest, parent, tools);
    if (path === undefined) throw usageError(`state ${action} needs the path of a state`);
    const store = tools.openState(path, { args, shell, report, place: `state ${action}` });
    await tools.mustExist(store, path);
    const memory = edit === undefined ? await tools.readMemory(store) : await tools.changeMemory(store, edit);
    shell.stdout.write(json === true ? `${JSON.stringify(tools.shownMemory(memory))}\n` : tools.memoryText(memory));
    return {};
  },
};

type Tools = Pick<typeof import('./engine.js'), 'withValue' | 'withoutValues' | 'now'>;

/** The change that the arguments ask for; undefined: none. */
function editOf(
  action: string | undefined,
  [job, value, ...extra]: readonly string[],
  parent: readonly string[],
  { withValue, withoutValues, now }: Tools,
): ((memory: RunMemory) => RunMemory) | undefined {
  const most = action === 'show' ? 0 : action === 'reset' ? 1 : 2;
  const given = [job, value, ...extra].filter((each) => each !== undefined);
  if (action !== 'show' && action !== 'set' && action !== 'reset') {
    const near = didYouMean(action ?? '', actions);
    throw usageError(`state needs an action: show PATH, set PATH JOB VALUE, or reset PATH [JOB]${near}`);
  }
  if (given.length > most) throw usageError(`unexpected argument "${given[most]}" after "state ${action}"`);
  if (action === 'show') return undefined;
  if (action === 'reset') return (memory) => withoutValues(memory, job);
  if (job === undefined || value === undefined)
    throw usageError('state set needs a job and a value: set PATH JOB VALUE');
  return (memory) => withValue(memory, job, value, { parent, now: now() });
}
