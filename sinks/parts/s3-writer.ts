/** The parts of one process in an object store: an object for each page, or for some MiB of it. */
import type { Batch } from '../../src/core/model/batch.js';
import type { PageEnd } from '../contract.js';
import { hasEnded, orAborted, throwIfAborted } from '../errors.js';
import { createFileNames } from '../files/file-names.js';
import type { S3Folder } from '../s3/s3-folder.js';
import { type OutputPart, objectName } from './part.js';
import { createPartProgress, type PartProgress } from './part-progress.js';
import type { PartProcess, PartWriter } from './part-store.js';

/** In the metadata of an object, the place of its items: the index of their origin, their page, their walk. */
export const pageHeader = 'x-amz-meta-rxtract-page';

const mostBytes = 8 * 1024 * 1024;

type NumberRange = readonly [first: number, last: number];

interface WrittenPart {
  readonly path: string;
  readonly progress: PartProgress;
  /** Numbers of the objects of all committed pages. */
  objects: readonly NumberRange[];
  /** Those since. */
  sent: readonly number[];
  /** Batches that no object has. */
  waiting: readonly Buffer[];
  waitingBytes: number;
  /** The place of the page in metadata. */
  place: string;
  /** One more with each page that was rolled back: what is still under way then does not count. */
  attempt: number;
  /** The number of the next object. Each is used once: a late request of a dropped page then changes nothing. */
  next: number;
}

/** Its names have the epoch of the process, so that no other one writes these objects. */
export class S3Writer implements PartWriter {
  readonly #objects: S3Folder;
  readonly #process: PartProcess;
  readonly #objectBytes: number;
  readonly #names = createFileNames();
  readonly #parts = new Map<string, WrittenPart>();
  #isOver = false;

  constructor(objects: S3Folder, process: PartProcess, objectBytes = mostBytes) {
    this.#objects = objects;
    this.#process = process;
    this.#objectBytes = objectBytes;
  }

  open(): void {}

  async write(batch: Batch, signal: AbortSignal): Promise<void> {
    if (this.#isOver) throw hasEnded('parts');
    throwIfAborted(signal);
    const part = this.#partOf(batch.dataType);
    const isFull = part.waitingBytes > 0 && part.waitingBytes + batch.bytes.length > this.#objectBytes;
    if (isFull) await orAborted(this.#send(part), signal);
    part.place = `${part.progress.originOf(batch)} ${batch.page} ${batch.walk}`;
    part.waiting = [...part.waiting, Buffer.from(batch.bytes)]; // a copy: its memory is used again
    part.waitingBytes += batch.bytes.length;
    part.progress.add(batch);
  }

  async commit(page: PageEnd, signal: AbortSignal): Promise<void> {
    const part = this.#partOf(page.dataType);
    const added = part.progress.page(page);
    if (added === undefined) return;
    await orAborted(this.#send(part), signal);
    part.objects = part.sent.reduce(withNumber, part.objects);
    part.sent = [];
    part.progress.commit(added, this.#process.isStored);
  }

  rollback(dataType: string): void {
    const part = this.#partOf(dataType);
    Object.assign(part, { waiting: [], waitingBytes: 0, sent: [], attempt: part.attempt + 1 });
    part.progress.rollback();
  }

  partOf(dataType: string): OutputPart | undefined {
    const { path, progress, objects } = this.#partOf(dataType);
    const part = progress.part(path);
    return part && { ...part, objects };
  }

  /** What is committed is in the store. */
  async durable(): Promise<void> {}

  async end(): Promise<void> {
    this.#isOver = true;
  }

  #partOf(dataType: string): WrittenPart {
    const known = this.#parts.get(dataType);
    if (known !== undefined) return known;
    const { runFolder, member, epoch } = this.#process;
    const made: WrittenPart = {
      path: `${runFolder}/${member}/${epoch}.${this.#names.of(dataType).name}`,
      progress: createPartProgress(),
      objects: [],
      sent: [],
      waiting: [],
      waitingBytes: 0,
      place: '',
      attempt: 0,
      next: 1,
    };
    this.#parts.set(dataType, made);
    return made;
  }

  async #send(part: WrittenPart): Promise<void> {
    const { next: number, attempt } = part;
    const bytes = Buffer.concat(part.waiting);
    Object.assign(part, { next: number + 1, waiting: [], waitingBytes: 0 });
    const headers = { 'content-type': 'application/x-ndjson', [pageHeader]: part.place };
    await this.#objects.put(objectName(part.path, number), bytes, headers);
    if (part.attempt === attempt) part.sent = [...part.sent, number];
  }
}

function withNumber(ranges: readonly NumberRange[], number: number): readonly NumberRange[] {
  const last = ranges.at(-1);
  if (last?.[1] !== number - 1) return [...ranges, [number, number]];
  return [...ranges.slice(0, -1), [last[0], number]];
}
