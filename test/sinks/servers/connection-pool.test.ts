/** Connections that are left without work wait for their next use, and no others. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConnectionKind, createLine } from '../../../sinks/servers/connection-line.js';
import { createConnectionPool } from '../../../sinks/servers/connection-pool.js';
import { keptFor } from '../../../sinks/servers/kept.js';
import { deferred } from '../../../src/core/util/deferred.js';

interface Numbered {
  readonly number: number;
  isOpen: boolean;
}

function numbered() {
  const made: Numbered[] = [];
  const kind: ConnectionKind<Numbered> = {
    async connect() {
      const connection = { number: made.length + 1, isOpen: true };
      made.push(connection);
      return connection;
    },
    isOpen: ({ isOpen }) => isOpen,
    close(connection) {
      connection.isOpen = false;
    },
    isBroken: () => false,
  };
  const pool = createConnectionPool(kind);
  const used = async () => {
    const line = createLine(pool.kind);
    const number = await line.alone(async (connection) => connection.number);
    line.end();
    return number;
  };
  return { made, kind, pool, used };
}

test('a connection that was left is used again', async () => {
  const { pool, used, made } = numbered();
  assert.equal([await used(), await used()], [1, 1]);
  const [first, second] = [createLine(pool.kind), createLine(pool.kind)];
  const numbers = [first, second].map((line) => line.alone(async ({ number }) => number));
  assert.equal(await Promise.all(numbers), [1, 2], 'two at once have one each');
  first.end();
  second.end();
  assert.ok(made.every(({ isOpen }) => isOpen));
});

test('one that has closed meanwhile is not used', async () => {
  const { used, made } = numbered();
  await used();
  made.forEach((each) => {
    each.isOpen = false;
  });
  assert.is(await used(), 2);
});

test('one with work in progress is closed: what the server does is unknown', async () => {
  const { pool, made, used } = numbered();
  const line = createLine(pool.kind);
  const { promise, resolve } = deferred();
  const begun = deferred();
  const working = line.alone(async () => {
    begun.resolve();
    await promise;
  });
  await begun.promise;
  line.end();
  assert.equal(made, [{ number: 1, isOpen: false }]);
  resolve();
  await working;
  assert.is(await used(), 2);
});

test('at its end those that wait are closed, and each one that is left later', async () => {
  const { pool, made, used } = numbered();
  const late = createLine(pool.kind);
  await late.alone(async () => {});
  await used();
  const broken = createLine(pool.kind);
  await broken.alone(async (connection) => {
    connection.isOpen = false;
  });
  broken.end();
  await used();
  pool.end();
  late.end();
  assert.ok(made.every(({ isOpen }) => !isOpen));
});

test('what is kept for a span is made once, and ends with it', () => {
  const ended: string[] = [];
  const kept = keptFor(
    (name: string) => ({ name }),
    ({ name }) => void ended.push(name),
  );
  const [one, other] = [new AbortController(), new AbortController()];
  const first = kept(one.signal, 'a');
  assert.is(kept(one.signal, 'a'), first);
  assert.is.not(kept(one.signal, 'b'), first);
  assert.is.not(kept(other.signal, 'a'), first);
  one.abort();
  assert.equal(ended, ['a', 'b']);
});

test.run();
