/** Combines several sinks into one: each receives every batch, and the slowest sets the pace. */

import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, isArray } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import { elementAt } from '../../src/core/util/element-at.js';
import type { Closing, Earlier, FileDraft, FilePlace, PageEnd, Recovery, Sink } from '../contract.js';
import { settleAll } from '../settle.js';

const list = Symbol('sinks');

/** A combined sink. */
interface FanOut extends Sink {
  readonly [list]: readonly Sink[];
}

/** The parts of a combined sink, nested ones too; any other sink itself. */
export function sinksOf(sink: Sink): readonly Sink[] {
  return list in sink ? (sink as FanOut)[list].flatMap(sinksOf) : [sink]; // created by `all`
}

/**
 * Combines sinks. A run commits and resumes each of them separately, and each keeps its guarantee. When one fails, the
 * writes of the others abort. `close` runs in the given order; the first failure stops it and aborts the rest. Throws
 * ERR_USAGE for an empty list.
 */
export function all(sinks: readonly Sink[]): Sink {
  const [only] = sinks;
  if (only === undefined) throw new ExtractError('ERR_USAGE', 'at least one sink is needed');
  if (sinks.length === 1) return only;

  const joined: FanOut = {
    [list]: sinks,
    name: sinks.map(({ name = 'sink' }) => name).join(', '),
    recovery: joint(sinks),
    open: (dataType, job, opening) => settleAll(sinks.map(async (sink) => sink.open?.(dataType, job, opening))),
    resume: (earlier) => resumeAll(sinks, earlier),
    write: (batch, signal) => writeToAll(sinks, batch, signal),
    ...(sinks.some(({ file }) => file !== undefined) ? { file: (place) => fileInAll(sinks, place) } : {}),
    ...(sinks.some(({ prepare }) => prepare !== undefined)
      ? { prepare: (page, signal) => settleAll(sinks.map(async (sink) => sink.prepare?.(page, signal))) }
      : {}),
    commit: (page, signal) => commitAll(sinks, page, signal),
    ...undoOf(sinks),
    ...(sinks.some((sink) => sink.durable)
      ? { durable: () => settleAll(sinks.map(async (sink) => sink.durable?.())) }
      : {}),
    get secrets() {
      return sinks.flatMap(({ secrets = [] }) => secrets);
    },
    ...(sinks.some(({ check }) => check !== undefined)
      ? { check: () => settleAll(sinks.map(async (sink) => sink.check?.())) }
      : {}),
    ...(sinks.some((sink) => sink.published) ? { published: (dataType) => publishedBy(sinks, dataType) } : {}),
    close: (closing) => closeInOrder(sinks, closing),
    ...(sinks.every(({ leave }) => leave !== undefined)
      ? { leave: () => settleAll(sinks.map(async (sink) => sink.leave?.())) }
      : {}),
    abort: (reason) => settleAll(sinks.map(async (sink) => sink.abort(reason))),
    summary: () => sinks.flatMap((sink) => sink.summary?.() ?? []),
  };
  return joined;
}

async function writeToAll(sinks: readonly Sink[], batch: Batch, signal: AbortSignal): Promise<void> {
  const controller = new AbortController();
  // Not AbortSignal.any: Node 20 keeps its result alive as long as the run's own signal.
  const stop = () => controller.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await settleWrites(sinks, batch, controller);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Throws the earliest failure: it causes the others. */
async function settleWrites(sinks: readonly Sink[], batch: Batch, controller: AbortController): Promise<void> {
  const failures: unknown[] = [];
  const writing = sinks.map(async (sink) => {
    try {
      await sink.write(batch, controller.signal);
    } catch (thrown) {
      failures.push(thrown);
      controller.abort(thrown);
    }
  });
  await Promise.all(writing);
  if (failures.length > 0) throw failures[0];
}

/** A file in each sink that gets the data type. It is continued if all of them have left the same. */
async function fileInAll(sinks: readonly Sink[], place: FilePlace): Promise<FileDraft | undefined> {
  const drafts = (await Promise.all(sinks.map((sink) => sink.file?.(place)))).filter((draft) => draft !== undefined);
  const [first] = drafts;
  if (first === undefined || drafts.length === 1) return first;
  const { left } = first;
  const isSame = drafts.every((each) => each.left?.bytes === left?.bytes && each.left?.version === left?.version);
  return {
    ...(isSame && left !== undefined ? { left } : {}),
    begin: (bytes, version) => settleAll(drafts.map((draft) => draft.begin(bytes, version))),
    write: (chunk) => settleAll(drafts.map((draft) => draft.write(chunk))),
    end: async () => elementAt(await Promise.all(drafts.map((draft) => draft.end())), 0),
    leave: () => settleAll(drafts.map((draft) => draft.leave())),
  };
}

function undoOf(sinks: readonly Sink[]): Pick<Sink, 'rollback'> {
  if (sinks.some(({ commit, rollback }) => commit === undefined || rollback === undefined)) return {};
  return { rollback: (dataType) => settleAll(sinks.map(async (sink) => sink.rollback?.(dataType))) };
}

async function publishedBy(sinks: readonly Sink[], dataType: string): Promise<readonly string[]> {
  return (await Promise.all(sinks.map((sink) => sink.published?.(dataType) ?? []))).flat();
}

async function closeInOrder(sinks: readonly Sink[], closing: Closing | undefined): Promise<void> {
  for (const [index, sink] of sinks.entries()) {
    try {
      await sink.close(closing);
    } catch (thrown) {
      await settleAll(sinks.slice(index).map(async (rest) => rest.abort(thrown))).catch(() => {});
      throw thrown;
    }
  }
}

/** The joint recovery, for a wrapper that hides the list of sinks: only `cut` can be combined. */
const joint = (sinks: readonly Sink[]): Recovery =>
  sinks.every(({ recovery }) => recovery === 'cut') ? 'cut' : 'none';

/** Commits all and returns their results as a list: each in its own list, or null for no result. */
async function commitAll(sinks: readonly Sink[], page: PageEnd, signal: AbortSignal): Promise<Exact> {
  const parts: Exact[] = sinks.map(() => null);
  const commits = sinks.map(async (sink, index) => {
    const part = await sink.commit?.(page, signal);
    if (part !== undefined) parts[index] = [part];
  });
  await settleAll(commits);
  return parts;
}

/** Passes each sink its part of every checkpoint. Validates all of them before any sink changes. */
async function resumeAll(sinks: readonly Sink[], { checkpoints, members, ...earlier }: Earlier): Promise<void> {
  const own = partsOf(checkpoints, sinks);
  const ofMembers = members && [...members].map(([member, all]) => [member, partsOf(all, sinks)] as const);
  for (const [index, sink] of sinks.entries()) {
    const left = ofMembers?.map(([member, parts]) => [member, elementAt(parts, index)] as const);
    const mine = left?.filter(([, all]) => all.size > 0);
    await sink.resume?.({
      ...earlier,
      checkpoints: elementAt(own, index),
      ...(mine === undefined ? {} : { members: new Map(mine) }),
    });
  }
}

/** The checkpoints of each sink. */
function partsOf(checkpoints: Earlier['checkpoints'], sinks: readonly Sink[]): readonly ReadonlyMap<string, Exact>[] {
  const parts = [...checkpoints].map(([dataType, all]) => [dataType, partsIn(all, sinks)] as const);
  return sinks.map(
    (_, index) =>
      new Map(parts.flatMap(([dataType, all]) => elementAt(all, index).map((part) => [dataType, part] as const))),
  );
}

/**
 * Returns for each sink a list with its part, or an empty list. Throws ERR_RESUME if the checkpoint belongs to other
 * sinks.
 */
function partsIn(all: Exact, sinks: readonly Sink[]): readonly (readonly Exact[])[] {
  if (isArray(all) && all.length === sinks.length) return all.map((part) => (isArray(part) ? part : []));
  throw new ExtractError('ERR_RESUME', 'the run wrote to other sinks; resume needs the same sinks in the same order');
}
