/** Files of newline-delimited JSON, one a data type, that take their name only when the run has succeeded. */
import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtractError } from '../src/errors.js';
import type { Mark, Notify, Sink } from '../src/types.js';
import { type Found, findLeft, nowhere, type Standing, standingAsExact, standingFrom } from './continued-file.js';
import { createFileNames } from './file-names.js';
import { createFolder } from './folder.js';
import { continueOutputFile, createOutputFile, type OpenFile, type OutputFile } from './output-file.js';
import { hasEnded, refused } from './refusal.js';
import { settleAll } from './settle.js';
import { createSums } from './sums.js';
import { createTally } from './tally.js';

export interface NdjsonOptions {
  /** Hears when a file could not have the plain name of its data type. */
  readonly notify?: Notify | undefined;
  /** How files are opened; for tests of what disks do. */
  readonly openFile?: OpenFile | undefined;
}

interface Output {
  readonly path: string;
  readonly partial: string;
  readonly file: OutputFile;
}

/**
 * Writes `<dir>/<data type>.ndjson`. While the run lasts the file is called `.ndjson.partial`; an earlier `.ndjson` stays until
 * `close` replaces it. `abort` leaves `.partial` with whole items. decisions.md 31.
 *
 * Each file is written one batch behind: a write settles when the one before it has landed. Memory is that of the batch in hand and, for
 * each file, of the one under way. A write that fails is told by the next call for its data type, `close` and `abort` included, so that nothing is
 * published then; the summary counts what has landed.
 *
 * A run that keeps a state goes on where the files stood, once they have proved to begin as it had left them: exactly once.
 */
export function ndjson(dir: string, { notify = () => {}, openFile = open }: NdjsonOptions = {}): Sink {
  const nameOf = createFileNames();
  const pathOf = (dataType: string) => join(dir, `${nameOf(dataType).name}.ndjson`);
  const tally = createTally();
  const sums = createSums();
  const folder = createFolder(dir);
  // Promises, as two jobs may open one data type at once.
  const outputs = new Map<string, Promise<Output>>();
  const published = new Set<string>();
  /** Data types that an earlier run has published. */
  const done = new Set<string>();
  let ended = false;

  const openOutput = async (dataType: string): Promise<Output> => {
    const { because } = nameOf(dataType);
    const path = pathOf(dataType);
    if (because !== undefined) {
      notify({ level: 'info', code: 'file-name', message: `"${dataType}" is written to "${path}", as ${because}` });
    }
    await folder.make();
    await mustNotBeDirectory(path);
    const partial = `${path}.partial`;
    const file = await createOutputFile(partial, openFile);
    folder.touch();
    return { path, partial, file };
  };

  const outputOf = (dataType: string): Promise<Output> => {
    if (ended) throw hasEnded('ndjson');
    const output = outputs.get(dataType) ?? openOutput(dataType);
    outputs.set(dataType, output);
    tally.open(dataType);
    return output;
  };

  const standing = (dataType: string): Standing => ({ ...tally.at(dataType), crc: sums.at(dataType) });
  const stand = (dataType: string, { items, bytes, crc }: Standing) => {
    tally.reset(dataType, { items, bytes });
    sums.reset(dataType, crc);
  };

  /** What was published is left alone; all else is opened behind the checkpoint. */
  const goOn = async ({ dataType, path, isPublished, at }: Found) => {
    stand(dataType, at);
    if (isPublished) {
      done.add(dataType);
      published.add(path);
      return;
    }
    const partial = `${path}.partial`;
    const file = continueOutputFile(partial, at.bytes, openFile).then((each) => ({ path, partial, file: each }));
    outputs.set(dataType, file);
    await file;
  };

  const letGo = async () => settleAll((await opened(outputs)).map(({ file }) => file.close()));
  const release = async () => {
    ended = true;
    await letGo();
  };

  return {
    guarantee: 'exactly once',
    async resume({ phase, checkpoints }) {
      await letGo();
      for (const dataType of outputs.keys()) stand(dataType, nowhere);
      outputs.clear();
      sums.begin();
      const found: Found[] = [];
      for (const [dataType, checkpoint] of checkpoints) {
        found.push(await findLeft(dataType, pathOf(dataType), standingFrom(checkpoint), phase));
      }
      for (const each of found) await goOn(each);
    },
    async checkpoint(dataType) {
      if (done.has(dataType)) return standingAsExact(standing(dataType));
      const { file } = await outputOf(dataType);
      return file.standing(() => standingAsExact(standing(dataType)));
    },
    async open(dataType) {
      if (!done.has(dataType)) await outputOf(dataType);
    },
    async write(batch, signal) {
      const { file } = await outputOf(batch.dataType);
      await file.append(batch.bytes, signal, () => {
        tally.add(batch);
        sums.add(batch);
      });
    },
    async mark(dataType, signal) {
      const { file } = await outputOf(dataType);
      await file.landed(signal);
      return { dataType, position: standing(dataType) };
    },
    async rollback(mark) {
      const { file } = await outputOf(mark.dataType);
      const before = standingAt(mark);
      await file.truncate(before.bytes, () => stand(mark.dataType, before));
    },
    async durable() {
      await settleAll((await opened(outputs)).map(({ file }) => file.sync()));
      await folder.sync();
    },
    async close() {
      if (ended) return;
      ended = true;
      try {
        const all = await Promise.all(outputs.values());
        await publish(all, (path) => published.add(path));
        if (all.length > 0) folder.touch();
        await folder.sync();
      } finally {
        await release();
      }
    },
    abort: release,
    summary: () =>
      tally
        .summary(pathOf)
        .map((output) =>
          published.has(output.name) ? output : { ...output, name: `${output.name}.partial`, unfinished: true },
        ),
  };
}

function standingAt({ position }: Mark): Standing {
  return position as Standing; // a sink only ever gets back what its own `mark` returned
}

/** Those that could be opened; who asked for the others has been told. */
async function opened(outputs: ReadonlyMap<string, Promise<Output>>): Promise<readonly Output[]> {
  const outcomes = await Promise.allSettled(outputs.values());
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

/** Renames only when every file is safe on the disk, so that a full disk publishes nothing. */
async function publish(outputs: readonly Output[], hear: (path: string) => void): Promise<void> {
  for (const { file } of outputs) await file.mustBeInPlace();
  for (const { file } of outputs) await file.close();
  for (const { partial, path } of outputs) {
    await rename(partial, path).catch((thrown: unknown) => {
      throw refused(`rename "${partial}" to "${path}"`, thrown);
    });
    hear(path);
  }
}

/** Better told before the first request than after the last. */
async function mustNotBeDirectory(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new ExtractError('ERR_SINK', `cannot write "${path}": it is a directory`);
}
