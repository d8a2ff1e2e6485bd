/** Reads and changes Markdown: what is prose in it, its headings and their anchors, and names of code. */

/** A block of code, with a fence of three signs or more. */
const fenced = /^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1$/gm;

/** Applies `change` to each part that is neither a block of code nor code in a line. */
export function mapProse(text, change) {
  return mapParts(text, fenced, (part) => mapParts(part, /(`+)[^`][\s\S]*?(?<!`)\1(?!`)/g, change));
}

let marks = 0;

/** Applies `change` to what is between the matches. */
function mapParts(text, pattern, change) {
  const held = new Map();
  // A mark that no page has takes the place of a match, so that `change` sees links around code as a whole. Each mark
  // has a number of its own, as `change` may hold parts of what it sees.
  const hold = (match) => {
    const mark = `\u{f0000}${marks++}\u{f0001}`;
    held.set(mark, match);
    return mark;
  };
  return change(text.replace(pattern, hold)).replace(/\u{f0000}\d+\u{f0001}/gu, (mark) => held.get(mark) ?? mark);
}

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');

export const titleOf = (text) => (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');

/** The heading that an anchor leads to. */
export const headingAt = (text, anchor) =>
  [...text.replace(fenced, '').matchAll(/^#+ (.+)$/gm)]
    .map(([, each]) => each)
    .find((each) => anchorOf(each) === anchor);

/** Makes a link of each name in code that `find` has an address for: the first in a section, outside of headings. */
export function linkCode(text, find) {
  return text
    .split(/^(?=## )/m)
    .map((section) => {
      const seen = new Set();
      return mapParts(section, fenced, (part) =>
        part
          .split('\n')
          .map((line) => (line.startsWith('#') ? line : linkInLine(line, seen, find)))
          .join('\n'),
      );
    })
    .join('');
}

const linkInLine = (line, seen, find) =>
  mapParts(line, /\[[^\]]*\]\([^)]*\)/g, (part) =>
    part.replace(/(?<!`)`([^`]+)`(?!`)/g, (code, name) => {
      const address = find(name);
      if (address === undefined || seen.has(address)) return code;
      seen.add(address);
      return `[${code}](${address})`;
    }),
  );
