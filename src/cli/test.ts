/** `rxtract test`: replays recordings as unit tests of configurations, without a network. */

import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { flagsOf } from '../core/options/flags.js';
import type { OptionRows } from '../core/options/kind.js';
import { duration, file, flag, text, whole, word } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { defined } from '../core/util/defined.js';
import { jobRows } from '../run/run-options.js';
import type { CaseResult } from '../tools/test/case-result.js';
import type { runCases } from '../tools/test/run-cases.js';
import { counted } from '../tools/text/format.js';
import { quotedForShell } from '../tools/text/lines.js';
import { type ParsedArguments, readFlags } from './arguments.js';
import type { Command } from './command.js';
import { hasColor } from './shell.js';

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
                   maxPages, maxItems, minItems, state, time, error (of a run that must fail), unused, strict, allow,
                   skip; a recording of a run with --max-pages 2 needs {"maxPages": 2}

A case fails if an item, a count or a request differs, if the run fails, and if an exchange of the recording is left
over. It opens no connection, sees no variable of the environment, and waits cost no time.
`;

const testRows = {
  filter: {
    kind: listOf(text, 'texts'),
    summary: 'only the cases whose name contains TEXT',
    otherwise: 'all',
    details: 'The name of a case is its path below DIR',
  },
  update: { kind: flag, summary: 'write the expected items and counts anew, and list what has changed' },
  format: {
    kind: word('text', 'tap', 'junit'),
    default: 'text',
    summary: 'report as text, [TAP 14](https://testanything.org/tap-version-14-specification.html) or JUnit XML',
  },
  out: { kind: file, summary: 'write the report to FILE, and text to standard output' },
  atOnce: {
    kind: whole(1, 64),
    summary: 'cases at a time, each in a thread of its own',
    otherwise: 'as many as there are processors, at most 4',
  },
  timeout: {
    kind: duration('s', 1, 86_400_000),
    default: 60_000,
    summary: 'a case that takes longer fails; in seconds or with a unit',
  },
  strict: jobRows.strict,
} satisfies OptionRows;

export const test = testWith();

/** Creates the command; its tests run cases in their own thread, as starting one takes longer than a case. */
export function testWith(runAll?: typeof runCases): Command {
  return {
    name: 'test',
    summary: 'replay recordings, and compare the items with expected ones',
    takesNothing: true,
    argument: 'DIR...',
    options: flagsOf(testRows),
    details: async () => details,
    async execute(args, shell) {
      const tools = await import('./checks.js');
      const { atOnce, timeout, out, filter, format, update, strict } = readFlags(args, testRows);
      const tests = await tools.findCases(args.positionals, filter);
      const print = (text: string) => void (text === '' || shell.stdout.write(text));
      const report = tools.createCaseReport({ format, out, color: hasColor(shell.stdout, shell.env), print });
      report.begin(tests.length);
      return tools.executeInterruptible(shell, async (signal) => {
        const options = { update: update === true, strict, timeout, signal, ...defined({ atOnce }) };
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
