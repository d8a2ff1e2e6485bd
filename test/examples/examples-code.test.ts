/**
 * Runs the programs of chapter 9 against the sample API, and holds the chapter to them: its code, its outputs, its
 * figures.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inTemporary } from '../blackbox/command.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const chapter = read('docs/09-composing-streams.md');
const names = readdirSync(join(root, 'examples/code'))
  .filter((name) => name.endsWith('.ts') && name !== 'sample.ts')
  .map((name) => name.replace('.ts', ''));

/** What the program writes to standard output; it must end well. */
async function outputOf(name: string): Promise<string> {
  const words = [join(root, 'examples/code/try.mjs'), name];
  return inTemporary(async (cwd) => (await execute(process.execPath, words, { cwd })).stdout);
}

test('there are programs', () => {
  assert.ok(names.length >= 9, names.join(' '));
});

for (const name of names) {
  test(`${name}.ts is in the chapter, has less than 40 lines, and writes what the chapter shows`, async () => {
    const code = read(`examples/code/${name}.ts`);
    assert.ok(code.split('\n').length <= 40);
    const shown = chapter.split(`(../examples/code/${name}.ts)`)[1] ?? '';
    const [, snippet, output] = /^[^`]*```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/.exec(shown) ?? [];
    assert.fixture(snippet ?? '', code);
    assert.fixture(output ?? '', await outputOf(name));
  });
}

test('the figures are those that were recorded last', () => {
  const { rows } = JSON.parse(read('bench/results/run-ahead.json'));
  const shown = chapter
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, , pages]) => /^\d+$/.test(pages ?? ''))
    .map(([, consumer, pages, megabytes]) => [consumer?.replaceAll('`', ''), Number(pages), Number(megabytes)]);
  assert.equal(
    shown,
    rows.map((row: object) => Object.values(row)),
  );
});

test.run();
