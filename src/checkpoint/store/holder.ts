/**
 * Who holds a lock: a process, that is known again though numbers of processes come again, and go by other names in a
 * container.
 */
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { systemError } from '../../core/errors/system-error.js';

/** A process, told from others of the same number, before it or on another machine. */
export interface Holder {
  readonly host: string;
  /** Where Linux numbers processes: containers of one host have spaces of their own; empty: the system does not say. */
  readonly space: string;
  readonly pid: number;
  /** When it started, as the system counts; empty: the system does not say. */
  readonly start: string;
}

/** The one that asks. */
export async function thisProcess(): Promise<Holder> {
  const space = await readlink('/proc/self/ns/pid').catch(() => '');
  return { host: hostname(), space, pid: process.pid, start: await startOf(process.pid) };
}

/** Reads it as JSON. Undefined: it was not written to its end. */
export function holderIn(content: string): Holder | undefined {
  try {
    const { host, space, pid, start } = JSON.parse(content);
    return { host: String(host), space: String(space), pid: Number(pid), start: String(start) };
  } catch {
    return undefined;
  }
}

/** Whether it lives, of a process of this machine and this container. */
export async function isRunning({ pid, start }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (systemError(thrown)?.code !== 'EPERM') return false;
  }
  const found = await startOf(pid);
  return start === '' || found === '' || found === start;
}

/** The ticks at which Linux has started the process; numbers of processes come again, and in a container soon. */
async function startOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
