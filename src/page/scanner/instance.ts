/** Instances of the compiled scanner: one module per process, whose instances are reused from scan to scan. */
import { wasm } from '../../generated/scanner-wasm.js';

/** The callbacks of an instance on the way to the items or to a captured value; see assembly/host.ts. */
export interface Host {
  name(state: number, at: number, length: number): number;
  element(state: number, index: number): number;
  wanted(state: number, from: number): number;
  open(state: number, first: number, captured: number, at: number): number;
  close(at: number, captured: number): void;
  overflow(): boolean;
  isEmpty(at: number, length: number): boolean;
  digest(digest: bigint): void;
}

/** The functions that assembly/scanner.ts exports. Addresses and lengths are in bytes. */
export interface Calls {
  readonly memory: { readonly buffer: ArrayBuffer };
  windowAt(): number;
  begin(batchBytes: number, maxItemBytes: number, maxCaptureBytes: number, fingerprint: boolean, state: number): void;
  /** Returns 0, or the number of a fault. */
  scan(from: number, to: number): number;
  faultAt(): number;
  cutPlace(): number;
  expected(): number;
  level(): number;
  isInObject(): number;
  endsInNumber(): number;
  slabAt(): number;
  slabLength(): number;
  offsetsAt(): number;
  itemCount(): number;
  dropSlab(): void;
  hashItems(): void;
  hashRest(): void;
}

export interface ScannerInstance {
  readonly calls: Calls;
  /** The whole memory. Read it again after each call: a grown memory has another buffer. */
  memory(): Buffer;
  /** Sets the host for the callbacks. */
  serve(host: Host): void;
}

/** The position of an instance in the document. */
export const placeOf = (calls: Calls) => ({ level: calls.level(), isInObject: calls.isInObject() !== 0 });

/** The part of WebAssembly used here; the Node types lack it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { host: Host }) => { readonly exports: unknown };
};

const idle: Host = {
  name: () => 0,
  element: () => 0,
  wanted: () => 0,
  open: () => 0,
  close: () => undefined,
  overflow: () => false,
  isEmpty: () => false,
  digest: () => undefined,
};

function createInstance(module: object): ScannerInstance {
  let host = idle;
  const relay: Host = {
    name: (state, at, length) => host.name(state, at, length),
    element: (state, index) => host.element(state, index),
    wanted: (state, from) => host.wanted(state, from),
    open: (state, first, captured, at) => host.open(state, first, captured, at),
    close: (at, captured) => host.close(at, captured),
    overflow: () => host.overflow(),
    isEmpty: (at, length) => host.isEmpty(at, length),
    digest: (digest) => host.digest(digest),
  };
  // The exports are those of assembly/scanner.ts, which the build compiled into `wasm`.
  const calls = new WebAssembly.Instance(module, { host: relay }).exports as Calls;
  let view = Buffer.from(calls.memory.buffer);
  return {
    calls,
    memory: () => {
      if (view.buffer !== calls.memory.buffer) view = Buffer.from(calls.memory.buffer);
      return view;
    },
    serve: (next) => {
      host = next;
    },
  };
}

/**
 * Memory limit of all pooled instances: enough for a hundred concurrent pages. Untouched memory costs only address
 * space.
 */
const mostKeptBytes = 256 << 20;

export interface Pool {
  take(): ScannerInstance;
  give(instance: ScannerInstance): void;
}

let compiled: object | undefined;

/** Compiles the scanner, once in a process; the first page does so otherwise. Flags of V8 apply to later modules. */
export function compileScanner(): object {
  compiled ??= new WebAssembly.Module(Buffer.from(wasm, 'base64'));
  return compiled;
}

/**
 * Creates a pool; compiles on first use. No scan sees state of another: each scan resets the layout of its instance.
 */
export function createPool(mostBytes = mostKeptBytes): Pool {
  const kept: ScannerInstance[] = [];
  let keptBytes = 0;
  return {
    take: () => {
      const instance = kept.pop();
      if (instance !== undefined) keptBytes -= sizeOf(instance);
      return instance ?? createInstance(compileScanner());
    },
    give: (instance) => {
      instance.serve(idle);
      if (keptBytes + sizeOf(instance) > mostBytes) return;
      keptBytes += sizeOf(instance);
      kept.push(instance);
    },
  };
}

const sizeOf = ({ calls }: ScannerInstance): number => calls.memory.buffer.byteLength;
