/** What the site of the repository reads: workflows, and forms of issues. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { inside } from '../package/installed.js';
import { root } from '../rules/sources.js';
import { testWhere } from '../where.js';
import { linter } from './linter.js';

run('forms of issues have unique ids, and labels for each field', async () => {
  const folder = join(root, '.github', 'ISSUE_TEMPLATE');
  for (const file of (await readdir(folder)).filter((name) => name !== 'config.yml')) {
    const { name, description, body } = parse(await readFile(join(folder, file), 'utf8'));
    assert.ok(name && description, file);
    const fields = body.filter(({ type }: { readonly type: string }) => type !== 'markdown');
    const ids = fields.map(({ id }: { readonly id: string }) => id);
    assert.is(new Set(ids).size, fields.length, file);
    for (const { attributes } of fields) assert.type(attributes.label, 'string', file);
  }
});

const actionlint = linter('actionlint');
testWhere(actionlint === undefined ? 'actionlint is not installed' : undefined)(
  'actionlint finds nothing in the workflows',
  async () => {
    assert.is(await inside(root, actionlint ?? '', ['-no-color']).catch(({ stdout }) => stdout), '');
  },
);

run('the workflow tests each Node that the package supports, on each system', async () => {
  const { jobs } = parse(await readFile(join(root, '.github', 'workflows', 'ci.yml'), 'utf8'));
  const { matrix } = jobs.test.strategy;
  assert.equal(matrix, { os: ['ubuntu-latest', 'macos-latest', 'windows-latest'], node: [20, 22, 24] });
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const majors = engines.node.matchAll(/(?:\^|>=)(\d+)/g);
  for (const [, major] of majors) assert.ok(matrix.node.includes(Number(major)), major);
});

run.run();
