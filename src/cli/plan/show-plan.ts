/** What `rxtract plan` does: reads the configuration, plans its run, and prints the plan. */
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { type Plan, planRun } from '../../run/plan.js';
import type { ParsedArguments } from '../arguments.js';
import type { CommandResult } from '../command.js';
import { prepareAsync, readDocument } from '../document.js';
import { readExchangeOptions, replayEnvironment } from '../open-exchanges.js';
import type { Report } from '../report.js';
import type { RunEngine } from '../run-jobs.js';
import type { Shell } from '../shell.js';
import { type Followed, followRecording } from './follow-recording.js';
import { explainText, followedText, planText, valueNames } from './plan-text.js';

/** Prints the plan of the configuration that the arguments name. Rejects with its problems. */
export async function showPlan(
  args: ParsedArguments,
  shell: Shell,
  report: Report,
  extract: RunEngine['extract'],
): Promise<CommandResult> {
  const open = readExchangeOptions(args);
  const { label, content } = await readDocument(args, shell, report.notice);
  const [jobs, name] = [args.list('job'), args.last('explain')];
  let followed: Followed | undefined;
  await prepareAsync(label, async () => {
    const { env } = open === undefined ? shell : replayEnvironment(content, shell.env);
    const { plan, mask } = await planRun(content, {
      ...{ env, notify: report.notice, strict: args.has('strict'), allow: args.list('allow') },
      ...(jobs.length === 0 ? {} : { jobs }),
    });
    report.maskWith(mask);
    if (name !== undefined) checkName(plan, name);
    if (open !== undefined) followed = await followRecording(content, open, { args, shell, report, extract });
    const ofRun = followed === undefined ? {} : { followed: followed.pages };
    const text = textOf(plan, name) + (followed === undefined ? '' : followedText(followed.pages, name));
    shell.stdout.write(args.has('json') ? `${JSON.stringify({ ...plan, ...ofRun })}\n` : text);
  });
  return followed?.result ?? { summary: { jobs: [], outputs: [] } };
}

const textOf = (plan: Plan, name: string | undefined): string =>
  name === undefined ? planText(plan) : explainText(plan, name);

/** Throws ERR_USAGE for a name that no request has. */
function checkName(plan: Plan, name: string): void {
  const names = valueNames(plan);
  if (names.some((each) => each.toLowerCase() === name.toLowerCase())) return;
  throw usageError(`no request has a parameter or header "${name}"${didYouMean(name, names)}`);
}
