/** Reads what the headers of a response say about rate limits. */
import type { Answer } from './prober.js';

export interface FoundRate {
  /** What the headers say, for people. */
  readonly what: string;
  /** As `rateLimit` has it; absent: the headers name no period. */
  readonly rate?: string;
}

/** `RateLimit-Policy: "default";q=100;w=60`, `X-RateLimit-Limit: 60`. Undefined: there are none. */
export function findRate(headers: Answer['headers']): FoundRate | undefined {
  const of = (name: string) => [headers[name] ?? []].flat()[0];
  const policy = of('ratelimit-policy') ?? '';
  const most = /(?:^|[;,\s])q=(\d{1,9})/.exec(policy)?.[1] ?? /^\s*(\d{1,9})\s*;/.exec(policy)?.[1];
  const seconds = /;\s*w=(\d{1,9})/.exec(policy)?.[1];
  if (most !== undefined && seconds !== undefined && Number(most) > 0 && Number(seconds) > 0) {
    return {
      what: `${most} requests in ${seconds} s, which runs keep to`,
      rate: `${most}/${periodOf(Number(seconds))}`,
    };
  }
  const limit = of('x-ratelimit-limit') ?? of('ratelimit-limit') ?? of('x-rate-limit-limit');
  const left = of('x-ratelimit-remaining') ?? of('ratelimit-remaining') ?? of('x-rate-limit-remaining');
  if (limit === undefined && left === undefined && of('ratelimit') === undefined) return undefined;
  const figures = [...(limit === undefined ? [] : [`limit ${limit}`]), ...(left === undefined ? [] : [`${left} left`])];
  const note = figures.length === 0 ? 'the responses state it' : `the responses state it (${figures.join(', ')})`;
  return { what: `${note}; a run waits when no request is left` };
}

function periodOf(seconds: number): string {
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
  ] as const) {
    if (seconds % size === 0) return seconds === size ? unit : `${seconds / size}${unit}`;
  }
  return seconds === 1 ? 's' : `${seconds}s`;
}
