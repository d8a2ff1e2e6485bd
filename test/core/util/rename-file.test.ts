/** Renames on a system that holds files for a moment, as Windows does. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemError } from '../../../src/core/errors/system-error.js';
import { renameFile } from '../../../src/core/util/rename-file.js';

/** Renames where the first tries fail with these codes. Resolves to the code that is left, the tries and the waits. */
async function renamed(platform: string, codes: readonly string[]) {
  const left = [...codes];
  const waits: number[] = [];
  let tries = 0;
  const failure = await renameFile('a', 'b', {
    platform,
    async rename(from, to) {
      assert.equal([from, to], ['a', 'b']);
      tries += 1;
      const code = left.shift();
      if (code !== undefined) throw Object.assign(new Error(code), { code, errno: -1, syscall: 'rename' });
    },
    wait: async (ms) => void waits.push(ms),
  }).catch((thrown: unknown) => thrown);
  return { code: systemError(failure)?.code, tries, waits };
}

test('on Windows, a file that is open elsewhere is tried again, for a bounded time', async () => {
  assert.equal(await renamed('win32', []), { code: undefined, tries: 1, waits: [] });
  assert.equal(await renamed('win32', ['EPERM', 'EACCES', 'EBUSY']), {
    code: undefined,
    tries: 4,
    waits: [10, 30, 100],
  });
  const { code, tries, waits } = await renamed('win32', Array(20).fill('EPERM'));
  assert.equal([code, tries], ['EPERM', 7]);
  assert.ok(waits.reduce((sum, ms) => sum + ms, 0) < 3000);
});

test('another error, and every error elsewhere, is thrown at once', async () => {
  assert.equal(await renamed('win32', ['ENOENT']), { code: 'ENOENT', tries: 1, waits: [] });
  assert.equal(await renamed('linux', ['EPERM']), { code: 'EPERM', tries: 1, waits: [] });
});

test.run();
