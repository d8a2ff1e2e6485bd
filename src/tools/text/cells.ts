/**
 * Text by the cells of a terminal: measures, cuts and pads it for all displays. CJK and emoji are two cells wide. Cuts
 * take time by what is shown, not by the length of the text.
 */
import { stripVTControlCharacters } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';

/** The cells that a text takes, without its colours. */
export function widthOf(text: string): number {
  if (isNarrow(text)) return text.length;
  let width = 0;
  for (const part of graphemes(stripVTControlCharacters(text))) width += cellsOf(part);
  return width;
}

export const spaces = (count: number): string => ' '.repeat(Math.max(0, count));

export const padEnd = (text: string, width: number): string => text + spaces(width - widthOf(text));

export const padStart = (text: string, width: number): string => spaces(width - widthOf(text)) + text;

/** Cuts the end of a text that is too wide. */
export function cutEnd(text: string, width: number): string {
  const start = fitting(text, width);
  if (start.length === text.length) return text;
  return width < 1 ? '' : `${fitting(start, width - 1)}…`;
}

/** Cuts the middle of a name that is too wide: names often differ at their ends. */
export function cutMiddle(text: string, width: number): string {
  if (fitting(text, width).length === text.length) return text;
  if (width < 1) return '';
  const head = fitting(text, Math.ceil((width - 1) / 2));
  const end = text.slice(-mostUnits(width));
  const parts = [...graphemes(end)].slice(end.length < text.length ? 1 : 0); // the first may be a part of one
  let left = width - 1 - widthOf(head);
  const from = parts.findLastIndex((part) => {
    left -= cellsOf(part);
    return left < 0;
  });
  return `${head}…${parts.slice(from + 1).join('')}`;
}

/** Breaks a text into pieces that are not wider, anywhere between two characters: an address has no blanks. */
export function breakAnywhere(text: string, width: number): readonly string[] {
  const pieces: string[] = [];
  let [piece, left] = ['', width];
  for (const part of graphemes(text)) {
    const cells = cellsOf(part);
    if (cells > left && piece !== '') {
      pieces.push(piece);
      [piece, left] = ['', width];
    }
    piece += part;
    left -= cells;
  }
  return piece === '' ? pieces : [...pieces, piece];
}

/** Characters without a width could follow each other without an end. */
const mostUnits = (width: number): number => 64 + 16 * width;

/** The longest start that fits, of whole characters. */
function fitting(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  const most = mostUnits(width);
  const start = text.slice(0, most);
  if (isNarrow(start)) return start.slice(0, Math.max(0, width));
  let [end, left] = [0, width];
  for (const part of graphemes(text)) {
    left -= cellsOf(part);
    if (left < 0 || end + part.length > most) break;
    end += part.length;
  }
  return text.slice(0, end);
}

/** Latin, Greek and Cyrillic letters, digits and punctuation: a cell each, and nothing that combines. */
const isNarrow = (text: string): boolean =>
  /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027]*$/.test(text);

/** Each piece costs a copy of all that is segmented with it. */
const segmented = 64;
let segmenter: Intl.Segmenter | undefined; // slow to create, and most texts need none

/** What a reader takes for one character, such as a letter with its accents. One of more than 64 units is cut. */
function* graphemes(text: string): Iterable<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (let from = 0; from < text.length; ) {
    const piece = text.slice(from, from + segmented).replace(/[\uD800-\uDBFF]$/, '') || text.slice(from, from + 1);
    const parts = [...segmenter.segment(piece)].map(({ segment }) => segment);
    if (from + piece.length < text.length && parts.length > 1) parts.pop(); // it may go on
    yield* parts;
    for (const { length } of parts) from += length;
  }
}

/** The cells of one character, as most terminals show it. */
function cellsOf(grapheme: string): number {
  const [base, ...others] = grapheme.replace(/[\p{DI}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]+/gu, '');
  if (base === undefined) return 0;
  if (isEmoji(grapheme)) return 2;
  const beside = others.filter((each) => /[\p{Mc}\uff00-\uffef]/u.test(each) || beginsSyllable(each));
  return [base, ...beside].reduce((sum, each) => sum + eastAsianWidth(each.codePointAt(0) ?? 0), 0);
}

/** A flag, a keycap, a symbol shown as an emoji, or several that are joined to one. Others are wide by themselves. */
const isEmoji = (grapheme: string): boolean =>
  /^(?:\p{RI}\p{RI}$|[\d#*]\ufe0f?\u20e3$|\p{ExtPict}\ufe0f$|\p{ExtPict}.*\u200d\p{ExtPict})/su.test(grapheme);

/** The first letter of a syllable of Hangul that is written in parts, which share its two cells; or a whole one. */
const beginsSyllable = (letter: string): boolean => /[\u1100-\u115f\ua960-\ua97c\uac00-\ud7a3]/.test(letter);
