/** The expected output of a case: a file of items for each data type, and the counts of its jobs. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileNames } from '../../../sinks/files/file-names.js';
import { asExtractError } from '../../core/errors/errors.js';
import { describeSystemError, systemError } from '../../core/errors/system-error.js';
import { type Exact, fromPlain, isObject } from '../../core/json/exact.js';
import { parseExact, parseIfJson } from '../../core/json/exact-parse.js';
import { makeFolder } from '../../core/util/make-folder.js';
import { didYouMean } from '../../core/util/suggest.js';
import { counted } from '../text/format.js';
import type { CaseProblem } from './case-result.js';
import { compareItems, compareValues } from './compare-items.js';
import { itemProblems, memberLines } from './show-differences.js';

/** What a run gave. */
export interface CaseOutput {
  /** By data type, also those without items: NDJSON. */
  readonly items: ReadonlyMap<string, string>;
  /** By job. */
  readonly jobs: Readonly<Record<string, JobCounts>>;
}

export interface JobCounts {
  readonly requests: number;
  readonly retries: number;
  readonly pages: number;
  readonly items: number;
}

const extension = '.ndjson';
const countsFile = 'jobs.json';

/** The output as files: name and text, in the order of data types. */
function filesOf({ items, jobs }: CaseOutput): ReadonlyMap<string, string> {
  const names = createFileNames();
  const rows = Object.entries(jobs).map(([name, counts]) => `  ${JSON.stringify(name)}: ${JSON.stringify(counts)}`);
  return new Map([
    ...[...items].map(([dataType, text]) => [`${names.of(dataType).name}${extension}`, text] as const),
    [countsFile, rows.length === 0 ? '{}\n' : `{\n${rows.join(',\n')}\n}\n`],
  ]);
}

/** Compares the output with the files in the folder. Resolves with what differs. */
export async function compareOutput(folder: string, output: CaseOutput): Promise<readonly CaseProblem[]> {
  const names = await namesIn(folder);
  const found = filesOf(output);
  const expected = [...names.keys()].filter((name) => name.endsWith(extension));
  const hasItems = [...output.items.values()].some((text) => text !== '');
  if (expected.length === 0 && hasItems) {
    const lines = ['rxtract test DIR --update writes them.'];
    return [{ title: `${folder} has no expected items`, lines, isMissing: true }];
  }
  const all = [...new Set([...found.keys(), ...expected])];
  const compared = all.map(async (name) => {
    const path = join(folder, names.get(name) ?? name);
    if (name === countsFile) return names.has(name) ? compareCounts(path, output.jobs) : [];
    return compareFile({ path, name, isThere: names.has(name) }, found);
  });
  return (await Promise.all(compared)).flat();
}

interface ExpectedFile {
  readonly path: string;
  readonly name: string;
  readonly isThere: boolean;
}

async function compareFile(
  { path, name, isThere }: ExpectedFile,
  output: ReadonlyMap<string, string>,
): Promise<readonly CaseProblem[]> {
  const text = output.get(name);
  const found = linesOf(text ?? '').map(({ line }) => parseExact(line));
  if (!isThere) {
    if (found.length === 0) return [];
    const title = `${path} is missing: the run has ${counted(found.length, 'item')} of that data type`;
    return [{ title, lines: ['rxtract test DIR --update writes it.'], isMissing: true }];
  }
  const written = linesOf(await readFile(path, 'utf8'));
  const expected: Exact[] = [];
  for (const { line, number } of written) {
    const value = parseLine(line, `${path}:${number}`);
    if (typeof value === 'object' && value !== null && 'title' in value) return [value];
    expected.push(value.item);
  }
  if (text === undefined && expected.length > 0) {
    const known = [...output.keys()]
      .filter((each) => each !== countsFile)
      .map((each) => each.slice(0, -extension.length));
    const near = didYouMean(name.slice(0, -extension.length), known);
    return [
      {
        title: `${path} has ${counted(expected.length, 'item')}, and the run has none of that data type${near}`,
        lines: [],
      },
    ];
  }
  return itemProblems(path, compareItems(expected, found), { expected: expected.length, found: found.length });
}

function parseLine(line: string, place: string): { readonly item: Exact } | CaseProblem {
  try {
    return { item: parseExact(line) };
  } catch (thrown) {
    return { title: `${place}: no item: ${asExtractError(thrown).message}`, lines: [] };
  }
}

/** The lines that are not empty, numbered from 1. */
const linesOf = (text: string): readonly { readonly line: string; readonly number: number }[] =>
  text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [{ line, number: index + 1 }]));

/** Only the counts that the file has are compared. */
async function compareCounts(path: string, jobs: CaseOutput['jobs']): Promise<readonly CaseProblem[]> {
  const expected = parseIfJson(await readFile(path));
  const isValid = isObject(expected) && [...expected.values()].every((each) => isObject(each) && each.size > 0);
  if (!isValid) return [{ title: `${path}: expected an object with counts for each job`, lines: [] }];
  const found: Exact = fromPlain(jobs);
  const known = new Map(
    [...expected].map(([job, counts]) => {
      const there = isObject(found) ? found.get(job) : undefined;
      const kept = [...(isObject(there) ? there : [])].filter(([name]) => isObject(counts) && counts.has(name));
      return [job, new Map<string, Exact>(kept)] as const;
    }),
  );
  const lines = memberLines(compareValues(expected, known));
  return lines.length === 0 ? [] : [{ title: `${path}: other counts`, lines }];
}

/** Writes the output into the folder. Resolves with what has changed, a line each. */
export async function updateOutput(folder: string, output: CaseOutput): Promise<readonly string[]> {
  const names = await namesIn(folder);
  const found = filesOf(output);
  await makeFolder(folder);
  const changed = await Promise.all(
    [...found].map(async ([name, text]) => {
      const path = join(folder, names.get(name) ?? name);
      const before = names.has(name) ? await readFile(path, 'utf8') : undefined;
      if (before === text) return [];
      await writeFile(path, text);
      const count = name === countsFile ? '' : `: ${counted(linesOf(text).length, 'item')}`;
      const was =
        before === undefined || name === countsFile ? '' : ` (${counted(linesOf(before).length, 'item')} before)`;
      return [`${before === undefined ? 'wrote' : 'changed'} ${path}${count}${was}`];
    }),
  );
  const gone = [...names].flatMap(([name, own]) => (name.endsWith(extension) && !found.has(name) ? [own] : []));
  for (const name of gone) await rm(join(folder, name));
  return [...changed.flat(), ...gone.map((name) => `removed ${join(folder, name)}`)];
}

/**
 * The files of the folder: their names in the composed form, as systems list names in either, and as they are. A folder
 * that is not there has none. Throws the system's error for another reason.
 */
async function namesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  try {
    return new Map((await readdir(folder)).map((name) => [name.normalize('NFC'), name]));
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return new Map();
    throw new Error(`${folder}: cannot be read: ${describeSystemError(thrown)}`, { cause: thrown });
  }
}
