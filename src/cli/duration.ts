/** A span of time as a command line has it. */

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * Parses `90`, `90s`, `10m`, `1h30m`, `500ms` to milliseconds; a number alone is seconds. Returns `undefined` for other
 * texts and for zero. There is no upper bound.
 */
export function durationOf(text: string): number | undefined {
  if (/^\d+$/.test(text)) return positive(Number(text) * unitMs.s);
  if (!/^(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)(ms|[smhd])/g);
  return positive([...parts].reduce((sum, [, count = '', unit]) => sum + Number(count) * msOf(unit), 0));
}

const positive = (ms: number): number | undefined => (ms > 0 ? ms : undefined);

const msOf = (unit = ''): number => Object.entries(unitMs).find(([name]) => name === unit)?.[1] ?? 0;
