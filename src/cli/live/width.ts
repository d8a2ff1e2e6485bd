/** Measures text by terminal cells: CJK and emoji are two wide. */
import stringWidth from 'string-width';

export const widthOf = (text: string): number => stringWidth(text);

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

export const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - widthOf(text))) + text;

/** Cuts the end of a text that is too wide. */
export function cutEnd(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  return width < 1 ? '' : `${fitting(graphemes(text), width - 1)}…`;
}

/** Cuts the middle of a name that is too wide: names often differ at their ends. */
export function cutMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  const parts = graphemes(text);
  const head = fitting(parts, Math.ceil((width - 1) / 2));
  const tail = fitting(parts.toReversed(), width - 1 - widthOf(head));
  return `${head}…${graphemes(tail).reverse().join('')}`;
}

/** Returns as many parts from the front as fit. */
function fitting(parts: readonly string[], width: number): string {
  let text = '';
  let left = width;
  for (const part of parts) {
    left -= widthOf(part);
    if (left < 0) break;
    text += part;
  }
  return text;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const graphemes = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment);
