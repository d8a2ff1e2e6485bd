/**
 * A place in a configuration: knows its path and collects the faults found there, so that all of them are told at once.
 */
import type { Problem } from '../core/errors/errors.js';
import type { Notice } from '../core/model/notice.js';

export interface ConfigPath {
  /** Dotted from the document's root, as written there: `config.jobs[2].endpoint`. */
  readonly path: string;
  at(...steps: readonly (string | number)[]): ConfigPath;
  /** Another place of the same configuration, by its whole path. */
  elsewhere(path: string): ConfigPath;
  /** `message` says what was expected and what kind of thing was found, never a value. */
  problem(message: string): void;
  warn(code: string, message: string): void;
  /** What is legal and yet seldom meant; no warning, not even to whoever is strict. */
  note(code: string, message: string): void;
}

export interface Diagnostics {
  readonly root: ConfigPath;
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
}

/** Starts with nothing found. A fault said twice at one place counts once. */
export function createFindings(): Diagnostics {
  const problems = new Map<string, Problem>();
  const notices = new Map<string, Notice>();

  const hear = (level: Notice['level'], path: string, code: string, message: string) => {
    const text = path === '' ? message : `${path}: ${message}`;
    notices.set(text, { level, code, message: text });
  };
  const place = (path: string): ConfigPath => ({
    path,
    at: (...steps) => place(steps.reduce<string>(joinPath, path)),
    elsewhere: place,
    problem(message) {
      problems.set(`${path}: ${message}`, { path, message });
    },
    warn: (code, message) => hear('warning', path, code, message),
    note: (code, message) => hear('info', path, code, message),
  });

  return {
    root: place(''),
    get problems() {
      return [...problems.values()];
    },
    get notices() {
      return [...notices.values()];
    },
  };
}

/** Adds a step to a path: a member after a dot, in brackets where its name would be misread, an index in brackets. */
export function joinPath(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  if (!/^[#\w$-]+$/.test(step)) return `${path}[${JSON.stringify(step)}]`;
  return path === '' ? step : `${path}.${step}`;
}
