/** The parts of one process in a folder: a file for each data type, and beside it the list of its pages. */
import { join } from 'node:path';
import type { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { Opening, PageEnd } from '../contract.js';
import { hasEnded } from '../errors.js';
import { createFileNames } from '../files/file-names.js';
import { createFolder, type Folder } from '../files/folder.js';
import { createOutputFile, type OpenFile, type OutputFile } from '../files/output-file.js';
import { settleAll } from '../settle.js';
import { type OutputPart, partEnd } from './part.js';
import { type AddedPage, createPartProgress, type PartProgress } from './part-progress.js';
import type { PartProcess, PartWriter } from './part-store.js';

export interface FolderPartsOptions {
  readonly dir: string;
  readonly notify: Notify;
  /** Tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
}

/** The list of the pages of a file: a line for each. */
export const listOf = (path: string): string => `${path.slice(0, -partEnd.length)}.pages`;

/** A line of that list; `origin` is an index. */
export type PageLine = readonly [origin: number, walk: string, page: number, items: number, bytes: number];

const lineOf = ({ origin, walk, page, items, bytes }: AddedPage): Buffer => {
  const line: PageLine = [origin, walk, page, items, bytes];
  return Buffer.from(`${JSON.stringify(line)}\n`);
};

/** The two files of a part. */
interface PartFiles {
  readonly path: string;
  readonly items: OutputFile;
  readonly pages: OutputFile;
}

interface WrittenPart {
  readonly progress: PartProgress;
  onFailure: Opening['onFailure'];
  /** Undefined: no item has come. */
  opening: Promise<PartFiles> | undefined;
  files: PartFiles | undefined;
}

/** Batches up to this size are collected to it, if no page is a checkpoint. */
const smallBytes = 64 * 1024;

/** Its names have the epoch of the process, so that no other one writes these files. */
export class FolderWriter implements PartWriter {
  readonly #options: FolderPartsOptions;
  readonly #process: PartProcess;
  readonly #folder: Folder;
  readonly #names = createFileNames();
  readonly #parts = new Map<string, WrittenPart>();
  #isOver = false;

  /** Creates nothing yet. */
  constructor(options: FolderPartsOptions, process: PartProcess) {
    this.#options = options;
    this.#process = process;
    this.#folder = createFolder(join(options.dir, process.runFolder, process.member));
  }

  open(dataType: string, onFailure: Opening['onFailure']): void {
    const part = this.#partOf(dataType);
    part.onFailure = onFailure ?? part.onFailure;
  }

  write(batch: Batch, signal: AbortSignal): void | Promise<void> {
    if (this.#isOver) throw hasEnded('parts');
    const part = this.#partOf(batch.dataType);
    if (part.files !== undefined) return append(part.files, part.progress, batch, signal);
    part.opening ??= this.#create(batch.dataType, part);
    return part.opening.then((files) => append(files, part.progress, batch, signal));
  }

  async commit(page: PageEnd, signal: AbortSignal): Promise<void> {
    const { files, progress } = this.#partOf(page.dataType);
    const added = progress.page(page);
    if (files === undefined || added === undefined) return;
    await files.pages.append(lineOf(added), signal);
    const { isStored } = this.#process;
    if (isStored) {
      await files.items.whenWritten(() => {}, signal);
      await files.pages.whenWritten(() => {}, signal);
    }
    progress.commit(added, isStored);
  }

  rollback(dataType: string): void | Promise<void> {
    const { files, progress } = this.#partOf(dataType);
    return files?.items.truncate(progress.bytes(), () => progress.rollback());
  }

  partOf(dataType: string): OutputPart | undefined {
    const { files, progress } = this.#partOf(dataType);
    return files && progress.part(files.path);
  }

  async durable(): Promise<void> {
    const all = await this.#opened();
    await settleAll(all.flatMap(({ items, pages }) => [items.sync(), pages.sync()]));
    await this.#folder.sync();
  }

  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    await this.#opened();
    await settleAll([...this.#parts.values()].map(endPart));
    await this.#folder.sync();
  }

  #partOf(dataType: string): WrittenPart {
    const known = this.#parts.get(dataType);
    if (known !== undefined) return known;
    const progress = createPartProgress();
    const made: WrittenPart = { progress, onFailure: undefined, opening: undefined, files: undefined };
    this.#parts.set(dataType, made);
    return made;
  }

  async #create(dataType: string, part: WrittenPart): Promise<PartFiles> {
    const { dir, notify, openFile } = this.#options;
    const { runFolder, member, epoch, isStored } = this.#process;
    const { name, because } = this.#names.of(dataType);
    const path = `${runFolder}/${member}/${epoch}.${name}${partEnd}`;
    if (because !== undefined) {
      const message = `the parts of "${dataType}" are named "${name}": ${because}`;
      notify({ level: 'info', code: 'file-name', message });
    }
    await this.#folder.make();
    const options = {
      openFile,
      gatherBytes: isStored ? 0 : smallBytes,
      onFailure: (error: ExtractError) => part.onFailure?.(error),
    };
    const items = await createOutputFile(join(dir, path), options);
    const pages = await createOutputFile(join(dir, listOf(path)), options).catch(async (thrown: unknown) => {
      await items.close();
      throw thrown;
    });
    this.#folder.touch();
    part.files = { path, items, pages };
    return part.files;
  }

  /** The files that could be created. */
  async #opened(): Promise<readonly PartFiles[]> {
    await Promise.allSettled([...this.#parts.values()].map(({ opening }) => opening));
    return [...this.#parts.values()].flatMap(({ files }) => (files === undefined ? [] : [files]));
  }
}

/** Returns a promise only if it must wait. */
function append({ items }: PartFiles, progress: PartProgress, batch: Batch, signal: AbortSignal): void | Promise<void> {
  progress.originOf(batch);
  const waiting = items.append(batch.bytes, signal);
  return waiting === undefined ? progress.add(batch) : waiting.then(() => progress.add(batch));
}

async function endPart({ files, progress }: WrittenPart): Promise<void> {
  if (files === undefined) return;
  const { items, pages } = files;
  await settleAll([(async () => items.truncate(progress.bytes()))().finally(() => items.close()), pages.close()]);
}
