/** Reads the files that `each` of a job names: their values are known before the first request. */
import { readFileSync } from 'node:fs';
import type { ChildConfig, Config, JobConfig } from '../config/config.js';
import type { EachList, ValuesFile } from '../config/partition/each.js';
import { asExtractError, ExtractError, type Problem } from '../core/errors/errors.js';
import { type Exact, type ExactObject, isArray } from '../core/json/exact.js';
import { didYouMean } from '../core/util/suggest.js';

/** The configurations with values in place of files. */
export interface ReadPartitions {
  readonly configs: readonly Config[];
  /** The values by the path of their key: a resume needs the same ones. Empty: no job has a file. */
  readonly values: ExactObject;
}

/** Relative files are in the working directory. Throws ERR_CONFIG with the problems of all files. */
export function readPartitionFiles(configs: readonly Config[]): ReadPartitions {
  const values = new Map<string, Exact>();
  const problems: Problem[] = [];
  const read = (list: EachList): EachList => {
    if (isArray(list.values)) return list;
    try {
      const found = valuesIn(list.values);
      values.set(list.path, found);
      return { ...list, values: found };
    } catch (thrown) {
      problems.push({ path: list.path, message: asExtractError(thrown).message });
      return list;
    }
  };
  const filled = configs.map((config) => ({ ...config, jobs: config.jobs.map((job) => withValues(job, read)) }));
  if (problems.length > 0) {
    const lines = problems.map(({ path, message }) => `${path}: ${message}`);
    throw new ExtractError('ERR_CONFIG', lines.join('\n'), { problems });
  }
  return values.size === 0 ? { configs, values } : { configs: filled, values };
}

function withValues<Job extends JobConfig>(job: Job, read: (list: EachList) => EachList): Job {
  const children = job.children.map((child): ChildConfig => withValues(child, read));
  return job.each === undefined ? { ...job, children } : { ...job, children, each: job.each.map(read) };
}

function valuesIn({ file, column }: ValuesFile): readonly string[] {
  const text = textOf(file);
  const values = column === undefined ? text.split(/\r?\n|\r/).filter((line) => line !== '') : columnIn(text, column);
  if (values.length > 0) return values;
  throw new ExtractError('ERR_CONFIG', `the file "${file}" has no values`);
}

/** Without a byte order mark. */
function textOf(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (thrown) {
    const { message } = thrown instanceof Error ? thrown : { message: String(thrown) };
    throw new ExtractError('ERR_CONFIG', `the file "${file}" cannot be read: ${message}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ExtractError('ERR_CONFIG', `the file "${file}" is not UTF-8`);
  }
}

/** The cells of a column that are not empty, as in RFC 4180. */
function columnIn(text: string, column: string): readonly string[] {
  const [header = [], ...rows] = rowsIn(text);
  const index = header.indexOf(column);
  if (index === -1) throw new ExtractError('ERR_CONFIG', `there is no column "${column}"${didYouMean(column, header)}`);
  return rows.map((cells) => cells[index] ?? '').filter((cell) => cell !== '');
}

/** Throws ERR_CONFIG for a quote that is not closed, or with text after it. */
function rowsIn(text: string): readonly (readonly string[])[] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;
  const rows: string[][] = [[]];
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (found === null)
      throw new ExtractError('ERR_CONFIG', `line ${rows.length}: a quote is not closed, or has text beside it`);
    const [, quoted, plain = '', end] = found;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows;
}
