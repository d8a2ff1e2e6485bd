/** A server as a store: who may have it, the order of records, and what a failure says. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { serverStore } from '../../../src/checkpoint/store/server-store.js';
import { rejection, turns } from '../../sinks/lib.js';
import { type MemoryServer, memoryServer } from './memory-server.js';
import { elsewhere, opened, storeRules } from './store-kit.js';

for (const [name, rule] of Object.entries(storeRules)) test(name, () => rule(memoryServer().connect));

const writesOf = ({ calls }: MemoryServer) => calls.filter((each) => /^(?:append|replace)/.test(each));

/** A server whose writes wait for the result. */
function slowly(server: MemoryServer): () => void {
  let go = () => {};
  const until = new Promise<void>((resolve) => {
    go = resolve;
  });
  server.before = (call) => (/^(?:append|replace)/.test(call) ? until : undefined);
  return go;
}

test('records that wait for a request are the next one, and none passes a replacement', async () => {
  const server = memoryServer();
  const store = await opened(server.connect);
  const go = slowly(server);
  const writes = [store.append(['1']), store.append(['2']), store.append(['3'])];
  writes.push(store.replace(['a', 'b']), store.append(['4']), store.sync(['5']));
  await turns();
  go();
  await Promise.all(writes);
  assert.equal(writesOf(server), ['append 1', 'append 2', 'replace 2', 'append 2']);
  assert.equal(server.state.records, ['a', 'b', '4', '5']);
});

test('a failed request fails all of its records, and a later one is sent', async () => {
  const server = memoryServer();
  const store = await opened(server.connect);
  server.before = (call) => {
    if (call === 'append 4') throw new Error('no answer with hidden-password in it');
  };
  const writes = [store.append(['1']), store.append(['2']), store.append(['3']), store.append(['4', '5'])];
  assert.equal(
    (await Promise.allSettled(writes)).map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected'],
  );
  server.before = () => {};
  await store.append(['6']);
  assert.equal(server.state.records.at(-1), '6');
});

test('errors name the state, and have no secret of the address', async () => {
  const server = memoryServer();
  server.before = (call) => {
    if (call === 'read') throw new Error('the server says hidden-password');
  };
  const error = await rejection(
    opened(server.connect),
    'ERR_STATE',
    /^cannot keep the state in "memory:\/\/server\/state": the server says \*\*\*/,
  );
  assert.not.match(`${error.stack} ${error.cause}`, 'hidden-password');
  assert.equal(server.calls.at(-1), 'end');
  await rejection(serverStore(server.connect).exists?.(), 'ERR_STATE', /the server says \*\*\*/);
});

test('a holder on this machine is known by its process: a dead one is followed at once', async () => {
  const server = memoryServer();
  const watch = () => assert.unreachable('nothing is to wait for');
  const open = (me: typeof elsewhere) => serverStore(server.connect, { me, watch: async () => watch() }).open();
  await open({ ...elsewhere, pid: 2 ** 22 + 1 });
  const next = await open({ ...elsewhere, pid: 2 ** 22 + 2 });
  await next.close();
});

test('what is no holder is followed at once, and a beat that fails is no failure by itself', async () => {
  const server = memoryServer();
  server.state.tenure = { epoch: 3, beat: '0', holder: 'torn' };
  let beat = () => {};
  const regularly = (work: () => void) => {
    beat = work;
    return () => {};
  };
  const store = await serverStore(server.connect, { regularly, watch: async () => {} }).open();
  server.before = (call) => {
    if (call === 'touch' || call === 'release') throw new Error('no answer');
  };
  beat();
  await turns();
  assert.is(server.calls.at(-1), 'touch');
  await store.append(['1']);
  await store.close();
  assert.equal(server.calls.slice(-2), ['release', 'end']);
});

test('a process that took the state without an answer has it; one that was faster is seen', async () => {
  const server = memoryServer();
  const connect = () => {
    const process = server.connect();
    return {
      ...process,
      async take(...given: Parameters<typeof process.take>) {
        await process.take(...given);
        return false; // as if a repeated request found its own result
      },
    };
  };
  const store = await opened(connect);
  await store.replace(['mine']);
  assert.equal([server.state.tenure.epoch, server.state.records], [1, ['mine']]);
});

test('beats come by themselves, and end with the store', async () => {
  const server = memoryServer();
  const store = await serverStore(server.connect).open();
  await store.close();
  assert.equal(server.calls, ['read', 'take', 'release', 'end']);
});

test.run();
