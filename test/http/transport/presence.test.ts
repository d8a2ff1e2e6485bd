/** Which origins have answered, and since when others are missing. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPresence } from '../../../src/http/transport/presence.js';
import { startClock } from '../../support/virtual-clock.js';

test('an origin is missing since the first time that it was missed', () => {
  const clock = startClock();
  const presence = createPresence();
  const first = presence.missing('http://a');
  clock.pass(5000);
  assert.equal([presence.missing('http://a'), presence.missing('http://b')], [first, Date.now()]);
  clock.stop();
});

test('an origin that has answered is never missing', () => {
  const presence = createPresence();
  presence.missing('http://a');
  presence.answered('http://a');
  assert.is(presence.missing('http://a'), undefined);
});

test('memory is bounded', () => {
  const presence = createPresence();
  presence.answered('http://first');
  for (let index = 0; index < 10_000; index += 1) presence.answered(`http://${index}`);
  assert.type(presence.missing('http://first'), 'number');
  assert.is(presence.missing('http://9999'), undefined);
});

test.run();
