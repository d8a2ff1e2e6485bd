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
  utimesSync,
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

const today = Date.parse('2026-06-01T12:00:00Z');
const own = { userId, build: 'v1.0.0-a', now: () => today };

/** The folders that Node was given. */
function given(cacheFolder: string | undefined, more: Partial<typeof own> = {}): readonly string[] {
  const folders: string[] = [];
  cacheCode(cacheFolder, { ...own, enableCompileCache: (folder) => folders.push(folder), ...more });
  return folders;
}

test(
  'makes a folder that only this user can use',
  inTemporary((dir) => {
    const folder = join(dir, 'new', 'code', 'v1.0.0-a');
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

// `mkdir` of Node with `recursive` never ends there.
test('keeps no code where the system makes no folders', () => {
  if (process.platform === 'linux') assert.equal(given('/proc/rxtract'), []);
});

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
    assert.equal(given(join(dir, '.cache', 'rxtract')), [
      join(realpathSync(dir), 'disk', 'rxtract', 'code', 'v1.0.0-a'),
    ]);
  }),
);

test(
  'does nothing where there is no folder, or it cannot be made, or Node keeps no code',
  inTemporary((dir) => {
    assert.equal(given(undefined), []);
    writeFileSync(join(dir, 'file'), '');
    assert.equal(given(join(dir, 'file')), []);
    cacheCode(join(dir, 'unused'), { ...own, enableCompileCache: undefined });
    assert.is(existsSync(join(dir, 'unused')), false);
  }),
);

/** The age of each folder, in hours before today. */
function makeFolders(code: string, ages: Readonly<Record<string, number>>): void {
  for (const [name, hours] of Object.entries(ages)) {
    mkdirSync(join(code, name, 'v22.1.0-x64-0-0'), { recursive: true });
    writeFileSync(join(code, name, 'v22.1.0-x64-0-0', 'abc'), '');
    const at = today / 1000 - hours * 3600;
    utimesSync(join(code, name), at, at);
  }
}

test(
  'a new build removes folders of builds that were not used for a day, and nothing else',
  inTemporary((dir) => {
    const code = join(dir, 'code');
    makeFolders(code, { 'v0.9.0-b': 25, 'v0.9.1-c': 23, 'v22.1.0-x64-9ac5647c-0': 800, notes: 800 });
    mkdirSync(join(dir, 'elsewhere', 'kept'), { recursive: true });
    symlinkSync(join(dir, 'elsewhere'), join(code, 'v0.8.0-link'));
    assert.equal(given(dir), [join(code, 'v1.0.0-a')]);
    assert.equal(readdirSync(code).sort(), ['notes', 'v0.8.0-link', 'v0.9.1-c', 'v1.0.0-a']);
    assert.equal(readdirSync(join(dir, 'elsewhere')), ['kept']);
  }),
);

test(
  'a build that is used keeps its folder, and looks for others once an hour',
  inTemporary((dir) => {
    const code = join(dir, 'code');
    makeFolders(code, { 'v1.0.0-a': 0.5, 'v0.9.0-b': 25 });
    given(dir);
    assert.equal(readdirSync(code).sort(), ['v0.9.0-b', 'v1.0.0-a']);
    makeFolders(code, { 'v1.0.0-a': 2 });
    given(dir);
    assert.equal(readdirSync(code), ['v1.0.0-a']);
    assert.is(statSync(join(code, 'v1.0.0-a')).mtimeMs, today, 'so that no other build removes it');
  }),
);

test(
  'a folder of a build that another user can write to is not used',
  inTemporary((dir) => {
    if (userId === undefined) return;
    makeFolders(join(dir, 'code'), { 'v1.0.0-a': 0 });
    chmodSync(join(dir, 'code', 'v1.0.0-a'), 0o777);
    assert.equal(given(dir), []);
  }),
);

test('each build has a folder of its own', () => {
  assert.match(ownProcess({}).build, /^v\d+\.\d+\.\d+[\w.-]*-code-cache-node-\d+\.\d+\.\d+$/);
});

test(
  'a failure of Node is no failure of the command',
  inTemporary((dir) => {
    const enableCompileCache = () => {
      throw new Error('no');
    };
    cacheCode(dir, { ...own, enableCompileCache });
  }),
);

test('Node keeps no code while it measures coverage', () => {
  assert.is(ownProcess({ NODE_V8_COVERAGE: 'coverage' }).enableCompileCache, undefined);
  const isKnown = Number(process.versions.node.split('.')[0]) >= 22;
  assert.is(ownProcess({}).enableCompileCache !== undefined, isKnown);
});

test.run();
