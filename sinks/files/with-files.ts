/** Gives a sink of files a place for the files of items: a folder beside the file of their data type. */
import { type Exact, ExactNumber, isObject } from '../../src/core/json/exact.js';
import { borrowing, isBorrowing } from '../borrowing.js';
import type { Earlier, Sink } from '../contract.js';
import { delegate } from '../delegate.js';
import type { PagedSink } from '../related-tables/with-lists.js';
import { settleAll } from '../settle.js';
import { FileFolder } from './file-folder.js';

/** The member of a checkpoint: how much of the names counts. */
const member = 'files';

/**
 * Adds files to a sink that recovers by cutting. `folderOf` is the final path of the folder of a data type;
 * `isAppending`: each run has folders of its own.
 */
export function withFiles(
  sink: PagedSink,
  folderOf: (dataType: string) => string,
  isAppending = false,
): PagedSink & Required<Pick<Sink, 'file'>> {
  const folders = new Map<string, FileFolder>();
  let earlier: Earlier | undefined;
  const inAll = (call: (folder: FileFolder, dataType: string) => Promise<void>) =>
    settleAll([...folders].map(([dataType, folder]) => call(folder, dataType)));
  const write: Sink['write'] = (batch, signal) => {
    const taken = folders.get(batch.dataType)?.take(batch) ?? batch;
    return taken instanceof Promise ? taken.then((each) => sink.write(each, signal)) : sink.write(taken, signal);
  };
  const changes: Partial<Sink> = {
    async resume(begun) {
      earlier = begun;
      folders.clear();
      await sink.resume(begun); // the names of folders follow
      for (const [dataType, at] of begun.checkpoints) {
        if (lengthIn(at) > 0) await new FileFolder(folderOf(dataType), begun).check(lengthIn(at));
      }
    },
    async open(dataType, job, opening) {
      await sink.open(dataType, job, opening);
      if (opening?.hasFiles !== true || folders.has(dataType) || earlier === undefined) return;
      const folder = new FileFolder(folderOf(dataType), earlier);
      folders.set(dataType, folder);
      await folder.open(lengthIn(earlier.checkpoints.get(dataType)));
    },
    write: isBorrowing(sink.write) ? borrowing(write) : write,
    async file(place) {
      return folders.get(place.dataType)?.begin(place);
    },
    commit(page, signal) {
      const folder = folders.get(page.dataType);
      const at = sink.commit(page, signal);
      if (folder === undefined) return at;
      const length = folder.commit();
      return at instanceof Promise
        ? at.then((each) => withLength(each ?? undefined, length))
        : withLength(at ?? undefined, length);
    },
    async rollback(dataType) {
      await sink.rollback(dataType);
      await folders.get(dataType)?.rollback();
    },
    async durable() {
      await inAll((folder) => folder.sync());
      await sink.durable?.();
    },
    async close(closing) {
      const isKept = (dataType: string) => closing?.keep.has(dataType) === true;
      await inAll((folder, dataType) => (isKept(dataType) ? folder.drop() : folder.publish(isAppending)));
      await sink.close(closing);
    },
    async abort(reason) {
      await settleAll([inAll((folder) => folder.leave()), sink.abort(reason)]);
    },
  };
  return delegate(sink, changes) as PagedSink & Required<Pick<Sink, 'file'>>; // those of the sink, and `file`
}

/** A run without a state has no checkpoints. */
const withLength = (at: Exact = null, length: number): Exact | undefined =>
  isObject(at) ? new Map([...at, [member, new ExactNumber(String(length))]]) : undefined;

const lengthIn = (at: Exact = null): number => (isObject(at) ? Number(String(at.get(member) ?? 0)) : 0);
