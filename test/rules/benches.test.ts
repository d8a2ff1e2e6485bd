/** The table of bench/README.md, the benches that there are and the records that are kept of them agree. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
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

test.run();
