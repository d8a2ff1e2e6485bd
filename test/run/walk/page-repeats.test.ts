import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shiftNotice } from '../../../src/run/walk/page-repeats.js';

test('one item that has moved, and several, are a warning', () => {
  const messageOf = (shifted: number, isApart = false) => shiftNotice({ shifted, isApart })?.message ?? '';
  assert.match(
    messageOf(1),
    /^the first item of this page is the last one of the page before: .* so it is there twice/,
  );
  assert.match(messageOf(3), /^the first 3 items of this page are the last ones .* so they are there twice/);
  assert.match(messageOf(0, true), /^this page does not join the one before it/);
  assert.is(shiftNotice({ shifted: 0, isApart: false }), undefined);
});

test.run();
