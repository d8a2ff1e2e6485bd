/** Every key says what it takes, so that the schema never lets just anything through because nobody thought of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sections } from '../../../src/config/sections.js';
import { fieldsOf, formOf, referencesOf } from '../../../src/language/fields.js';
import { places } from './places.js';

test('every key has a form, keys of its own, or a section; else `formed` or `described` has to say what it takes', () => {
  const silent = places().flatMap(({ steps, fields }) =>
    Object.entries(fields)
      .filter(([, { type }]) => formOf(type) === undefined && fieldsOf(type) === undefined)
      .filter(([, { type }]) => referencesOf(type) === undefined)
      .map(([key]) => [...steps, key].join('.'))
      .filter((path) => !Object.hasOwn(sections, path)),
  );
  assert.equal(silent, []);
});

test.run();
