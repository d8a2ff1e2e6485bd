/** Every key has a JSON Schema, so that none accepts any value by mistake. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sections } from '../../../src/config/sections.js';
import { referencesOf } from '../../../src/language/expression-fields.js';
import { jsonSchemaOf } from '../../../src/language/json-schema.js';
import { fieldsOf } from '../../../src/language/object-fields.js';
import { places } from './places.js';

test('every key has a JSON Schema, keys of its own, or a section; otherwise `withJsonSchema` or `opaque` must describe it', () => {
  const silent = places().flatMap(({ steps, fields }) =>
    Object.entries(fields)
      .filter(([, { type }]) => jsonSchemaOf(type) === undefined && fieldsOf(type) === undefined)
      .filter(([, { type }]) => referencesOf(type) === undefined)
      .map(([key]) => [...steps, key].join('.'))
      .filter((path) => !Object.hasOwn(sections, path)),
  );
  assert.equal(silent, []);
});

test.run();
