/** How long a server of HTTP asks to wait before the next attempt. */

/** A longer wait ends the run, in ms: 10 minutes. */
export const longestWait = 600_000;

/** `Retry-After` in ms: seconds, or a date compared with that of the response; without it 0. RFC 9110 10.2.3. */
export function retryAfterOf(headers: Readonly<Record<string, string | string[] | undefined>>): number {
  const { 'retry-after': after, date } = headers;
  if (after === undefined) return 0;
  if (/^\d+$/.test(String(after))) return Number(after) * 1000;
  const ms = Date.parse(String(after)) - Date.parse(String(date));
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
