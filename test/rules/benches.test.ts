/** The table of bench/README.md, the benches that there are, the records of them and the figures of README agree. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wiresFigures } from '../../bench/readme-figures.js';
import { root, sources } from './sources.js';

const listed = [...readFileSync(join(root, 'bench/README.md'), 'utf8').matchAll(/^\| `([\w-]+(?:\.bench)?\.\w+)`/gm)];
const names = listed.map(([, name = '']) => name);

test('every bench is in the table', () => {
  const benches = sources('bench', /^bench\/[^/]+\.bench\.\w+$/).map(({ path }) => basename(path));
  assert.ok(benches.length > 0);
  assert.equal(
    benches.filter((name) => !names.includes(name)),
    [],
  );
});

for (const name of names) {
  test(`${name} has a record with its question, the machine and results`, () => {
    const record = join(root, 'bench', 'results', name.replace(/(\.bench)?\.\w+$/, '.json'));
    const { question, machine, rows } = JSON.parse(readFileSync(record, 'utf8'));
    assert.ok(readFileSync(join(root, 'bench', name), 'utf8').includes(question), `asks something else: ${question}`);
    assert.match(machine, /, Node v\d+\.\d+\.\d+, \w+, \d{4}-\d\d-\d\d$/);
    assert.ok(rows.length > 0);
  });
}

test('README has the figures of the record of wires', () => {
  const record = JSON.parse(readFileSync(join(root, 'bench/results/wires.json'), 'utf8'));
  const [, figures] = /<!-- figures: wires -->\n([\s\S]*)<!-- end of figures -->/.exec(
    readFileSync(join(root, 'README.md'), 'utf8'),
  ) ?? ['', ''];
  assert.is(figures, wiresFigures(record));
});

test('figures show the fastest tool of a row, whichever it is, and what was not measured', () => {
  const row = { protocol: 'https', items: 10, encoding: 'gzip' };
  const rows = [
    { ...row, tool: 'rxtract', 'pages/s': 1100 },
    { ...row, tool: 'faucet-stream', 'pages/s': 2000 },
    { ...row, tool: 'dlt', note: 'not installed' },
  ];
  const record = { machine: 'M', rounds: 3, rows, 'CPU of other work, %': 6 };
  const lines = wiresFigures(record).split('\n');
  assert.ok(lines.includes('| Pages of 10 items, gzip | 1,100 | - | - | **2,000** | - |'));
  assert.ok(lines.includes('| Pages of 1,000 items, br | - | - | - | - | - |'));
  assert.match(lines.at(-4) ?? '', /^M, medians of 3 rounds .* A dash was not measured\.$/);
  assert.is(lines.at(-3), 'Other work took 6 % of the CPU time meanwhile: preliminary.');
  assert.not.match(wiresFigures({ ...record, 'CPU of other work, %': 0 }), 'preliminary');
});

test.run();
