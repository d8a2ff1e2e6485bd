/**
 * A state in an object store. One object, the head, has the owner, the last records and the names of the segments with
 * those before them. It is replaced only if it is what this process wrote last (`If-Match`): so it is a lock, a fence,
 * and a journal whose end moves in one step.
 */
import { randomUUID } from 'node:crypto';
import { createS3Client, type S3Bucket } from '../../../sinks/s3/s3-client.js';
import { isAnswer } from '../../../sinks/s3/s3-errors.js';
import { createS3Folder, type S3Folder } from '../../../sinks/s3/s3-folder.js';
import { ExtractError } from '../../core/errors/errors.js';
import { linesOf, recordsIn } from './journal-lines.js';
import { damagedState, lostState, type StateServer } from './state-server.js';

export interface S3StateOptions {
  readonly bucket: S3Bucket;
  /** Of all its objects; ends with a slash, or is empty. */
  readonly prefix: string;
  /** The address without secrets. */
  readonly shown: string;
  readonly secrets: readonly string[];
  /** Waits between attempts, in ms; tests replace it. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

interface Head {
  readonly epoch: number;
  readonly holder?: string | undefined;
  /** The objects with the records before the tail, each with their number. */
  readonly segments: readonly (readonly [name: string, records: number])[];
  readonly tail: readonly string[];
}

interface Stored {
  readonly head: Head;
  readonly etag: string;
}

interface Place {
  readonly folder: S3Folder;
  readonly options: S3StateOptions;
  stored: Stored | undefined;
  /** Objects that the head no longer needs: a replacement removes them. */
  garbage: readonly string[];
  /** Of the segments of this process. */
  segments: number;
}

const format = 1;
const headName = 'state';
const partName = /^(part-\d+-\d+)\/(\d+)$/;

/** Records of more bytes leave the head for a segment. */
const mostTailBytes = 64 * 1024;

/** Opens no connection before the first request. */
export function s3State(options: S3StateOptions): StateServer {
  const client = createS3Client(options.bucket, options.wait);
  const place: Place = {
    folder: createS3Folder(client, options.prefix),
    options,
    stored: undefined,
    garbage: [],
    segments: 0,
  };
  return {
    ...partsOf(place),
    name: options.shown,
    secrets: options.secrets,
    async read() {
      place.stored = await readHead(place);
      const { epoch = 0, holder } = place.stored?.head ?? {};
      return { epoch, holder, beat: place.stored?.etag ?? '' };
    },
    take: (holder, { epoch }) => take(place, holder, epoch + 1),
    touch: () => swap(place, headOf(place)),
    load: () => load(place),
    async replace(records) {
      const before = headOf(place).segments.map(([name]) => name);
      await store(place, { ...headOf(place), segments: [] }, records);
      for (const name of [...before, ...place.garbage]) await place.folder.remove(name);
      place.garbage = [];
    },
    append: (records) => store(place, headOf(place), [...headOf(place).tail, ...records]),
    async release() {
      const { holder: _, ...free } = headOf(place);
      await swap(place, free);
    },
    end: client.close,
  };
}

function headOf({ stored, options }: Place): Head {
  if (stored === undefined) throw lostState(options.shown);
  return stored.head;
}

/** False: the head is not what it was. Rejects if the store does not compare: two runs could have the state then. */
async function take(place: Place, holder: string, epoch: number): Promise<boolean> {
  // The head was read again since the epoch was: another process may have had the state meanwhile.
  if ((place.stored?.head.epoch ?? 0) !== epoch - 1) return false;
  await mustCompare(place);
  try {
    await swap(place, { segments: [], tail: [], ...place.stored?.head, epoch, holder });
    return true;
  } catch (thrown) {
    if (thrown instanceof ExtractError && thrown.code === 'ERR_STATE') return false;
    throw thrown;
  }
}

/** Writes records as the tail of the head, or as a segment before an empty one. */
async function store(place: Place, head: Head, tail: readonly string[]): Promise<void> {
  const lines = linesOf(tail);
  if (Buffer.byteLength(lines) <= mostTailBytes) return swap(place, { ...head, tail });
  place.segments += 1;
  const name = `segment-${head.epoch}-${place.segments}`;
  await place.folder.put(name, Buffer.from(lines));
  await swap(place, { ...head, segments: [...head.segments, [name, tail.length]], tail: [] });
}

/** Replaces the head, if it is still that of this process. */
async function swap(place: Place, head: Head): Promise<void> {
  const { tail, ...others } = head;
  // Each text is another one, so that no later head has the ETag of an earlier one.
  const text = linesOf([JSON.stringify({ format, ...others, id: randomUUID() }), ...tail]);
  for (let attempts = 1; ; attempts += 1) {
    const condition = place.stored === undefined ? onlyNew : { 'if-match': place.stored.etag };
    try {
      const etag = await place.folder.put(headName, Buffer.from(text), condition);
      place.stored = { head, etag };
      return;
    } catch (thrown) {
      if (!isAnswer(thrown, ...refusals, ...conflicts) || attempts === mostAttempts) throw thrown;
      const found = await place.folder.get(headName);
      // An earlier attempt, whose answer was lost, has written it.
      if (found?.text === text) {
        place.stored = { head, etag: found.etag };
        return;
      }
      // Another request was under way at the same time, and has failed.
      const isAsBefore = isAnswer(thrown, ...conflicts) && found?.etag === place.stored?.etag;
      if (!isAsBefore) throw lostState(place.options.shown);
    }
  }
}

const onlyNew = { 'if-none-match': '*' };

/** The head is another one, or is gone. */
const refusals = ['PreconditionFailed', '412', 'NoSuchKey', '404'];
/** How often a head is written while other requests are under way. */
const mostAttempts = 10;
const conflicts = ['ConditionalRequestConflict', '409'];

async function readHead({ folder, options }: Place): Promise<Stored | undefined> {
  const found = await folder.get(headName);
  if (found === undefined) return undefined;
  const [first = '', ...tail] = recordsIn(Buffer.from(found.text));
  const { format: written, id: _, ...head } = jsonIn(first);
  if (written !== format) throw damagedState(options.shown, `has an object "${headName}" of other origin`);
  return { head: { ...(head as Omit<Head, 'tail'>), tail }, etag: found.etag }; // as `swap` wrote it
}

function jsonIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

async function load(place: Place): Promise<readonly string[]> {
  const { segments, tail } = headOf(place);
  const records: string[] = [];
  for (const [name, count] of segments) {
    const found = recordsIn(Buffer.from((await place.folder.get(name))?.text ?? ''));
    if (found.length !== count) throw damagedState(place.options.shown, `lacks records of "${name}"`);
    records.push(...found);
  }
  const needed = new Set(segments.map(([name]) => name));
  const all = await place.folder.names('segment-');
  place.garbage = all.filter((name) => !needed.has(name));
  return [...records, ...tail];
}

/** Each piece of a part is an object. The names have the epoch, so an older process writes none of a newer one. */
function partsOf({ folder }: Place): Pick<StateServer, 'partNames' | 'writePart' | 'readPart' | 'removePart'> {
  return {
    async partNames() {
      const names = (await folder.names('part-')).map((name) => partName.exec(name)?.[1]);
      return [...new Set(names.filter((name) => name !== undefined))];
    },
    async writePart(part, position, bytes) {
      await folder.put(`${part}/${position}`, bytes);
    },
    async readPart(part, { position }) {
      const found = await folder.get(`${part}/${position}`);
      return found === undefined ? undefined : Buffer.from(found.text);
    },
    async removePart(part) {
      for (const name of await folder.names(`${part}/`)) await folder.remove(name);
    },
  };
}

/** A store that ignores conditions answers 200 where it must refuse. */
async function mustCompare({ folder, options }: Place): Promise<void> {
  const probe = 'check';
  const isRefused = (condition: Readonly<Record<string, string>>) =>
    folder.put(probe, Buffer.from('rxtract\n'), condition).then(
      () => false,
      (thrown: unknown) => {
        if (isAnswer(thrown, ...refusals)) return true;
        throw thrown;
      },
    );
  await isRefused(onlyNew); // from now on it is there
  const [refusesNew, refusesOther] = [await isRefused(onlyNew), await isRefused({ 'if-match': '"0"' })];
  if (refusesNew && refusesOther) return;
  const header = refusesNew ? 'If-Match' : 'If-None-Match';
  throw new ExtractError(
    'ERR_STATE',
    `"${options.shown}": the object store ignores the header ${header} of a PUT, so that two runs could use the state at once`,
    { remedy: 'Use a store that compares (AWS S3, Cloudflare R2, MinIO), a folder, or postgres:// for the state.' },
  );
}
