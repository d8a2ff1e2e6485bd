/** The folder of compiled code: used where Node can, and only if no other user can write to it. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheCode, ownProcess } from '../../src/cli/code-cache.js';

const userId = process.getuid?.();

const inTemporary = (use: (dir: string) => void) => () => {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), 'rxtract-'));
  try {
    use(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
};

/** The folders that Node was given. */
function given(cacheFolder: string | undefined, more: { readonly userId?: number } = {}): readonly string[] {
  const folders: string[] = [];
  cacheCode(cacheFolder, { enableCompileCache: (folder) => folders.push(folder), userId, ...more });
  return folders;
}

test(
  'makes a folder that only this user can use',
  inTemporary((dir) => {
    const folder = join(dir, 'new', 'code');
    assert.equal(given(join(dir, 'new')), [folder]);
    if (userId !== undefined) assert.is(statSync(folder).mode & 0o777, 0o700);
    assert.equal(given(join(dir, 'new')), [folder], 'and uses it again');
  }),
);

test(
  'uses no folder that another user owns or can write to, and no link',
  inTemporary((dir) => {
    if (userId === undefined) return;
    assert.equal(given(join(dir, 'a'), { userId: userId + 1 }), []);
    mkdirSync(join(dir, 'b', 'code'), { recursive: true });
    chmodSync(join(dir, 'b', 'code'), 0o777);
    assert.equal(given(join(dir, 'b')), []);
    mkdirSync(join(dir, 'c'));
    symlinkSync(join(dir, 'a', 'code'), join(dir, 'c', 'code'));
    assert.equal(given(join(dir, 'c')), []);
  }),
);

test(
  'uses no folder that another user could replace, and makes nothing in it',
  inTemporary((dir) => {
    if (userId === undefined) return;
    mkdirSync(join(dir, 'open'));
    chmodSync(join(dir, 'open'), 0o777);
    assert.equal(given(join(dir, 'open', 'rxtract')), []);
    assert.equal(readdirSync(join(dir, 'open')), []);
    symlinkSync(join(dir, 'open'), join(dir, 'link'));
    assert.equal(given(join(dir, 'link', 'rxtract')), []);
    chmodSync(join(dir, 'open'), 0o1777);
    assert.equal(given(join(dir, 'open', 'rxtract')).length, 1, 'as in /tmp, others cannot rename what is in it');
  }),
);

test(
  'root makes nothing in the home of another user, as sudo without its HOME would',
  inTemporary((dir) => {
    if (userId !== 0) return;
    chownSync(dir, 12_345, 12_345);
    assert.equal(given(join(dir, '.cache', 'rxtract')), []);
    assert.equal(readdirSync(dir), []);
  }),
);

test(
  'a link of the user to a folder of the user is followed',
  inTemporary((dir) => {
    mkdirSync(join(dir, 'disk'));
    symlinkSync(join(dir, 'disk'), join(dir, '.cache'));
    assert.equal(given(join(dir, '.cache', 'rxtract')), [join(realpathSync(dir), 'disk', 'rxtract', 'code')]);
  }),
);

test(
  'does nothing where there is no folder, or it cannot be made, or Node keeps no code',
  inTemporary((dir) => {
    assert.equal(given(undefined), []);
    writeFileSync(join(dir, 'file'), '');
    assert.equal(given(join(dir, 'file')), []);
    cacheCode(join(dir, 'unused'), { enableCompileCache: undefined, userId });
    assert.is(existsSync(join(dir, 'unused')), false);
  }),
);

test(
  'a failure of Node is no failure of the command',
  inTemporary((dir) => {
    const enableCompileCache = () => {
      throw new Error('no');
    };
    cacheCode(dir, { enableCompileCache, userId });
  }),
);

test('Node keeps no code while it measures coverage', () => {
  assert.is(ownProcess({ NODE_V8_COVERAGE: 'coverage' }).enableCompileCache, undefined);
  const isKnown = Number(process.versions.node.split('.')[0]) >= 22;
  assert.is(ownProcess({}).enableCompileCache !== undefined, isKnown);
});

test.run();
