/** Records as lines, each with its CRC-32 in front: a line that a killed process left incomplete does not count. */
import { crc32 } from 'node:zlib';

/** Writes each as `<8 hexadecimal digits> <text>` and a newline. Texts have no newlines: they are compact JSON. */
export const linesOf = (records: readonly string[]): string =>
  records.map((text) => `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`).join('');

const digits = 8;

/** Reads what `linesOf` wrote, up to the first incomplete or modified line: the lines after it cannot be trusted. */
export function recordsIn(lines: Uint8Array): readonly string[] {
  const records: string[] = [];
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\n', start);
    if (end < 0) return records;
    const text = bytes.toString('utf8', start + digits + 1, end);
    if (bytes.toString('latin1', start, start + digits + 1) !== `${linesOf([text]).slice(0, digits)} `) return records;
    records.push(text);
    start = end + 1;
  }
}
