/** Breaks a text into lines for a terminal. */

/** How wide a line of running text may be. */
const width = 100;

/** Breaks at spaces, all lines but the first behind `indent`; a word that is too long stands alone. */
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
