/** The stream over a channel, against one that is written to by hand. */
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { channelSocket } from '../../../src/http/transport/ssh-channel.js';

/** What a channel of ssh2 is to its reader; `written` is what went to the far side. */
function fakeChannel() {
  const written: string[] = [];
  const channel = new Duplex({
    highWaterMark: 64,
    read: () => undefined,
    write(chunk, _, done) {
      written.push(String(chunk));
      done();
    },
  });
  return { channel, written };
}

const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

test('data of the channel is read, and written data goes to it', async () => {
  const { channel, written } = fakeChannel();
  const socket = channelSocket(channel);
  channel.push('from afar');
  const [chunk] = await once(socket, 'data');
  assert.is(String(chunk), 'from afar');
  socket.end('to it');
  await once(channel, 'finish');
  assert.equal(written, ['to it']);
});

test('a reader that stops stops the channel', async () => {
  const { channel } = fakeChannel();
  const socket = channelSocket(channel);
  for (let pushed = 0; pushed < 100; pushed += 1) channel.push(Buffer.alloc(4096));
  await turns();
  assert.ok(channel.isPaused());
  assert.ok(channel.readableLength > 0);
  let length = 0;
  socket.on('data', (chunk) => {
    length += chunk.length;
  });
  await turns();
  assert.is(length, 100 * 4096);
});

test('it stays when both sides have ended, until it is destroyed', async () => {
  const { channel } = fakeChannel();
  const socket = channelSocket(channel);
  let isClosed = false;
  socket.on('close', () => {
    isClosed = true;
  });
  channel.push('all');
  channel.push(null);
  socket.resume();
  await once(socket, 'end');
  socket.end();
  await turns();
  assert.equal([isClosed, socket.destroyed], [false, false]);
  socket.destroy();
  await turns();
  assert.equal([isClosed, channel.destroyed], [true, true]);
});

test('an error of the channel is one of the stream, with or without a listener', async () => {
  const { channel } = fakeChannel();
  const socket = channelSocket(channel);
  channel.destroy(new Error('gone'));
  await turns();
  assert.ok(socket.destroyed);
  assert.is(socket.errored?.message, 'gone');
});

test.run();
