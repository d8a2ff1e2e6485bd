/** Runs one test case: replays its recording, without a connection, and compares the output with what is expected. */
import { readFile } from 'node:fs/promises';
import { lastValueFrom } from 'rxjs';
import { droppedLetters } from '../../../sinks/decorators/dead-letters.js';
import { memory } from '../../../sinks/memory.js';
import { parseDocument } from '../../config/document.js';
import { applyAssignments } from '../../config/set.js';
import { asExtractError, type ExtractError, remedyFor } from '../../core/errors/errors.js';
import type { Secrets } from '../../core/model/secrets.js';
import { onlyOf } from '../../core/options/object-kinds.js';
import { asBuffer } from '../../core/util/as-buffer.js';
import type { ExchangesSummary } from '../../http/exchanges.js';
import { replayExchanges } from '../../recording/replay.js';
import { replayEnvironment } from '../../recording/replay-environment.js';
import { extract } from '../../run/extract.js';
import type { Extraction } from '../../run/extraction.js';
import { describeError, placed } from '../text/errors.js';
import { counted, startTimer } from '../text/format.js';
import { printable } from '../text/lines.js';
import { type CaseFile, type ExpectedError, runRowsOfCase } from './case-file.js';
import { type CaseProblem, type CaseResult, withoutRun } from './case-result.js';
import { type CaseOutput, compareOutput, updateOutput } from './expected.js';
import type { TestCase } from './find-cases.js';

export interface CaseOptions {
  /** Write the expected output anew. */
  readonly update: boolean;
  /** A warning is a failure. */
  readonly strict: boolean;
}

/** Runs the case. Never rejects. */
export async function runCase(test: TestCase, options: CaseOptions): Promise<CaseResult> {
  const { name, settings, problems } = test;
  if (problems.length > 0) {
    return withoutRun(name, 'failed', { problems: problems.map((title) => ({ title, lines: [] })) });
  }
  if (settings.skip !== undefined) return withoutRun(name, 'skipped', { reason: settings.skip });
  const elapsed = startTimer();
  const run = await replayed(test, options).catch((thrown: unknown) => notStarted(thrown));
  const judged = await judge(run, test, options).catch((thrown: unknown) => ({
    problems: [errorProblem(thrown)],
    updates: [],
  }));
  const clean = (text: string) => printable(text, run.mask, longest);
  const problemsOf = judged.problems.map((each) => ({
    ...each,
    title: clean(each.title),
    lines: each.lines.map(clean),
  }));
  return {
    name,
    outcome: problemsOf.length === 0 ? 'passed' : 'failed',
    ms: elapsed(),
    requests: run.exchanges,
    items: run.items,
    problems: problemsOf,
    warnings: run.warnings.map(clean),
    updates: judged.updates,
  };
}

/** Characters of a line. */
const longest = 240;

/** A run that has ended. */
interface EndedRun {
  readonly output: CaseOutput;
  readonly failure: ExtractError | undefined;
  readonly exchanges: number;
  readonly items: number;
  readonly unused: readonly string[];
  readonly warnings: readonly string[];
  readonly mask: Secrets['mask'];
}

/** A run whose configuration or recording cannot be used: its messages contain no value of it. */
const notStarted = (thrown: unknown): EndedRun => ({
  output: { items: new Map(), jobs: {} },
  failure: asExtractError(thrown),
  exchanges: 0,
  items: 0,
  unused: [],
  warnings: [],
  mask: (text) => text,
});

/** The time of this thread is that of the recording until the run has ended. */
async function replayed({ config, recording, settings }: TestCase, { strict }: CaseOptions): Promise<EndedRun> {
  const { set = [], env = {}, time } = settings;
  const warnings: string[] = [];
  const document = parseDocument(await readFile(config), config);
  const content = set.length === 0 ? document : applyAssignments(document, set);
  const to = memory();
  const exchanges = await replayExchanges(recording, { startedAt: time });
  let extraction: Extraction;
  let failure: ExtractError | undefined;
  let summary: ExchangesSummary;
  try {
    extraction = extract(content, {
      ...onlyOf(runRowsOfCase, settings),
      to,
      onItemError: droppedLetters,
      exchanges,
      strict: strict || settings.strict,
      env: replayEnvironment(content, env).env,
      notify: (notice) => {
        if (notice.level === 'warning') warnings.push(`${placed(notice)} [${notice.code}]`);
      },
    });
    failure = await lastValueFrom(extraction.receipts, { defaultValue: undefined }).then(
      () => undefined,
      (thrown: unknown) => asExtractError(thrown),
    );
    await extraction.closed;
  } finally {
    summary = await exchanges.close();
  }
  const { unusedRequests: unused = [], exchanges: count } = summary;
  const output = outputOf(extraction, to);
  const items = to.batches.reduce((sum, batch) => sum + batch.count, 0);
  return { output, failure, exchanges: count, items, unused, warnings, mask: extraction.mask };
}

/** Jobs of one name have a number after the second. */
function outputOf(extraction: Extraction, { batches }: ReturnType<typeof memory>): CaseOutput {
  const items = new Map<string, string>();
  const jobs: Record<string, CaseOutput['jobs'][string]> = {};
  for (const { job, dataType, requests, retries, pages, items: count } of extraction.summary().jobs) {
    items.set(dataType, '');
    let name = job;
    for (let number = 2; Object.hasOwn(jobs, name); number += 1) name = `${job} (${number})`;
    jobs[name] = { requests, retries, pages, items: count };
  }
  for (const { dataType, bytes } of batches) {
    items.set(dataType, `${items.get(dataType) ?? ''}${asBuffer(bytes).toString('utf8')}`);
  }
  return { items, jobs };
}

interface Judgement {
  readonly problems: readonly CaseProblem[];
  readonly updates: readonly string[];
}

async function judge(
  run: EndedRun,
  { settings, expected, recording }: TestCase,
  { update }: CaseOptions,
): Promise<Judgement> {
  const failed = failureProblems(run.failure, settings.error);
  const left = [...failed, ...unusedProblems(run, settings, recording)];
  if (failed.length > 0) return { problems: left, updates: [] };
  if (update) return { problems: left, updates: await updateOutput(expected, run.output) };
  return { problems: [...(await compareOutput(expected, run.output)), ...left], updates: [] };
}

function failureProblems(
  failure: ExtractError | undefined,
  expected: ExpectedError | undefined,
): readonly CaseProblem[] {
  if (failure === undefined) {
    return expected === undefined ? [] : [{ title: `the run succeeded, and ${expected.code} is expected`, lines: [] }];
  }
  if (expected === undefined) return [errorProblem(failure)];
  const { code, message } = expected;
  const lines = [
    ...(failure.code === code ? [] : [`- ${code}`, `+ ${failure.code}`]),
    ...(message === undefined || failure.message.includes(message)
      ? []
      : [`- ${message}`, ...failure.message.split('\n').map((line) => `+ ${line}`)]),
  ];
  return lines.length === 0 ? [] : [{ title: 'the run failed in another way', lines }];
}

function errorProblem(thrown: unknown): CaseProblem {
  const error = asExtractError(thrown);
  const [title = '', ...lines] = describeError(error);
  return { title, lines: [...lines, remedyFor(error)] };
}

/** Unused exchanges that are shown. */
const mostUnused = 5;

/** After a failure, of course some are left. */
function unusedProblems(
  { unused, failure }: EndedRun,
  { unused: rule }: CaseFile,
  recording: string,
): readonly CaseProblem[] {
  if (unused.length === 0 || rule === 'allow' || failure !== undefined) return [];
  const more = unused.length - mostUnused;
  const lines = [
    ...unused.slice(0, mostUnused).map((each) => `- ${each}`),
    ...(more > 0 ? [`... and ${more} more`] : []),
  ];
  const title = `${recording}: ${counted(unused.length, 'exchange')} that no request of the run asked for`;
  return [{ title, lines: [...lines, 'If that is right, record again, or set "unused": "allow" in case.json.'] }];
}
