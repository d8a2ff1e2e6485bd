/** A run into an object store: staged files, their uploads, and what is published at the end. */
import { opendir, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Exact } from '../../src/core/json/exact.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { SinkEnvironment } from '../addresses/address.js';
import type { Closing, Earlier, FileDraft, FilePlace, Opening, PageEnd, Sink, SinkOutput } from '../contract.js';
import { csvFiles } from '../csv/csv.js';
import { hasEnded, refused } from '../errors.js';
import { ndjson } from '../files/ndjson.js';
import { folderEnd } from '../files/partial-files.js';
import { parquetFiles } from '../parquet/parquet.js';
import { settleAll } from '../settle.js';
import { checkpointOf, countsIn, keyIn, lengthIn, stagedIn } from './s3-checkpoint.js';
import { createS3Client, type S3Client } from './s3-client.js';
import { checkWriting, createS3Objects, runHeader, type S3Objects } from './s3-objects.js';
import type { S3Settings } from './s3-options.js';
import { openStaging, replacedStagings, type Staging } from './s3-staging.js';
import { createSlots } from './upload-slots.js';
import { createUploads, type StagedObject, type Uploads } from './uploads.js';

/** What the sink takes from its process. */
export interface S3Context {
  /** Has the variables of AWS. Default: there are none. */
  readonly env?: SinkEnvironment | undefined;
  readonly notify?: Notify | undefined;
  /** The length of the first parts in bytes; tests replace it. Default: 8 MiB. */
  readonly partBytes?: number;
  /** Waits between attempts, in ms; tests replace it. */
  readonly wait?: ((ms: number) => Promise<unknown>) | undefined;
}

/** An object that an earlier process of the run has published: nothing is left to do. */
interface DoneObject {
  readonly key: string;
  readonly items: number;
  readonly bytes: number;
}

/** What a run has, once it has begun. */
interface BegunRun {
  readonly earlier: Earlier;
  readonly staging: Staging;
  /** The sink for files of the format. */
  readonly inner: Sink;
  readonly uploads: Uploads;
  readonly done: ReadonlyMap<string, DoneObject>;
}

const week = 7 * 24 * 60 * 60 * 1000;
/** Most objects that are completed at once. */
const mostAtOnce = 4;

const contentTypes = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
} as const;
const compressedTypes = { gzip: 'application/gzip', zstd: 'application/zstd' } as const;

/** The files of all folders for those of items, without a list of them in memory. */
async function* filesBelow(staged: string): AsyncGenerator<{ readonly folder: string; readonly name: string }> {
  const names = await readdir(staged).catch(() => []); // a run of which all is published stages nothing
  for (const folder of names.filter((name) => name.endsWith(folderEnd))) {
    for await (const { name } of await opendir(join(staged, folder))) yield { folder, name };
  }
}

export class S3Run {
  readonly #settings: S3Settings;
  readonly #context: S3Context;
  readonly #client: S3Client;
  readonly #objects: S3Objects;
  /** Items and bytes of the committed pages, by data type. */
  readonly #counts = new Map<string, { readonly items: number; readonly bytes: number }>();
  readonly #opened = new Set<string>();
  /** The objects by data type, and their files while the run writes. */
  readonly #staged = new Map<string, Pick<StagedObject, 'key' | 'path'>>();
  readonly #published = new Set<string>();
  readonly #kept = new Set<string>();
  #begun: BegunRun | undefined = undefined;
  #report: Opening['onFailure'] = undefined;
  #isConnected = false;
  #isOver = false;

  constructor(settings: S3Settings, context: S3Context) {
    this.#settings = settings;
    this.#context = context;
    this.#client = createS3Client(settings.bucket, context.wait);
    this.#objects = createS3Objects(this.#client);
  }

  /** The sink for the staged files. Throws ERR_SINK after the end. */
  inner(): Sink {
    if (this.#begun === undefined || this.#isOver) throw hasEnded('s3');
    return this.#begun.inner;
  }

  /** The run asks once more after the end, when the objects are in the store. */
  async durable(): Promise<void> {
    if (!this.#isOver) await this.inner().durable?.();
  }

  /** On connections of its own: a run may follow. */
  async check(): Promise<void> {
    const client = createS3Client(this.#settings.bucket, this.#context.wait);
    try {
      await this.#mayWrite(client);
    } finally {
      client.close();
    }
  }

  async resume(earlier: Earlier): Promise<void> {
    if (!this.#isConnected) await this.#mayWrite(this.#client);
    this.#isConnected = true;
    const { staging: chosen } = this.#settings;
    const staging = await openStaging(this.#identity(), chosen, earlier);
    const done = await this.#findDone(earlier);
    const inner = this.#createInner(staging);
    const checkpoints = new Map(
      [...earlier.checkpoints].filter(([dataType]) => !done.has(dataType)).map(([each, at]) => [each, stagedIn(at)]),
    );
    const isStored = earlier.isStored || this.#growsInPlain();
    await inner.resume?.({ ...earlier, isStored, checkpoints });
    for (const each of await replacedStagings(this.#identity(), chosen, earlier)) await this.#discard(each);
    const uploads = this.#createUploads(earlier, staging);
    this.#begun = { earlier, staging, inner, uploads, done };
    this.#counts.clear();
    this.#staged.clear();
    for (const [dataType, at] of earlier.checkpoints) this.#counts.set(dataType, countsIn(at));
    await this.#restoreUploads(this.#begun, earlier.checkpoints);
  }

  async open(dataType: string, job: string, opening: Opening = {}): Promise<void> {
    const inner = this.inner();
    const { earlier, done } = this.#run();
    this.#report = opening.onFailure ?? this.#report;
    if (done.has(dataType)) return;
    await inner.open?.(dataType, job, opening);
    if (this.#opened.has(dataType)) return;
    this.#opened.add(dataType);
    const key = this.#stagedOf(dataType)?.key;
    const { startedAt } = earlier;
    // An object that is added has a name of its own, so no earlier run has begun an upload of it.
    if (this.#settings.mode === 'append' || key === undefined || startedAt === undefined) return;
    await this.#objects.dropOlder(key, startedAt - week);
  }

  async file(place: FilePlace): Promise<FileDraft | undefined> {
    return this.inner().file?.(place);
  }

  async commit(page: PageEnd, signal: AbortSignal): Promise<Exact | undefined> {
    const at = await this.inner().commit?.(page, signal);
    const { dataType, count, bytes } = page;
    const before = this.#counts.get(dataType) ?? { items: 0, bytes: 0 };
    const counts = { items: before.items + count, bytes: before.bytes + bytes };
    this.#counts.set(dataType, counts);
    const { earlier, uploads } = this.#run();
    const staged = this.#stagedOf(dataType);
    if (staged === undefined || at === undefined || at === null) return undefined;
    if (this.#settings.format === 'ndjson') uploads.advance({ ...staged, bytes: lengthIn(at) });
    return earlier.isStored ? checkpointOf(staged.key, at, counts) : undefined;
  }

  /** An object of this run is no earlier output: it is written again. */
  async published(dataType: string): Promise<readonly string[]> {
    const key = this.#stagedOf(dataType)?.key;
    const found = key === undefined ? undefined : await this.#objects.head(key);
    if (key === undefined || found === undefined || found.run === this.#run().earlier.run) return [];
    return found.isEmpty ? [] : [this.#urlOf(key)];
  }

  async close({ keep }: Closing = { keep: new Set() }): Promise<void> {
    if (this.#isOver) return;
    const { inner, staging, uploads } = this.#run();
    await uploads.settled();
    await inner.close({ keep });
    this.#isOver = true;
    const outputs = inner.summary?.() ?? [];
    for (const { name, dataType } of outputs) if (keep.has(dataType)) await this.#keep(this.#keyOf(name));
    const staged = await Promise.all(outputs.filter(({ dataType }) => !keep.has(dataType)).map(this.#complete));
    await settleAll(staged.map((object) => uploads.finish(object)));
    await this.#publishFiles();
    const inSlot = createSlots(mostAtOnce);
    await settleAll(staged.map((object) => inSlot(() => this.#publish(object))));
    await staging.remove();
    this.#client.close();
  }

  async abort(reason: unknown): Promise<void> {
    this.#isOver = true;
    const begun = this.#begun;
    try {
      if (begun === undefined) return;
      await begun.uploads.stop();
      await begun.inner.abort(reason);
      if (!begun.earlier.isStored) await this.#discard(begun.staging);
    } finally {
      this.#client.close();
    }
  }

  summary(): readonly SinkOutput[] {
    if (this.#begun === undefined) return [];
    const { inner, done, earlier } = this.#begun;
    const now = (inner.summary?.() ?? []).map((output): SinkOutput => {
      const { unfinished: _, kept: __, ...plain } = output;
      const name = this.#urlOf(this.#keyOf(output.name));
      if (this.#kept.has(name)) return { ...plain, name, kept: true };
      if (this.#published.has(name)) return { ...plain, name };
      return { ...plain, name: earlier.isStored ? output.name : name, unfinished: true };
    });
    const before = [...done].map(([dataType, { key, ...counts }]) => ({ dataType, name: this.#urlOf(key), ...counts }));
    return [...now, ...before];
  }

  #mayWrite(client: S3Client): Promise<void> {
    return checkWriting(client, `${this.#settings.prefix}rxtract-check`);
  }

  /** The length of its file is known after each commit also in runs without a state. */
  #growsInPlain(): boolean {
    return this.#settings.format === 'ndjson' && this.#settings.compress === undefined;
  }

  #createInner({ files }: Staging): Sink {
    const { format, mode, compress, csv: rows, parquet: columns } = this.#settings;
    const { notify } = this.#context;
    if (format === 'ndjson') return ndjson(files, { mode, compress, notify });
    const given = { mode, notify };
    return format === 'csv' ? csvFiles(files, { ...rows, ...given }) : parquetFiles(files, { ...columns, ...given });
  }

  #createUploads({ run }: Earlier, staging: Staging, ofFiles?: string): Uploads {
    const { bucket, format, compress } = this.#settings;
    const type = ofFiles ?? (compress === undefined ? contentTypes[format] : compressedTypes[compress]);
    return createUploads({
      objects: this.#objects,
      headers: { 'content-type': type, [runHeader]: run },
      origin: bucket.origin,
      partBytes: this.#context.partBytes,
      record: staging.record,
      onFailure: (thrown) => this.#report?.(thrown),
    });
  }

  /** The objects that an interrupted close has published: no other run writes its name into them. */
  async #findDone({ phase, run, checkpoints }: Earlier): Promise<ReadonlyMap<string, DoneObject>> {
    const done = new Map<string, DoneObject>();
    if (phase !== 'publishing') return done;
    for (const [dataType, at] of checkpoints) {
      const key = keyIn(at);
      if ((await this.#objects.head(key))?.run === run) done.set(dataType, { key, ...countsIn(at) });
    }
    return done;
  }

  /** Continues the uploads of files that continue, and drops others. */
  async #restoreUploads({ staging, uploads, inner }: BegunRun, checkpoints: Earlier['checkpoints']): Promise<void> {
    const lengths = new Map([...checkpoints].map(([dataType, at]) => [dataType, lengthIn(stagedIn(at))]));
    const staged = new Map<string, StagedObject>();
    for (const { dataType, name } of this.#settings.format === 'ndjson' ? (inner.summary?.() ?? []) : []) {
      const key = this.#keyOf(name);
      staged.set(key, { key, path: name, bytes: lengths.get(dataType) ?? 0 });
    }
    for (const [key, upload] of [...staging.uploads()]) {
      const object = staged.get(key);
      if (object !== undefined) await uploads.restore(object, upload);
      else {
        await this.#objects.drop(key, upload).catch(() => {});
        await staging.record(key, undefined);
      }
    }
  }

  async #discard(staging: Staging): Promise<void> {
    for (const [key, upload] of staging.uploads()) await this.#objects.drop(key, upload).catch(() => {});
    await staging.remove();
  }

  async #keep(key: string): Promise<void> {
    this.#kept.add(this.#urlOf(key));
    await this.#run()
      .uploads.drop(key)
      .catch(() => {});
  }

  readonly #complete = async ({ name, items }: SinkOutput): Promise<StagedObject> => {
    const { size } = await stat(name).catch((thrown: unknown) => {
      throw refused(`read "${name}"`, thrown);
    });
    return { key: this.#keyOf(name), path: name, bytes: size, isEmpty: items === 0 };
  };

  /** The files of items: their folders lie beside the staged objects. */
  async #publishFiles(): Promise<void> {
    const { staging, earlier } = this.#run();
    const uploads = this.#createUploads(earlier, staging, 'application/octet-stream');
    const files = filesBelow(staging.files);
    const sendAll = async () => {
      for (let next = await files.next(); next.done !== true; next = await files.next()) {
        const { folder, name } = next.value;
        const path = join(staging.files, folder, name);
        const { size: bytes } = await stat(path);
        const object = { key: `${this.#settings.prefix}${folder}/${name}`, path, bytes };
        await uploads.finish(object);
        await uploads.publish(object);
      }
    };
    await settleAll(Array.from({ length: mostAtOnce }, sendAll));
  }

  async #publish(object: StagedObject): Promise<void> {
    await this.#run().uploads.publish(object);
    this.#published.add(this.#urlOf(object.key));
  }

  #run(): BegunRun {
    if (this.#begun === undefined) throw hasEnded('s3');
    return this.#begun;
  }

  #stagedOf(dataType: string): Pick<StagedObject, 'key' | 'path'> | undefined {
    const known = this.#staged.get(dataType);
    if (known !== undefined) return known;
    const found = this.#run()
      .inner.summary?.()
      .find((output) => output.dataType === dataType);
    if (found === undefined) return undefined;
    const staged = { key: this.#keyOf(found.name), path: found.name };
    this.#staged.set(dataType, staged);
    return staged;
  }

  #keyOf(path: string): string {
    return `${this.#settings.prefix}${basename(path).replace(/\.partial$/, '')}`;
  }

  #urlOf(key: string): string {
    return `s3://${this.#settings.bucket.bucket}/${key}`;
  }

  #identity(): string {
    const { bucket, prefix, format } = this.#settings;
    return JSON.stringify([bucket.origin, bucket.bucket, prefix, format]);
  }
}
