// Writes bench/results.md from the kept results: a Reading, the goals, the tables, and a plot (SVG) of those benches
// that have one; and the figures of README that come from a record. Each bench says in `goals`, `reading` and `plot`
// how its rows are to be read.
import { readFile, rm, writeFile } from 'node:fs/promises';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { writeReadmeFigures } from './readme-figures.js';

const folder = new URL('.', import.meta.url);

/** `files`: the file names of the benches. Benches without a kept result are left out. */
export async function writeResults(files) {
  const benches = [];
  for (const file of files) benches.push(await readBench(file));
  const kept = benches.filter(({ record }) => record !== undefined);
  for (const each of kept) await writePlot(each);
  const rivals = await readRecord('rivals');
  const parts = [...(await head(kept)), ...kept.flatMap(section), ...(rivals === undefined ? [] : others(rivals))];
  await writeFile(new URL('results.md', folder), `${parts.map(wrapped).join('\n').trimEnd()}\n`);
  await writeReadmeFigures();
}

/** Prose has at most 160 characters a line; a table row is one line. */
function wrapped(line) {
  if (line.startsWith('|')) return line;
  const indent = line.startsWith('- ') ? '  ' : '';
  const [first = '', ...words] = line.split(' ');
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= 160) lines[lines.length - 1] = longer;
    else lines.push(indent + word);
  }
  return lines.join('\n');
}

async function readBench(file) {
  const name = file.replace(/\.bench\.\w+$/, '');
  const [bench, record] = await Promise.all([import(new URL(file, folder).href), readRecord(name)]);
  return { name, file, record, ...(record === undefined ? {} : derived(bench, record)) };
}

const readRecord = (name) =>
  readFile(new URL(`results/${name}.json`, folder), 'utf8').then(JSON.parse, () => undefined);

/** A result of an older form of the bench has other columns: its table is shown, nothing is derived from it. */
function derived({ goals, reading, plot }, { rows }) {
  try {
    const found = { goals: goals?.(rows) ?? [], reading: reading?.(rows) ?? [], plot: plot?.(rows) };
    const numbers = [...found.goals, ...(found.plot?.bars ?? [])].map(({ value }) => value);
    const isWhole = numbers.every(Number.isFinite) && !/undefined|NaN/.test(found.reading.join());
    return isWhole ? found : { goals: [], reading: [] };
  } catch {
    return { goals: [], reading: [] };
  }
}

async function head(kept) {
  const machines = [...new Set(kept.map(({ record }) => record.machine))];
  const goals = kept.flatMap((bench) => bench.goals.map((goal) => ({ ...goal, name: bench.name })));
  return [
    '# Results',
    '',
    '`npm run bench` writes this page from the results in `bench/results/`. [The table of benches](README.md) has their questions.',
    '',
    ...machines.map((machine) => `- ${machine}`),
    `- ${await versions()}`,
    '- The generated API has the seed 1, unless a table says otherwise.',
    '',
    '## Reading',
    '',
    ...busy(kept),
    ...kept.flatMap(({ reading }) => reading.map((line) => `- ${line}`)),
    '',
    '## Goals',
    '',
    ...table(
      goals.map(({ what, goal, value, isLess = false, name }) => ({
        goal: what,
        wanted: `${isLess ? 'at most' : 'at least'} ${goal}`,
        measured: value,
        '': (isLess ? value <= goal : value >= goal) ? 'met' : '**not met**',
        bench: name,
      })),
    ),
    '',
  ];
}

/** Other work on the machine slows some variants more than others. */
function busy(kept) {
  const names = kept.filter(({ record }) => record['CPU of other work, %'] > 5).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    `Other work used the machine while these were measured: ${names.join(', ')}. Their figures are preliminary.`,
    '',
  ];
}

async function versions() {
  const { packages } = JSON.parse(await readFile(new URL('../package-lock.json', folder), 'utf8'));
  const shown = ['undici', 'got', 'axios', 'stream-json'].map(
    (name) => `${name} ${packages[`node_modules/${name}`]?.version}`,
  );
  return `rxtract ${packages[''].version}, ${shown.join(', ')}`;
}

function section({ name, file, record, plot }) {
  const others = record['CPU of other work, %'];
  return [
    `## ${record.question}`,
    '',
    `\`bench/${file}\`, ${record.machine.split(', ').at(-1)}. Other work took ${others ?? 'an unknown share'}${others === undefined ? '' : ' %'} of the CPU time meanwhile${others > 5 ? '; above 5 %, read only the ratios' : ''}.`,
    '',
    ...(plot === undefined ? [] : [`![${plot.title}](results/${name}.svg)`, '']),
    ...table(record.rows),
    '',
  ];
}

/** Tools of other languages, which `node bench/rivals/measure.mjs --record` has measured. */
function others({ question, machine, versions, missing, rounds, rows, 'CPU of other work, %': share }) {
  const reasons = Object.entries(missing).map(([name, reason]) => `Not measured: ${name} (${reason.split('\n')[0]}).`);
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `## ${question}`,
    '',
    `\`bench/rivals/measure.mjs\`, ${machine}, ${rounds} rounds, whole processes. Other work took ${share} % of the CPU time meanwhile. ${names.join(', ')}. ${reasons.join(' ')}`.trim(),
    '',
    ...table(rows),
    '',
  ];
}

function table(rows) {
  const heads = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value) =>
    typeof value === 'number' ? value.toLocaleString('en', { maximumFractionDigits: 3 }) : (value ?? '');
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const isNumber = (head) => rows.some((row) => typeof row[head] === 'number');
  return [
    line(heads),
    line(heads.map((head) => (isNumber(head) ? '---:' : '---'))),
    ...rows.map((row) => line(heads.map((head) => cell(row[head])))),
  ];
}

/** Light and dark, as the page that shows it. */
const style = `
  :root, svg { color: #1b1f24; --ours: #1f6feb; --others: #8c959f; background: none; }
  @media (prefers-color-scheme: dark) { :root, svg { color: #e6edf3; --ours: #58a6ff; --others: #6e7681; } }
  text { font: 13px system-ui, sans-serif; }
`;

/** One bar each, the value at its end. */
async function writePlot({ name, plot }) {
  const path = new URL(`results/${name}.svg`, folder);
  if (plot === undefined) return rm(path, { force: true });
  const { document } = parseHTML('<html><body></body></html>');
  const longest = Math.max(...plot.bars.map((bar) => bar.name.length));
  const svg = Plot.plot({
    document,
    width: 820,
    height: 60 + plot.bars.length * 30,
    marginLeft: Math.min(430, 20 + longest * 7),
    marginRight: 80,
    x: { axis: null, domain: [0, Math.max(...plot.bars.map(({ value }) => value))] },
    y: { label: null, domain: plot.bars.map((bar) => bar.name), tickSize: 0 },
    marks: [
      Plot.barX(plot.bars, {
        x: 'value',
        y: 'name',
        insetTop: 4,
        insetBottom: 4,
        fill: ({ isOurs }) => (isOurs ? 'var(--ours)' : 'var(--others)'),
      }),
      Plot.text(plot.bars, {
        x: 'value',
        y: 'name',
        text: ({ value }) => value.toLocaleString('en'),
        textAnchor: 'start',
        dx: 6,
      }),
    ],
  });
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', plot.title);
  const [, attributes = '', content = ''] = /^<svg([^>]*)>([\s\S]*)<\/svg>$/.exec(svg.outerHTML) ?? [];
  const plain = content.replace(/<style>[\s\S]*?<\/style>/, '');
  await writeFile(path, `<svg${attributes}><title>${plot.title}</title><style>${style}</style>${plain}</svg>\n`);
}
