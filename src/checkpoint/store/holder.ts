/**
 * Identifies the process that holds a lock. Its number is not enough: numbers are used again, and differ in containers.
 */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { systemError } from '../../core/errors/system-error.js';

/** A process, distinct from others with the same number, earlier or on another machine. */
export interface Holder {
  readonly host: string;
  /** The PID namespace of Linux, as each container of a host has its own; empty: unknown. */
  readonly space: string;
  readonly pid: number;
  /** When it started, in the time of the system; empty: unknown. */
  readonly start: string;
}

/** The calling process. */
export async function thisProcess(): Promise<Holder> {
  const space = await readlink('/proc/self/ns/pid').catch(() => '');
  return { host: hostname(), space, pid: process.pid, start: (await statOf(process.pid)).start };
}

/** Reads a holder from JSON. Undefined: the JSON is incomplete. */
export function holderIn(content: string): Holder | undefined {
  try {
    const { host, space, pid, start } = JSON.parse(content);
    return { host: String(host), space: String(space), pid: Number(pid), start: String(start) };
  } catch {
    return undefined;
  }
}

/** Whether a process of this machine and container is alive. */
export async function isRunning({ pid, start }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (systemError(thrown)?.code !== 'EPERM') return false;
  }
  const { state, start: found } = await statOf(pid);
  if (state === 'Z' && (await hasNoOtherThread(pid))) return false;
  return start === '' || found === '' || found === start;
}

/**
 * A killed process keeps its number until its parent has asked how it ended, for ever if the parent never does, as in
 * a container without an init. Its other threads may still complete a write.
 */
const hasNoOtherThread = async (pid: number): Promise<boolean> =>
  (await readdir(`/proc/${pid}/task`).catch(() => [])).length <= 1;

interface ProcessStat {
  /** `Z`: it has ended. */
  readonly state: string;
  /** In clock ticks: process numbers are used again, in a container soon. */
  readonly start: string;
}

/** What Linux says of a process. Both are empty where it is unknown. */
async function statOf(pid: number): Promise<ProcessStat> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' '); // those after the name of the program
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}
