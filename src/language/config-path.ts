/** A place in a configuration: its path, and the problems found there. All problems are reported at once. */
import type { Problem } from '../core/errors/errors.js';
import type { Notice } from '../core/model/notice.js';

export interface ConfigPath {
  /** Dotted from the document's root, as written: `config.jobs[2].endpoint`. */
  readonly path: string;
  at(...steps: readonly (string | number)[]): ConfigPath;
  /** Another place of the same configuration, by its complete path. */
  elsewhere(path: string): ConfigPath;
  /** `message` says what was expected and which kind of value was found, never the value. */
  problem(message: string): void;
  warn(code: string, message: string): void;
  /** Reports something that is valid but rarely intended; not a warning, even with `strict`. */
  note(code: string, message: string): void;
}

export interface Diagnostics {
  readonly root: ConfigPath;
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
}

/** Creates an empty collection. The same problem at the same place is counted once. */
export function createDiagnostics(): Diagnostics {
  const problems = new Map<string, Problem>();
  const notices = new Map<string, Notice>();

  const addNotice = (level: Notice['level'], path: string, code: string, message: string) => {
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
    warn: (code, message) => addNotice('warning', path, code, message),
    note: (code, message) => addNotice('info', path, code, message),
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

/** Adds a step to a path: an index or an ambiguous name in brackets, another name after a dot. */
export function joinPath(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  if (!/^[#\w$-]+$/.test(step)) return `${path}[${JSON.stringify(step)}]`;
  return path === '' ? step : `${path}.${step}`;
}
