/** Parts in an object store: an object for each page, or for some MiB of it. Its metadata has the place of the page. */
import { createHash } from 'node:crypto';
import { ExtractError } from '../../src/core/errors/errors.js';
import { elementAt } from '../../src/core/util/element-at.js';
import type { S3Client } from '../s3/s3-client.js';
import { isAnswer } from '../s3/s3-errors.js';
import { createS3Folder, type ObjectText, type S3Folder } from '../s3/s3-folder.js';
import { checkWriting } from '../s3/s3-objects.js';
import { createSlots } from '../s3/upload-slots.js';
import { settleAll } from '../settle.js';
import { filesOf, manifestName, type OutputPart } from './part.js';
import { type PartPage, type PartStore, writtenMeanwhile } from './part-store.js';
import { pageHeader, S3Writer } from './s3-writer.js';

export interface S3PartsOptions {
  readonly client: S3Client;
  readonly bucket: string;
  /** With its last slash, or empty. */
  readonly prefix: string;
  /** The most bytes of an object, unless a batch has more; tests replace it. Default: 8 MiB. */
  readonly objectBytes?: number | undefined;
}

/** Most objects that are read ahead, or removed at once. */
const mostAtOnce = 4;

/** Opens no connection yet. */
export function createS3Parts(options: S3PartsOptions): PartStore {
  const { client, bucket, prefix } = options;
  const objects = createS3Folder(client, prefix);
  const removeAll = async (names: readonly string[]) => {
    const inSlot = createSlots(mostAtOnce);
    await settleAll(names.map((name) => inSlot(() => objects.remove(name))));
  };
  const urlOf = (name: string) => `s3://${bucket}/${prefix}${name}`;
  return {
    shown: `parts+${urlOf('')}`,
    nameOf: urlOf,
    check: () => checkWriting(client, `${prefix}rxtract-check`),
    begin: (process) => new S3Writer(objects, process, options.objectBytes),
    async verify(part) {
      const name = [...filesOf(part)].at(-1) ?? part.path;
      const [found] = await objects.names(name);
      if (found === name) return;
      throw new ExtractError('ERR_RESUME', `"${urlOf(name)}" is missing: the parts do not match the checkpoint`);
    },
    async cutBack(runFolder, member, parts) {
      const kept = new Set(parts.flatMap((part) => [...filesOf(part)]));
      const names = await objects.names(`${runFolder}/${member}/`);
      await removeAll(names.filter((name) => !kept.has(name)));
    },
    seal: async (part) => part, // no object is written twice
    pages: (part) => pagesOf(objects, part, urlOf),
    async readManifest() {
      const found = await objects.get(manifestName);
      return found && { text: found.text, version: found.etag };
    },
    async writeManifest(text, before) {
      const condition = before?.version === undefined ? { 'if-none-match': '*' } : { 'if-match': before.version };
      const headers = { 'content-type': 'application/json', ...condition };
      await objects.put(manifestName, Buffer.from(text), headers).catch(async (thrown: unknown) => {
        // An attempt whose answer was lost has written it.
        if (!isAnswer(thrown, 'PreconditionFailed', '412')) throw thrown;
        if ((await objects.get(manifestName))?.text !== text) throw writtenMeanwhile(urlOf(manifestName));
      });
    },
    removeRun: async (runFolder) => removeAll(await objects.names(`${runFolder}/`)),
    end: () => client.close(),
  };
}

/** Reads objects ahead. A page is in one object, or in some that follow one another. */
async function* pagesOf(
  objects: S3Folder,
  part: OutputPart,
  urlOf: (name: string) => string,
): AsyncGenerator<PartPage> {
  const hash = createHash('sha256');
  const all = readAhead(filesOf(part), async (name) => {
    const found = await objects.get(name);
    if (found === undefined) throw hasChanged(urlOf(name), 'it is missing');
    return found;
  });
  let next = await all.next();
  while (next.done !== true) {
    const place = String(next.value.headers[pageHeader]);
    const [origin, page, ...walk] = place.split(' ');
    async function* pieces() {
      for (; next.done !== true && String(next.value.headers[pageHeader]) === place; next = await all.next()) {
        const bytes = Buffer.from(next.value.text);
        hash.update(bytes);
        yield bytes;
      }
    }
    yield { ...elementAt(part.origins, Number(origin)), walk: walk.join(' '), page: Number(page), pieces };
  }
  if (hash.digest('hex') !== part.sha256) throw hasChanged(urlOf(part.path), 'its digest is another one');
}

const hasChanged = (url: string, why: string): ExtractError =>
  new ExtractError('ERR_SINK', `"${url}" has changed since it was written: ${why}`);

async function* readAhead(
  names: Iterable<string>,
  read: (name: string) => Promise<ObjectText>,
): AsyncGenerator<ObjectText, undefined> {
  const reading: Promise<ObjectText>[] = [];
  for (const name of names) {
    const started = read(name);
    started.catch(() => {}); // it is awaited later, or not at all
    reading.push(started);
    const first = reading.length >= mostAtOnce ? reading.shift() : undefined;
    if (first !== undefined) yield await first;
  }
  for (const each of reading) yield await each;
  return undefined;
}
