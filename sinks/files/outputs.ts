/** The open files of a run, one per data type: saves, publishes and releases them together. */
import { hasEnded } from '../errors.js';
import { settleAll } from '../settle.js';
import type { PartialFile, PartialFiles, Publication } from './partial-files.js';
import type { LeftFile } from './resume-file.js';

/** Methods that open, save or end files throw ERR_SINK. */
export interface Outputs {
  /** The file of the data type, created on first use. Throws at once after the end. */
  of(dataType: string): Promise<PartialFile>;
  /** The same if the file is open; undefined: it is not, or all have ended. */
  opened(dataType: string): PartialFile | undefined;
  /** Bytes on the disk of a compressed or numbered output, also after the end; undefined: of another. */
  size(dataType: string): number | undefined;
  /** Disables collecting for files created from now on: each batch may be a checkpoint. */
  writeEach(): void;
  /** Continues the file of an earlier process of the run. */
  continueFile(left: LeftFile): Promise<void>;
  /** Releases and forgets all files. Returns their data types. */
  clear(): Promise<readonly string[]>;
  /** Settles when all files, and their names, survive a power cut. */
  sync(): Promise<void>;
  /**
   * Ends: renames all files to their final names and calls `onRenamed` with each, except those of the data types in
   * `keep`, which it removes; releases all. A second call does nothing, nor does one after `release`.
   */
  publish(keep: ReadonlySet<string>, onRenamed: (path: string) => void): Promise<void>;
  /** Ends: releases all files under their current names. */
  release(): Promise<void>;
}

/** Batches up to this size are collected to it. */
const smallBytes = 64 * 1024;

/**
 * Creates an empty set. Stores promises, because two jobs may open one data type at once. `kind`: the sink in messages.
 */
export function createOutputs(files: PartialFiles, kind: string): Outputs {
  const outputs = new Map<string, Promise<PartialFile>>();
  const open = new Map<string, PartialFile>();
  let gatherBytes = smallBytes;
  let isOver = false;
  const enter = async (dataType: string, output: Promise<PartialFile>) => {
    outputs.set(dataType, output);
    const file = await output;
    if (outputs.get(dataType) === output) open.set(dataType, file);
    return file;
  };

  const letGo = async () => settleAll((await opened(outputs)).map(({ file }) => file.close()));

  return {
    of(dataType) {
      if (isOver) throw hasEnded(kind);
      return outputs.get(dataType) ?? enter(dataType, files.create(dataType, gatherBytes));
    },
    opened: (dataType) => (isOver ? undefined : open.get(dataType)),
    size: (dataType) => open.get(dataType)?.parts?.fileBytes(),
    writeEach() {
      gatherBytes = 0;
    },
    continueFile: async (left) => void (await enter(left.dataType, files.continueFile(left))),
    async clear() {
      await letGo();
      const dataTypes = [...outputs.keys()];
      outputs.clear();
      open.clear();
      return dataTypes;
    },
    async sync() {
      await settleAll((await opened(outputs)).map(({ file }) => file.sync()));
      await files.sync();
    },
    async publish(keep, onRenamed) {
      if (isOver) return;
      isOver = true;
      try {
        await files.publish(await publicationOf(outputs, keep), onRenamed);
      } finally {
        await letGo();
      }
    },
    async release() {
      isOver = true;
      await letGo();
    },
  };
}

async function publicationOf(
  outputs: ReadonlyMap<string, Promise<PartialFile>>,
  keep: ReadonlySet<string>,
): Promise<Publication> {
  const filesOf = (isKept: boolean) =>
    Promise.all([...outputs].filter(([dataType]) => keep.has(dataType) === isKept).map(([, output]) => output));
  return { published: await filesOf(false), dropped: await filesOf(true) };
}

/** The files that could be opened; the callers of the others received the errors. */
async function opened(outputs: ReadonlyMap<string, Promise<PartialFile>>): Promise<readonly PartialFile[]> {
  const outcomes = await Promise.allSettled(outputs.values());
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}
