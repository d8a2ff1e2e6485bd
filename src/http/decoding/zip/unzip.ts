/**
 * Reads a ZIP archive from its first byte to its last, file by file, in constant memory. Its directory comes last, and
 * is compared with what was read. docs/decisions/059-zip-archives-are-read-as-they-arrive.md.
 */
import type { ErrorCode } from '../../../core/errors/error-codes.js';
import { ExtractError } from '../../../core/errors/errors.js';
import type { ByteSource } from '../../../core/util/byte-source.js';
import { type BodyReader, readOnDemand } from '../body-reader.js';
import { isOfZlib } from '../zlib-failure.js';
import { checkName, memberTest } from './member-names.js';
import { DEFLATED, type Measured, readData, STORED, skipData, skipDescriptor } from './zip-data.js';
import { digestOf, readDirectory } from './zip-directory.js';
import { isNext, shownName, takeBytes, ZipFault } from './zip-fault.js';
import { fileEntry, fileTail, recordBytes, recordMarks, type ZipEntry } from './zip-records.js';

/** More files than an archive without ZIP64 has. What is known of each takes memory. */
const mostFiles = 65_535;

/** Names that a message shows. */
const mostShown = 3;

export interface UnzipOptions {
  /** Patterns of names; undefined: the archive has one file. */
  readonly members: readonly string[] | undefined;
  /** Reads a file to its end. */
  readonly takeFile: (file: ByteSource) => Promise<void>;
}

/**
 * Reads all files of an archive whose names match, in their order. An empty body is an archive without files. Throws
 * ERR_DECODE with the offset, ERR_BODY_SIZE for too many files, and the errors of the body and of `takeFile`.
 */
export const unzip = (body: ByteSource, options: UnzipOptions): Promise<void> =>
  readOnDemand(body, async (reader) => {
    try {
      await new Unzip(reader, options).run();
    } catch (thrown) {
      throw thrown instanceof ZipFault ? faultAt(reader, `the ZIP archive ${thrown.message}`) : thrown;
    }
  });

const faultAt = ({ offset }: BodyReader, message: string, cause?: unknown): ExtractError =>
  new ExtractError('ERR_DECODE', `${message} (after ${offset} bytes)`, { offset, cause });

class Unzip {
  readonly #reader: BodyReader;
  readonly #options: UnzipOptions;
  readonly #matches: (name: string) => boolean;
  /** By the offset of each file: a digest of what its entry in the directory has to say. */
  readonly #found = new Map<number, string>();
  readonly #names: string[] = [];
  #read = 0;
  #files = 0;

  constructor(reader: BodyReader, options: UnzipOptions) {
    this.#reader = reader;
    this.#options = options;
    this.#matches = options.members === undefined ? () => true : memberTest(options.members);
  }

  async run(): Promise<void> {
    if ((await this.#reader.some()).length === 0) return;
    while (await isNext(this.#reader, recordMarks.file)) await this.#file();
    this.#checkMatches();
    await readDirectory(this.#reader, this.#found);
    if ((await this.#reader.some()).length > 0) throw new ZipFault('is followed by other bytes');
  }

  async #file(): Promise<void> {
    const { offset } = this.#reader;
    if (this.#found.size === mostFiles) {
      throw new ExtractError('ERR_BODY_SIZE', `the ZIP archive has more than ${mostFiles} files`);
    }
    const record = await takeBytes(this.#reader, recordBytes.file);
    const entry = fileEntry(record, await takeBytes(this.#reader, fileTail(record).all));
    try {
      const measured = await this.#data(entry);
      if (entry.hasDescriptor) await skipDescriptor(this.#reader, measured);
      this.#found.set(offset, digestOf({ ...entry, ...measured }));
    } catch (thrown) {
      throw named(thrown, entry, this.#reader);
    }
  }

  /** Reads the data of a file, or skips it. */
  async #data(entry: ZipEntry): Promise<Measured> {
    checkName(entry.name);
    const isFolder = entry.name.endsWith('/');
    if (!isFolder) this.#note(entry.name);
    const isRead = !isFolder && this.#matches(entry.name);
    if (!isRead && !entry.hasDescriptor) {
      await skipData(this.#reader, entry.packed);
      return entry;
    }
    checkMethod(entry);
    if (!isRead) return readData(this.#reader, entry, () => {});
    this.#count();
    let measured: Measured = entry;
    await this.#options.takeFile({
      read: async (take) => {
        measured = await readData(this.#reader, entry, take);
      },
    });
    return measured;
  }

  #note(name: string): void {
    this.#files += 1;
    if (this.#names.length < mostShown) this.#names.push(name);
  }

  #count(): void {
    this.#read += 1;
    if (this.#options.members !== undefined || this.#read === 1) return;
    throw new ZipFault(`is one of several, ${this.#shown()}: set \`response.members\` to patterns such as "*.csv"`);
  }

  #checkMatches(): void {
    if (this.#read > 0 || this.#files === 0) return;
    throw new ZipFault(`has no file that matches \`response.members\`, but ${this.#shown()}`);
  }

  #shown(): string {
    const more = this.#files - this.#names.length;
    return this.#names.map(shownName).join(', ') + (more === 0 ? '' : ` and ${more} more`);
  }
}

const methods: ReadonlyMap<number, string> = new Map([
  [9, 'Deflate64'],
  [12, 'bzip2'],
  [14, 'LZMA'],
  [93, 'Zstandard'],
  [95, 'XZ'],
]);

function checkMethod({ isEncrypted, method }: ZipEntry): void {
  if (isEncrypted) throw new ZipFault('is encrypted');
  if (method === STORED || method === DEFLATED) return;
  throw new ZipFault(`is compressed with method ${method} (${methods.get(method) ?? 'unknown'}); only Deflate is read`);
}

/** Adds the name of the file to an error of its data, also to one of its content. */
function named(thrown: unknown, { name }: ZipEntry, reader: BodyReader): unknown {
  const file = `the file ${shownName(name)} of the ZIP archive`;
  if (thrown instanceof ZipFault) return faultAt(reader, `${file} ${thrown.message}`);
  if (isOfZlib(thrown)) return faultAt(reader, `${file} is not valid: ${thrown.message}`, thrown);
  if (!(thrown instanceof ExtractError) || !contentCodes.has(thrown.code)) return thrown;
  return new ExtractError(thrown.code, `${thrown.message}, in ${file}`, { ...thrown.where, cause: thrown.cause });
}

/** The codes of content that is not what it should be. */
const contentCodes: ReadonlySet<ErrorCode> = new Set([
  'ERR_JSON',
  'ERR_UTF8',
  'ERR_CSV',
  'ERR_XML',
  'ERR_DECODE',
  'ERR_DEPTH',
  'ERR_ITEM_SIZE',
  'ERR_DATA_FIELD',
]);
