/** Reads the files that `each` of a job names: their values are known before the first request. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import type { ChildConfig, Config, JobConfig } from '../config/config.js';
import type { EachList, ValuesFile } from '../config/partition/each.js';
import { asExtractError, ExtractError, type Problem } from '../core/errors/errors.js';
import { type Exact, type ExactObject, isArray } from '../core/json/exact.js';
import { guessedFormat } from '../core/model/response-format.js';
import { asBuffer } from '../core/util/as-buffer.js';
import { didYouMean } from '../core/util/suggest.js';
import type { WalkMemory } from '../page/formats/body-format.js';
import { csv } from '../page/formats/csv-format.js';
import { ItemWriter } from '../page/formats/item-writer.js';

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
  const bytes = contentOf(file);
  const values = column === undefined ? linesIn(bytes) : columnIn(bytes, column);
  if (values.length > 0) return values;
  throw new ExtractError('ERR_CONFIG', `the file "${file}" has no values`);
}

/** In UTF-8. */
function contentOf(file: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (thrown) {
    const { message } = thrown instanceof Error ? thrown : { message: String(thrown) };
    throw new ExtractError('ERR_CONFIG', `the file "${file}" cannot be read: ${message}`);
  }
  if (isUtf8(bytes)) return bytes;
  throw new ExtractError('ERR_CONFIG', `the file "${file}" is not UTF-8`);
}

const linesIn = (bytes: Buffer): readonly string[] =>
  new TextDecoder() // which drops a byte-order mark
    .decode(bytes)
    .split(/\r?\n|\r/)
    .filter((line) => line !== '');

/** The cells of a column that are not empty, by the rules for responses of CSV. Throws ERR_CSV. */
function columnIn(bytes: Buffer, column: string): readonly string[] {
  const memory: WalkMemory = {};
  const bounds = { maxItemBytes: Number.POSITIVE_INFINITY, maxCaptureBytes: 0, captures: [] };
  const out = new ItemWriter({ batchBytes: Number.POSITIVE_INFINITY, allocate: Buffer.alloc });
  const reader = csv.create({ out, options: guessedFormat, memory, warn: () => {}, ...bounds });
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes), 0);
  reader.end();
  const { header = [] } = memory;
  if (!header.includes(column))
    throw new ExtractError('ERR_CONFIG', `there is no column "${column}"${didYouMean(column, header)}`);
  const rows: readonly Readonly<Record<string, string>>[] = linesIn(asBuffer(out.takeSlab().bytes)).map((line) =>
    JSON.parse(line),
  );
  return rows.map((row) => row[column] ?? '').filter((cell) => cell !== '');
}

/** Converted at once: its items may need six times the memory. */
const pieceBytes = 64 * 1024;
