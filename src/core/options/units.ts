/** Sizes and times as texts, with one meaning everywhere. */

const powers: Readonly<Record<string, number>> = { '': 0, k: 1, m: 2, g: 3 };

/**
 * Parses `1000`, `64k`, `500MB`, `2GiB` to bytes: a prefix alone is decimal, `i` makes it binary. Case does not count.
 * Returns `undefined` for other texts.
 */
export function parseBytes(text: string): number | undefined {
  const [, digits, prefix = '', binary] = /^(\d+) ?(?:([kmg])(i(?=b))?b?)?$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * (binary === undefined ? 1000 : 1024) ** (powers[prefix.toLowerCase()] ?? 0);
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The unit of a number without one. */
export type TimeUnit = keyof typeof unitMs;

/** Parses `90s`, `10m`, `1h30m`, `7d`, `500ms`, or a number of `unit`, to ms. Returns `undefined` for other texts. */
export function parseDuration(text: string, unit: TimeUnit): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * unitMs[unit];
  if (!/^(?=\d)(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)(ms|[smhd])/g);
  return [...parts].reduce((sum, [, count = '', unit]) => sum + Number(count) * msOf(unit), 0);
}

const msOf = (unit = ''): number => Object.entries(unitMs).find(([name]) => name === unit)?.[1] ?? 0;

/** The same as text, with the largest unit that divides it. */
export function writeDuration(ms: number): string {
  if (ms === 0) return '0s';
  const [name = 'ms', size = 1] = Object.entries(unitMs).findLast(([, each]) => ms % each === 0) ?? [];
  return `${ms / size}${name}`;
}

const sizes = { GiB: 2 ** 30, MiB: 2 ** 20, GB: 1e9, MB: 1e6 } as const;

export function writeBytes(bytes: number): string {
  const [name = '', size = 1] = Object.entries(sizes).find(([, each]) => bytes % each === 0) ?? [];
  return `${bytes / size}${name}`;
}
