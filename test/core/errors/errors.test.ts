import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asExtractError, ExtractError } from '../../../src/core/errors/errors.js';

test('what was thrown is the cause of an error with its message, whatever it is', () => {
  const own = new ExtractError('ERR_JSON', 'broken');
  assert.is(asExtractError(own, 'ERR_SINK'), own);
  const cause = new TypeError('x is not a function');
  const wrapped = asExtractError(cause);
  assert.equal([wrapped.code, wrapped.message, wrapped.cause], ['ERR_INTERNAL', 'x is not a function', cause]);
  const text = asExtractError('full', 'ERR_SINK');
  assert.equal([text.code, text.message, text.cause], ['ERR_SINK', 'full', 'full']);
});

test('a place is added to an error, and does not replace the one that it has', () => {
  const problems = [{ path: 'a', message: 'b' }];
  const placed = new ExtractError('ERR_JSON', 'broken', { job: 'users', problems }).at({ job: 'other', page: 3 });
  assert.equal([placed.where.job, placed.where.page, placed.problems], ['users', 3, problems]);
});

test.run();
