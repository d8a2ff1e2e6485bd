/** Records as lines, each with its CRC-32 in front: a line that a killed process left incomplete does not count. */
import { crc32 } from 'node:zlib';
import { asBuffer } from '../../core/util/as-buffer.js';

const digits = 8;

/** Writes each as `<8 hexadecimal digits> <text>` and a newline. Texts have no newlines: they are compact JSON. */
export const linesOf = (records: readonly string[]): string =>
  records.map((text) => `${sumOf(text)} ${text}\n`).join('');

const sumOf = (text: string | Uint8Array): string => crc32(text).toString(16).padStart(digits, '0');

/** The longest line that `createLine` makes, in bytes. */
const mostBytes = 64 * 1024;

/**
 * Returns a function that writes one record as `linesOf` does, as bytes. Each call overwrites the bytes of the one
 * before. Undefined: the line may be longer than 64 KiB.
 */
export function createLine(): (text: string) => Uint8Array | undefined {
  const line = Buffer.allocUnsafeSlow(mostBytes);
  return (text) => {
    // A character has three bytes at most in UTF-8.
    if (digits + 2 + 3 * text.length > mostBytes) return undefined;
    const end = digits + 1 + line.write(text, digits + 1);
    line.write(`${sumOf(line.subarray(digits + 1, end))} `, 0, 'latin1');
    line[end] = 0x0a;
    return line.subarray(0, end + 1);
  };
}

/** Reads what `linesOf` wrote, up to the first incomplete or modified line: the lines after it cannot be trusted. */
export function recordsIn(lines: Uint8Array): readonly string[] {
  const records: string[] = [];
  const bytes = asBuffer(lines);
  for (let start = 0; ; ) {
    const end = bytes.indexOf('\n', start);
    if (end < 0) return records;
    const text = bytes.toString('utf8', start + digits + 1, end);
    if (bytes.toString('latin1', start, start + digits + 1) !== `${linesOf([text]).slice(0, digits)} `) return records;
    records.push(text);
    start = end + 1;
  }
}
