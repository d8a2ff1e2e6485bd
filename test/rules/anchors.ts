/** The anchors that GitHub makes of the headings of a page. */

/**
 * Lower case, spaces as hyphens, other signs gone; a heading that repeats an earlier one gets `-1`, `-2` and so on.
 * Blocks of code have no headings.
 */
export function anchorsIn(page: string): ReadonlySet<string> {
  const prose = page.replace(/^```[\s\S]*?^```$/gm, '');
  const plain = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    plain.map((anchor, index) => {
      const before = plain.slice(0, index).filter((each) => each === anchor).length;
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}
