/** The test runner, on test files written for it: what it counts and names, and what it treats as a failure. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inTemporary } from './blackbox/command.js';
import { root } from './rules/sources.js';

const execute = promisify(execFile);
const head = `import { test } from 'uvu';\nimport { testWhere } from '../where.js';\n`;
const good = `test('good', () => {});\n`;

const files = {
  'a/good.test.ts': `${head}${good}test.run();\n`,
  'a/some.test.ts': `${head}${good}testWhere('there is no x')('needs x', () => {});\ntest.run();\n`,
  'a/all.test.ts': `${head}testWhere('there is no x')('needs x', () => {});\ntest.run();\n`,
  'b/bad.test.ts': `${head}${good}test('bad', () => { throw new Error('broken'); });\ntest.run();\n`,
  'b/forgotten.test.ts': `${head}${good}`,
  'b/single.test.ts': `${head}${good}test.${'only'}('alone', () => {});\ntest.run();\n`,
  'b/crash.test.ts': `${head}${good}test.run();\nqueueMicrotask(() => { throw new Error('crashed'); });\n`,
  'fuzz/long.test.ts': `${head}${good}test.run();\n`,
};

/** Runs the runner on these files. Resolves to its lines and its exit code. */
function runner(...words: readonly string[]): Promise<{ readonly lines: readonly string[]; readonly exit: number }> {
  return inTemporary(async (directory) => {
    for (const name of ['run.mjs', 'run-file.mjs', 'where.ts', 'support/threads.mjs']) {
      await mkdir(join(directory, 'test', name, '..'), { recursive: true });
      await copyFile(join(root, 'test', name), join(directory, 'test', name));
    }
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    await writeFile(join(directory, 'package.json'), '{"type": "module"}');
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(directory, 'test', path, '..'), { recursive: true });
      await writeFile(join(directory, 'test', path), content);
    }
    const { stdout, code } = await execute(process.execPath, ['test/run.mjs', ...words], { cwd: directory }).then(
      ({ stdout }) => ({ stdout, code: 0 }),
      ({ stdout, code }) => ({ stdout, code }),
    );
    return { lines: stdout.trimEnd().split('\n'), exit: code };
  });
}

test('skipped tests are counted and named in the last lines, and do not pass; long files wait for --long', async () => {
  const { lines, exit } = await runner('^test/a/');
  assert.is(exit, 0, lines.join('\n'));
  assert.equal([...lines.slice(-3)].sort(), [
    '2 passed, 0 failed, 2 skipped',
    'skipped: test/a/all.test.ts: 1, as there is no x',
    'skipped: test/a/some.test.ts: 1, as there is no x',
  ]);
  assert.is(lines.at(-1), '2 passed, 0 failed, 2 skipped');
});

test('a failed test, a file that runs none, a test singled out and a crash are failures', async () => {
  const { lines, exit } = await runner();
  assert.is(exit, 1);
  const failed = lines.flatMap((line) => /^FAIL (\S+)/.exec(line)?.[1] ?? []);
  assert.equal([...failed].sort(), [
    'test/b/bad.test.ts',
    'test/b/crash.test.ts',
    'test/b/forgotten.test.ts',
    'test/b/single.test.ts',
  ]);
  assert.match(lines.at(-1) ?? '', /^\d+ passed, 4 failed, 2 skipped$/);
  assert.not.ok(lines.some((line) => line.includes('fuzz/long')));
});

test('--long runs the long files alone', async () => {
  const { lines, exit } = await runner('--long');
  assert.is(exit, 0, lines.join('\n'));
  assert.match(lines[0] ?? '', /^ok {3}test\/fuzz\/long\.test\.ts/);
  assert.is(lines.at(-1), '1 passed, 0 failed, 0 skipped');
});

test.run();
