/** Memory that is lent to sinks of this package: used until a write has landed, copied for every other sink. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { borrowing, isBorrowing } from '../../sinks/borrowing.js';
import { memory, ndjson, nullSink, type Sink } from '../../sinks/index.js';
import type { Items } from '../../src/core/model/batch.js';
import { lend } from '../../src/core/util/lent-memory.js';
import { createSlabBuffer } from '../../src/page/buffer/slab-buffer.js';
import { createOutputNames } from '../../src/run/output/output-names.js';
import { slabOf, writerOf } from '../page/lib.js';
import { diskFull, heldDisk } from './disk.js';
import { calm, filesIn, inFolder, pageEnd, rejection } from './lib.js';

/** One item of text in lent memory, which is overwritten when it is free. */
function lentSlab(text: string) {
  const { bytes, offsets, count } = slabOf(text);
  const own = Buffer.from(new ArrayBuffer(2 * bytes.length), 0, bytes.length); // a part: it is copied, not given away
  own.set(bytes);
  const seen = { isFree: false };
  const done = lend(own, () => {
    seen.isFree = true;
    own.fill('#');
  });
  const slab: Items = { bytes: own, offsets, count };
  return { slab, done, seen, own };
}

const large = 'x'.repeat(64 * 1024);
const batchOf = ({ bytes, offsets, count }: Items) => ({
  ...{ job: 'users', dataType: 'users', run: 'r', walk: '0', page: 0, offset: 0, bytes, offsets, count },
  values: () => [],
  exact: () => [],
});

test('a sink of the user gets memory of its own, files and null the memory itself', async () => {
  const given: Uint8Array[] = [];
  const write: Sink['write'] = ({ bytes }) => void given.push(bytes);
  for (const each of [write, borrowing<Sink['write']>((batch, signal) => write(batch, signal))]) {
    const { slab } = lentSlab('a');
    await writerOf({ sink: { ...memory(), write: each } }).write(slab);
    assert.is(given.pop() === slab.bytes, isBorrowing(each));
  }
  assert.equal(
    [ndjson('out').write, nullSink().write, memory().write, { ...ndjson('out'), write }.write].map(isBorrowing),
    [true, true, false, false],
  );
});

test('items of a sink of the user stay as they are', async () => {
  const sink = memory();
  const writer = writerOf({ sink });
  for (const text of ['a', 'b']) {
    const { slab, done } = lentSlab(text);
    await writer.write(slab);
    done();
  }
  assert.equal(sink.items(), ['a', 'b']);
});

test('output names pass memory on as their sink takes it', () => {
  const names = createOutputNames('bucket.dataType');
  assert.equal(
    [nullSink(), memory()].map((sink) => isBorrowing(names.within(sink, 'b').write)),
    [true, false],
  );
});

test(
  'a file keeps the memory until its write has landed',
  inFolder(async (dir) => {
    const disk = heldDisk();
    const sink = ndjson(dir, { openFile: disk.openFile });
    const { slab, done, seen } = lentSlab(large);
    await sink.write(batchOf(slab), calm);
    const held = await disk.next();
    done();
    assert.is(seen.isFree, false);
    held.land();
    await sink.durable?.();
    assert.is(seen.isFree, true);
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': `"${large}"\n` });
  }),
);

test(
  'a file gives the memory back if the write fails',
  inFolder(async (dir) => {
    const disk = heldDisk();
    const sink = ndjson(dir, { openFile: disk.openFile });
    const { slab, done, seen } = lentSlab(large);
    await sink.write(batchOf(slab), calm);
    const held = await disk.next();
    done();
    held.fail(diskFull);
    await rejection(async () => sink.durable?.(), 'ERR_SINK');
    assert.is(seen.isFree, true);
    await sink.abort(undefined);
  }),
);

test(
  'small batches that a file collects are copied',
  inFolder(async (dir) => {
    const sink = ndjson(dir);
    for (const text of ['a', 'b', 'c']) {
      const { slab, done } = lentSlab(text);
      await sink.write(batchOf(slab), calm);
      done();
    }
    await sink.commit?.(pageEnd('users'), calm);
    await sink.close();
    assert.equal(filesIn(dir), { 'users.ndjson': '"a"\n"b"\n"c"\n' });
  }),
);

test('slabs that are held back are copied', async () => {
  const buffer = createSlabBuffer();
  const { slab, done } = lentSlab('a');
  await buffer.add(slab);
  done();
  const texts: string[] = [];
  for await (const { bytes } of buffer.drain()) texts.push(Buffer.from(bytes).toString());
  assert.equal(texts, ['"a"\n']);
});

test.run();
