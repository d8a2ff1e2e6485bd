/** Lines of a stream of bytes, a window at a time: for a reader that looks ahead and takes later. */

export interface LineWindow {
  /** Reads until the window has so many lines, or the stream has ended. Returns how many there are. */
  fill(lines: number): Promise<number>;
  /** The length of the first so many lines of the window, in bytes. */
  lengthOf(from: number, lines: number): number;
  /** The lines, with their ends. */
  parts(from: number, lines: number): readonly Uint8Array[];
  take(lines: number): void;
  /** Reads to the end, and returns how many lines were left. */
  drain(): Promise<number>;
}

const newline = 10;

/** The last line may lack its end. */
export function lineWindow(source: AsyncIterable<Uint8Array>): LineWindow {
  const chunks = source[Symbol.asyncIterator]();
  let lines: Uint8Array[] = [];
  /** Where each line ends, in bytes from any point. */
  let ends: number[] = [0];
  let rest: Uint8Array[] = [];
  let isOver = false;

  const push = (parts: readonly Uint8Array[]) => {
    const line = joined(parts);
    lines.push(line);
    ends.push((ends.at(-1) ?? 0) + line.length);
  };
  const add = (chunk: Uint8Array) => {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      push([...rest, chunk.subarray(from, at + 1)]);
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  };
  const read = async () => {
    const { done, value } = await chunks.next();
    if (done !== true) return add(value);
    isOver = true;
    if (rest.length > 0) push(rest);
    rest = [];
  };
  const fill = async (wanted: number) => {
    while (lines.length < wanted && !isOver) await read();
    return lines.length;
  };
  const parts = (from: number, many: number) => lines.slice(from, from + many);

  return {
    fill,
    parts,
    lengthOf: (from, many) => (ends[from + many] ?? 0) - (ends[from] ?? 0),
    take(many) {
      lines = lines.slice(many);
      ends = ends.slice(many);
    },
    async drain() {
      let left = 0;
      while ((await fill(1)) > 0) {
        left += lines.length;
        lines = [];
        ends = [0];
      }
      return left;
    },
  };
}

const joined = (parts: readonly Uint8Array[]): Uint8Array =>
  parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
