/**
 * The files of one data type: they arrive in a folder with a temporary name, which takes its final name when the run
 * has succeeded.
 */
import { type FileHandle, lstat, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, type ExactObject, isObject, stringifyExact } from '../../src/core/json/exact.js';
import { type Batch, createBatch } from '../../src/core/model/batch.js';
import type { PagePlace } from '../../src/core/model/batch-place.js';
import { digestOf } from '../../src/core/util/digest.js';
import { makeFolder } from '../../src/core/util/make-folder.js';
import { renameFile } from '../../src/core/util/rename-file.js';
import type { Earlier, FileDraft, FilePlace } from '../contract.js';
import { refused } from '../errors.js';
import { openDraft, removeNote } from './file-draft.js';
import { createFolder } from './folder.js';
import { partialOf } from './parts.js';

/** The name of a file, and the members of its item that have it. */
interface AskedName {
  readonly name: string;
  readonly members: FilePlace['members'] | undefined;
}

interface TakenFile {
  /** Of its page. */
  readonly key: string;
  readonly asked: AskedName;
  readonly name: string;
}

type CurrentRun = Pick<Earlier, 'isStored' | 'epoch' | 'phase'>;

/** All methods reject with ERR_SINK, or ERR_RESUME. */
export class FileFolder {
  readonly #path: string;
  /** Files that arrive, or whose item is not written yet: by page. */
  readonly #parts: string;
  readonly #files: string;
  /** The names in `files`, a line each: written before a file takes its name, so that a resume finds what to remove. */
  readonly #names: string;
  readonly #run: CurrentRun;
  /** Complete files without an item, by page. */
  readonly #waiting = new Map<string, AskedName>();
  /** Since the last commit. */
  #taken: TakenFile[] = [];
  #log: FileHandle | undefined = undefined;
  #length = 0;
  #committed = 0;
  #isPublished = false;

  constructor(path: string, run: CurrentRun) {
    this.#path = path;
    this.#parts = join(partialOf(path), 'parts');
    this.#files = join(partialOf(path), 'files');
    this.#names = join(partialOf(path), 'names');
    this.#run = run;
  }

  /** Throws ERR_RESUME if the folder is not as it was at the commit that has returned this length. */
  async check(length: number): Promise<void> {
    const isThere = await exists(this.#files);
    if (!isThere && this.#run.phase === 'publishing') return;
    const size = (await stat(this.#names).catch(() => undefined))?.size ?? 0;
    if (isThere && size >= length) return;
    throw new ExtractError('ERR_RESUME', `"${partialOf(this.#path)}" has lost files of the run`);
  }

  /** Opens the folder as it was at that commit; 0: there was none. */
  open(length: number): Promise<void> {
    return this.#doing('open', async () => {
      const { epoch, phase, isStored } = this.#run;
      if (length > 0 && phase === 'publishing' && !(await exists(this.#files))) {
        this.#isPublished = true;
        return this.#clean();
      }
      await this.#putBack();
      if (epoch === 1) await remove(partialOf(this.#path));
      else if (length === 0) await remove(this.#files);
      await makeFolder(this.#parts);
      await makeFolder(this.#files);
      if (isStored) await this.#openLog(length);
    });
  }

  begin({ name, members, ...place }: FilePlace): Promise<FileDraft> {
    return this.#doing('write', async () => {
      const key = keyOf(place);
      this.#waiting.delete(key);
      const draft = await openDraft(join(this.#parts, key));
      const end = async () => {
        const ended = await draft.end();
        this.#waiting.set(key, { name, members });
        return ended;
      };
      const { left } = draft;
      return {
        ...(left === undefined ? {} : { left }),
        begin: (bytes, version) => draft.begin(bytes, version),
        write: (chunk) => draft.write(chunk),
        end,
        leave: () => draft.leave(),
      };
    });
  }

  /** Gives the file of an item its name. Returns the item, which has another name if that was taken. */
  take(batch: Batch): Batch | Promise<Batch> {
    const key = keyOf(batch);
    const asked = this.#waiting.get(key);
    if (asked === undefined) return batch;
    return this.#doing('write', async () => {
      const name = await this.#freeName(asked.name, key);
      await this.#note(`${name}\n`);
      this.#waiting.delete(key);
      this.#taken.push({ key, asked, name });
      await renameFile(join(this.#parts, key), join(this.#files, name));
      await removeNote(join(this.#parts, key));
      return name === asked.name ? batch : renamed(batch, asked, name);
    });
  }

  /** The files count. Returns what `check` and `open` of another process need. */
  commit(): number {
    this.#taken = [];
    this.#committed = this.#length;
    return this.#committed;
  }

  rollback(): Promise<void> {
    return this.#doing('write', async () => {
      for (const { key, asked, name } of this.#taken.splice(0)) {
        await renameFile(join(this.#files, name), join(this.#parts, key));
        this.#waiting.set(key, asked);
      }
      this.#length = this.#committed;
      await this.#log?.truncate(this.#committed);
    });
  }

  /** Settles when the names survive a power cut: the files do when they are complete. */
  async sync(): Promise<void> {
    const folder = createFolder(this.#files);
    folder.touch();
    if (!this.#isPublished) await folder.sync();
  }

  /** The folder takes its final name, in place of an earlier one. `isAdding`: an empty one is none. */
  publish(isAdding: boolean): Promise<void> {
    return this.#doing('publish', async () => {
      if (this.#isPublished) return;
      await this.#leaveLog();
      await this.sync();
      if (isAdding && (await readdir(this.#files)).length === 0) return this.#clean();
      await remove(replacedOf(this.#path));
      await renameFile(this.#path, replacedOf(this.#path)).catch(ignoreMissing);
      await renameFile(this.#files, this.#path);
      this.#isPublished = true;
      const parent = createFolder(dirname(this.#path));
      parent.touch();
      await parent.sync();
      await this.#clean();
    });
  }

  /** Removes the files of the run; an earlier folder stays. */
  drop(): Promise<void> {
    return this.#doing('remove', async () => {
      await this.#leaveLog();
      await this.#clean();
    });
  }

  /** The run has failed. What can be continued stays; without a state that is nothing. */
  leave(): Promise<void> {
    return this.#doing('close', async () => {
      await this.#leaveLog();
      if (!this.#run.isStored) await remove(partialOf(this.#path));
    });
  }

  async #openLog(length: number): Promise<void> {
    this.#log = await open(this.#names, length === 0 ? 'w' : 'r+');
    const size = (await this.#log.stat()).size;
    const later = Buffer.alloc(size - length);
    await this.#log.read(later, 0, later.length, length);
    for (const name of later.toString().split('\n')) if (name !== '') await remove(join(this.#files, name));
    await this.#log.truncate(length);
    this.#length = length;
    this.#committed = length;
  }

  async #note(line: string): Promise<void> {
    if (this.#log === undefined) return;
    const { bytesWritten } = await this.#log.write(line, this.#length);
    await this.#log.datasync();
    this.#length += bytesWritten;
  }

  async #leaveLog(): Promise<void> {
    const log = this.#log;
    this.#log = undefined;
    await log?.close();
  }

  /** A run that was killed while it published may have left the earlier folder under the name of a replaced one. */
  async #putBack(): Promise<void> {
    if (!(await exists(this.#path))) await renameFile(replacedOf(this.#path), this.#path).catch(ignoreMissing);
  }

  async #clean(): Promise<void> {
    await remove(partialOf(this.#path));
    await remove(replacedOf(this.#path));
  }

  /** Two files of one name: the later one gets digits of its page, before its extension. */
  async #freeName(name: string, key: string): Promise<string> {
    const end = extname(name);
    const start = name.slice(0, name.length - end.length);
    for (let length = 0; ; length += 8) {
      const free = length === 0 ? name : `${start}-${key.slice(0, length)}${end}`;
      if (!(await exists(join(this.#files, free)))) return free;
    }
  }

  async #doing<T>(verb: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      throw refused(`${verb} "${partialOf(this.#path)}"`, thrown);
    }
  }
}

const keyOf = ({ walk, page }: Pick<PagePlace, 'walk' | 'page'>): string => digestOf(`${walk} ${page}`);

const replacedOf = (path: string): string => `${path}.replaced`;

const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5 });

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return false;
      throw thrown;
    },
  );

function ignoreMissing(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOENT') throw thrown;
}

/** The item with another name: that of its file. */
function renamed(batch: Batch, asked: AskedName, name: string): Batch {
  const [item] = batch.exact();
  if (!isObject(item)) return batch;
  const { members = likelyMembers(item, asked.name) } = asked;
  const changed = [...item].map(([member, value]): [string, Exact] =>
    value === asked.name && members.includes(member) ? [member, name] : [member, value],
  );
  const bytes = Buffer.from(`${stringifyExact(new Map(changed))}\n`);
  return createBatch(batch, { bytes, offsets: Uint32Array.of(0, bytes.length), count: 1 }, batch.offset);
}

/** A transform may have given the name another member: the first one with this value. */
const likelyMembers = (item: ExactObject, name: string): readonly string[] =>
  item.get('name') === name
    ? ['name']
    : [...item].flatMap(([member, value]) => (value === name ? [member] : [])).slice(0, 1);
