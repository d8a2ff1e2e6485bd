/** Counts the paths that ARCHITECTURE.md writes down: files that exist, in the order of the layers, within a budget. */
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

test('an item passes at most 45 files in 60 hops', () => {
  const hops = hopsBelow('The path of one item');
  assert.equal(missing(hops), []);
  assert.ok(hops.length > 30, `${hops.length} hops were found`);
  assert.ok(hops.length <= 60, `${hops.length} hops`);
  assert.ok(filesOf(hops).length <= 45, `${filesOf(hops).length} files`);
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

test.run();
