/** Statements with data as messages, over a connection that keeps what it gets. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CopyQuery } from '../../../sinks/postgres/copy-query.js';

/** A socket that is full after each write, until `drain` is called. */
function connectionOf({ isSlow = false } = {}) {
  const sent: string[] = [];
  let listener = (): void => {};
  const stream = {
    cork() {},
    uncork() {},
    write(bytes: Uint8Array) {
      sent.push(Buffer.from(bytes).toString('latin1'));
      return !isSlow;
    },
    once(_: 'drain', next: () => void) {
      listener = next;
    },
  };
  return { sent, drain: () => listener(), query: (text: string) => void sent.push(text), stream };
}

const message = (type: string, length: number) => `${type}${String.fromCharCode(0, 0, length >> 8, length & 255)}`;
const statement = (...chunks: readonly string[]) => ({
  text: 'COPY t FROM STDIN; SELECT',
  chunks: chunks.map((chunk) => Buffer.from(chunk)),
});

test('the data follows the statement at once, each chunk as a message, then its end', async () => {
  const connection = connectionOf();
  const query = new CopyQuery(statement('a\n', 'x'.repeat(300)));
  query.submit(connection);
  assert.equal(connection.sent, [
    'COPY t FROM STDIN; SELECT',
    message('d', 6),
    'a\n',
    message('d', 304),
    'x'.repeat(300),
    message('c', 4),
  ]);
  query.handleReadyForQuery();
  await query.done;
});

test('a full socket is waited for', () => {
  const connection = connectionOf({ isSlow: true });
  new CopyQuery(statement('a', 'b')).submit(connection);
  assert.equal(connection.sent.slice(1), [message('d', 5), 'a']);
  connection.drain();
  connection.drain();
  assert.equal(connection.sent.slice(3), [message('d', 5), 'b', message('c', 4)]);
});

test('after an error of the server no more data is sent', async () => {
  const connection = connectionOf({ isSlow: true });
  const query = new CopyQuery(statement('a', 'b'));
  query.submit(connection);
  query.handleError(new Error('no such table'));
  connection.drain();
  assert.is(connection.sent.length, 3);
  const failed = await query.done.catch((thrown: unknown) => String(thrown));
  assert.is(failed, 'Error: no such table');
});

test.run();
