import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCode } from '../../src/cli/command.js';
import { type ErrorCode, errorCodes } from '../../src/core/errors/error-codes.js';
import { ExtractError } from '../../src/core/errors/errors.js';

const closedPipe = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', errno: -32 });
const cases = [
  ['nothing failed', {}, 0],
  ['a fault of ours', { failure: new ExtractError('ERR_INTERNAL', '') }, 2],
  ['a data folder without a configuration', { failure: new ExtractError('ERR_DATA_FOLDER', '') }, 2],
  ['an error that is none of ours', { failure: new TypeError('x is not a function') }, 2],
  ['a thrown text', { failure: 'oops' }, 2],
  ['SIGINT', { signal: 'SIGINT', failure: new ExtractError('ERR_ABORTED', '') }, 130],
  ['SIGTERM', { signal: 'SIGTERM', failure: new ExtractError('ERR_ABORTED', '') }, 143],
  ['the reader went away', { failure: new ExtractError('ERR_SINK', '', { cause: closedPipe }) }, 141],
  ['a broken pipe that is no sink', { failure: new ExtractError('ERR_TRANSPORT', '', { cause: closedPipe }) }, 1],
] as const;

for (const [what, ending, exit] of cases) test(`${what} exits with ${exit}`, () => assert.is(exitCode(ending), exit));

for (const code of Object.keys(errorCodes) as ErrorCode[]) {
  if (code !== 'ERR_INTERNAL' && code !== 'ERR_DATA_FOLDER')
    test(`${code} is 1`, () => assert.is(exitCode({ failure: new ExtractError(code, '') }), 1));
}

test.run();
