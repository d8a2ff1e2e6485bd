import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createDeferredError, type DeferredError } from '../../sinks/deferred-error.js';
import { ExtractError } from '../../src/core/errors/errors.js';

const error = new ExtractError('ERR_SINK', 'disk full');

function failed(): DeferredError {
  const failure = createDeferredError();
  failure.happened(error);
  return failure;
}

test('without one nothing is thrown, and nothing is forgotten', () => {
  const failure = createDeferredError();
  failure.mustBeNone();
  failure.throwUnreported();
  assert.is(failure.forget(), undefined);
});

test('is reported once, and stands in the way as long as it is not forgotten', () => {
  const failure = failed();
  assert.throws(failure.throwUnreported, /disk full/);
  failure.throwUnreported();
  assert.throws(failure.mustBeNone, /disk full/);
  assert.throws(failure.mustBeNone, /disk full/);
  failure.forget();
  failure.mustBeNone();
});

for (const [how, isReported] of [
  ['mustBeNone', true],
  ['throwUnreported', true],
] as const) {
  test(`after ${how} it ${isReported ? 'counts' : 'does not count'} as reported`, () => {
    const failure = failed();
    assert.throws(failure[how], /disk full/);
    assert.is(failure.forget(), isReported ? undefined : error);
  });
}

test.run();
