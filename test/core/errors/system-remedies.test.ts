/** What to do about an error of a sink follows from its cause. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError, remedyFor } from '../../../src/core/errors/errors.js';

const remedy = (cause: unknown) => remedyFor(new ExtractError('ERR_SINK', 'cannot write', { cause }));
const caused = (code: string) => remedy(Object.assign(new Error('raw'), { code }));

test('a known cause has a remedy of its own', () => {
  assert.match(caused('ENOSPC'), /^Free some space on that disk, .* With `--state` and `--resume` /);
  assert.match(caused('EACCES'), /^Check the rights of the path /);
  assert.match(caused('ENOTDIR'), /^Check the path /);
  assert.match(caused('ECONNREFUSED'), /^Check host and port /);
});

test('any other cause has the remedy of the code, which names no cause', () => {
  const general = remedyFor(new ExtractError('ERR_SINK', 'x'));
  for (const cause of [undefined, 'x', Object.assign(new Error('raw'), { code: 'toString' })]) {
    assert.is(remedy(cause), general);
  }
  assert.not.match(general, /full disk/);
});

test('a remedy of the place comes first, and other codes keep theirs', () => {
  const cause = Object.assign(new Error('raw'), { code: 'ENOSPC' });
  assert.is(remedyFor(new ExtractError('ERR_SINK', 'x', { cause, remedy: 'Do this.' })), 'Do this.');
  assert.not.match(remedyFor(new ExtractError('ERR_ROLLBACK', 'x', { cause })), /Free some space/);
});

test.run();
