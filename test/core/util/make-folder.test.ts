/** Makes folders with their parents, and fails where the system makes none. */
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemError } from '../../../src/core/errors/system-error.js';
import { makeFolder, makeFolderSync } from '../../../src/core/util/make-folder.js';

const inTemporary = (use: (dir: string) => Promise<void> | void) => async () => {
  const dir = mkdtempSync(join(tmpdir(), 'rxtract-'));
  try {
    await use(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
};

const codeOf = (thrown: unknown) => systemError(thrown)?.code;

test(
  'returns the first folder that it made',
  inTemporary(async (dir) => {
    assert.is(await makeFolder(join(dir, 'a', 'b', 'c')), join(dir, 'a'));
    assert.is(await makeFolder(join(dir, 'a', 'b', 'd')), join(dir, 'a', 'b', 'd'));
    assert.is(await makeFolder(join(dir, 'a', 'b')), undefined);
    assert.is(await makeFolder('/'), undefined);
    assert.is(makeFolderSync(join(dir, 'e', 'f'), 0o700), join(dir, 'e'));
    assert.is(makeFolderSync(join(dir, 'e', 'f'), 0o700), undefined);
    assert.is(statSync(join(dir, 'e')).mode & 0o777, 0o700);
    assert.ok(existsSync(join(dir, 'e', 'f')));
  }),
);

test(
  'a file in its place, or above it, is an error',
  inTemporary(async (dir) => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below')]) {
      const code = path === file ? 'EEXIST' : 'ENOTDIR';
      assert.is(await makeFolder(path).catch(codeOf), code);
      assert.throws(
        () => makeFolderSync(path),
        (thrown: unknown) => codeOf(thrown) === code,
      );
    }
  }),
);

const inLinux = process.platform === 'linux' ? test : test.skip;

// `mkdir` of Node with `recursive` never ends there: the system answers ENOENT although the parent exists.
inLinux('ends where the system makes no folders', async () => {
  assert.is(await makeFolder('/proc/rxtract/a').catch(codeOf), 'ENOENT');
  assert.throws(
    () => makeFolderSync('/proc/rxtract/a'),
    (thrown: unknown) => codeOf(thrown) === 'ENOENT',
  );
});

test.run();
