/**
 * The objects of a run: whole parts of their staged files are sent while the files grow, the rest at the end. Nothing
 * is visible before `publish`.
 */
import { setMaxListeners } from 'node:events';
import { ExtractError } from '../../src/core/errors/errors.js';
import { refused } from '../errors.js';
import { settleAll } from '../settle.js';
import { type FileRange, fileBody, md5Of } from './file-body.js';
import { firstPartBytes, type PartRange, partRange, partsFrom } from './part-sizes.js';
import { digestFor, type S3Body } from './s3-client.js';
import { isAnswer, S3Error } from './s3-errors.js';
import { emptyHeader, type ObjectHeaders, runHeader, type S3Objects } from './s3-objects.js';
import { createSlots } from './upload-slots.js';

/** A staged file and the object that it becomes. */
export interface StagedObject {
  readonly key: string;
  readonly path: string;
  /** The bytes that stay as they are, from the first on. */
  readonly bytes: number;
  /** It has no items. */
  readonly isEmpty?: boolean;
}

/** Methods reject with ERR_SINK. */
export interface Uploads {
  /** Sends whole parts in the background. Throws if a part could not be sent. */
  advance(object: StagedObject): void;
  /** Settles when the background has sent all that it was given, or has given up. */
  settled(): Promise<void>;
  /** Continues an upload of an earlier process: parts whose bytes are those of the file are not sent again. */
  restore(object: StagedObject, upload: string): Promise<void>;
  /** Sends what is missing of a complete file. An object of one part is sent by `publish` alone. */
  finish(object: StagedObject): Promise<void>;
  /** Makes the object, in place of an earlier one. */
  publish(object: StagedObject): Promise<void>;
  /** Drops the upload of the key, if there is one. */
  drop(key: string): Promise<void>;
  /** Sends no more; settles when no part is under way. The uploads stay. */
  stop(): Promise<void>;
}

export interface UploadsOptions {
  readonly objects: S3Objects;
  readonly headers: ObjectHeaders;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Default: 8 MiB. */
  readonly partBytes?: number | undefined;
  /** Settles when the upload of a key is recorded: until then no part is sent. Undefined: it has ended. */
  readonly record: (key: string, upload: string | undefined) => Promise<void>;
  /** Receives at once the error of a part that cannot be sent. */
  readonly onFailure: (thrown: unknown) => void;
}

/** Most parts under way. Memory holds a few pieces of each. */
const mostAtOnce = 4;
/** An upload that is lost is begun again so many times. */
const mostLosses = 3;

/** Opens no connection yet. */
export const createUploads = (options: UploadsOptions): Uploads => new RunUploads(options);

/** One object. Another attempt at it, after its upload was lost, has another generation. */
interface Upload {
  readonly key: string;
  generation: number;
  id: Promise<string> | undefined;
  /** ETags by number. */
  readonly parts: Map<number, string>;
  /** The first part that the background was not given. */
  next: number;
  readonly underWay: Set<Promise<void>>;
}

class RunUploads implements Uploads {
  readonly #options: UploadsOptions;
  readonly #first: number;
  readonly #all = new Map<string, Upload>();
  readonly #inSlot = createSlots(mostAtOnce);
  readonly #stopping = new AbortController();
  #failure: unknown = undefined;

  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#first = options.partBytes ?? firstPartBytes;
    setMaxListeners(0, this.#stopping.signal); // a few for each part under way
  }

  advance(object: StagedObject): void {
    if (this.#failure !== undefined) throw this.#failure;
    const upload = this.#of(object.key);
    for (let range = this.#range(upload); range.start + range.length <= object.bytes; range = this.#range(upload)) {
      upload.next += 1;
      if (!upload.parts.has(range.number)) this.#sendLater(upload, object.path, range);
    }
  }

  async settled(): Promise<void> {
    for (const { underWay } of this.#all.values()) await Promise.all(underWay);
  }

  async restore({ key, path, bytes }: StagedObject, id: string): Promise<void> {
    const upload = this.#of(key);
    const stored = await this.#options.objects.parts(key, id).catch((thrown: unknown) => {
      if (isAnswer(thrown, 'NoSuchUpload')) return undefined;
      throw thrown;
    });
    if (stored === undefined) return;
    upload.id = Promise.resolve(id);
    for (const { number, etag, size } of stored) {
      const { start, length } = partRange(number, this.#first);
      if (size !== length || start + length > bytes) continue;
      const md5 = await md5Of({ path, start, length });
      if (etag.replaceAll('"', '') === md5) upload.parts.set(number, etag);
    }
  }

  async finish(object: StagedObject): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isOneRequest(object)) return;
    await this.#unlessLost(object, () => this.#sendAll(object));
  }

  async publish(object: StagedObject): Promise<void> {
    const { key, bytes, path, isEmpty = false } = object;
    const { objects } = this.#options;
    const headers = { ...this.#options.headers, ...(isEmpty ? { [emptyHeader]: 'true' } : {}) };
    if (this.#isOneRequest(object)) {
      await this.#withBody({ path, start: 0, length: bytes }, (body) => objects.put(key, headers, body));
      return this.drop(key).catch(() => {});
    }
    await this.#unlessLost(object, async () => {
      await this.#sendAll(object);
      const upload = this.#of(key);
      const parts = [...upload.parts].sort(([one], [other]) => one - other).map(([number, etag]) => ({ number, etag }));
      await objects.complete(key, await this.#idOf(upload), parts);
      upload.id = undefined;
      await this.#options.record(key, undefined);
    });
  }

  async drop(key: string): Promise<void> {
    const id = await this.#all.get(key)?.id?.catch(() => undefined);
    if (id === undefined) return;
    await this.#options.objects.drop(key, id);
    await this.#options.record(key, undefined);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new ExtractError('ERR_ABORTED', 'the upload was interrupted'));
    await this.settled();
  }

  /** A file without items is one too, because only then its headers are known before they are sent. */
  #isOneRequest({ bytes, isEmpty = false }: StagedObject): boolean {
    return isEmpty || bytes < this.#first;
  }

  #of(key: string): Upload {
    const known = this.#all.get(key);
    if (known !== undefined) return known;
    const made: Upload = { key, generation: 0, id: undefined, parts: new Map(), next: 1, underWay: new Set() };
    this.#all.set(key, made);
    return made;
  }

  #range({ next }: Upload): PartRange {
    const range = partRange(next, this.#first);
    return range.length > 0 ? range : { ...range, length: Number.POSITIVE_INFINITY };
  }

  /** The id of the upload, which is begun if it does not exist. */
  #idOf(upload: Upload): Promise<string> {
    const { objects, headers, record } = this.#options;
    upload.id ??= objects.begin(upload.key, headers).then(async (id) => {
      await record(upload.key, id);
      return id;
    });
    const id = upload.id;
    return id.catch((thrown: unknown) => {
      if (upload.id === id) upload.id = undefined;
      throw thrown;
    });
  }

  /** A part that cannot be sent now is sent by `finish`; a failure that stays ends the run. */
  #sendLater(upload: Upload, path: string, range: PartRange): void {
    const { generation } = upload;
    const sent = this.#send(upload, path, range)
      .catch((thrown: unknown) => {
        if (this.#stopping.signal.aborted || (thrown instanceof S3Error && thrown.isTemporary)) return;
        if (isLost(thrown)) forget(upload, generation);
        else this.#failed(thrown);
      })
      .finally(() => upload.underWay.delete(sent));
    upload.underWay.add(sent);
  }

  #failed(thrown: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = refused('upload', thrown);
    this.#options.onFailure(this.#failure);
  }

  #send(upload: Upload, path: string, range: PartRange): Promise<void> {
    const { generation, key } = upload;
    const { signal } = this.#stopping;
    return this.#inSlot(async () => {
      signal.throwIfAborted();
      if (upload.generation !== generation || this.#failure !== undefined) return;
      const id = await this.#idOf(upload);
      const part = { key, upload: id, number: range.number };
      const etag = await this.#withBody({ path, ...range }, (body) =>
        this.#options.objects.sendPart(part, body, signal),
      );
      if (upload.generation === generation) upload.parts.set(range.number, etag);
    });
  }

  async #withBody<T>(range: FileRange, send: (body: S3Body) => Promise<T>): Promise<T> {
    const body = await fileBody(range, digestFor(this.#options.origin));
    try {
      return await send(body);
    } finally {
      await body.close();
    }
  }

  async #sendAll({ key, path, bytes }: StagedObject): Promise<void> {
    const upload = this.#of(key);
    await Promise.all(upload.underWay);
    const missing = [...partsFrom(1, bytes, this.#first)].filter(({ number }) => !upload.parts.has(number));
    await settleAll(missing.map((range) => this.#send(upload, path, range)));
  }

  /** Repeats the work with a new upload if the upload has been lost: aborted by a rule of the bucket, for instance. */
  async #unlessLost({ key }: StagedObject, work: () => Promise<void>): Promise<void> {
    for (let losses = 0; ; losses++) {
      try {
        return await work();
      } catch (thrown) {
        if (!isLost(thrown) || losses === mostLosses) throw thrown;
        if (isAnswer(thrown, 'NoSuchUpload') && (await this.#isPublished(key))) return;
        const upload = this.#of(key);
        if (!isAnswer(thrown, 'NoSuchUpload')) await this.drop(key).catch(() => {});
        forget(upload, upload.generation);
      }
    }
  }

  /** Whether the object is that of this run: the answer to its completion was lost. */
  async #isPublished(key: string): Promise<boolean> {
    const { objects, headers } = this.#options;
    return (await objects.head(key))?.run === headers[runHeader];
  }
}

/** The upload does not exist any more, or has other parts than those that were sent. */
const isLost = (thrown: unknown): boolean =>
  isAnswer(thrown, 'NoSuchUpload', 'InvalidPart', 'InvalidPartOrder', 'EntityTooSmall');

function forget(upload: Upload, generation: number): void {
  if (upload.generation !== generation) return;
  upload.generation += 1;
  upload.id = undefined;
  upload.parts.clear();
  upload.next = 1;
}
