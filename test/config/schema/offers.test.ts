/** What an editor can offer: it reads choices, examples and defaults, but not inside conditions. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configurationSchema } from '../../../src/config/schema/configuration-schema.js';
import type { Json, JsonSchema } from '../../../src/core/options/json-schema.js';
import { faultsBySchema, parsed } from './judge.js';

const isSchema = (value: Json | undefined): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemasIn = (value: Json | undefined): readonly JsonSchema[] => [value ?? null].flat().filter(isSchema);

const isChoice = ({ type, enum: values, const: value }: JsonSchema): boolean =>
  values !== undefined || value !== undefined || type === 'boolean';

const offers = (schema: JsonSchema): boolean =>
  isChoice(schema) || schema.examples !== undefined || schemasIn(schema.anyOf).some(offers);

const hides = (schema: JsonSchema): boolean =>
  isChoice(schema) || [schema.anyOf, schema.then, schema.else].flatMap(schemasIn).some(hides);

/** Keys whose choice is inside a condition, by their path. */
function hidden(schema: Json, path: string): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((each: Json) => hidden(each, path));
  if (!isSchema(schema)) return [];
  const keys = Object.entries(isSchema(schema.properties) ? schema.properties : {});
  const found = keys.filter(([, value]) => isSchema(value) && hides(value) && !offers(value)).map(([key]) => key);
  return [
    ...found.map((key) => `${path} ${key}`),
    ...Object.entries(schema).flatMap(([keyword, value]) => hidden(value, `${path}/${keyword}`)),
  ];
}

test('editors offer every choice; names of methods and types by the conditions on them', () => {
  assert.equal(hidden(configurationSchema(), ''), [
    '/definitions/pagination method',
    '/definitions/authentication type',
  ]);
});

test('OAuth credentials are known by their keys, and others let through, as a platform writes some', () => {
  const written = (authorization: string) =>
    faultsBySchema(
      parsed(`{
        "api": { "baseUrl": "https://api.example.com/" },
        "config": { "jobs": [{ "endpoint": "users" }] },
        "authorization": ${authorization}
      }`),
    );
  for (const fits of [
    '{}',
    '[]',
    'null',
    '{ "oauth_api": null }',
    '{ "oauth_api": { "id": 1, "credentials": { "appKey": "k", "#data": "d", "created": "now" } } }',
  ]) {
    assert.equal(written(fits), [], fits);
  }
  assert.is.not(written('"a text"').length, 0);
  const { 'authorization.oauth_api.credentials': credentials } = Object(configurationSchema().definitions);
  assert.equal(Object.keys(credentials.properties), ['appKey', '#appSecret', '#data']);
});

test.run();
