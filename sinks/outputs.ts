/** The files that a run has open, one a data type: brought to the disk, published and let go of together. */

import { hasEnded } from './errors.js';
import type { PartialFile, PartialFiles } from './partial-files.js';
import { settleAll } from './settle.js';

/** All that opens, saves or ends files throws ERR_SINK. */
export interface Outputs {
  /** The file of the data type, created when it is asked for first. Throws at once when all have ended. */
  of(dataType: string): Promise<PartialFile>;
  /** The same where the file is open; undefined: it is not, or all have ended. */
  opened(dataType: string): PartialFile | undefined;
  /** Files that are created from now on gather nothing: each batch may be asked for. */
  writeEach(): void;
  /** Opens the file of the data type that an earlier run has left, behind its first `length` bytes. */
  goOn(dataType: string, length: number): Promise<void>;
  /** Lets go of all and forgets them. Returns their data types. */
  clear(): Promise<readonly string[]>;
  /** Settles when all, and their names, survive a power cut. */
  sync(): Promise<void>;
  /**
   * Ends: all take their names, of which `hear` is told, but for those of the data types in `keep`, which are removed;
   * and all are let go of. A second call does nothing, nor does one after `release`.
   */
  publish(keep: ReadonlySet<string>, hear: (path: string) => void): Promise<void>;
  /** Ends: all are let go of under the names that they have. */
  release(): Promise<void>;
}

/** Batches up to this size are gathered to it. */
const smallBytes = 64 * 1024;

/** Starts with none. Files are held as promises, as two jobs may open one data type at once. */
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
    goOn: async (dataType, length) => void (await enter(dataType, files.goOn(dataType, length))),
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
    async publish(keep, hear) {
      if (isOver) return;
      isOver = true;
      const filesOf = (isKept: boolean) =>
        Promise.all([...outputs].filter(([dataType]) => keep.has(dataType) === isKept).map(([, output]) => output));
      try {
        await files.publish({ published: await filesOf(false), dropped: await filesOf(true) }, hear);
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

/** Those that could be opened; who asked for the others has been told. */
async function opened(outputs: ReadonlyMap<string, Promise<PartialFile>>): Promise<readonly PartialFile[]> {
  const outcomes = await Promise.allSettled(outputs.values());
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}
