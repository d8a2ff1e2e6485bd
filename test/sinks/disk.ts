/** Disks for tests of sinks: real files whose writes wait, fail or take only a part, as a test decides. */
import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { OpenFile } from '../../sinks/files/output-file.js';

export type Write = (
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
) => Promise<{ bytesWritten: number }>;

/** Opens real files whose writes go through what `make` gives. */
export function withWrite(make: (real: Write) => Write, openFile: OpenFile = open): OpenFile {
  return async (path, flags) => {
    const handle = await openFile(path, flags);
    const write = make((bytes, offset, length, position) => handle.write(bytes, offset, length, position));
    return new Proxy(handle, {
      get: (target, name) => {
        const member: unknown = name === 'write' ? write : Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    }) satisfies FileHandle;
  };
}

/** As `fs.writeSync`. */
export type WriteNow = (bytes: Uint8Array, offset: number, length: number, position: number) => number;

/** Opens real files that take small writes at once, through what `make` gives; asynchronous writes are as always. */
export function withWriteNow(make: (real: WriteNow) => WriteNow): OpenFile {
  return async (path, flags) => {
    const handle = await open(path, flags);
    const writeNow = make((bytes, offset, length, position) => writeSync(handle.fd, bytes, offset, length, position));
    return Object.assign(handle, { writeNow });
  };
}

export const systemError = (code: string, errno: number) => Object.assign(new Error(`${code}: raw`), { code, errno });

export const diskFull = systemError('ENOSPC', -28);

/** A write that waits to hear what becomes of it. */
export interface HeldWrite {
  readonly text: string;
  /** All of it is written, or the first `length` bytes. */
  land(length?: number): void;
  fail(thrown: Error): void;
}

export interface HeldDisk {
  readonly openFile: OpenFile;
  /** Writes that wait, the earliest first. */
  readonly held: readonly HeldWrite[];
  /** Takes the earliest out, as soon as there is one. */
  next(): Promise<HeldWrite>;
}

/** A disk on which every write waits. */
export function heldDisk(): HeldDisk {
  const held: HeldWrite[] = [];
  let came = () => {};
  const openFile = withWrite(
    (real) => (bytes, offset, length, position) =>
      new Promise((resolve, reject) => {
        const text = Buffer.from(bytes.subarray(offset, offset + length)).toString();
        const land = (part = length) => resolve(real(bytes, offset, part, position));
        held.push({ text, land, fail: reject });
        came();
      }),
  );
  return {
    openFile,
    held,
    async next() {
      for (;;) {
        const first = held.shift();
        if (first !== undefined) return first;
        await new Promise<void>((resolve) => {
          came = resolve;
        });
      }
    },
  };
}
