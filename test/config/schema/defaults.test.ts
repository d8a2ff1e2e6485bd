/** The default of each key is a value of its kind, and not one that must be given. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { valueBy } from '../../../src/core/options/read-options.js';
import { places } from './places.js';

test('every default is a value of its kind', () => {
  const defaults = places().flatMap(({ steps, fields }) =>
    Object.entries(fields)
      .filter(([, row]) => row.default !== undefined)
      .map(([key, row]) => ({ path: [...steps, key].join('.'), row, read: valueBy(row.kind, row.default, 'code') })),
  );
  const paths = (faulty: typeof defaults) => faulty.map(({ path }) => path);
  assert.ok(defaults.length > 40);
  assert.equal(paths(defaults.filter(({ read }) => read.mismatch !== undefined)), []);
  assert.equal(paths(defaults.filter(({ row }) => row.required === true)), []);
});

test.run();
