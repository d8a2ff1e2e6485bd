import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { neededPaths, type PathReader } from '../../../src/run/walk/needed-paths.js';

const reading = (read: Readonly<Record<string, number>>, ...children: readonly PathReader[]): PathReader => ({
  placeholders: Object.entries(read).map(([path, level]) => ({ name: `${level}:${path}`, level, path })),
  children,
});

test('no children read nothing', () => assert.equal(neededPaths([]), []));

test('children read at the level of their parent', () => {
  assert.equal(neededPaths([reading({ id: 1, name: 1 }), reading({ 'a.b': 1, id: 1 })]), ['id', 'name', 'a.b']);
});

test('grandchildren read the same rows a level further up', () => {
  const tree = reading({ id: 1 }, reading({ order: 1, user: 2 }, reading({ item: 1, shop: 2, country: 3 })));
  assert.equal(neededPaths([tree]), ['id', 'user', 'country']);
  assert.equal(neededPaths(tree.children), ['order', 'shop']);
});

test('a filter reads the rows of the direct parent alone', () => {
  const filtered = { ...reading({ id: 1 }), recursionFilter: { paths: ['role', 'id'] } };
  assert.equal(neededPaths([filtered]), ['id', 'role']);
  assert.equal(neededPaths([reading({ key: 1 }, filtered)]), ['key']);
});

test.run();
