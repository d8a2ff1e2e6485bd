import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { memory } from '../../sinks/index.js';
import { sourceOf } from '../../src/core/util/byte-source.js';
import { memoryBytes } from '../../src/page/buffer/temp-file.js';
import { type PageOptions, readPage } from '../../src/page/read-page.js';
import { calm, pageEnd, rejection } from '../sinks/lib.js';
import { pageOptions, withTemporaryFiles, writerOf } from './lib.js';

type Body = AsyncIterable<Uint8Array>;

async function* inChunks(...chunks: readonly string[]): Body {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const read = (body: Body, sink: Sink, options: Partial<PageOptions> = {}) =>
  readPage(sourceOf(body), writerOf({ sink }), { ...pageOptions, ...options });

test('reads items across chunks, and the values at the captured paths', async () => {
  const sink = memory();
  const captures = ['next', 'none'].map((text) => ({ text, segments: [text] }));
  const body = inChunks('{"data": [{"id"', ': 1}, {"id": 2', '}], "next": "c1"}');
  const { envelope, chain, pathMiss: _, itemsDigest, ...rest } = await read(body, sink, { captures });
  assert.equal(sink.items(), [{ id: 1 }, { id: 2 }]);
  assert.equal(rest, { count: 2, bytes: '{"id":1}\n{"id":2}\n'.length, found: 'list', repeated: false });
  assert.is(envelope.get('next')?.value, 'c1');
  assert.is(envelope.get('none')?.value, undefined);
  assert.ok(chain.length > 0);
  assert.is(itemsDigest, chain.at(-3));
});

for (const chunks of [[], [''], ['', ' \r\n', '\t']]) {
  test(`reads ${JSON.stringify(chunks)} as no body`, async () => {
    const { count, found } = await read(inChunks(...chunks), memory());
    assert.equal([count, found], [0, 'no body']);
  });
}

test('does not read the next chunk before the sink has accepted the batch', async () => {
  const order: string[] = [];
  async function* body(): Body {
    for (const n of [1, 2, 3]) {
      order.push(`chunk ${n}`);
      yield Buffer.from(`${n === 1 ? '[' : ''}"${'x'.repeat(20)}"${n === 3 ? ']' : ','}`);
    }
  }
  const write = async () => {
    order.push('batch');
    await new Promise((resolve) => setImmediate(resolve));
    order.push('taken');
  };
  await read(body(), { ...memory(), write });
  const expected = ['chunk 1', 'batch', 'taken', 'chunk 2', 'batch', 'taken', 'chunk 3', 'batch', 'taken'];
  assert.equal(order, expected);
});

test('leaves the body when the sink fails', async () => {
  let left = false;
  async function* body(): Body {
    try {
      yield Buffer.from('[');
      while (true) yield Buffer.from('"a long enough item",');
    } finally {
      left = true;
    }
  }
  const write = () => {
    throw new Error('disk full');
  };
  await rejection(read(body(), { ...memory(), write }), 'ERR_SINK', /disk full/);
  assert.ok(left);
});

test('starts over if the member with the items is repeated, also in repeated pages', async () => {
  const text = [`{"a":["${'x'.repeat(40)}","y"`, '],"a":["z"]}'];
  const sink = memory();
  const first = await read(inChunks(...text), sink);
  assert.equal(sink.items(), ['z']);
  assert.is(first.count, 1);
  await sink.commit?.(pageEnd('people'), calm);

  const again = await read(inChunks(...text), sink, { previous: first.chain });
  assert.equal([again.repeated, again.count, again.bytes], [true, 0, 0]);
  assert.equal(sink.items(), ['z']);
});

test('forgets items that start over', async () => {
  const items = `"${'x'.repeat(40)}","y"`;
  const { chain } = await read(inChunks(`{"a":[${items}]}`), memory());
  const sink = memory();
  await read(inChunks(`{"a":[${items}`, '],"a":["z"]}'), sink, { previous: chain });
  assert.equal(sink.items(), ['z']);
});

/** About 10 MiB, more than is held in memory; `last` is its last item. */
const line = `"${'x'.repeat(1021)}",`;
async function* largePage(last: string, before: () => void = () => {}): Body {
  yield Buffer.from('[');
  for (let sent = 0; sent < memoryBytes + (2 << 20); sent += 1 << 20) yield Buffer.from(line.repeat(1024));
  before();
  yield Buffer.from(`"${last}"]`);
}
const count = 10 * 1024 + 1;
const large = { batchBytes: 1 << 20 };

const counting = () => {
  const seen = { items: 0, bytes: 0, last: '' };
  const sink: Sink = {
    ...memory(),
    write: ({ bytes, ...batch }) => {
      seen.items += batch.count;
      seen.bytes += bytes.length;
      seen.last = Buffer.from(bytes.subarray(-6)).toString();
    },
  };
  return { seen, sink };
};

test(
  'holds a large page in a temporary file while it agrees with the one before, and drops a repeated one',
  withTemporaryFiles(async (files) => {
    const { chain } = await read(largePage('1'), counting().sink, large);
    const { seen, sink } = counting();
    let during: readonly string[] = [];
    const body = largePage('1', () => {
      during = files();
    });
    const { repeated } = await read(body, sink, { ...large, previous: chain });
    assert.is(repeated, true);
    assert.equal(seen, { items: 0, bytes: 0, last: '' });
    assert.ok(
      during.some((name) => name.endsWith('held')),
      'it waited in a file',
    );
    assert.equal(files(), []);
  }),
);

test(
  'releases a large page in order that differs in its last byte only',
  withTemporaryFiles(async (files) => {
    const { chain, bytes } = await read(largePage('1'), counting().sink, large);
    const sink = memory();
    const { repeated } = await read(largePage('2'), sink, { ...large, previous: chain });
    assert.is(repeated, false);
    assert.is(
      Buffer.concat(sink.batches.map((batch) => batch.bytes)).toString(),
      [...Array(count - 1).fill(line.slice(0, -1)), '"2"', ''].join('\n'),
    );
    assert.is(
      sink.batches.reduce((sum, batch) => sum + batch.count, 0),
      count,
    );
    assert.is(
      sink.batches.reduce((sum, batch) => sum + batch.bytes.length, 0),
      bytes,
    );
    assert.equal(files(), []);
  }),
);

test(
  'removes the temporary file when a page that is held breaks',
  withTemporaryFiles(async (files) => {
    const { chain } = await read(largePage('1'), counting().sink, large);
    const { seen, sink } = counting();
    const body = largePage('1', () => {
      assert.ok(files().length > 0);
      throw new Error('the line went dead');
    });
    await rejection(read(body, sink, { ...large, previous: chain }), 'ERR_INTERNAL', /went dead/);
    assert.is(seen.items, 0);
    assert.equal(files(), []);
  }),
);

test('does not hold a page that begins otherwise', async () => {
  const page = (first: string) => inChunks(`{"first": "${first}", "data": [`, `"${'x'.repeat(100)}"`, ', "y"]}');
  const { chain } = await read(page('a'), memory());
  const sink = memory();
  async function* body(): Body {
    yield Buffer.from(`{"first": "b", "data": ["${'x'.repeat(100)}"`);
    yield Buffer.from(', "y"');
    assert.is(sink.items().length, 1, 'the first batch did not wait for the end');
    yield Buffer.from(']}');
  }
  const { repeated } = await read(body(), sink, { previous: chain });
  assert.is(repeated, false);
  assert.is(sink.items().length, 2);
});

const differences: readonly [what: string, one: string, two: string, repeated: boolean][] = [
  ['blanks', '{"a":[1,2],"b":1}', '{ "a" : [1, 2],\n"b": 1 }', true],
  ['what lies behind the items', '{"a":[1,2],"b":1}', '{"a":[1,2],"b":2}', false],
  ['one item more', '[1,2]', '[1,2,2]', false],
  ['one item less', '[1,2]', '[1]', false],
  ['the text of a number', '[1.0]', '[1.00]', false],
];

for (const [what, one, two, repeated] of differences) {
  test(`pages that differ in ${what} ${repeated ? 'are' : 'are not'} the same`, async () => {
    const { chain } = await read(inChunks(one), memory());
    const sink = memory();
    const second = await read(inChunks(two), sink, { previous: chain });
    assert.is(second.repeated, repeated);
    assert.is(sink.items().length, second.count);
  });
}

const lines: Partial<PageOptions> = { contentType: 'application/x-ndjson; charset=utf-8' };

test('reads the body by its content type', async () => {
  const sink = memory();
  const captures = ['1.next', 'next'].map((text) => ({ text, segments: text.split('.') }));
  const body = inChunks('{"id": 1}\n{"i', 'd": 2, "next": "c1"}');
  const { envelope, count, found } = await read(body, sink, { ...lines, captures });
  assert.equal(sink.items(), [{ id: 1 }, { id: 2, next: 'c1' }]);
  assert.equal([count, found], [2, 'list']);
  assert.equal([envelope.get('1.next')?.value, envelope.get('next')?.value], ['c1', undefined]);

  const records = memory();
  await read(inChunks('\x1e{"id":\n1}\n\x1e', '2\n'), records, { contentType: 'application/json-seq' });
  assert.equal(records.items(), [{ id: 1 }, 2]);
});

for (const chunks of [[], ['\n', ' \r\n']]) {
  test(`reads ${JSON.stringify(chunks)} as a page without lines`, async () => {
    const { count, found } = await read(inChunks(...chunks), memory(), lines);
    assert.equal([count, found], [0, 'list']);
  });
}

for (const [what, chunks, code] of [
  ['a broken line', ['{"id":1}\n{"id":2}\n{"id":3}\n', '{"id":4\n', '{"id":5}\n'], 'ERR_JSON'],
  ['a last line cut short', ['{"id":1}\n{"id":2}\n{"id":3}\n', '{"id"'], 'ERR_JSON'],
  ['bytes that are no UTF-8', ['"one long line"\n"another"\n', Buffer.from('"\xff"\n', 'latin1')], 'ERR_UTF8'],
] as const) {
  test(`rolls back the lines before ${what}`, async () => {
    const sink = memory();
    let before = 0;
    async function* body(): Body {
      for (const chunk of chunks) {
        yield Buffer.from(chunk);
        before = Math.max(before, sink.items().length);
      }
    }
    await rejection(read(body(), sink, lines), code, /at byte/);
    assert.ok(before > 0, 'some had been written');
    assert.equal(sink.items(), []);
  });
}

test('does not read the next chunk of lines before the sink has accepted the batch', async () => {
  const order: string[] = [];
  async function* body(): Body {
    for (const n of [1, 2, 3]) {
      order.push(`chunk ${n}`);
      yield Buffer.from(`"${'x'.repeat(20)}"\n"y"\n`);
    }
  }
  const write = async () => {
    order.push('batch');
    await new Promise((resolve) => setImmediate(resolve));
    order.push('taken');
  };
  await read(body(), { ...memory(), write }, lines);
  const chunks = [1, 2, 3].flatMap((n) => [`chunk ${n}`, 'batch', 'taken']);
  assert.equal(order, [...chunks, 'batch', 'taken'], 'the last line of a chunk goes with the next');
});

test('notices a page of lines that repeats the one before it', async () => {
  const { chain } = await read(inChunks('{"a":1}\n{"a":2}\n'), memory(), lines);
  const sink = memory();
  const same = await read(inChunks('{"a": 1}\n\n{"a"', ': 2}'), sink, { ...lines, previous: chain });
  assert.equal([same.repeated, same.count, sink.items()], [true, 0, []]);
  const other = await read(inChunks('{"a":1}\n{"a":3}\n'), sink, { ...lines, previous: chain });
  assert.equal([other.repeated, sink.items()], [false, [{ a: 1 }, { a: 3 }]]);
});

test('reports the byte of a captured value that is too large', async () => {
  const captures = [{ text: '1.next', segments: ['1', 'next'] }];
  const body = inChunks(`1\n{"next":"${'x'.repeat(100)}"}\n`);
  await rejection(read(body, memory(), { ...lines, captures, maxCaptureBytes: 50 }), 'ERR_ITEM_SIZE', /at byte 10$/);
});

test.run();
