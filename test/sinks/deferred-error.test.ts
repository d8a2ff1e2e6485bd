import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLateFailure, type LateFailure } from '../../sinks/deferred-error.js';
import { ExtractError } from '../../src/core/errors/errors.js';

const error = new ExtractError('ERR_SINK', 'disk full');

function failed(): LateFailure {
  const failure = createLateFailure();
  failure.happened(error);
  return failure;
}

test('without one nothing is thrown, and nothing is forgotten', () => {
  const failure = createLateFailure();
  failure.mustBeNone();
  failure.tell();
  assert.is(failure.forget(), undefined);
});

test('is told once, and stands in the way as long as it is not forgotten', () => {
  const failure = failed();
  assert.throws(failure.tell, /disk full/);
  failure.tell();
  assert.throws(failure.mustBeNone, /disk full/);
  assert.throws(failure.mustBeNone, /disk full/);
  failure.forget();
  failure.mustBeNone();
});

for (const [how, isTold] of [
  ['mustBeNone', true],
  ['tell', true],
] as const) {
  test(`after ${how} it ${isTold ? 'counts' : 'does not count'} as told`, () => {
    const failure = failed();
    assert.throws(failure[how], /disk full/);
    assert.is(failure.forget(), isTold ? undefined : error);
  });
}

test.run();
