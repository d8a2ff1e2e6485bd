import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { root, sources } from '../../rules/sources.js';
import { faultsBySchema, parsed } from './judge.js';

const configs = sources('examples', /\/config\.json$|\/sample-\w+\.json$/);

for (const { path, content } of configs) {
  test(`${path} is accepted`, () => assert.equal(faultsBySchema(parsed(content)), []));
}

test('there are examples to judge', () => assert.ok(configs.length > 20 && readFileSync(`${root}/package.json`)));

test.run();
