/** The rules that each server of states must keep, each on a place of its own. */
import * as assert from 'uvu/assert';
import type { RemoteHolder } from '../../../src/checkpoint/store/server-store.js';
import { serverStore } from '../../../src/checkpoint/store/server-store.js';
import type { StateServer } from '../../../src/checkpoint/store/state-server.js';
import type { OpenStore } from '../../../src/checkpoint/store/store.js';
import { rejection } from '../../sinks/lib.js';

/** A process of another machine. */
export const elsewhere: RemoteHolder = { host: 'elsewhere', space: 'x', pid: 7, start: '1', boot: 'b' };

const noBeat = () => () => {};

/** Opens a state as a process of another machine, which never shows that it is alive. */
export const opened = (connect: () => StateServer, me = elsewhere): Promise<OpenStore> =>
  serverStore(connect, { me, watch: async () => {}, regularly: noBeat }).open();

type Rule = (connect: () => StateServer) => Promise<void>;

export const storeRules: Readonly<Record<string, Rule>> = {
  async 'what was replaced, appended and synced is there when it is opened again, in order'(connect) {
    const store = await opened(connect);
    assert.equal(store.records, []);
    await store.replace(['old']);
    await store.replace(['begin', '{"text":"<Code>\\u0000 \u00e9</Code>"}']);
    await Promise.all([store.append(['1', '2']), store.sync(['3']), store.append([]), store.append(['4'])]);
    await store.close();
    const again = await opened(connect);
    assert.equal(again.records, ['begin', '{"text":"<Code>\\u0000 \u00e9</Code>"}', '1', '2', '3', '4']);
    await again.close();
  },

  async 'many large records stay in order, and a replacement leaves none of them'(connect) {
    const store = await opened(connect);
    const large = Array.from({ length: 12 }, (_, index) => `${index}${'x'.repeat(30_000)}`);
    await store.replace(['begin']);
    for (const each of large) await store.append([each]);
    await store.append(large);
    await store.close();
    const again = await opened(connect);
    assert.equal(again.records, ['begin', ...large, ...large]);
    await again.replace(large.slice(0, 5));
    await again.append(['end']);
    await again.close();
    const last = await opened(connect);
    assert.equal(last.records, [...large.slice(0, 5), 'end']);
    await last.replace(['short']);
    await last.close();
    assert.equal((await opened(connect)).records, ['short']);
  },

  async 'a process that ran while another one waited for its turn is not overwritten'(connect) {
    const me = (host: string) => ({ ...elsewhere, host, space: host });
    const first = await opened(connect, me('a'));
    await first.replace(['begin']);
    const large = 'x'.repeat(70_000);
    const watch = async () => {
      await first.close();
      const between = await opened(connect, me('c'));
      await between.replace(['between']);
      await between.append([large, 'end']);
      await between.close();
    };
    const last = await serverStore(connect, { me: me('b'), watch, regularly: noBeat }).open();
    assert.equal(last.records, ['between', large, 'end']);
    await last.append([large.slice(1)]);
    await last.close();
    assert.equal((await opened(connect)).records, ['between', large, 'end', large.slice(1)]);
  },

  async 'parts stay, get names of their own, and are read again'(connect) {
    const store = await opened(connect);
    await store.replace(['begin']);
    const first = await store.createPart();
    await first.write(Buffer.from('ab'));
    const piece = await first.write(Buffer.from('c\u00e9'));
    await first.close();
    await store.close();

    const again = await opened(connect);
    const second = await again.createPart();
    await second.write(Buffer.from('other'));
    assert.is.not(first.name, second.name);
    assert.equal([...(await again.partNames())].sort(), [first.name, second.name].sort());
    const part = await again.openPart(first.name);
    assert.is(Buffer.from(await part.read(piece)).toString(), 'c\u00e9');
    await rejection(() => part.read({ position: 2, length: 9 }), 'ERR_STATE', /is shorter than it was/);
    await rejection(() => part.read({ position: 99, length: 1 }), 'ERR_STATE', /is shorter than it was/);
    await again.removePart(first.name);
    await again.removePart(first.name);
    await rejection(() => again.openPart(first.name), 'ERR_STATE', /there is no "part-1-1"/);
    await again.close();
    assert.equal(await (await opened(connect)).partNames(), [second.name]);
  },

  async 'a second process is refused while the first is alive, and begins at once after it'(connect) {
    const store = await serverStore(connect).open();
    await store.replace(['begin']);
    const message = new RegExp(`another run is using it: process ${process.pid} on .+ holds "`);
    await rejection(serverStore(connect).open(), 'ERR_STATE', message);
    await store.append(['1']);
    await store.close();
    const next = await serverStore(connect, { watch: async () => assert.unreachable('nothing is to wait for') }).open();
    assert.equal(next.records, ['begin', '1']);
    await next.close();
  },

  async 'a process on another machine that writes meanwhile is alive'(connect) {
    const store = await opened(connect);
    await store.replace(['begin']);
    let beat = () => {};
    const beating = serverStore(connect, {
      me: elsewhere,
      watch: async () => {},
      regularly(work) {
        beat = work;
        return () => {};
      },
    });
    const living = await beating.open();
    const watch = async () => {
      beat(); // It has written since the last one, so nothing is sent.
      beat();
      await living.append([]);
    };
    await rejection(serverStore(connect, { watch }).open(), 'ERR_STATE', /process 7 on elsewhere holds/);
    await living.replace(['still mine']);
    await living.close();
    await store.close();
  },

  async 'a process that another one has replaced writes nothing, and what it had written stays'(connect) {
    const first = await opened(connect);
    await first.replace(['begin']);
    await first.append(['1']);
    const part = await first.createPart();
    await part.write(Buffer.from('rows'));
    const second = await opened(connect);
    assert.equal(second.records, ['begin', '1']);
    const late = /another run took over "/;
    await rejection(first.append(['late']), 'ERR_STATE', late);
    await second.replace(['new']);
    await rejection(first.append(['late']), 'ERR_STATE', late);
    await rejection(first.sync(['late']), 'ERR_STATE', late);
    await rejection(first.replace(['late']), 'ERR_STATE', late);
    await second.append(['2']);
    await first.close();
    await second.append(['3']);
    await second.close();
    const third = await opened(connect);
    assert.equal(third.records, ['new', '2', '3']);
    await third.close();
  },

  async 'there is no state before the first process, and looking makes none'(connect) {
    assert.is(await serverStore(connect).exists?.(), false);
    assert.is(await serverStore(connect).exists?.(), false);
    await (await opened(connect)).close();
    assert.is(await serverStore(connect).exists?.(), true);
  },
};
