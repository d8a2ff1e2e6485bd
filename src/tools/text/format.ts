/** Numbers and durations for people, and how long something takes. */

/** `12,000`. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 page`, `12,000 pages`. */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(value)} ${value === 1 ? noun : plural}`;

const units = ['kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in powers of 1000: `512 B`, `4.1 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes / 1000;
  let unit = 0;
  // From 999.95 up the result would be 1000.0.
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** A duration: `0:12`, `12:03`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [s, m, h] = [seconds % 60, Math.floor(seconds / 60) % 60, Math.floor(seconds / 3600)];
  const two = (value: number) => String(value).padStart(2, '0');
  return h === 0 ? `${m}:${two(s)}` : `${h}:${two(m)}:${two(s)}`;
}

/** Measures real time, also while a replay has a clock of its own. The result returns the ms since the call. */
export function startTimer(): () => number {
  const begun = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - begun) / 1e6;
}

/** A share from 0 to 1, rounded down: what is not done is below `100 %`. */
export const percent = (share: number): string => `${Math.floor(share * 100)} %`;
