/** The values are those of Kafka's own tests (UtilsTest.testMurmur2), without their sign. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { murmur2 } from '../../../sinks/kafka/murmur2.js';

test('hashes as the Java client does', () => {
  for (const [text, hash] of [
    ['21', -973_932_308],
    ['foobar', -790_332_482],
    ['a-little-bit-long-string', -985_981_536],
    ['a-little-bit-longer-string', -1_486_304_829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
    ['abc', 479_470_107],
  ] as const) {
    assert.is(murmur2(Buffer.from(text)), hash & 0x7fffffff, text);
  }
});

test('reads views at any place', () => {
  const bytes = Buffer.from('xxxfoobar');
  assert.is(murmur2(bytes.subarray(3)), murmur2(Buffer.from('foobar')));
});

test.run();
