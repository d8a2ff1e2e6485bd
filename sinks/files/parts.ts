/** The compressed or numbered files of one data type, seen as one file of its items. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemError } from '../../src/core/errors/system-error.js';
import { type Exact, ExactNumber, isObject } from '../../src/core/json/exact.js';
import { renameFile } from '../../src/core/util/rename-file.js';
import { refused } from '../errors.js';
import { createTurns } from '../serialize.js';
import type { Codec } from './codec.js';
import { continueOutputFile, createOutputFile, type OutputFile, type OutputFileOptions } from './output-file.js';
import { createPackedFile, type PackedFile, type PackedPlace } from './packed-file.js';

/** The end of the last part. */
export interface PartsPlace extends PackedPlace {
  /** Its number, from 1. */
  readonly part: number;
  /** The length of all parts before it, in bytes. */
  readonly fileStart: number;
}

/** Methods throw ERR_SINK. */
export interface Parts extends OutputFile {
  /** Everything appended belongs to completed pages; for a run that stores no checkpoints. */
  keep(): void;
  /** The place of the last `whenWritten`, or the start. */
  place(): PartsPlace;
  /** Bytes in files. */
  fileBytes(): number;
  /** Gives the parts their final names, and removes further parts of an earlier run. */
  publish(): Promise<void>;
  /** Removes the parts. */
  remove(): Promise<void>;
}

export interface NumberedPartsOptions extends Omit<OutputFileOptions, 'gatherBytes'> {
  /** The final path of the only file, or of a part. */
  readonly pathOf: (part: number) => string;
  readonly codec: Codec;
  /** A part ends before the item that would exceed this, in bytes before compression; absent: there is one part. */
  readonly rotateBytes?: number | undefined;
  /** No batch is divided; a part ends before the batch that would exceed the size. */
  readonly keepsBatches?: boolean;
}

const emptyContent = { bytes: 0, crc: 0 };

const firstPlace: PartsPlace = { part: 1, fileStart: 0, content: emptyContent, file: emptyContent };

/** The temporary name of a file. */
export const partialOf = (path: string): string => `${path}.partial`;

/** Creates the first part anew, and removes parts of an earlier run that were not published. Throws ERR_SINK. */
export async function createParts(options: NumberedPartsOptions): Promise<Parts> {
  await removeBeyond(options, 0, partialOf);
  const file = await createOutputFile(partialOf(options.pathOf(1)), options);
  return new PartFiles(options, firstPlace, file);
}

/** Continues the parts at a place, and removes what follows it. Throws ERR_SINK. */
export async function continueParts(options: NumberedPartsOptions, place: PartsPlace): Promise<Parts> {
  await removeBeyond(options, place.part, partialOf);
  return new PartFiles(options, place, await reopen(options, place));
}

/** The members of a checkpoint. */
export function placeAsExact({ part, fileStart, content, file }: PartsPlace): ReadonlyMap<string, Exact> {
  const numbers = [part, fileStart, content.bytes, content.crc, file.bytes, file.crc];
  return new Map(placeMembers.map((name, index) => [name, new ExactNumber(String(numbers[index]))]));
}

const placeMembers = ['part', 'partStart', 'partBytes', 'partCrc', 'fileBytes', 'fileCrc'];

/** Decodes the members of `placeAsExact`; undefined for anything else. */
export function placeFrom(value: Exact): PartsPlace | undefined {
  const numbers = placeMembers.map((name) => Number(isObject(value) ? String(value.get(name)) : undefined));
  const [part = 0, fileStart = 0, bytes = 0, crc = 0, fileBytes = 0, fileCrc = 0] = numbers;
  if (part < 1 || numbers.some((number) => !Number.isSafeInteger(number) || number < 0)) return undefined;
  return { part, fileStart, content: { bytes, crc }, file: { bytes: fileBytes, crc: fileCrc } };
}

/** How to undo a page that spans parts: where its first part continues; no `cut`: that part is complete. */
interface Undo {
  readonly end: PartsPlace;
  readonly cut: PartsPlace | undefined;
}

class PartFiles implements Parts {
  readonly #options: NumberedPartsOptions;
  readonly #inTurn = createTurns();
  /** The start of the current part, or where it was continued. */
  #start: PartsPlace;
  #current: PackedFile;
  #place: PartsPlace;
  #undo: Undo | undefined = undefined;
  /** The inodes of complete parts, by number. */
  readonly #complete = new Map<number, string>();

  constructor(options: NumberedPartsOptions, place: PartsPlace, file: OutputFile) {
    this.#options = options;
    this.#start = place;
    this.#place = place;
    this.#current = packed(options, place, file);
  }

  append(bytes: Uint8Array, signal: AbortSignal, landed = () => {}): void | Promise<void> {
    const fits = this.#current.contentBytes() + bytes.length <= this.#limit();
    if (fits && this.#inTurn.isFree()) return this.#current.append(bytes, landed, signal);
    return this.#inTurn(() => this.#split(bytes, landed, signal), signal);
  }

  settled(signal?: AbortSignal): void | Promise<void> {
    return this.#inTurn(() => {}, signal);
  }

  keep(): void {
    this.#current.keep();
    this.#undo = undefined;
  }

  place(): PartsPlace {
    return this.#place;
  }

  fileBytes(): number {
    return this.#current.fileBytes();
  }

  async whenWritten<T>(read: () => T, signal?: AbortSignal): Promise<T> {
    return this.#inTurn(async () => {
      const { part, fileStart } = this.#start;
      this.#place = { part, fileStart, ...(await this.#current.commit(signal)) };
      this.#undo = undefined;
      return read();
    }, signal);
  }

  /** Returns to the last commit: there is no other place to which a page can be rolled back. */
  async truncate(_: number, cut = () => {}): Promise<void> {
    return this.#inTurn(async () => {
      const undone = this.#undo === undefined ? this.#current.rollback() : this.#cutParts(this.#undo);
      await Promise.allSettled([undone]);
      cut();
      return undone;
    });
  }

  async sync(): Promise<void> {
    return this.#inTurn(() => this.#current.sync());
  }

  async mustBeInPlace(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#current.finish();
      for (const [part, inode] of this.#complete) {
        const path = partialOf(this.#options.pathOf(part));
        if ((await inodeOf(path)) !== inode)
          throw refused(`publish "${path}"`, new Error('another run has replaced it'));
      }
    });
  }

  close(): Promise<void> {
    return this.#current.close();
  }

  /** The last part is renamed last, so a run that was interrupted here publishes the rest. */
  async publish(): Promise<void> {
    const last = this.#start.part;
    for (const [index, path] of this.#paths().entries()) {
      const part = index + 1;
      if (part === last) await removeBeyond(this.#options, last, (each) => each);
      await renameFile(partialOf(path), path).catch((thrown: unknown) => {
        // An earlier process of the run was interrupted after it had renamed this part.
        if (systemError(thrown)?.code === 'ENOENT' && part < last && !this.#complete.has(part)) return;
        throw refused(`rename "${partialOf(path)}" to "${path}"`, thrown);
      });
    }
  }

  async remove(): Promise<void> {
    for (const path of this.#paths()) {
      await unlink(partialOf(path)).catch((thrown: unknown) => {
        throw refused(`remove "${partialOf(path)}"`, thrown);
      });
    }
  }

  #paths(): readonly string[] {
    return Array.from({ length: this.#start.part }, (_, index) => this.#options.pathOf(index + 1));
  }

  #limit(): number {
    return this.#options.rotateBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Appends items to the current part, and to as many more as they need. */
  async #split(bytes: Uint8Array, landed: () => void, signal: AbortSignal): Promise<void> {
    let rest = bytes;
    while (rest.length > 0) {
      const used = this.#current.contentBytes();
      const fitting = this.#fitting(rest, this.#limit() - used);
      if (fitting === 0 && used > 0) {
        await this.#next();
        continue;
      }
      const length = fitting === 0 ? this.#firstOf(rest) : fitting;
      await this.#current.append(rest.subarray(0, length), length === rest.length ? landed : () => {}, signal);
      rest = rest.subarray(length);
    }
  }

  /** The length of what fits into so many bytes. */
  #fitting(bytes: Uint8Array, most: number): number {
    if (bytes.length <= most) return bytes.length;
    return most > 0 && this.#options.keepsBatches !== true ? bytes.lastIndexOf(newline, most - 1) + 1 : 0;
  }

  /** The length of what an empty part gets, though it is too large. */
  #firstOf(bytes: Uint8Array): number {
    return this.#options.keepsBatches === true ? bytes.length : bytes.indexOf(newline) + 1;
  }

  /** Ends the current part and begins another. */
  async #next(): Promise<void> {
    const { part, fileStart } = this.#start;
    const place = await this.#current.finish();
    const cut = this.#current.cut();
    const end = { part, fileStart, ...place };
    this.#undo ??= { end, cut: cut && { part, fileStart, ...cut } };
    await this.#current.close();
    this.#complete.set(part, await inodeOf(partialOf(this.#options.pathOf(part))));
    await this.#begin(end);
  }

  async #begin({ part, file }: PartsPlace): Promise<void> {
    const output = await createOutputFile(partialOf(this.#options.pathOf(part + 1)), this.#options);
    this.#start = { part: part + 1, fileStart: file.bytes, content: emptyContent, file };
    this.#current = packed(this.#options, this.#start, output);
  }

  /** Returns to the part with the last commit. Everything in the current part came later. */
  async #cutParts({ end, cut }: Undo): Promise<void> {
    const closed = this.#current.close();
    await Promise.allSettled([closed]);
    await removeBeyond(this.#options, end.part, partialOf);
    const complete = cut === undefined ? end.part : end.part - 1;
    for (const part of [...this.#complete.keys()]) if (part > complete) this.#complete.delete(part);
    if (cut === undefined) await this.#begin(end);
    else {
      this.#start = cut;
      this.#current = packed(this.#options, cut, await reopen(this.#options, cut));
    }
    this.#undo = undefined;
    return closed;
  }
}

const newline = 10;

function packed({ pathOf, codec, onFailure }: NumberedPartsOptions, place: PartsPlace, file: OutputFile): PackedFile {
  const { part, fileStart, ...start } = place;
  return createPackedFile(file, { codec, path: partialOf(pathOf(part)), onFailure, start, fileStart });
}

const reopen = (options: NumberedPartsOptions, { part, fileStart, file }: PartsPlace): Promise<OutputFile> =>
  continueOutputFile(partialOf(options.pathOf(part)), file.bytes - fileStart, options);

/** Removes parts with higher numbers, under the names that `nameOf` makes of the final ones. */
async function removeBeyond(
  options: NumberedPartsOptions,
  part: number,
  nameOf: (path: string) => string,
): Promise<void> {
  if (options.rotateBytes === undefined) return;
  for (const path of await partsIn(options.pathOf, nameOf)) {
    if (path.part > part) await unlink(path.path);
  }
}

/** The existing parts. Throws ERR_SINK if the folder cannot be read. */
export async function partsIn(
  pathOf: (part: number) => string,
  nameOf: (path: string) => string = (path) => path,
): Promise<readonly { readonly path: string; readonly part: number }[]> {
  const folder = dirname(pathOf(1));
  const [before = '', after = ''] = basename(nameOf(pathOf(1))).split(firstNumber);
  const names = await readdir(folder).catch((thrown: unknown) => {
    if (systemError(thrown)?.code === 'ENOENT') return [];
    throw refused(`read the directory "${folder}"`, thrown);
  });
  return names.flatMap((name) => {
    const composed = name.normalize('NFC'); // HFS+ lists names decomposed
    if (!composed.startsWith(before) || !composed.endsWith(after)) return [];
    const digits = composed.slice(before.length, composed.length - after.length);
    return /^\d{6,}$/.test(digits) ? [{ path: join(folder, name), part: Number(digits) }] : [];
  });
}

/** The existing parts in order, under final or temporary names. Throws ERR_SINK if the folder cannot be read. */
export async function allParts(pathOf: (part: number) => string): Promise<readonly string[]> {
  const found = [...(await partsIn(pathOf)), ...(await partsIn(pathOf, partialOf))];
  return found.sort((one, other) => one.part - other.part).map(({ path }) => path);
}

const firstNumber = /(?<=[-.])000001(?=\.[^-]*$)/;

/** The number of a part in its name. */
export const numberOf = (part: number): string => String(part).padStart(6, '0');

/** Some file systems have inode numbers beyond 2^53. */
async function inodeOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return `${found?.dev}:${found?.ino}`;
}
