/** Numbers for people. */

/** `1 234 567`, with spaces that do not break. */
export const grouped = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');

/** `1.2 k`, for axes and cards. */
export function short(value: number): string {
  const found = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const;
  const unit = found.find(([size]) => Math.abs(value) >= size);
  return unit === undefined ? String(+value.toPrecision(3)) : `${+(value / unit[0]).toPrecision(3)} ${unit[1]}`;
}

/** `4.2 MB`. */
export const bytes = (value: number): string => (value < 1000 ? `${value} B` : `${short(value)}B`);

/** `7.2 s`, `0:42`, `1:02:09`. */
export function clock(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}
