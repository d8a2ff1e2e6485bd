/** The open files of a run, one per data type: saves, publishes and releases them together. */

import { hasEnded } from '../errors.js';
import { settleAll } from '../settle.js';
import type { PartialFile, PartialFiles } from './partial-files.js';

/** Methods that open, save or end files throw ERR_SINK. */
export interface Outputs {
  /** The file of the data type, created on first use. Throws at once after the end. */
  of(dataType: string): Promise<PartialFile>;
  /** The same if the file is open; undefined: it is not, or all have ended. */
  opened(dataType: string): PartialFile | undefined;
  /** Disables collecting for files created from now on: each batch may be a checkpoint. */
  writeEach(): void;
  /** Continues the file of an earlier run for the data type, after its first `length` bytes. */
  continueFile(dataType: string, length: number): Promise<void>;
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

/** Creates an empty set. Stores promises, because two jobs may open one data type at once. */
export function createOutputs(files: PartialFiles): Outputs {
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
      if (isOver) throw hasEnded('ndjson');
      return outputs.get(dataType) ?? enter(dataType, files.create(dataType, gatherBytes));
    },
    opened: (dataType) => (isOver ? undefined : open.get(dataType)),
    writeEach() {
      gatherBytes = 0;
    },
    continueFile: async (dataType, length) => void (await enter(dataType, files.continueFile(dataType, length))),
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
      const filesOf = (isKept: boolean) =>
        Promise.all([...outputs].filter(([dataType]) => keep.has(dataType) === isKept).map(([, output]) => output));
      try {
        await files.publish({ published: await filesOf(false), dropped: await filesOf(true) }, onRenamed);
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

/** The files that could be opened; the callers of the others received the errors. */
async function opened(outputs: ReadonlyMap<string, Promise<PartialFile>>): Promise<readonly PartialFile[]> {
  const outcomes = await Promise.allSettled(outputs.values());
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}
