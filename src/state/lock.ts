/** A lock file that says who holds it: a second run is kept out, and what a killed one has left keeps nobody out. */
import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, readlink, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { asyncScheduler } from 'rxjs';
import { ExtractError } from '../errors.js';

export interface Lock {
  /** Shows to other machines that its holder lives. Done each second by itself. */
  touch(): Promise<void>;
  /** Throws ERR_STATE where another run has taken it meanwhile, as `touch` has found: from a machine that stood still nothing was heard. */
  mustBeHeld(): void;
  release(): Promise<void>;
}

/** A process, told from others of the same number, before it or on another machine. */
export interface Holder {
  readonly host: string;
  /** Where Linux numbers processes: containers of one host have spaces of their own; empty: the system does not say. */
  readonly space: string;
  readonly pid: number;
  /** When it started, as the system counts; empty: the system does not say. */
  readonly start: string;
}

export interface LockOptions {
  readonly me?: Holder;
  /** Settles when a holder on another machine would have touched its lock. */
  readonly watch?: () => Promise<unknown>;
}

/** Takes the lock. Throws ERR_STATE with the holder where one lives. */
export async function takeLock(path: string, { me, watch = fewSeconds }: LockOptions = {}): Promise<Lock> {
  const own = me ?? (await thisProcess());
  const mine = JSON.stringify(own);
  while (!(await create(path, mine, own)) && !(await takeOver(path, mine, own, watch))) {}
  let isLost = false;
  const touch = async () => {
    const found = await contentOf(path).catch(() => mine);
    isLost ||= found !== mine;
    if (isLost) return;
    const seconds = asyncScheduler.now() / 1000;
    await utimes(path, seconds, seconds).catch(() => {});
  };
  const beat = setInterval(() => void touch(), 1000).unref();
  return {
    touch,
    mustBeHeld() {
      if (isLost)
        throw new ExtractError('ERR_STATE', `another run has taken "${path}" meanwhile, as this one stood still`);
    },
    async release() {
      clearInterval(beat);
      if ((await contentOf(path)) === mine) await unlink(path).catch(() => {});
    },
  };
}

/**
 * Takes the place of a holder that lives no more. Of many one has the claim to follow it: the file that is named by what the holder wrote,
 * and becomes the lock. Nobody else replaces that lock, so a claim is good if the lock still reads the same once it is held. False: look again.
 * Throws ERR_STATE where the holder lives, or who has the claim.
 */
async function takeOver(path: string, mine: string, own: Holder, watch: () => Promise<unknown>): Promise<boolean> {
  const found = await contentOf(path);
  if (found === undefined) return false;
  const { files, last } = await line(path, found);
  const holder = holderIn(last);
  if (holder !== undefined && (await lives(files.at(-1) ?? path, holder, own, watch))) throw inUse(path, holder);
  const claim = claimTo(path, last);
  if (!(await create(claim, mine, own))) return false;
  if ((await contentOf(path)) !== found) {
    await unlink(claim);
    return false;
  }
  await rename(claim, path);
  await Promise.all(files.slice(1).map((file) => unlink(file).catch(() => {})));
  return true;
}

/** The lock, and the claims of those who died before they could follow; `last` is what the last of them wrote. */
async function line(
  path: string,
  found: string,
): Promise<{ readonly files: readonly string[]; readonly last: string }> {
  const files = [path];
  let last = found;
  for (;;) {
    const next = await contentOf(claimTo(path, last));
    if (next === undefined || next === last) return { files, last };
    files.push(claimTo(path, last));
    last = next;
  }
}

const claimTo = (path: string, content: string): string =>
  `${path}.after-${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;

const fewSeconds = () => sleep(4000);

async function thisProcess(): Promise<Holder> {
  const space = await readlink('/proc/self/ns/pid').catch(() => '');
  return { host: hostname(), space, pid: process.pid, start: await startOf(process.pid) };
}

/** The ticks at which Linux has started the process; numbers of processes come again, and in a container soon. */
async function startOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** False: somebody has it. Its content is there from the first moment on, as it comes by a link. */
async function create(path: string, content: string, { pid }: Holder): Promise<boolean> {
  const draft = `${path}.${pid}-${randomUUID()}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    return await createPlainly(path, content, thrown);
  } finally {
    await unlink(draft).catch(() => {});
  }
}

/** For file systems without links. */
async function createPlainly(path: string, content: string, why: unknown): Promise<boolean> {
  if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(codeOf(why))) throw why;
  try {
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

const codeOf = (thrown: unknown): string => (thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '');

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** Undefined: it was not written to its end. */
function holderIn(content: string): Holder | undefined {
  try {
    const { host, space, pid, start } = JSON.parse(content);
    return { host: String(host), space: String(space), pid: Number(pid), start: String(start) };
  } catch {
    return undefined;
  }
}

/** Of processes on other machines, or in other containers, nothing is known but whether they touch their lock. */
async function lives(path: string, holder: Holder, me: Holder, watch: () => Promise<unknown>): Promise<boolean> {
  if (holder.host === me.host && holder.space === me.space) return isRunning(holder);
  const before = await touchedAt(path);
  await watch();
  return (await touchedAt(path)) !== before;
}

const touchedAt = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

async function isRunning({ pid, start }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (codeOf(thrown) !== 'EPERM') return false;
  }
  const found = await startOf(pid);
  return start === '' || found === '' || found === start;
}

function inUse(path: string, { host, pid }: Holder): ExtractError {
  return new ExtractError('ERR_STATE', `another run is using it: process ${pid} on ${host} holds "${path}"`);
}
