/** Memory of slabs that is used again: who may get it, and when it is free. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import { memory } from '../../sinks/memory.js';
import { isLent, owned, retain } from '../../src/core/util/lent-memory.js';
import { createSlabMemory } from '../../src/page/slab-memory.js';
import { run } from '../../src/run/extract.js';
import { configurationOf, onServer, type Scene } from '../checkpoint/scenes.js';
import { json } from '../loopback/api.js';
import { heldDisk } from '../sinks/disk.js';
import { filesIn } from '../sinks/lib.js';

const large = 300_000;

test('lends large memory, and uses it again once its loan has ended', () => {
  const slabs = createSlabMemory();
  const first = slabs.allocate(large);
  assert.is(first.length, large);
  assert.is(isLent(first), true);
  assert.is.not(slabs.allocate(large).buffer, first.buffer);
  slabs.settled(first);
  assert.is(isLent(first), false);
  const second = slabs.allocate(large + 1000);
  assert.is(second.buffer, first.buffer);
  assert.is(second.length, large + 1000);
  slabs.settled(second);
  slabs.settled(second);
  assert.is(slabs.allocate(large).buffer, first.buffer);
  assert.is.not(slabs.allocate(large).buffer, first.buffer, 'a loan ends once');
});

test('does not use memory again that a sink retains', () => {
  const slabs = createSlabMemory();
  const first = slabs.allocate(large);
  const release = retain(first);
  slabs.settled(first);
  assert.is.not(slabs.allocate(large).buffer, first.buffer);
  release?.();
  assert.is(slabs.allocate(large).buffer, first.buffer);
});

test('does not use memory again that a sink has for good', () => {
  const slabs = createSlabMemory();
  const first = slabs.allocate(large);
  assert.is(owned(first), first);
  assert.is(isLent(first), false);
  slabs.settled(first);
  assert.is.not(slabs.allocate(large).buffer, first.buffer);
});

test('small and very large slabs have memory of their own', () => {
  const slabs = createSlabMemory();
  for (const bytes of [0, 1000, 32 * 1024 - 1, 2_000_000]) {
    const own = slabs.allocate(bytes);
    assert.is(own.buffer.byteLength, bytes);
    assert.is(isLent(own), false);
    slabs.settled(own);
    assert.is.not(slabs.allocate(bytes).buffer, own.buffer);
  }
});

test('keeps the three largest that are free', () => {
  const slabs = createSlabMemory();
  const sizes = [100_000, 900_000, 200_000, 400_000];
  const lent = sizes.map((bytes) => slabs.allocate(bytes));
  for (const bytes of lent) slabs.settled(bytes);
  const again = sizes.map((bytes) => slabs.allocate(bytes).buffer);
  const known = new Set(lent.map(({ buffer }) => buffer));
  assert.is(again.filter((buffer) => known.has(buffer)).length, 3);
  assert.not.ok(again.includes(lent[0]?.buffer ?? new ArrayBuffer(0)), 'the smallest was dropped');
});

/** Pages of different sizes, each item with its page and a long text. */
const pages: Scene = {
  what: '',
  api: { pagination: { method: 'pagenum' } },
  jobs: [{ endpoint: 'users' }],
  answer(url) {
    const page = Number(url.searchParams.get('page'));
    const items = Array.from({ length: 100 + 7 * (page % 5) }, (_, id) => ({ id, page, text: `${page}-`.repeat(300) }));
    return json(page > 12 ? [] : items);
  },
};

const linesOf = (text: string): readonly string[] => text.split('\n').slice(0, -1);

test(
  'a file on a slow disk has every byte, though memory is used again',
  onServer(pages, async ({ origin }, dir) => {
    const disk = heldDisk();
    const running = run(configurationOf(pages, origin), { to: ndjson(dir, { openFile: disk.openFile }) });
    let isOver = false;
    const landing = (async () => {
      while (!isOver) (await disk.next()).land();
    })();
    await running;
    isOver = true;
    landing.catch(() => {});
    const lines = linesOf(filesIn(dir)['users.ndjson'] ?? '');
    let at = 0;
    for (let page = 1; page <= 12; page += 1) {
      for (let id = 0; id < 100 + 7 * (page % 5); id += 1, at += 1) {
        assert.is(lines[at], JSON.stringify({ id, page, text: `${page}-`.repeat(300) }));
      }
    }
    assert.is(lines.length, at);
  }),
);

/** Sinks whose batches outlive the call. */
const keepers: Readonly<Record<string, (dir: string, keep: (bytes: Uint8Array) => void) => Sink>> = {
  'a sink that wraps the write of ndjson': (dir, keep) => {
    const inner = ndjson(dir);
    return {
      ...inner,
      write(batch, signal) {
        keep(batch.bytes);
        return inner.write(batch, signal);
      },
    };
  },
  'one of two sinks': (dir, keep) => all([{ ...memory(), write: ({ bytes }) => keep(bytes) }, ndjson(dir)]),
};

for (const [who, make] of Object.entries(keepers)) {
  test(
    `${who} may keep all batches`,
    onServer(pages, async ({ origin }, dir) => {
      const kept: Uint8Array[] = [];
      await run(configurationOf(pages, origin), { to: make(dir, (bytes) => kept.push(bytes)) });
      assert.is(Buffer.concat(kept).toString(), filesIn(dir)['users.ndjson']);
    }),
  );
}

test.run();
