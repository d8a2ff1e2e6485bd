/** A step as text: verdict, name, time and message, none wider than the terminal. */
import { breakAnywhere, padEnd, padStart, spaces, widthOf } from '../text/cells.js';
import { wrap } from '../text/lines.js';
import type { Step, StepVerdict } from './steps.js';

const colors: Readonly<Record<StepVerdict, number>> = { ok: 32, warning: 33, failed: 31, skipped: 2 };

/** Narrower terminals have the message below the name. */
const wide = 80;

export interface StepScreen {
  /** Columns. */
  readonly width: number;
  readonly color: boolean;
}

/** The lines of a step. Ends with a line break. */
export function stepText({ step, subject, verdict, ms, message, todo }: Step, { width, color }: StepScreen): string {
  const name = padEnd(step, 'configuration'.length);
  const head = `${padEnd(verdict, 'warning'.length)}  ${name}  ${padStart(timeOf(verdict, ms), '99.99 s'.length)}`;
  const about = subject === undefined ? message : `${subject}: ${message}`;
  const isWide = width >= wide;
  const indent = spaces(isWide ? widthOf(head) + 2 : 'warning'.length + 2);
  const texts = [...about.split('\n'), ...(todo === undefined ? [] : [`To do: ${todo}`])];
  const lines = texts.flatMap((text) => broken(text, width - indent.length)).map((line) => `${indent}${line}`);
  const shown = isWide ? [`${head}  ${(lines[0] ?? '').trimStart()}`, ...lines.slice(1)] : [head, ...lines];
  const [first = '', ...others] = shown;
  const painted = color ? first.replace(/^\w+/, (word) => `\u001b[${colors[verdict]}m${word}\u001b[0m`) : first;
  return [painted, ...others].map((line) => `${line.trimEnd()}\n`).join('');
}

const timeOf = (verdict: StepVerdict, ms: number): string =>
  verdict === 'skipped' ? '' : ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(2)} s`;

/** Breaks at blanks, and within a word that is too long, such as an address. */
function broken(text: string, width: number): readonly string[] {
  return wrap(text, '', '', width).flatMap((line) => breakAnywhere(line, width));
}
