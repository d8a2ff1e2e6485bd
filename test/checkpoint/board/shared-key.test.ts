/** The key that the processes of a board share. */
import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keyOf } from '../../../src/checkpoint/board/shared-key.js';
import { rejection } from '../../sinks/lib.js';

test('the key is 32 bytes in base64', async () => {
  const key = randomBytes(32);
  assert.equal(keyOf({ RXTRACT_KEY: key.toString('base64') }), key);
  assert.is(keyOf({}), undefined);
  const error = await rejection(() => keyOf({ RXTRACT_KEY: 'short' }), 'ERR_USAGE', /is not a key: expected 32 bytes/);
  assert.match(error.where.remedy ?? '', /^Set RXTRACT_KEY to 32 bytes in base64/);
});

test.run();
