/** Errors of the operating system in plain words. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeSystemError, systemError } from '../../../src/core/errors/system-error.js';

const rows: readonly (readonly [name: string, thrown: unknown, text: string])[] = [
  [
    'code and number',
    Object.assign(new Error('raw'), { code: 'ENOENT', errno: -2 }),
    'no such file or directory (ENOENT)',
  ],
  ['a code alone', Object.assign(new Error('raw'), { code: 'EFOO' }), 'EFOO'],
  ['a number that no system has', Object.assign(new Error('raw'), { code: 'EFOO', errno: 123_456 }), 'EFOO'],
  ['a number that is a string', Object.assign(new Error('raw'), { code: 'EFOO', errno: '2' }), 'EFOO'],
  ['a code that is no string', Object.assign(new Error('raw'), { code: 2 }), 'raw'],
  ['an error without a code', new Error('raw'), 'raw'],
  ['a string', 'raw', 'raw'],
  ['nothing', undefined, 'undefined'],
];
for (const [name, thrown, text] of rows) test(`describes ${name}`, () => assert.is(describeSystemError(thrown), text));

test('returns code and number of a system error alone', () => {
  assert.equal(systemError(Object.assign(new Error('raw'), { code: 'EIO', errno: -5 })), { code: 'EIO', errno: -5 });
  assert.is(systemError({ code: 'EIO', errno: -5 }), undefined);
});

test.run();
