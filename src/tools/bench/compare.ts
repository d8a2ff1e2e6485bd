/** Reads an earlier result, and compares two results: a difference within the noise is called that. */
import { readFile } from 'node:fs/promises';
import { describeSystemError } from '../../core/errors/system-error.js';
import { usageError } from '../../core/util/check-value.js';
import { printable } from '../text/lines.js';
import { type BenchResult, figureNames, format, type RunFigures } from './result.js';

/** Reads a file of `--json`. Throws ERR_USAGE if it is none. */
export async function readOther(path: string): Promise<BenchResult> {
  const content = await readFile(path, 'utf8').catch((thrown: unknown) => {
    throw usageError(`--compare ${path}: cannot be read: ${describeSystemError(thrown)}`);
  });
  const value = parse(content);
  if (isResult(value))
    return { ...value, configuration: printable(value.configuration), startedAt: printable(value.startedAt) };
  throw usageError(`--compare ${path}: not a file that --json has written (its "format" would be "${format}")`);
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** Checks what the comparison reads. */
function isResult(value: unknown): value is BenchResult {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'format') !== format) return false;
  const { quartiles, runs, latency, configuration, startedAt, machine } = value as Partial<BenchResult>; // checked below
  const hasFigures = figureNames.every((name) => isNumber(Reflect.get(value, name)) && isPair(quartiles?.[name]));
  const hasLatency = [latency?.firstByte, latency?.body, latency?.total].every((each) => isNumber(each?.p50));
  const hasTexts = typeof configuration === 'string' && typeof startedAt === 'string' && typeof machine === 'object';
  return hasFigures && hasLatency && hasTexts && machine !== null && Array.isArray(runs);
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isPair = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isNumber);

export type ComparisonVerdict = 'better' | 'worse' | 'within the noise' | 'too few runs';

/** Fewer runs do not show how much they vary. */
export const leastRuns = 3;

export interface ComparedFigure {
  readonly name: keyof RunFigures;
  readonly before: number;
  readonly now: number;
  /** `now` divided by `before`; undefined: `before` is 0. */
  readonly ratio: number | undefined;
  readonly verdict: ComparisonVerdict;
}

const isBetterLarger = (name: keyof RunFigures): boolean => name.endsWith('PerSecond');

/**
 * Compares all figures. A difference counts if both results have three runs or more, and the ranges between the
 * quartiles do not overlap.
 */
export function compared(before: BenchResult, now: BenchResult): readonly ComparedFigure[] {
  const isEnough = Math.min(before.runs.length, now.runs.length) >= leastRuns;
  return figureNames.map((name) => {
    const [earlier, later] = [before.quartiles[name], now.quartiles[name]];
    const isLarger = later[0] > earlier[1];
    const isSmaller = later[1] < earlier[0];
    const isBetter = isBetterLarger(name) ? isLarger : isSmaller;
    return {
      name,
      before: before[name],
      now: now[name],
      ratio: before[name] === 0 ? undefined : now[name] / before[name],
      verdict: isEnough ? verdictOf(isLarger || isSmaller, isBetter) : 'too few runs',
    };
  });
}

const verdictOf = (isDifferent: boolean, isBetter: boolean): ComparisonVerdict => {
  if (!isDifferent) return 'within the noise';
  return isBetter ? 'better' : 'worse';
};

/** What the two results were not measured alike in; a comparison of these says little. */
export function differences(before: BenchResult, now: BenchResult): readonly string[] {
  const pairs: readonly (readonly [string, string, string])[] = [
    ['configuration', before.configuration, now.configuration],
    ['machine', machineText(before), machineText(now)],
    ['sinks', String(before.to), String(now.to)],
    ['options', JSON.stringify(before.options), JSON.stringify(now.options)],
  ];
  return pairs
    .filter(([, one, other]) => one !== other)
    .map(([what, one, other]) => `${what}: ${one} before, ${other} now`);
}

export const machineText = ({ machine }: Pick<BenchResult, 'machine'>): string =>
  `${machine.cores} x ${machine.cpu}, ${machine.platform}, Node ${machine.node}, rxtract ${machine.rxtract}`;
