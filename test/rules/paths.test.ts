/**
 * Compares ARCHITECTURE.md with the sources. Its paths name files that exist, in the order of the layers, within a
 * budget; its tables of steps are the lists of the pipelines.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from './sources.js';

const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

interface Hop {
  readonly file: string;
  /** It calls a function that an earlier file gave it. */
  readonly isAround: boolean;
}

/** The hops of the first block of code below a heading. */
function hopsBelow(heading: string): readonly Hop[] {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`));
  const [, block = ''] = /```\n([\s\S]*?)```/.exec(section) ?? [];
  return [...block.matchAll(/^(around )?(\S+\.ts) /gm)].map(([, around, file = '']) => ({
    file,
    isAround: around !== undefined,
  }));
}

const filesOf = (hops: readonly Hop[]): readonly string[] => [...new Set(hops.map(({ file }) => file))];
const missing = (hops: readonly Hop[]): readonly string[] =>
  filesOf(hops).filter((file) => !existsSync(join(root, file)));

test('an item passes at most 38 files in 45 hops', () => {
  const hops = hopsBelow('The path of one item');
  assert.equal(missing(hops), []);
  assert.ok(hops.length > 30, `${hops.length} hops were found`);
  assert.ok(hops.length <= 45, `${hops.length} hops`);
  assert.ok(filesOf(hops).length <= 38, `${filesOf(hops).length} files`);
});

test('a configuration value passes at most 35 files', () => {
  const hops = hopsBelow('The path of a configuration value');
  assert.equal(missing(hops), []);
  assert.ok(hops.length > 25 && filesOf(hops).length <= 35, `${filesOf(hops).length} files`);
});

test('an item passes at most 45 files into PostgreSQL', () => {
  const hops = hopsBelow('The path of an item into PostgreSQL');
  assert.equal(missing(hops), []);
  assert.ok(hops.length > 40 && filesOf(hops).length <= 45, `${filesOf(hops).length} files`);
});

test('an item never returns to an earlier layer', () => {
  const rooms = ['src/cli', 'src/run', 'src/http', 'src/page', 'sinks', 'src/core'];
  const ways = hopsBelow('The path of one item').filter(({ isAround }) => !isAround);
  const levels = ways.map(({ file }) => rooms.findIndex((room) => file.startsWith(`${room}/`)));
  assert.not.ok(levels.includes(-1));
  assert.equal(
    levels,
    [...levels].sort((a, b) => a - b),
  );
});

test('a credential passes at most 10 files', () => {
  const hops = hopsBelow('The path of a credential');
  assert.equal(missing(hops), []);
  assert.ok(hops.length > 5 && filesOf(hops).length <= 10, `${filesOf(hops).length} files`);
});

/** The functions that a pipeline imports from a folder, in the order in which its lists call them. */
function stepsOf(file: string, folder: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const imports = [...source.matchAll(/^import \{([^}]+)\} from '([^']+)';$/gm)];
  const body = source.slice(imports.reduce((end, { index, 0: text }) => Math.max(end, index + text.length), 0));
  return imports
    .filter(([, , path = '']) => path.startsWith(`./${folder}/`))
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .map((name) => ({ name, at: body.search(new RegExp(`\\b${name}\\(`)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

/** The names in the first column of the table below a heading: code spans that are no files. */
function rowsBelow(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const [, rows = ''] = /\|---\|---\|\n([\s\S]*?)\n\n/.exec(section) ?? [];
  const cells = rows.split('\n').map((row) => row.split('|')[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

test('the steps of a request are those of the pipeline, in its order', () => {
  const steps = stepsOf('src/http/pipeline.ts', 'interceptors');
  assert.equal(rowsBelow('A request'), steps);
  assert.ok(page.includes(`\na page    ${steps.join(' > ')} > transport\n`), `a page    ${steps.join(' > ')}`);
});

test('the steps of a page are those of the pipeline, in its order', () => {
  assert.equal(rowsBelow('A page'), stepsOf('src/page/page-pipeline.ts', 'stages'));
});

test('a checkpoint crosses at most 12 files', () => {
  const hops = hopsBelow('The path of a checkpoint');
  assert.equal(missing(hops), []);
  assert.ok(hops.length > 8 && filesOf(hops).length <= 12, `${filesOf(hops).length} files`);
});

test.run();
