/** A PostgreSQL session over a server that does not answer. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { postgres } from '../../../sinks/postgres/postgres.js';
import { rejection } from '../lib.js';

test('a run whose server cannot be reached fails at its first connection', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const sink = postgres({ server: `127.0.0.1:${port}`, database: 'db', sslmode: 'disable' });
  const earlier = {
    run: 'r',
    epoch: 1,
    startedAt: 0,
    isStored: true,
    phase: 'writing',
    checkpoints: new Map(),
  } as const;
  await rejection(async () => sink.resume?.(earlier), 'ERR_SINK', /^postgres: cannot connect to postgres:/);
  assert.is(connections, 1);
  await sink.abort(undefined);
  server.close();
});

test.run();
