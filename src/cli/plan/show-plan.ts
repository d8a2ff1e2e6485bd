/** What `rxtract plan` does: reads the configuration, plans its run, and prints the plan. */
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';
import { type Plan, planRun } from '../../run/plan.js';
import type { ParsedArguments } from '../arguments.js';
import type { CommandResult } from '../command.js';
import { prepareAsync, readDocument } from '../document.js';
import type { Report } from '../report.js';
import type { Shell } from '../shell.js';
import { explainText, planText, valueNames } from './plan-text.js';

/** Prints the plan of the configuration that the arguments name. Rejects with its problems. */
export async function showPlan(args: ParsedArguments, shell: Shell, report: Report): Promise<CommandResult> {
  const { label, content } = await readDocument(args, shell, report.notice);
  const [jobs, name] = [args.list('job'), args.last('explain')];
  await prepareAsync(label, async () => {
    const { plan, mask } = await planRun(content, {
      env: shell.env,
      notify: report.notice,
      strict: args.has('strict'),
      allow: args.list('allow'),
      ...(jobs.length === 0 ? {} : { jobs }),
    });
    report.maskWith(mask);
    if (name !== undefined) checkName(plan, name);
    shell.stdout.write(args.has('json') ? `${JSON.stringify(plan)}\n` : textOf(plan, name));
  });
  return { summary: { jobs: [], outputs: [] } };
}

const textOf = (plan: Plan, name: string | undefined): string =>
  name === undefined ? planText(plan) : explainText(plan, name);

/** Throws ERR_USAGE for a name that no request has. */
function checkName(plan: Plan, name: string): void {
  const names = valueNames(plan);
  if (names.some((each) => each.toLowerCase() === name.toLowerCase())) return;
  throw usageError(`no request has a parameter or header "${name}"${didYouMean(name, names)}`);
}
