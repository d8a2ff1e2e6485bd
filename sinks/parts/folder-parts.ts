/** Parts in a folder: a file for each data type of a process, and beside it a list of its pages. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtractError } from '../../src/core/errors/errors.js';
import { systemError } from '../../src/core/errors/system-error.js';
import { elementAt } from '../../src/core/util/element-at.js';
import { writeAll } from '../../src/core/util/file-io.js';
import { renameFile } from '../../src/core/util/rename-file.js';
import { refused } from '../errors.js';
import { createFolder } from '../files/folder.js';
import { eachLines } from '../files/line-reader.js';
import { openRegular } from '../files/open-regular.js';
import { settleAll } from '../settle.js';
import { type FolderPartsOptions, FolderWriter, listOf, type PageLine } from './folder-writer.js';
import { manifestName, type OutputPart } from './part.js';
import type { PartPage, PartStore, Sealing } from './part-store.js';

/** Creates nothing yet. */
export function createFolderParts(options: FolderPartsOptions): PartStore {
  const { dir } = options;
  const pathOf = (path: string) => join(dir, path);
  return {
    shown: `parts:${dir}`,
    nameOf: pathOf,
    check: () => createFolder(dir).make(),
    begin: (process) => new FolderWriter(options, process),
    async verify(part) {
      const size = await sizeOf(pathOf(part.path));
      if (size !== undefined && size >= part.bytes) return;
      const why = size === undefined ? 'it is missing' : `it has ${size} bytes, expected ${part.bytes}`;
      throw new ExtractError('ERR_RESUME', `"${pathOf(part.path)}" does not match the checkpoint: ${why}`);
    },
    async cutBack(runFolder, member, parts) {
      const folder = pathOf(join(runFolder, member));
      const kept = new Set(parts.flatMap(({ path }) => [pathOf(path), pathOf(listOf(path))]));
      for (const name of await namesIn(folder)) {
        if (!kept.has(join(folder, name))) await doing('remove', join(folder, name), (path) => rm(path));
      }
      for (const { path, bytes } of parts) await doing('cut back', pathOf(path), (each) => truncate(each, bytes));
    },
    seal: (part, sealing) => seal(dir, part, sealing),
    pages: (part) => pagesOf(pathOf(part.path), part),
    readManifest: () =>
      unlessMissing(doing('read', pathOf(manifestName), async (path) => ({ text: await readFile(path, 'utf8') }))),
    writeManifest: (text) => replaceFile(dir, manifestName, Buffer.from(text)),
    removeRun: (runFolder) => doing('remove', pathOf(runFolder), (path) => rm(path, { recursive: true, force: true })),
    end() {},
  };
}

async function doing<T>(verb: string, path: string, work: (path: string) => Promise<T>): Promise<T> {
  try {
    return await work(path);
  } catch (thrown) {
    throw refused(`${verb} "${path}"`, thrown);
  }
}

/** Undefined: there is no such file. */
async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof ExtractError && systemError(thrown.cause)?.code === 'ENOENT') return undefined;
    throw thrown;
  }
}

const sizeOf = async (path: string): Promise<number | undefined> =>
  (await unlessMissing(doing('read', path, () => stat(path))))?.size;

const namesIn = async (folder: string): Promise<readonly string[]> =>
  (await unlessMissing(doing('read the directory', folder, () => readdir(folder)))) ?? [];

/** Replaces a file as a whole: it has its name once it is safe on the disk. */
async function replaceFile(dir: string, name: string, bytes: Uint8Array): Promise<void> {
  const folder = createFolder(dir);
  await folder.make();
  const path = join(dir, name);
  const draft = `${path}.${process.pid}.partial`;
  await doing('write', path, async () => {
    const handle = await open(draft, 'w');
    try {
      await writeAll(handle, bytes, 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameFile(draft, path);
  });
  folder.touch();
  await folder.sync();
}

/** The file of a process that may still write, or that has left more than counts, is copied. */
async function seal(
  dir: string,
  part: OutputPart,
  { isLast, process: { runFolder, member, epoch } }: Sealing,
): Promise<OutputPart> {
  const from = join(dir, part.path);
  const size = await sizeOf(from);
  if (size === undefined) throw hasChanged(from, 'it is missing. All processes of a run need the same folder');
  if (size < part.bytes) throw hasChanged(from, `it has ${size} bytes of ${part.bytes}`);
  if (isLast && size === part.bytes) return part;
  const path = `${runFolder}/${member}/${epoch}.${part.path.split('/').slice(1).join('.')}`;
  const to = createFolder(join(dir, runFolder, member));
  await to.make();
  await copyStart(from, join(dir, path), part.bytes);
  await copyStart(listOf(from), join(dir, listOf(path)), (await sizeOf(listOf(from))) ?? 0);
  to.touch();
  await to.sync();
  return { ...part, path };
}

const pieceBytes = 512 * 1024;

async function copyStart(from: string, to: string, bytes: number): Promise<void> {
  await doing('copy', from, async () => {
    const source = await openRegular(from);
    const target = await open(to, 'w').catch(async (thrown: unknown) => {
      await source.close();
      throw thrown;
    });
    try {
      const piece = Buffer.allocUnsafe(pieceBytes);
      for (let at = 0; at < bytes; ) {
        const { bytesRead } = await source.read(piece, 0, Math.min(piece.length, bytes - at), at);
        if (bytesRead === 0) throw new Error(`it has fewer than ${bytes} bytes`);
        await writeAll(target, piece.subarray(0, bytesRead), at);
        at += bytesRead;
      }
      await target.sync();
    } finally {
      await settleAll([source.close(), target.close()]);
    }
  });
}

const hasChanged = (path: string, why: string): ExtractError =>
  new ExtractError('ERR_SINK', `"${path}" has changed since it was written: ${why}`);

/** Reads the list of the pages, and their items after it. */
async function* pagesOf(path: string, part: OutputPart): AsyncGenerator<PartPage> {
  const items = await doing('read', path, openRegular);
  const list = await doing('read', listOf(path), openRegular).catch(async (thrown: unknown) => {
    await items.close();
    throw thrown;
  });
  try {
    const lines = createLineWindow(items, path);
    const hash = createHash('sha256');
    let left = part.bytes;
    for await (const line of linesOf(list)) {
      if (left === 0) break;
      const [origin, walk, page, , bytes] = JSON.parse(line) as PageLine; // this version has written it
      left -= bytes;
      async function* pieces() {
        for await (const piece of lines.take(bytes)) {
          hash.update(piece);
          yield piece;
        }
      }
      yield { ...elementAt(part.origins, origin), walk, page, pieces };
    }
    if (left !== 0 || hash.digest('hex') !== part.sha256) throw hasChanged(path, 'its digest is another one');
  } finally {
    await settleAll([items.close(), list.close()]);
  }
}

async function* linesOf(list: FileHandle): AsyncGenerator<string> {
  for await (const lines of eachLines(list, Number.MAX_SAFE_INTEGER)) {
    yield* lines.toString().split('\n').slice(0, -1);
  }
}

const NEWLINE = 0x0a;

/** Reads a file from its beginning to its end, whole lines at a time. */
function createLineWindow(handle: FileHandle, path: string) {
  let window = Buffer.allocUnsafeSlow(pieceBytes);
  let [start, end, at] = [0, 0, 0];
  const readMore = async () => {
    if (start > 0) window.copyWithin(0, start, end);
    [start, end] = [0, end - start];
    if (end === window.length) window = Buffer.concat([window, Buffer.allocUnsafeSlow(window.length)]);
    const { bytesRead } = await doing('read', path, () => handle.read(window, end, window.length - end, at));
    if (bytesRead === 0) throw hasChanged(path, 'it is shorter');
    end += bytesRead;
    at += bytesRead;
  };
  return {
    /** The next bytes, which end with a line. */
    async *take(bytes: number): AsyncGenerator<Uint8Array> {
      for (let left = bytes; left > 0; ) {
        const most = Math.min(end - start, left);
        const whole = most === left ? most : window.subarray(start, start + most).lastIndexOf(NEWLINE) + 1;
        if (whole === 0) {
          await readMore();
          continue;
        }
        yield Buffer.from(window.subarray(start, start + whole));
        start += whole;
        left -= whole;
      }
    },
  };
}
