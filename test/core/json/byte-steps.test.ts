/** Steps through compact JSON against `JSON.parse`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { afterComma, afterValue, isWritten, memberNames } from '../../../src/core/json/byte-steps.js';

const objects = ['{}', '{"a":1}', '{"a":"},{\\"b\\":1","\\u0063":[{"d":[]},"]"],"e":{"f":{}},"g":-1.5e3,"":null}'];

for (const text of objects) {
  test(`finds the names and the end of ${text}`, () => {
    const bytes = Buffer.from(`${text}\n`);
    assert.equal([...memberNames(bytes, 0)], Object.keys(JSON.parse(text)));
    assert.is(afterValue(bytes, 0), text.length);
  });
}

test('a comma leads to the next value, any other byte is the end', () => {
  const bytes = Buffer.from('[1,2]');
  assert.equal([afterComma(bytes, 2), afterComma(bytes, 4)], [3, 4]);
});

test('a string is written as another one if all its bytes are the same', () => {
  const bytes = Buffer.from('{"name":1}');
  const isAt = (text: string) => isWritten(bytes, 1, 7, Buffer.from(text));
  assert.equal(['"name"', '"nama"', '"names"', '"n\\u0061me"'].map(isAt), [true, false, false, false]);
});

test.run();
