/** Breaks a text into lines for a terminal. */

/** The width of running text. */
const width = 100;

/** Breaks at spaces; all lines but the first begin with `indent`. A longer word gets its own line. */
export function wrap(text: string, first: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
