/** `rxtract test`: replays recordings as unit tests of configurations, without a network. */
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { usageError } from '../core/util/check-value.js';
import { defined } from '../core/util/defined.js';
import type { CaseResult } from '../tools/test/case-result.js';
import type { runCases } from '../tools/test/run-cases.js';
import { counted } from '../tools/text/format.js';
import { quotedForShell } from '../tools/text/lines.js';
import type { ParsedArguments } from './arguments.js';
import type { Command } from './command.js';
import { hasColor } from './screen.js';

const details = `Examples
  rxtract run config.json --record cases/users/recording.jsonl --to null:
  cp config.json cases/users/                       the first case: a recording and its configuration
  rxtract test cases --update                       writes the items of its replay to cases/users/expected/
  rxtract test cases                                from now on: replays all, and compares the items
  rxtract test cases --filter users --filter orders
  rxtract test cases --format junit --out report.xml
                                                    a report for continuous integration, and text on the terminal

A case is a folder:
  config.json      the configuration
  recording.jsonl  what the API answered, from rxtract run --record
  expected/        <data type>.ndjson for each data type, and jobs.json with counts of requests, pages and items
  case.json        settings, all of them optional: config, recording, expected (paths), env, set, jobs, select,
                   maxPages, maxItems, state, time, error (of a run that must fail), unused, strict, allow, skip;
                   a recording of a run with --max-pages 2 needs {"maxPages": 2}

A case fails if an item, a count or a request differs, if the run fails, and if an exchange of the recording is left
over. It opens no connection, sees no variable of the environment, and waits cost no time.
`;

export const test = testWith();

/** Creates the command; its tests run cases in their own thread, as starting one takes longer than a case. */
export function testWith(runAll?: typeof runCases): Command {
  return {
    name: 'test',
    summary: 'replay recordings, and compare the items with expected ones',
    takesNothing: true,
    argument: 'DIR...',
    options: {
      filter: { value: 'TEXT', about: 'only the cases whose name contains TEXT; may be repeated' },
      update: { about: 'write the expected items and counts anew, and list what has changed' },
      format: {
        value: 'FORM',
        oneOf: ['text', 'tap', 'junit'],
        about: 'report as text, TAP 14 or JUnit XML (default: text)',
      },
      out: { value: 'FILE', about: 'write the report to FILE, and text to standard output' },
      'at-once': { value: 'N', about: 'cases at a time (default: as many as there are processors, at most 4)' },
      timeout: { value: 'SECONDS', about: 'a case that takes longer fails (default: 60)' },
      strict: { about: 'treat warnings as errors' },
    },
    details: async () => details,
    async execute(args, shell) {
      const tools = await import('./checks.js');
      const atOnce = tools.countOf(args, 'at-once', 64);
      const timeout = (tools.countOf(args, 'timeout', 86_400) ?? 60) * 1000;
      const out = args.last('out');
      if (out === '') throw usageError('--out needs a file');
      const tests = await tools.findCases(args.positionals, args.list('filter'));
      const format = tools.formatNames.find((each) => each === args.last('format')) ?? 'text';
      const print = (text: string) => void (text === '' || shell.stdout.write(text));
      const report = tools.createCaseReport({ format, out, color: hasColor(shell.stdout, shell.env), print });
      report.begin(tests.length);
      return tools.executeInterruptible(shell, async (signal) => {
        const options = {
          update: args.has('update'),
          strict: args.has('strict'),
          timeout,
          signal,
          ...defined({ atOnce }),
        };
        const results = await (runAll ?? tools.runCases)(tests, { ...options, onResult: report.result });
        await report.end(results);
        const failure = signal.aborted
          ? interrupted(signal, results, tests.length)
          : failureOf(results, tests.length, args);
        return defined({ failure });
      });
    },
  };
}

function interrupted({ reason }: AbortSignal, results: readonly CaseResult[], count: number): ExtractError {
  const { message } = asExtractError(reason);
  return new ExtractError('ERR_ABORTED', `${message}: ${results.length} of ${counted(count, 'case')} have run`);
}

/** Names of failed cases in the message. */
const mostNamed = 5;

function failureOf(results: readonly CaseResult[], count: number, args: ParsedArguments): ExtractError | undefined {
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const failed = failures.map(({ name }) => name);
  if (failed.length === 0) return undefined;
  const more = failed.length - mostNamed;
  const names = [...failed.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const message = `${failed.length} of ${counted(count, 'case')} failed: ${names}`;
  const isNew = failures.every(({ problems }) => problems.every(({ isMissing }) => isMissing === true));
  return new ExtractError('ERR_TEST', message, isNew ? { remedy: toUpdate(args) } : {});
}

/** For cases that succeed, but have nothing to compare their items with. */
function toUpdate(args: ParsedArguments): string {
  const chosen = args.list('filter').flatMap((text) => ['--filter', text]);
  const words = [...args.positionals, ...chosen, '--update'].map(quotedForShell);
  return `The runs succeed. Write their items as the expected ones, and check what is written: \`rxtract test ${words.join(' ')}\``;
}
