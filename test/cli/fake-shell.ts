/** A shell for tests: records output and sends signals. */
import { Readable, Writable } from 'node:stream';
import type { Shell, Signal } from '../../src/cli/shell.js';

export interface FakeShell extends Shell {
  out(): string;
  err(): string;
  /** Lines on standard error, each parsed. */
  events(): readonly Event[];
  signal(name: Signal): void;
  fault(thrown: unknown): void;
  warn(warning: Error): void;
  /** Codes that the process was ended with at once. */
  readonly exits: readonly number[];
  /** How many listeners for signals, faults and warnings there are. */
  listeners(): number;
}

export interface Event {
  readonly event: string;
  readonly [member: string]: unknown;
}

export interface FakeShellOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
}

/** Does not touch the process of the test. */
export function fakeShell({ stdin = '', env = {}, isTTY = false }: FakeShellOptions = {}): FakeShell {
  const out = recorder();
  const err = recorder();
  const signals = new Set<(signal: Signal) => void>();
  const faults = new Set<(thrown: unknown) => void>();
  const warnings = new Set<(warning: Error) => void>();
  const exits: number[] = [];

  return {
    stdin: () => Readable.from([Buffer.from(stdin)]),
    isInteractive: isTTY,
    stdout: out.stream,
    stderr: Object.assign(err.stream, { isTTY }),
    env,
    onSignal: (hear) => listen(signals, hear),
    onFault: (hear) => listen(faults, hear),
    onWarning: (hear) => listen(warnings, hear),
    setFlags: () => {},
    cacheCode: () => {},
    exit: (code) => void exits.push(code),
    out: out.text,
    err: err.text,
    events: () =>
      err
        .text()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    signal(name) {
      for (const hear of signals) hear(name);
    },
    fault(thrown) {
      for (const hear of faults) hear(thrown);
    },
    warn(warning) {
      for (const hear of warnings) hear(warning);
    },
    exits,
    listeners: () => signals.size + faults.size + warnings.size,
  };
}

function listen<T>(all: Set<T>, one: T): () => void {
  all.add(one);
  return () => void all.delete(one);
}

function recorder() {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream, text: () => text };
}
