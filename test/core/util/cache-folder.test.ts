import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheFolder } from '../../../src/core/util/cache-folder.js';

const system = (platform: string) => ({ platform, homedir: () => '/home/ada' });

for (const [what, env, platform, folder] of [
  ['the home', {}, 'linux', '/home/ada/.cache/rxtract'],
  ['the home of a Mac', {}, 'darwin', '/home/ada/Library/Caches/rxtract'],
  ['XDG_CACHE_HOME', { XDG_CACHE_HOME: '/var/cache/ada' }, 'linux', '/var/cache/ada/rxtract'],
  ['XDG_CACHE_HOME of a Mac', { XDG_CACHE_HOME: '/var/cache/ada' }, 'darwin', '/var/cache/ada/rxtract'],
  ['an empty XDG_CACHE_HOME', { XDG_CACHE_HOME: '' }, 'linux', '/home/ada/.cache/rxtract'],
  ['a relative XDG_CACHE_HOME', { XDG_CACHE_HOME: 'cache' }, 'linux', '/home/ada/.cache/rxtract'],
  ['LOCALAPPDATA', { LOCALAPPDATA: '/local' }, 'win32', '/local/rxtract'],
  ['LOCALAPPDATA elsewhere', { LOCALAPPDATA: '/local' }, 'linux', '/home/ada/.cache/rxtract'],
] as const) {
  test(`${what} gives ${folder}`, () => {
    assert.is(cacheFolder(env, system(platform)), folder);
  });
}

test('who has no home has no folder', () => {
  const homeless = {
    platform: 'linux',
    homedir: () => {
      throw new Error('no home');
    },
  };
  assert.is(cacheFolder({}, homeless), undefined);
});

test.run();
