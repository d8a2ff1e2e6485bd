/** Texts from the bytes of JSON strings. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createBytes } from '../../sinks/growing-bytes.js';
import { appendText } from '../../sinks/json-escapes.js';
import { afterString } from '../../src/core/json/byte-steps.js';

test('a long string is decoded, with pairs and halves of them', () => {
  let halves = 0;
  const long = 'ž"\\\n'.repeat(2000);
  const source = Buffer.from(`${JSON.stringify(long)},"\\ud83d\\u0041\\ud83dx\\ude00","\\u00e9\\uD83D\\uDe00"`);
  const out = createBytes(1);
  const decoded = (from: number) => {
    const to = afterString(source, from);
    out.end(0);
    appendText(source, from, to, out, () => {
      halves += 1;
    });
    return [out.take().toString(), to + 1] as const;
  };
  const [first, next] = decoded(0);
  assert.is(first, long);
  const [second, last] = decoded(next);
  assert.is(second, '\ufffdA\ufffdx\ufffd');
  assert.is(halves, 3);
  assert.equal(decoded(last), ['é😀', source.length + 1]);
  assert.is(halves, 3);
});

test.run();
