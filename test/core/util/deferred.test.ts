/** A promise that is settled from outside: the first call decides. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deferred } from '../../../src/core/util/deferred.js';

test('it is settled by the first call', async () => {
  const done = deferred();
  done.resolve();
  done.reject(new Error('late'));
  assert.is(await done.promise, undefined);
  const failed = deferred();
  failed.reject('early');
  failed.resolve();
  assert.is(await failed.promise.catch((thrown) => thrown), 'early');
});

test.run();
