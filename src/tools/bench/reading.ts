/** Says in plain words where the time of a run went. */
import { leastRuns } from './compare.js';
import { phases, type RunPhase } from './phases.js';
import type { BenchResult, Variant } from './result.js';

export interface PhaseText {
  readonly label: string;
  readonly meaning: string;
  /** What can be done if it takes most of the time. */
  readonly advice: string;
  /** More advice, for measurements without this option. */
  readonly untried?: { readonly option: string; readonly advice: string };
}

export const phaseTexts: Readonly<Record<RunPhase, PhaseText>> = {
  waiting: {
    label: 'waiting',
    meaning: 'for the first byte of a response',
    advice: 'The API and the way to it set the pace. Larger pages mean fewer waits.',
    untried: {
      option: 'prefetch',
      advice: 'With page numbers or offsets, `rxtract bench --sweep prefetch` shows what requests ahead give.',
    },
  },
  receiving: {
    label: 'receiving',
    meaning: 'waiting for more bytes of a body',
    advice: 'The API or the network sends slower than rxtract reads. Compression or fewer fields make bodies smaller.',
  },
  scanning: {
    label: 'scanning',
    meaning: 'finding, checking and copying the items',
    advice: 'rxtract itself sets the pace: one core is busy with the bytes of the bodies.',
  },
  sink: {
    label: 'sink',
    meaning: 'writing items',
    advice: 'The sink sets the pace. Compare with --to null:, which drops the items.',
  },
  login: {
    label: 'login',
    meaning: 'obtaining credentials, or the turn to do so',
    advice: 'Logins set the pace. Check that `expires` is right: with `expires: 0` every request logs in.',
  },
  limit: {
    label: 'rate limit',
    meaning: 'waiting as `rateLimit` or the API demands',
    advice: 'The rate limit sets the pace. Larger pages need fewer requests.',
  },
  retry: {
    label: 'retries',
    meaning: 'waiting before failed requests are sent again',
    advice: 'Failures of the API set the pace: see the number of retries.',
  },
  engine: {
    label: 'engine',
    meaning: 'between pages: next requests, start and end of the run',
    advice: 'Pages are so small that the work around them counts. Larger pages need less of it.',
  },
};

/** Phases with their shares, the largest first. */
export const byShare = (shares: Variant['shares']): readonly (readonly [phase: RunPhase, share: number])[] =>
  phases.map((phase) => [phase, shares[phase]] as const).sort(([, a], [, b]) => b - a);

export const percent = (share: number): string => `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;

/** A share that is worth a sentence. */
const notable = 0.2;
const worthTrying = 1.15;

/** One sentence or more for each phase that matters, and for each sweep. */
export function readingOf(result: BenchResult): readonly string[] {
  return [...phaseLines(result.shares, { ...result.sweeps, ...result.options }), ...sweepLines(result)];
}

/** A sentence or more for each phase that matters. `tried`: by the names of options. */
export const phaseLines = (shares: Variant['shares'], tried: object): readonly string[] =>
  byShare(shares)
    .filter(([, share], index) => index === 0 || share >= notable)
    .map(([phase, share]) => {
      const { label, meaning } = phaseTexts[phase];
      return `${percent(share)} of the time: ${label} (${meaning}). ${adviceFor(phase, tried)}`;
    });

function adviceFor(phase: RunPhase, tried: object): string {
  const { advice, untried } = phaseTexts[phase];
  return untried === undefined || Object.hasOwn(tried, untried.option) ? advice : `${advice} ${untried.advice}`;
}

function sweepLines({ sweeps, itemsPerSecond, quartiles }: BenchResult): readonly string[] {
  return Object.entries(sweeps).flatMap(([option, rows]) => {
    const best = rows.reduce<(typeof rows)[number] | undefined>(
      (top, row) => (top === undefined || row.itemsPerSecond > top.itemsPerSecond ? row : top),
      undefined,
    );
    if (best === undefined || itemsPerSecond === 0) return [];
    const ratio = best.itemsPerSecond / itemsPerSecond;
    const isClear = best.runs.length >= leastRuns && best.quartiles.itemsPerSecond[0] > quartiles.itemsPerSecond[1];
    const reason = best.runs.length < leastRuns ? `: fewer than ${leastRuns} runs show no noise` : '';
    return ratio < worthTrying || !isClear
      ? [`No value of --${option} is clearly faster than the options as given${reason}.`]
      : [`--${option} ${best.value} is ${ratio.toFixed(1)} times as fast as the options as given.`];
  });
}
