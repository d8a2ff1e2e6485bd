/** Checks the text of a configuration: the log of `rxtract validate` as findings with places. */

import { readJsonc, stepsOf } from './jsonc-tree.js';
import type { CheckFinding, CheckResult } from './page-messages.js';

/** A line of `--log json`. */
export interface LogLine {
  readonly event: string;
  readonly level: string;
  readonly code?: string;
  readonly message?: string;
  readonly problems?: readonly { readonly path: string; readonly message: string }[];
  readonly jobs?: readonly { readonly job: string; readonly parent?: string }[];
}

/** Each line that is one. */
export const logLines = (log: string): readonly LogLine[] =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** `text`: what was checked. */
export function checkResult(exit: number, lines: readonly LogLine[], text: string): CheckResult {
  const { root } = readJsonc(text);
  const parts = new Set(root?.members.map(({ name }) => name));
  const findings = lines.flatMap((line) => findingsOf(line, parts));
  const jobs = lines
    .flatMap((line) => line.jobs ?? [])
    .flatMap(({ job, parent }) => (parent === undefined ? [job] : []));
  return { isValid: exit === 0, findings, jobs };
}

function findingsOf(line: LogLine, parts: ReadonlySet<string>): readonly CheckFinding[] {
  const { event, level, code = '', message = '', problems } = line;
  if (event === 'error') {
    if (problems !== undefined && problems.length > 0) {
      return problems.map((each) => ({ level: 'error', code, path: each.path, message: each.message }));
    }
    const [, row, column, reason] = /^standard input:(\d+):(\d+): (.*)$/s.exec(message) ?? [];
    if (reason === undefined) return [{ level: 'error', code, message: withoutName(message) }];
    return [{ level: 'error', code, line: Number(row), column: Number(column), message: reason }];
  }
  if (event !== 'notice' || code === 'valid') return [];
  const [, path = '', rest] = /^([^\s:]+): (.*)$/s.exec(message) ?? [];
  const isPlaced = rest !== undefined && parts.has(String(stepsOf(path)[0]));
  const shown = level === 'warning' ? 'warning' : 'info';
  return [{ level: shown, code, ...(isPlaced ? { path, message: rest } : { message: withoutName(message) }) }];
}

const withoutName = (message: string): string => message.replace(/^standard input:? ?/, '');
