/** A process of a run into parts, and what the last one publishes. */
import type { Exact } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Closing, Earlier, Opening, PageEnd, Sink, SinkOutput } from '../contract.js';
import { hasEnded } from '../errors.js';
import { settleAll } from '../settle.js';
import { createGatherer, type GatheredType, type Gatherer, type OpenedType } from './gather.js';
import { countOf, foldersIn, type Manifest, type ManifestEntry, manifestText, parseManifest } from './manifest.js';
import { compareOrders, orderOf } from './page-order.js';
import { checkpointOf, folderOfRun, manifestName, type OutputPart, partsIn } from './part.js';
import { type PartStore, type PartWriter, type StoredManifest, writtenMeanwhile } from './part-store.js';

/** The folder of a process within that of the run: its member, or else what it does. */
const nameOf = ({ member, members }: Earlier): string => member ?? (members === undefined ? 'all' : 'publish');

/** What a process has, once it has begun. */
interface BegunRun {
  readonly earlier: Earlier;
  readonly writer: PartWriter;
  /** What processes of the member before have written, by data type. */
  readonly before: ReadonlyMap<string, readonly OutputPart[]>;
  /** The manifest as it was. */
  readonly manifest: Manifest | undefined;
  /** An earlier process has published the run. */
  readonly isPublished: boolean;
  readonly gatherer: Gatherer | undefined;
}

/** The parts of a data type by member, in the order of their places; those of its last process are the last ones. */
type Members = ReadonlyMap<string, readonly OutputPart[]>;

export class PartsRun {
  readonly #store: PartStore;
  readonly #gather: Sink | undefined;
  readonly #opened: OpenedType[] = [];
  /** The data types in order: those that were opened, and those that have items. */
  readonly #types = new Set<string>();
  /** What this process has published. */
  #entries: readonly ManifestEntry[] | undefined = undefined;
  #kept: ReadonlySet<string> = new Set();
  #begun: BegunRun | undefined = undefined;
  #isOver = false;

  constructor(store: PartStore, gather: Sink | undefined) {
    this.#store = store;
    this.#gather = gather;
  }

  async resume(earlier: Earlier): Promise<void> {
    const { run, epoch, isStored, phase, checkpoints, replaces = [] } = earlier;
    if (this.#begun === undefined && isPublisher(earlier)) {
      await this.#store.check();
      await this.#gather?.check?.();
    }
    await this.#begun?.writer.end();
    const before = new Map([...checkpoints].map(([dataType, at]) => [dataType, partsIn(at)]));
    const parts = [...before.values()].flat();
    for (const part of phase === 'writing' ? parts : []) await this.#store.verify(part);
    const [runFolder, member] = [folderOfRun(run), nameOf(earlier)];
    if (isWhole(earlier) && phase === 'writing' && epoch > 1) await this.#store.cutBack(runFolder, member, parts);
    for (const each of replaces) await this.#store.removeRun(folderOfRun(each));
    const manifest = isPublisher(earlier) ? manifestIn(await this.#store.readManifest(), this.#store) : undefined;
    this.#begun = {
      earlier,
      before,
      manifest,
      writer: this.#store.begin({ runFolder, member, epoch, isStored }),
      isPublished: phase === 'publishing' && manifest?.run === run,
      gatherer: this.#gather && createGatherer(this.#gather, this.#store, earlier, this.#opened),
    };
  }

  open(dataType: string, job: string, opening: Opening = {}): void {
    this.#run().writer.open(dataType, opening.onFailure);
    // A refusal or a failure while it gathers ends the run: no page could be left out any more.
    const { onFailure: _, onItemError: __, ...facts } = opening;
    this.#types.add(dataType);
    this.#opened.push({ dataType, job, opening: facts });
  }

  write(batch: Batch, signal: AbortSignal): void | Promise<void> {
    if (this.#isOver) throw hasEnded('parts');
    this.#types.add(batch.dataType);
    return this.#run().writer.write(batch, signal);
  }

  async commit(page: PageEnd, signal: AbortSignal): Promise<Exact | undefined> {
    const { writer, earlier } = this.#run();
    await writer.commit(page, signal);
    return earlier.isStored ? checkpointOf(this.#partsOf(page.dataType)) : undefined;
  }

  rollback(dataType: string): void | Promise<void> {
    return this.#run().writer.rollback(dataType);
  }

  /** The run asks once more after the end, when all is safe. */
  async durable(): Promise<void> {
    if (!this.#isOver) await this.#run().writer.durable();
  }

  async published(dataType: string): Promise<readonly string[]> {
    const { manifest, gatherer, earlier } = this.#run();
    if (gatherer !== undefined) return (await (await gatherer.begin()).published?.(dataType)) ?? [];
    const entry = manifest?.entries.find((each) => each.dataType === dataType);
    const hasItems = entry !== undefined && entry.run !== earlier.run && countOf(entry).items > 0;
    return hasItems ? [`"${dataType}" in ${this.#store.nameOf(manifestName)}`] : [];
  }

  async close(closing: Closing = { keep: new Set() }): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const begun = this.#run();
    await begun.writer.end();
    if (!begun.isPublished) await this.#publish(begun, closing);
    else await this.#removeReplaced(begun.manifest);
    this.#store.end();
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    await this.#begun?.writer.end();
    this.#store.end();
  }

  async abort(reason: unknown): Promise<void> {
    this.#isOver = true;
    const begun = this.#begun;
    try {
      if (begun === undefined) return;
      await settleAll([begun.writer.end(), begun.gatherer?.abort(reason)]);
      const isNeeded = begun.earlier.isStored || this.#entries !== undefined;
      if (!isNeeded) await this.#store.removeRun(folderOfRun(begun.earlier.run));
    } finally {
      this.#store.end();
    }
  }

  summary(): readonly SinkOutput[] {
    const begun = this.#begun;
    if (begun === undefined) return [];
    const entries = this.#entries ?? (begun.isPublished ? begun.manifest?.entries : undefined);
    if (entries === undefined) return [...this.#types].map((dataType) => this.#unfinished(begun, dataType));
    if (this.#entries !== undefined && this.#gather?.summary !== undefined) return this.#gather.summary();
    return entries
      .filter(({ dataType }) => this.#types.has(dataType))
      .map((entry) => ({
        dataType: entry.dataType,
        name: entry.gathered ?? this.#store.nameOf(manifestName),
        ...countOf(entry),
        ...(this.#kept.has(entry.dataType) ? { kept: true as const } : {}),
      }));
  }

  #unfinished({ earlier }: BegunRun, dataType: string): SinkOutput {
    const parts = [...this.#membersOf(dataType).values()].flat();
    return { dataType, name: this.#store.nameOf(folderOfRun(earlier.run)), ...countOf({ parts }), unfinished: true };
  }

  #partsOf(dataType: string): readonly OutputPart[] {
    const { before, writer } = this.#run();
    const own = writer.partOf(dataType);
    return [...(before.get(dataType) ?? []), ...(own === undefined ? [] : [own])];
  }

  #membersOf(dataType: string): Members {
    const { earlier } = this.#run();
    const members = [...(earlier.members ?? [])].flatMap(([member, checkpoints]) => {
      const at = checkpoints.get(dataType);
      return at === undefined ? [] : [[member, partsIn(at)] as const];
    });
    const own = this.#partsOf(dataType);
    const all = [...members, ...(own.length === 0 ? [] : [[nameOf(earlier), own] as const])];
    return new Map(all.sort(([, one], [, other]) => compareOrders(firstOrder(one), firstOrder(other))));
  }

  async #publish(begun: BegunRun, closing: Closing): Promise<void> {
    const { earlier, gatherer } = begun;
    const { keep } = closing;
    const types: GatheredType[] = [];
    for (const dataType of this.#types) {
      if (!keep.has(dataType)) types.push({ dataType, members: await this.#sealed(earlier, dataType) });
    }
    const sink = await gatherer?.begin();
    await gatherer?.write(types);
    const before = await this.#stillMine(begun);
    await gatherer?.close(closing);
    const gathered = new Map(sink?.summary?.().map(({ dataType, name }) => [dataType, name]));
    const { run, startedAt, epoch } = earlier;
    const mine = types.map(({ dataType, members }) => ({
      dataType,
      run,
      startedAt,
      parts: members.flat(),
      gathered: gathered.get(dataType),
    }));
    const old = manifestIn(before, this.#store);
    const others = old?.entries.filter(({ dataType }) => !types.some((each) => each.dataType === dataType)) ?? [];
    const folders = foldersIn({ entries: [...others, ...mine] });
    const replaced = [...(old?.replaced ?? []), ...foldersIn(old ?? { entries: [] })].filter(
      (folder) => !folders.has(folder),
    );
    const manifest: Manifest = { run, epoch, entries: [...others, ...mine], replaced: [...new Set(replaced)] };
    await this.#store.writeManifest(manifestText(manifest), before);
    this.#kept = keep;
    this.#entries = manifest.entries;
    await this.#removeReplaced(manifest);
  }

  /** The parts of all members, each as files that nothing changes any more. */
  async #sealed(earlier: Earlier, dataType: string): Promise<readonly (readonly OutputPart[])[]> {
    const { run, epoch } = earlier;
    const process = { runFolder: folderOfRun(run), member: nameOf(earlier), epoch };
    const sealed: OutputPart[][] = [];
    for (const parts of this.#membersOf(dataType).values()) {
      const own: OutputPart[] = [];
      for (const part of parts) {
        // The processes of a whole run come one after the other.
        const isLast = isWhole(earlier) || part === parts.at(-1);
        own.push(await this.#store.seal(part, { isLast, process }));
      }
      sealed.push(own);
    }
    return sealed;
  }

  /** The manifest, if no other process has published these data types since this one has begun. */
  async #stillMine({ earlier, manifest }: BegunRun): Promise<StoredManifest | undefined> {
    const stored = await this.#store.readManifest();
    const now = manifestIn(stored, this.#store);
    const isNewer = now?.run === earlier.run && now.epoch > earlier.epoch;
    const isOther = [...this.#types].some((dataType) => {
      const runNow = runOf(now, dataType);
      return runNow !== earlier.run && runNow !== runOf(manifest, dataType);
    });
    if (isNewer || isOther) throw writtenMeanwhile(this.#store.nameOf(manifestName));
    return stored;
  }

  /** What cannot be removed is named by no manifest, and the next run tries it again. */
  async #removeReplaced(manifest: Manifest | undefined): Promise<void> {
    for (const folder of manifest?.replaced ?? []) await this.#store.removeRun(folder).catch(() => {});
  }

  #run(): BegunRun {
    if (this.#begun === undefined) throw hasEnded('parts');
    return this.#begun;
  }
}

const firstOrder = ([first]: readonly OutputPart[]): readonly number[] =>
  first === undefined ? [] : orderOf(first.first);

const isWhole = ({ member, members }: Earlier): boolean => member === undefined && members === undefined;

/** The process does the whole run, or publishes it. */
const isPublisher = ({ member, members }: Earlier): boolean => member === undefined || members !== undefined;

const manifestIn = (stored: StoredManifest | undefined, store: PartStore): Manifest | undefined =>
  stored && parseManifest(stored.text, store.nameOf(manifestName));

const runOf = (manifest: Manifest | undefined, dataType: string): string | undefined =>
  manifest?.entries.find((entry) => entry.dataType === dataType)?.run;
