/** What `rxtract test` does: finds the cases, runs them, and reports in the format that is wanted. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { asyncScheduler } from 'rxjs';
import type { ParsedArguments } from '../../cli/arguments.js';
import type { CommandResult } from '../../cli/command.js';
import { countOf } from '../../cli/read-run-options.js';
import { hasColor } from '../../cli/screen.js';
import type { Shell } from '../../cli/shell.js';
import { ExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { usageError } from '../../core/util/check-value.js';
import { nearest } from '../../core/util/suggest.js';
import { counted, startTimer } from '../text/format.js';
import { quotedForShell } from '../text/lines.js';
import { createFormat, type FormatName, formatNames } from './case-formats.js';
import type { CaseResult } from './case-result.js';
import { runInThreads } from './case-threads.js';
import { findCases, type TestCase } from './find-cases.js';

/** Threads without `--at-once`: each takes about 60 MB. */
const usualThreads = 4;

/** Runs the cases in the folders that the arguments name. Resolves with the failure if one fails. */
export async function runCases(
  args: ParsedArguments,
  shell: Shell,
  runAll: typeof runInThreads = runInThreads,
): Promise<CommandResult> {
  const atOnce = countOf(args, 'at-once', 64) ?? Math.min(usualThreads, availableParallelism());
  const timeout = (countOf(args, 'timeout', 86_400) ?? 60) * 1000;
  const out = args.last('out');
  if (out === '') throw usageError('--out needs a file');
  const tests = chosen(await allCases(args.positionals), args.list('filter'));
  const [startedAt, elapsed] = [asyncScheduler.now(), startTimer()];
  const color = hasColor(shell.stdout, shell.env);
  const name: FormatName = formatNames.find((each) => each === args.last('format')) ?? 'text';
  const wanted = createFormat(name, { color: color && out === undefined, startedAt });
  const shown = out === undefined ? wanted : createFormat('text', { color, startedAt });
  const file: string[] = [];
  const write = (text: string, ofFile: string) => {
    if (text !== '') shell.stdout.write(text);
    if (out !== undefined) file.push(ofFile);
  };
  write(shown.begin(tests.length), wanted.begin(tests.length));
  const results: CaseResult[] = [];
  const signal = await runAll(tests, {
    atOnce,
    timeout,
    onSignal: shell.onSignal,
    options: { update: args.has('update'), strict: args.has('strict') },
    onResult(result) {
      results.push(result);
      write(shown.result(result), out === undefined ? '' : wanted.result(result));
    },
  });
  const ms = elapsed();
  write(shown.end(results, ms), out === undefined ? '' : wanted.end(results, ms));
  if (out !== undefined) await writeReport(out, file.join(''));
  if (signal === undefined) return resultOf(results, tests.length, args);
  const message = `interrupted by ${signal}: ${results.length} of ${counted(tests.length, 'case')} have run`;
  return { failure: new ExtractError('ERR_ABORTED', message), signal };
}

async function allCases(folders: readonly string[]): Promise<readonly TestCase[]> {
  if (folders.length === 0) throw usageError('DIR is missing: the folder with the cases, such as test/cases');
  const found = await Promise.all(folders.map((folder) => findCases(folder)));
  const all = found.flat();
  return all.filter(({ folder }, index) => all.findIndex((each) => each.folder === folder) === index);
}

/** The cases whose name contains one of the texts. Throws ERR_USAGE for a text that none contains. */
function chosen(tests: readonly TestCase[], filters: readonly string[]): readonly TestCase[] {
  for (const filter of filters) {
    if (tests.some(({ name }) => name.includes(filter))) continue;
    const near = nearest(
      filter,
      tests.flatMap(({ name }) => [name, ...name.split('/')]),
    );
    const hint =
      near === undefined ? `; there are ${tests.map(({ name }) => name).join(', ')}` : `; did you mean "${near}"?`;
    throw usageError(`--filter ${filter}: no case has that in its name${hint}`);
  }
  return filters.length === 0 ? tests : tests.filter(({ name }) => filters.some((filter) => name.includes(filter)));
}

async function writeReport(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (thrown) {
    throw new ExtractError('ERR_USAGE', `--out ${path}: cannot be written: ${describeSystemError(thrown)}`, {
      cause: thrown,
    });
  }
}

/** Names of failed cases in the message. */
const mostNamed = 5;

function resultOf(results: readonly CaseResult[], count: number, args: ParsedArguments): CommandResult {
  const failures = results.filter(({ outcome }) => outcome === 'failed');
  const failed = failures.map(({ name }) => name);
  if (failed.length === 0) return {};
  const more = failed.length - mostNamed;
  const names = [...failed.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const message = `${failed.length} of ${counted(count, 'case')} failed: ${names}`;
  const isNew = failures.every(({ problems }) => problems.every(({ isMissing }) => isMissing === true));
  return { failure: new ExtractError('ERR_TEST', message, isNew ? { remedy: toUpdate(args) } : {}) };
}

/** For cases that succeed, but have nothing to compare their items with. */
function toUpdate(args: ParsedArguments): string {
  const chosen = args.list('filter').flatMap((text) => ['--filter', text]);
  const words = [...args.positionals, ...chosen, '--update'].map(quotedForShell);
  return `The runs succeed. Write their items as the expected ones, and check what is written: \`rxtract test ${words.join(' ')}\``;
}
