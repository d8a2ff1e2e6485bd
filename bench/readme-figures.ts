/**
 * The figures of README that a record holds: rxtract and other tools over TLS, with compressed bodies. Rivals that win
 * a row are shown like rxtract. Written with bench/results.md; a test compares README with the record.
 */
import { readFile, writeFile } from 'node:fs/promises';

const folder = new URL('.', import.meta.url);
const readme = new URL('../README.md', folder);
const begin = '<!-- figures: wires -->\n';
const end = '<!-- end of figures -->';

/** A record of `wires.bench.mjs`. */
interface WiresRecord {
  readonly machine: string;
  readonly rounds?: number;
  readonly 'CPU of other work, %': number;
  readonly rows: readonly WiresRow[];
}

/** One tool over one wire; a tool that was not measured has a note in place of figures. */
interface WiresRow {
  readonly tool: string;
  readonly protocol?: string;
  readonly items?: number;
  readonly encoding?: string;
  readonly 'pages/s'?: number;
}

const tools = {
  rxtract: 'rxtract',
  'hand-written loop': 'undici loop',
  'requests + orjson': 'requests, orjson',
  'faucet-stream': 'faucet-stream',
  dlt: 'dlt',
};
const cases = [1000, 10].flatMap((items) => ['gzip', 'br'].map((encoding) => ({ items, encoding })));

/** Writes the figures of the kept record into README, between their marks. */
export async function writeReadmeFigures(): Promise<void> {
  const record: WiresRecord = JSON.parse(await readFile(new URL('results/wires.json', folder), 'utf8'));
  const text = await readFile(readme, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md lacks ${begin.trim()} or ${end}`);
  await writeFile(readme, `${text.slice(0, from + begin.length)}${wiresFigures(record)}${text.slice(to)}`);
}

/** A table of the record, in pages/s, the fastest tool of each row in bold, and how it was measured. */
export function wiresFigures({ machine, rounds = 5, rows, 'CPU of other work, %': share }: WiresRecord): string {
  const rateOf = (tool: string, items: number, encoding: string) =>
    rows.find(
      (row) => row.protocol === 'https' && row.tool === tool && row.items === items && row.encoding === encoding,
    )?.['pages/s'];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = cases.map(({ items, encoding }) => {
    const rates = Object.keys(tools).map((tool) => rateOf(tool, items, encoding));
    const most = Math.max(...rates.map((rate) => rate ?? 0));
    const cells = rates.map((rate) => (rate === most ? `**${shown(rate)}**` : shown(rate)));
    return line([`Pages of ${items.toLocaleString('en')} items, ${encoding}`, ...cells]);
  });
  const busy = share > 5 ? `\nOther work took ${share} % of the CPU time meanwhile: preliminary.` : '';
  return [
    '',
    line(['https, pages/s', ...Object.values(tools)]),
    `|---|${'---|'.repeat(Object.keys(tools).length)}`,
    ...lines,
    '',
    `${machine}, medians of ${rounds} rounds (\`npm run bench -- wires\`). A dash was not measured.${busy}`,
    '',
    '',
  ].join('\n');
}

const shown = (rate: number | undefined): string => rate?.toLocaleString('en') ?? '-';
