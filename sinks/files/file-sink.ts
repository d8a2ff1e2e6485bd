/** Writes the bytes of batches to files, one per data type, and renames them when the run has succeeded. */
import type { Batch } from '../../src/core/model/batch.js';
import { borrowing } from '../borrowing.js';
import type { Earlier, Opening, Sink, SinkOutput } from '../contract.js';
import { type Counts, createTally } from '../counts.js';
import { createFileCheckpoints, type FileCheckpoints } from './file-checkpoints.js';
import { createOutputs, type Outputs } from './outputs.js';
import { createPartialFiles, type PartialFile, type PartialFiles, type PartialFilesOptions } from './partial-files.js';
import { partialOf } from './parts.js';
import {
  checkpointAsExact,
  checkpointFrom,
  type FileCheckpoint,
  findLeft,
  type LeftFile,
  nameIn,
  nowhere,
} from './resume-file.js';

export interface FileSinkOptions extends Omit<PartialFilesOptions, 'onFailure'> {
  /** The name in messages, such as `ndjson:out`. */
  readonly name: string;
}

/** A sink for files, and their names. */
export interface FileSink {
  readonly sink: Sink & Required<Pick<Sink, 'write' | 'commit' | 'rollback' | 'resume' | 'open' | 'summary'>>;
  /** The final name of the file of a data type. */
  readonly pathOf: (dataType: string) => string;
  /** The final name of the folder for the files of its items. */
  readonly folderOf: (dataType: string) => string;
  /** Has the files of an earlier process keep their names: before `resume`, for who reads them there. */
  readonly keepNames: (earlier: Earlier) => void;
  /** The numbered parts that are in the folder, in order, under final or temporary names. Throws ERR_SINK. */
  readonly partsOf: (dataType: string) => Promise<readonly string[]>;
}

/**
 * Writes the bytes of batches to `<dir>/<data type><extension>`. During the run the file ends in `.partial`; an earlier
 * file stays until `close` replaces it. `abort` leaves `.partial` with complete items. docs/07-sinks.md#file-names.
 *
 * Each file is written one batch late: a write settles when the previous one has landed. Without a state, batches of
 * less than 64 KiB after the first are collected to that size, for at most a second. Memory holds the current batch
 * and, for each file, the collected batches and the one being written. A failed write reaches `onFailure` at once, and
 * fails the next call for its data type, `close` and `abort` included, so that nothing is published then; the summary
 * counts landed items.
 *
 * A run with a state continues the files at their checkpoints, after it has verified their content: exactly once.
 *
 * With `mode: 'append'` the files have the name of the run, those of earlier runs stay, and one without items is none.
 */
export function createFileSink({ name, ...options }: FileSinkOptions): FileSink {
  const run = beginRun(options);
  const { pathOf, outputs, positions, published, kept, left } = run;
  const sink: FileSink['sink'] = {
    name,
    recovery: 'cut',
    ...resumption(run),
    ...pages(run),
    durable: outputs.sync,
    ...(run.files.isAdding ? {} : earlierOutput(run)),
    async close({ keep } = noneKept) {
      for (const dataType of withoutItems(run)) left.add(dataType);
      await outputs.publish(new Set([...keep, ...left]), (path) => published.add(path));
      for (const dataType of keep) kept.add(pathOf(dataType));
    },
    abort: outputs.release,
    summary: () =>
      positions
        .summary(pathOf)
        .filter(({ dataType }) => !left.has(dataType))
        .map((output) => asItStands(withSize(output, run), run)),
  };
  const { partsOf, folderOf } = run.files;
  return { sink, pathOf, partsOf, folderOf, keepNames: (earlier) => keepNames(earlier, run) };
}

const noneKept = { keep: new Set<string>() };

/** The data types of which a run that adds files has nothing to add. */
const withoutItems = ({ files, positions, taken, pathOf }: Run): readonly string[] =>
  (files.isAdding ? positions.summary(pathOf) : [])
    .map(({ dataType }) => dataType)
    .filter((dataType) => taken.at(dataType).items === 0);

const earlierOutput = ({ files, pathOf }: Run): Required<Pick<Sink, 'published' | 'replacesOutput'>> => ({
  replacesOutput: () => true,
  published: async (dataType) => ((await files.hasEarlier(dataType)) ? [pathOf(dataType)] : []),
});

/** Returns a promise only if it must wait. */
function append({ file }: PartialFile, batch: Batch, signal: AbortSignal, { positions, taken }: Run) {
  const waiting = file.append(batch.bytes, signal, () => positions.add(batch));
  return waiting === undefined ? taken.add(batch) : waiting.then(() => taken.add(batch));
}

/** Adds the size on the disk, if it is not that of the items. */
function withSize(output: SinkOutput, { outputs, leftSizes }: Run): SinkOutput {
  const size = outputs.size(output.dataType) ?? leftSizes.get(output.dataType);
  return size === undefined ? output : { ...output, size };
}

function asItStands(output: SinkOutput, { published, kept }: Run): SinkOutput {
  if (kept.has(output.name)) return { ...output, kept: true };
  return published.has(output.name) ? output : { ...output, name: partialOf(output.name), unfinished: true };
}

/** State that the parts of the sink share. */
interface Run {
  readonly pathOf: (dataType: string) => string;
  readonly outputs: Outputs;
  /** The items that have landed. */
  readonly positions: FileCheckpoints;
  /** The accepted items: more than the landed ones while batches are collected or being written. */
  readonly taken: Counts;
  /** Announces the data type, and opens its file if needed. */
  readonly outputOf: (dataType: string) => Promise<PartialFile>;
  /** The checkpoints of the files at the last commit. */
  readonly commits: Map<string, FileCheckpoint>;
  /** The results of `commit` are stored. */
  isStored: boolean;
  /** Data types that an earlier run published. */
  readonly done: Set<string>;
  /** Paths with their final names, from this run or an earlier one. */
  readonly published: Set<string>;
  /** Paths of earlier runs that this one has not replaced. */
  readonly kept: Set<string>;
  /** Data types without items, whose files were removed: the sink adds none. */
  readonly left: Set<string>;
  readonly files: PartialFiles;
  readonly isMade: PartialFilesOptions['isMade'];
  /** The files are compressed or have parts. */
  readonly isPacked: boolean;
  /** The sizes of such files of data types that an earlier process published. */
  readonly leftSizes: Map<string, number>;
  /** Sets the receiver for failed writes. */
  report(onFailure: Opening['onFailure']): void;
}

function beginRun(options: PartialFilesOptions): Run {
  let report: Opening['onFailure'];
  const files = createPartialFiles({ ...options, onFailure: (error) => report?.(error) });
  const outputs = createOutputs(files, options.extension.slice(1));
  const positions = createFileCheckpoints();
  const taken = createTally();
  return {
    pathOf: files.pathOf,
    outputs,
    positions,
    taken,
    async outputOf(dataType) {
      const output = outputs.of(dataType);
      positions.open(dataType);
      return output;
    },
    commits: new Map(),
    isStored: false,
    done: new Set(),
    published: new Set(),
    kept: new Set(),
    left: new Set(),
    files,
    isMade: options.isMade,
    isPacked: options.packing !== undefined,
    leftSizes: new Map(),
    report(onFailure) {
      report = onFailure ?? report;
    },
  };
}

/** Writes after the last commit of a data type, and rolls back to it. */
function pages(run: Run): Required<Pick<Sink, 'write' | 'commit' | 'rollback'>> {
  const { outputs, outputOf, positions, taken, commits, done } = run;
  return {
    write: borrowing((batch, signal) => {
      const opened = outputs.opened(batch.dataType);
      if (opened !== undefined) return append(opened, batch, signal, run);
      return outputOf(batch.dataType).then((output) => append(output, batch, signal, run));
    }),
    commit({ dataType }, signal) {
      if (!run.isStored) {
        const { items, bytes } = taken.at(dataType);
        commits.set(dataType, { items, bytes, crc: 0 });
        if (run.isPacked) outputs.opened(dataType)?.parts?.keep();
        return undefined;
      }
      const checkpoint = () => {
        const at = { ...positions.at(dataType), place: outputs.opened(dataType)?.parts?.place() };
        commits.set(dataType, at);
        return checkpointAsExact(at, run.files.names.of(dataType).name);
      };
      if (done.has(dataType)) return checkpoint();
      const opened = outputs.opened(dataType);
      if (opened !== undefined) return opened.file.whenWritten(checkpoint, signal);
      return outputOf(dataType).then(({ file }) => file.whenWritten(checkpoint, signal));
    },
    async rollback(dataType) {
      const before = commits.get(dataType) ?? nowhere;
      if (taken.at(dataType).bytes === before.bytes) return;
      const { file } = await outputOf(dataType);
      await file.truncate(before.bytes, () => setBack(dataType, before, run));
    },
  };
}

/** Resets the counts. Landed counts stay unless they exceed the commit: collected bytes never landed. */
function setBack(dataType: string, before: FileCheckpoint, { positions, taken }: Run): void {
  taken.reset(dataType, before);
  if (positions.at(dataType).bytes > before.bytes) positions.reset(dataType, before);
}

/** Files of the earlier process keep their names. If an earlier version began the run, all are named as it did. */
function keepNames(earlier: Earlier, { files }: Run): void {
  const { names } = files;
  files.nameRun(earlier);
  const found = [...earlier.checkpoints].map(([dataType, checkpoint]) => [dataType, nameIn(checkpoint)] as const);
  if (found.some(([, name]) => name === undefined)) names.useAscii();
  for (const [dataType, name] of found) if (name !== undefined) names.keep(dataType, name);
}

/** Keeps files that an earlier run published; continues all others after their checkpoints. */
function resumption(run: Run): Required<Pick<Sink, 'resume' | 'open'>> {
  const { pathOf, files, outputs, outputOf, positions, taken, commits, published, done } = run;
  const continueFile = async (left: LeftFile) => {
    const { dataType, isPublished, at } = left;
    positions.reset(dataType, at);
    taken.reset(dataType, at);
    commits.set(dataType, at);
    if (!isPublished) return outputs.continueFile(left);
    if (at.place !== undefined) run.leftSizes.set(dataType, at.place.file.bytes);
    done.add(dataType);
    published.add(pathOf(dataType));
  };

  return {
    async resume(earlier) {
      const { isStored, phase, checkpoints } = earlier;
      run.isStored = isStored;
      commits.clear();
      for (const dataType of await outputs.clear()) {
        positions.reset(dataType, nowhere);
        taken.reset(dataType, nowhere);
      }
      if (isStored) positions.sum();
      if (isStored) outputs.writeEach();
      keepNames(earlier, run);
      const found: LeftFile[] = [];
      for (const [dataType, checkpoint] of checkpoints) {
        const at = checkpointFrom(checkpoint, run.isPacked);
        const paths = Array.from({ length: at.place?.part ?? 1 }, (_, index) => files.pathOfPart(dataType, index + 1));
        found.push(await findLeft(dataType, paths, at, { phase, isMade: run.isMade }));
      }
      for (const each of found) await continueFile(each);
      await files.removeReplaced(earlier);
    },
    async open(dataType, _, { onFailure } = {}) {
      run.report(onFailure);
      if (!done.has(dataType)) await outputOf(dataType);
    },
  };
}
