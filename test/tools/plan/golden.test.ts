/**
 * Plans, held to files: one for each rule about requests. `UPDATE=1 node test/run.mjs tools/plan` writes them anew;
 * read what has changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere } from '../../blackbox/command.js';
import { root } from '../../rules/sources.js';
import { rules } from './rules.js';

const folder = join(root, 'test/tools/plan/golden');

for (const [rule, document] of Object.entries(rules)) {
  test(rule.replaceAll('-', ' '), async () => {
    const { exit, stdout, stderr } = await commandHere(['plan', '-'], { stdin: JSON.stringify(document) });
    assert.is(exit, 0, stderr);
    assert.not.match(stdout, /hunter2/);
    const shown = stdout
      .replaceAll(/rxtract\/\d[\w.-]*/g, 'rxtract/0.0.0')
      .replaceAll(/\d{8}T\d{6}Z/g, '20260101T000000Z')
      .replaceAll(/\/\d{8}\//g, '/20260101/');
    const path = join(folder, `${rule}.txt`);
    if (process.env.UPDATE === '1') writeFileSync(path, shown);
    assert.is(shown, readFileSync(path, 'utf8'));
  });
}

test('each file is that of a rule', () => {
  assert.equal(
    readdirSync(folder).sort(),
    Object.keys(rules)
      .map((rule) => `${rule}.txt`)
      .sort(),
  );
});

test.run();
