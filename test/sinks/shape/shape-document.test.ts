/** Shapes as JSON Schema: what is written is read again, and everything that is wrong is named. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createObserver } from '../../../sinks/shape/observe.js';
import { readShapes, shapeDocument } from '../../../sinks/shape/shape-document.js';
import { anything } from '../../../sinks/shape/value-shape.js';
import { fromPlain, stringifyExact } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { rejection } from '../lib.js';
import { sample } from './sample.js';

test('a shape that is written is the same when it is read', () => {
  const observer = createObserver();
  observer.add(sample(200), 0, 200);
  const shapes = new Map([['users', observer.shape() ?? anything]]);
  const text = stringifyExact(shapeDocument(shapes));
  assert.is(stringifyExact(shapeDocument(readShapes(parseExact(text), 'shape'))), text);
});

test('titles and descriptions stay', () => {
  const given = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'T',
    $defs: { users: { description: 'D', type: 'string' } },
  };
  const document = fromPlain(given);
  const shapes = readShapes(document, 'shape');
  assert.equal(JSON.parse(stringifyExact(shapeDocument(shapes, document as never))), given);
});

test('without `additionalProperties` others are accepted, as JSON Schema says', () => {
  const users = { type: 'object', properties: { id: { type: 'integer' } } };
  const shape = readShapes(fromPlain({ $defs: { users, closed: { ...users, additionalProperties: false } } }), 'shape');
  assert.is(shape.get('users')?.rest, anything);
  assert.is(shape.get('closed')?.rest, undefined);
});

const users = (schema: object) => ({ $defs: { users: schema } });

const wrong: readonly (readonly [what: string, document: unknown, message: string | RegExp])[] = [
  ['a list', [], /^f is no shape: expected "\$defs" with a schema for each data type, as rxtract shape writes$/],
  ['a configuration', { api: {}, config: {} }, /^f is no shape/],
  ['another schema', { type: 'object' }, /^f is no shape/],
  ['no data type', { $defs: {} }, 'f: $defs: expected a schema for each data type, found none'],
  [
    'another dialect',
    { $schema: 'http://json-schema.org/draft-07/schema#', ...users({}) },
    /^f: \$schema: expected "https/,
  ],
  ['an unknown member', { ...users({}), titel: 'x' }, 'f: titel: unknown keyword; did you mean "title"?'],
  [
    'an unknown keyword',
    users({ type: 'string', minLength: 1 }),
    /^f: \$defs\.users\.minLength: unknown keyword: expected type, /,
  ],
  [
    'a misspelt keyword',
    users({ type: 'object', propertys: {} }),
    'f: $defs.users.propertys: unknown keyword; did you mean "properties"?',
  ],
  [
    'no schema',
    users({ type: 'object', properties: { a: 1 } }),
    'f: $defs.users.properties.a: expected a schema, found a number',
  ],
  [
    'a wrong type',
    users({ type: 'strin' }),
    /^f: \$defs\.users\.type: expected null, .*, found "strin"; did you mean "string"\?$/,
  ],
  ['no type', users({ type: [] }), 'f: $defs.users.type: expected a type, found an empty list'],
  ['a rule without a type', users({ format: 'date' }), 'f: $defs.users.format: needs "type"'],
  [
    'a wrong format',
    users({ type: 'string', format: 'email' }),
    'f: $defs.users.format: expected date, date-time, uuid, found "email"',
  ],
  [
    'numbers to choose from',
    users({ type: 'integer', enum: [1] }),
    'f: $defs.users.enum: expected a list of strings, with the type string',
  ],
  [
    'properties that are none',
    users({ type: 'object', properties: [] }),
    'f: $defs.users.properties: expected an object, found an empty list',
  ],
  [
    'a required name that is none',
    users({ type: 'object', properties: { name: {} }, required: ['nam'] }),
    'f: $defs.users.required: "nam" is not in "properties"; did you mean "name"?',
  ],
  [
    'required that is none',
    users({ type: 'object', required: 'a' }),
    'f: $defs.users.required: expected a list of names',
  ],
];

for (const [what, document, message] of wrong) {
  test(`is refused: ${what}`, async () => {
    const pattern =
      typeof message === 'string' ? new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) : message;
    await rejection(async () => readShapes(fromPlain(document), 'f'), 'ERR_USAGE', pattern);
  });
}

test('all that is wrong is named at once', async () => {
  const document = fromPlain(users({ type: 'object', properties: { a: { type: 'x' }, b: { foo: 1 } } }));
  await rejection(async () => readShapes(document, 'f'), 'ERR_USAGE', /\.a\.type: .*\n.*\.b\.foo: /s);
});

test.run();
