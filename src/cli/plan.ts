/** `rxtract plan`: shows what a run would send and where each value comes from. It sends nothing. */

import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { flag, nonEmptyText } from '../core/options/kinds.js';
import { commandRows, jobRows, setRows } from '../run/run-options.js';
import type { FollowedPage } from '../tools/plan/follow-recording.js';
import { fitLine } from '../tools/text/lines.js';
import { readFlags } from './arguments.js';
import type { Command } from './command.js';
import { loadEngine } from './run.js';
import { exchangeRows } from './run-flags.js';
import { columnsOf, type Shell } from './shell.js';

const details = `Examples
  rxtract plan config.json                        the first requests of each job, with the source of every value
  rxtract plan config.json --explain limit        all sources of one parameter or header, in the order in which they
                                                  replace each other
  rxtract plan config.json --job users --json     the plan of one job as JSON
  rxtract plan config.json --replay run.jsonl     and what the run of a recording sends, page by page

The plan goes to standard output. Nothing is sent: a value that only a response has is shown by its path, such as
<paging.next>, and a value of a login as ***. Secrets are masked.
`;

const { jobs, ...warningRows } = jobRows;

const planRows = {
  jobs: { ...jobs, summary: 'plan only this job' },
  explain: { kind: nonEmptyText, value: 'NAME', summary: 'show all sources of this parameter or header' },
  json: { kind: flag, summary: 'print the plan as JSON' },
  replay: { ...exchangeRows.replay, summary: 'show the requests of the recording FILE too, page by page' },
  ...setRows,
  ...commandRows,
  ...warningRows,
} satisfies OptionRows;

export const plan: Command = {
  name: 'plan',
  summary: 'show each request and where its values come from, without sending one',
  options: flagsOf(planRows),
  details: async () => details,
  async execute(args, shell, report) {
    const tools = await loadEngine(shell);
    const open = tools.readExchangeOptions(args);
    const { label, content: written } = await tools.readDocument(args, shell, report.notice);
    const content = open === undefined ? written : tools.withoutSecrets(written);
    const { env } = open === undefined ? shell : tools.replayEnvironment(content, shell.env);
    const options = { ...readFlags(args, { ...jobRows, ...commandRows }), env, notify: report.notice };
    const { plan, mask } = await tools.prepare(label, () => tools.planRun(content, options));
    report.maskWith(mask);
    const name = args.last('explain');
    const text = name === undefined ? tools.planText(plan) : tools.explainText(plan, name);
    const print = (data: object, shown: string) =>
      shell.stdout.write(args.has('json') ? `${JSON.stringify(data)}\n` : fitted(shown, shell));
    if (open === undefined) {
      print(plan, text);
      return {};
    }
    const followed: FollowedPage[] = [];
    const run = {
      label,
      content,
      open,
      start: tools.followRecording,
      page: (each: FollowedPage) => void followed.push(each),
    };
    const result = await tools.showRun(run, { args, shell, report });
    print({ ...plan, followed }, text + tools.followedText(followed, name));
    return result;
  },
};

/** Lines wrap at the width of the terminal; without one they are whole. */
const fitted = (text: string, shell: Shell): string =>
  text.replaceAll(/^.+$/gm, (line) => fitLine(line, columnsOf(shell, Number.POSITIVE_INFINITY)).join('\n'));
