/** The one file that the page reads and writes. */
import { createHash } from 'node:crypto';
import { readFile, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { describeSystemError } from '../../core/errors/system-error.js';
import { usageError } from '../../core/util/check-value.js';

export interface ConfigFile {
  readonly path: string;
  /** Rejects with ERR_USAGE if it cannot be read, and is no UTF-8. */
  read(): Promise<ConfigContent>;
  /**
   * Replaces the file, which is the old one or the new one at any time. Resolves with the new version. Rejects with
   * ERR_USAGE if it has another version by now, or cannot be written.
   */
  write(text: string, version: string): Promise<string>;
}

export interface ConfigContent {
  readonly text: string;
  /** A digest; empty: there is no file. */
  readonly version: string;
}

export function configFile(path: string): ConfigFile {
  const bytes = () =>
    readFile(path).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return undefined;
      throw usageError(`${path}: cannot be read: ${describeSystemError(thrown)}`);
    });
  const versionOf = (content: Buffer | undefined) => (content === undefined ? '' : digest(content));
  return {
    path,
    async read() {
      const content = await bytes();
      return { text: content === undefined ? '' : textOf(content, path), version: versionOf(content) };
    },
    async write(text, version) {
      if (versionOf(await bytes()) !== version) throw usageError(`${path} ${changed}`);
      const content = Buffer.from(text);
      await replace(path, content).catch((thrown: unknown) => {
        throw usageError(`${path}: cannot be written: ${describeSystemError(thrown)}`);
      });
      return digest(content);
    },
  };
}

const changed = 'has changed on the disk since the page read it: nothing was written. Load it again, or keep your text';

/** The rights of the file stay, and so does a link to it. */
async function replace(path: string, content: Buffer): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = await stat(target).then(
    (found) => found.mode,
    () => 0o600,
  );
  const partial = `${target}.${process.pid}.partial`;
  try {
    await writeFile(partial, content, { mode, flush: true });
    await rename(partial, target);
  } catch (thrown) {
    await unlink(partial).catch(() => {});
    throw thrown;
  }
}

const digest = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** With its byte-order mark, which a save keeps. */
function textOf(content: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw usageError(`${path}: it is not valid UTF-8`);
  }
}
