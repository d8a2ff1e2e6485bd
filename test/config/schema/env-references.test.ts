/** `{"env": NAME}` can replace any value: the schema accepts it wherever the reader does. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fillFromEnv, variableName } from '../../../src/config/env.js';
import { type Exact, isArray, isNumber, isObject } from '../../../src/core/json/exact.js';
import { sources } from '../../rules/sources.js';
import { faultsByReader, faultsBySchema, parsed } from './judge.js';
import { places } from './places.js';

type Steps = readonly (string | number)[];

const reference: Exact = new Map([['env', 'NAME']]);

/** Those of the example that has some. */
const variables = { API_KEY: 'k-0123456789', TEAM: 'blue' };

/** Every text and number within, by the way to it. */
function leaves(value: Exact, steps: Steps = []): readonly (readonly [Steps, string])[] {
  if (variableName(value) !== undefined) return [];
  if (isArray(value)) return value.flatMap((each, index) => leaves(each, [...steps, index]));
  if (isObject(value)) return [...value].flatMap(([key, each]) => leaves(each, [...steps, key]));
  if (isNumber(value)) return [[steps, value.text]];
  return typeof value === 'string' ? [[steps, value]] : [];
}

function put(value: Exact, [step, ...rest]: Steps): Exact {
  if (step === undefined) return reference;
  if (isArray(value)) return value.map((each, index) => (index === step ? put(each, rest) : each));
  if (!isObject(value)) return value;
  return new Map([...value].map(([key, each]) => [key, key === step ? put(each, rest) : each]));
}

const documents = [
  ...sources('examples', /\/config\.json$/).map(({ path, content }) => [path, parsed(content)] as const),
  ...places().map(({ steps, document }) => [`the place of ${steps.join('.')}`, document] as const),
];

for (const [name, document] of new Map(documents)) {
  test(`${name}: a variable for each string and number that the reader accepts as a string`, () => {
    for (const [steps, text] of leaves(document)) {
      const changed = put(document, steps);
      const { faults } = faultsByReader(fillFromEnv(changed, { ...variables, NAME: text }).document);
      if (faults.length === 0) assert.equal(faultsBySchema(changed), [], steps.join('.'));
    }
  });
}

test('values that are no strings cannot be variables', () => {
  const document = parsed('{ "api": { "baseUrl": "http://a.example/" }, "config": { "jobs": { "env": "JOBS" } } }');
  assert.is.not(faultsBySchema(document).length, 0);
  const other = parsed('{ "api": { "baseUrl": { "env": 5 } }, "config": { "jobs": [{ "endpoint": "a" }] } }');
  assert.is.not(faultsBySchema(other).length, 0);
});

test.run();
