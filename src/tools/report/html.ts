/** The parts of which reports are made: pages that are one file, need no network, and have plots by uPlot. */
import { reportScript } from './page-script.js';
import { reportStyle } from './page-style.js';
import type { PlotData } from './plot-data.js';
import { plotLibrary } from './plot-library.js';

export interface PageParts {
  readonly title: string;
  /** HTML. */
  readonly sections: readonly string[];
  readonly plots: Partial<PlotData>;
}

/** Returns the HTML of a page, with the plotting library in it. */
export async function htmlPage({ title, sections, plots }: PageParts): Promise<string> {
  const library = await plotLibrary();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${library.style}${reportStyle}</style>
</head>
<body>
<h1>${escaped(title)}</h1>
${sections.join('\n')}
<script type="application/json" id="data">${inScript(JSON.stringify(plots))}</script>
<script>${library.script}</script>
<script>${reportScript}</script>
</body>
</html>
`;
}

/** In HTML, also within quotes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** JSON inside a script element. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c');

export const cards = (all: readonly string[]): string => `<div class="cards">${all.join('')}</div>`;

export const card = (label: string, value: string, note: string): string =>
  `<div class="card"><span class="soft">${escaped(label)}</span><b>${escaped(value)}</b><span class="soft">${escaped(note)}</span></div>`;

/** A row of texts: the first is a name, the others are numbers, but for those at `texts`. */
export const tableRow = (cells: readonly string[], texts: ReadonlySet<number> = none): string =>
  `<tr>${cells.map((cell, index) => `<td${classOf(index, texts)}>${escaped(cell)}</td>`).join('')}</tr>`;

export const numberTable = (
  heads: readonly string[],
  rows: readonly string[],
  texts: ReadonlySet<number> = none,
): string =>
  `<div class="wide"><table><tr>${heads
    .map((head, index) => `<th${index === 0 || texts.has(index) ? '' : ' class="n"'}>${escaped(head)}</th>`)
    .join('')}</tr>${rows.join('')}</table></div>`;

const none: ReadonlySet<number> = new Set();

const classOf = (index: number, texts: ReadonlySet<number>): string =>
  index === 0 ? ' class="name"' : texts.has(index) ? '' : ' class="n"';
