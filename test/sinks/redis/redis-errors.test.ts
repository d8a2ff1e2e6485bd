/** What errors of Redis and of its client mean: another attempt, or a message for the user. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isBroken, isWatchError, redisError } from '../../../sinks/redis/redis-client.js';
import { ExtractError } from '../../../src/core/errors/errors.js';

class SocketClosedUnexpectedlyError extends Error {}
class WatchError extends Error {}

const reset = Object.assign(new Error('gone'), { code: 'ECONNRESET' });

test('another attempt helps when the server starts, is busy, or the connection is gone', () => {
  for (const thrown of [
    new Error('LOADING Redis is loading the dataset in memory'),
    new Error('BUSY a script is running'),
    new Error('CLUSTERDOWN the cluster is down'),
    new SocketClosedUnexpectedlyError('closed'),
    reset,
    new ExtractError('ERR_SINK', 'x', { cause: reset }),
  ])
    assert.ok(isBroken(thrown), String(thrown));
  for (const thrown of [
    new Error('LOADINGS'),
    new Error('ERR unknown command'),
    new ExtractError('ERR_SINK', 'x'),
    new ExtractError('ERR_SINK', 'x', { cause: new Error('NOPERM') }),
    'LOADING as a text',
  ])
    assert.not(isBroken(thrown), String(thrown));
});

test('a watched key that has changed is known by its class', () => {
  assert.ok(isWatchError(new WatchError('changed')));
  assert.equal([isWatchError(new Error('WatchError')), isWatchError('WatchError')], [false, false]);
});

test('the message names what the user can do', () => {
  for (const [text, reason] of [
    ['WRONGPASS invalid', /^redis: cannot write: the server rejects the user or the password \(WRONGPASS invalid\)$/],
    ['NOAUTH required', /the server requires a password/],
    ['NOPERM no', /the user lacks a permission/],
    ['WRONGTYPE of key', /the key is not a stream/],
    ['OOM command', /maxmemory/],
    ['MISCONF errors', /cannot write to its disk/],
    ['READONLY you', /a replica, which accepts no writes/],
    ['ERR other', /^redis: cannot write: ERR other$/],
  ] as const)
    assert.match(redisError('write', new Error(text)).message, reason);
  assert.is(redisError('write', 'a text').message, 'redis: cannot write: a text');
  const own = new ExtractError('ERR_SINK', 'x');
  assert.is(redisError('write', own), own);
});

test('arguments that the server repeats are left out, of a long password only a part comes', () => {
  const repeated = `ERR unknown command 'AUTH', with args beginning with: 'joe' '${'hush'.repeat(30)}' `;
  const error = redisError('write', new Error(repeated));
  assert.is(error.message, "redis: cannot write: ERR unknown command 'AUTH'");
  assert.not.match(String(error.cause), 'hush');
});

test.run();
