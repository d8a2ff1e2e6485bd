/** What `rxtract plan` does: reads the configuration, plans its run, and prints the plan. */

import type { ParsedArguments } from '../../cli/arguments.js';
import type { CommandResult } from '../../cli/command.js';
import { readDocument } from '../../cli/document.js';
import { readExchangeOptions } from '../../cli/open-exchanges.js';
import { readJobOptions } from '../../cli/read-run-options.js';
import type { Report } from '../../cli/report.js';
import { columnsOf } from '../../cli/screen.js';
import type { Shell } from '../../cli/shell.js';
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { replayEnvironment } from '../../recording/replay-environment.js';
import { type Plan, planRun } from '../../run/plan.js';
import { prepare } from '../text/errors.js';
import { fitLine } from '../text/lines.js';
import { followRecording } from './follow-recording.js';
import { explainText, followedText, planText, valueNames } from './plan-text.js';

/** Prints the plan of the configuration that the arguments name. Rejects with its problems. */
export async function showPlan(args: ParsedArguments, shell: Shell, report: Report): Promise<CommandResult> {
  const open = readExchangeOptions(args);
  const { label, content } = await readDocument(args, shell, report.notice);
  const { env } = open === undefined ? shell : replayEnvironment(content, shell.env);
  const options = { ...readJobOptions(args), env, notify: report.notice };
  const { plan, mask } = await prepare(label, () => planRun(content, options));
  report.maskWith(mask);
  const name = args.last('explain');
  if (name !== undefined) checkName(plan, name);
  const followed =
    open === undefined ? undefined : await followRecording({ label, content, open }, { args, shell, report });
  const ofRun = followed === undefined ? {} : { followed: followed.pages };
  const text = textOf(plan, name) + (followed === undefined ? '' : followedText(followed.pages, name));
  shell.stdout.write(args.has('json') ? `${JSON.stringify({ ...plan, ...ofRun })}\n` : fitted(text, shell));
  return followed?.result ?? {};
}

/** Lines wrap at the width of the terminal; without one they are whole. */
const fitted = (text: string, shell: Shell): string =>
  text.replaceAll(/^.+$/gm, (line) => fitLine(line, columnsOf(shell, Number.POSITIVE_INFINITY)).join('\n'));

const textOf = (plan: Plan, name: string | undefined): string =>
  name === undefined ? planText(plan) : explainText(plan, name);

/** Throws ERR_USAGE for a name that no request has. */
function checkName(plan: Plan, name: string): void {
  const names = valueNames(plan);
  if (names.some((each) => each.toLowerCase() === name.toLowerCase())) return;
  throw usageError(`no request has a parameter or header "${name}"${didYouMean(name, names)}`);
}
