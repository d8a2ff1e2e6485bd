/** `rxtract doctor`: checks everything that a run needs, step by step. */

import { ExtractError } from '../core/errors/errors.js';
import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { duration, flag, folder } from '../core/options/kinds.js';
import { defined } from '../core/util/defined.js';
import { commandRows, jobRows, setRows } from '../run/run-options.js';
import type { DoctorReport } from '../tools/doctor/check-run.js';
import { counted } from '../tools/text/format.js';
import { readFlags } from './arguments.js';
import type { Command } from './command.js';
import { loadEngine } from './run.js';
import { itemErrorRows, proxyRows, toRows } from './run-flags.js';
import { columnsOf, hasColor } from './shell.js';

const details = `Examples
  rxtract doctor config.json                       configuration, connection, login, first page of each job, disk
  rxtract doctor config.json --job users --proxy env
  rxtract doctor config.json --to postgres://localhost/shop --state st
                                                   and the destination, and the folder of the state
  rxtract doctor config.json --json                one JSON object, for programs

Each step has a verdict (ok, warning, failed, skipped), its time, and what to do. What depends on a failed step is
skipped. The login and one page of each job are requested, each once; nothing else is sent, and nothing is written.
The exit code is 1 if a step failed, with --strict also after a warning.
`;

const { jobs, ...warningRows } = jobRows;

const doctorRows = {
  to: { ...toRows.to, summary: 'check this sink, as in run' },
  ...itemErrorRows,
  jobs: { ...jobs, summary: 'request the first page of this job only' },
  state: { kind: folder, value: 'PATH', summary: 'check the folder of the state too' },
  ...proxyRows,
  timeout: {
    kind: duration('s', 1, 3_600_000),
    default: 30_000,
    summary: 'a step that takes longer fails; in seconds or with a unit',
  },
  json: {
    kind: flag,
    summary: 'print the steps as one JSON object',
    details:
      'It has `format` (`rxtract-doctor/1`), `verdict` (the worst one) and `steps`, a list of `{step, subject, verdict, ms, message, todo}`',
  },
  ...setRows,
  ...commandRows,
  ...warningRows,
} satisfies OptionRows;

export const doctor: Command = {
  name: 'doctor',
  summary: 'check connection, login, first pages, disk and destinations, step by step',
  options: flagsOf(doctorRows),
  details: async () => details,
  async execute(args, shell, report) {
    await loadEngine(shell);
    const tools = await import('./checks.js');
    tools.warnOfPassword(args, report);
    const places = tools.openPlaces(args, shell, report);
    const screen = { width: columnsOf(shell, usualWidth), color: hasColor(shell.stdout, shell.env) };
    const isJson = args.has('json');
    return tools.executeInterruptible(shell, async (signal) => {
      const { jobs, allow, proxy, timeout, commands } = readFlags(args, doctorRows);
      const checked = await tools.checkRun((notify) => tools.readDocument(args, shell, notify), {
        ...places,
        env: shell.env,
        timeout,
        commands,
        signal,
        mask: report.mask,
        ...defined({ jobs, allow, proxy }),
        onStep: (step) => void (isJson || shell.stdout.write(tools.stepText(step, screen))),
      });
      if (isJson) shell.stdout.write(`${JSON.stringify(checked)}\n`);
      return defined({ failure: failureOf(checked, args.has('strict')) });
    });
  },
};

/** Columns of a terminal whose width is not known. */
const usualWidth = 100;

/** With `isStrict` a warning is a failure too. */
function failureOf({ steps }: DoctorReport, isStrict: boolean): ExtractError | undefined {
  const bad = steps.filter(({ verdict }) => verdict === 'failed' || (isStrict && verdict === 'warning'));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ step, subject }) => (subject === undefined ? step : `${step} (${subject})`)).join(', ');
  return new ExtractError('ERR_DOCTOR', `${bad.length} of ${counted(steps.length, 'step')} failed: ${names}`);
}
