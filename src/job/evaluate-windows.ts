/** Evaluates the bounds of `windows` of a job, before its first request. docs/13-second-run.md#windows. */
import { isFault, rangeOf, type WindowRange } from '../config/partition/window-range.js';
import type { WindowSettings } from '../config/partition/windows.js';
import { ExtractError } from '../core/errors/errors.js';
import { type ExpressionContext, evaluate } from '../language/expression/expression.js';

/** `now` is the start of the run, which a resume keeps. Throws ERR_FUNCTION, and ERR_CONFIG for an empty range. */
export function evaluateWindows(settings: WindowSettings, context: ExpressionContext): WindowRange {
  const { from, to } = settings;
  const bounds = { from: evaluate(from, context).value, to: evaluate(to, context).value };
  const range = rangeOf(settings, bounds, startOfRun(context));
  if (!isFault(range)) return range;
  const problem = { path: `${settings.path}.${range.key}`, message: range.message };
  throw new ExtractError('ERR_CONFIG', `${problem.path}: ${problem.message}`, { problems: [problem] });
}

/** In epoch ms. */
function startOfRun({ references, now }: ExpressionContext): number {
  const seconds = references.get('time')?.('currentStart');
  return seconds === undefined ? (now?.() ?? 0) : Number(String(seconds.value)) * 1000;
}
