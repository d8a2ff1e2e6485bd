/** Finds test cases: folders with a recording, or with settings. */
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { asExtractError } from '../../core/errors/errors.js';
import { describeSystemError } from '../../core/errors/system-error.js';
import { usageError } from '../../core/util/check-value.js';
import { nearest } from '../../core/util/suggest.js';
import { besideCase, type CaseFile, fileNames, readCaseFile, usualSettings } from './case-file.js';

/** A case: plain data, as it goes to a thread. */
export interface TestCase {
  /** Its folder below the folder that was given, with `/`. */
  readonly name: string;
  readonly folder: string;
  readonly config: string;
  readonly recording: string;
  readonly expected: string;
  readonly settings: CaseFile;
  /** What is wrong with its files; it cannot run. */
  readonly problems: readonly string[];
}

/**
 * Finds the cases in the folders, each once: those whose name contains one of `filters`, if there are any. Throws
 * ERR_USAGE for a folder without a case, and for a filter that no name contains.
 */
export async function findCases(
  folders: readonly string[],
  filters: readonly string[] = [],
): Promise<readonly TestCase[]> {
  if (folders.length === 0) throw usageError('DIR is missing: the folder with the cases, such as test/cases');
  const found = await Promise.all(folders.map((folder) => casesIn(folder)));
  const all = found.flat();
  const tests = all.filter(({ folder }, index) => all.findIndex((each) => each.folder === folder) === index);
  return chosen(tests, filters);
}

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

/** The cases in the folder and below, by name. Throws ERR_USAGE if the folder cannot be read or has none. */
async function casesIn(root: string): Promise<readonly TestCase[]> {
  const folders = await foldersWithCase(root, true);
  if (folders.length === 0) {
    throw usageError(
      `${root} has no case: a case is a folder with ${fileNames.config} and ${fileNames.recording}, see rxtract test --help`,
    );
  }
  const named = folders.map(({ folder, names }) => ({ name: nameOf(root, folder), folder, names }));
  const sorted = named.sort((a, b) => (a.name < b.name ? -1 : 1));
  return Promise.all(sorted.map((each) => readCase(each)));
}

const nameOf = (root: string, folder: string): string =>
  relative(root, folder).split(sep).join('/') || basename(join(process.cwd(), root));

interface CaseFolder {
  readonly folder: string;
  /** The files and folders in it. */
  readonly names: readonly string[];
}

/** In a folder that begins with a dot, in `node_modules`, and among expected items there is no case. */
async function foldersWithCase(folder: string, isRoot = false): Promise<readonly CaseFolder[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((thrown: unknown) => {
    if (!isRoot) return [];
    throw usageError(`${folder}: cannot be read: ${describeSystemError(thrown)}`);
  });
  const names = entries.map(({ name }) => name);
  const isCase =
    names.includes(fileNames.settings) ||
    names.includes(fileNames.recording) ||
    (names.includes(fileNames.config) && names.includes(fileNames.expected));
  const below = entries.filter(
    (entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name) && entry.name !== fileNames.expected,
  );
  const found = await Promise.all(below.map(({ name }) => foldersWithCase(join(folder, name))));
  return [...(isCase ? [{ folder, names }] : []), ...found.flat()];
}

async function readCase({ name, folder, names }: CaseFolder & { readonly name: string }): Promise<TestCase> {
  const path = join(folder, fileNames.settings);
  const { settings, problems } = await settingsOf(path, names);
  const place = (given: string | undefined, usual: string) =>
    given === undefined ? join(folder, usual) : besideCase(path, given);
  const config = place(settings.config, fileNames.config);
  const recording = place(settings.recording, fileNames.recording);
  const missing =
    problems.length > 0
      ? []
      : await Promise.all([
          missingFile('config', config, { path, names, isNamed: settings.config !== undefined }),
          missingFile('recording', recording, { path, names, isNamed: settings.recording !== undefined }),
        ]);
  const expected = place(settings.expected, fileNames.expected);
  return { name, folder, config, recording, expected, settings, problems: [...problems, ...missing.flat()] };
}

interface CaseSettings {
  readonly settings: CaseFile;
  readonly problems: readonly string[];
}

async function settingsOf(path: string, names: readonly string[]): Promise<CaseSettings> {
  if (!names.includes(fileNames.settings)) return { settings: usualSettings, problems: [] };
  try {
    const read = await readCaseFile(path);
    return 'problems' in read
      ? { settings: usualSettings, problems: read.problems }
      : { settings: read.settings, problems: [] };
  } catch (thrown) {
    return { settings: usualSettings, problems: [asExtractError(thrown).message] };
  }
}

interface Naming {
  /** Of `case.json`. */
  readonly path: string;
  readonly names: readonly string[];
  /** The settings name the file. */
  readonly isNamed: boolean;
}

async function missingFile(
  member: 'config' | 'recording',
  file: string,
  { path, names, isNamed }: Naming,
): Promise<readonly string[]> {
  const isThere = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isThere) return [];
  if (isNamed) return [`${path}: ${member}: there is no file ${file}`];
  const near = nearest(fileNames[member], names);
  const hint =
    near === undefined
      ? `add it, or name another one in ${fileNames.settings}: "${member}"`
      : `did you mean "${near}"?`;
  return [`${file}: there is no such file; ${hint}`];
}
