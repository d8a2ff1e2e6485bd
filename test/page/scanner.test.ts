/** The rules of the page scanner: what it finds, captures and hashes, each in a table of bodies. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DataField } from '../../src/core/model/job.js';
import { startScan } from '../../src/page/scanner/scanner.js';
import { at, auto, defaults, failure, itemsOf, pieces, scanBody, scanChunks, WHOLE } from './scanner-run.js';
import { xxhash64 } from './xxhash64.js';

/** Every body is scanned whole, and a byte at a time. */
const sizes = [WHOLE, 1];

type FoundCase = readonly [field: DataField, body: string, found: string, ...items: string[]];

const found: readonly FoundCase[] = [
  [at('data'), '{"data":[1,"a",null,[2],{"b":{}}]}', 'list', '1', '"a"', 'null', '[2]', '{"b":{}}'],
  [at('data'), '{"a":{"data":[1]},"data":[2]}', 'list', '2'],
  [at('data'), '{"data":[]}', 'list'],
  [at('data'), ' {"data" : [ ] } ', 'list'],
  [at('data'), '{"data":{"a":[1, 2]}}', 'object', '{"a":[1,2]}'],
  [at('data'), '{"data":{}}', 'object', '{}'],
  [at('data'), '{"data":-1.50e+3}', 'scalar', '-1.50e+3'],
  [at('data'), '{"data":"x"}', 'scalar', '"x"'],
  [at('data'), '{"data":true}', 'scalar', 'true'],
  [at('data'), '{"data":0.10}', 'scalar', '0.10'],
  [at('data'), '{"data":"\\u0030"}', 'empty'],
  ...['null', 'false', '0', '-0', '0.00', '0e7', '""', '"0"'].map(
    (value): FoundCase => [at('data'), `{"data":${value}}`, 'empty'],
  ),
  [at('data'), '{"Data":[1]}', 'empty'],
  [at('data'), '[1]', 'empty'],
  [at('data'), '5', 'empty'],
  [at('data'), '{"d\\u0061ta":[1]}', 'list', '1'],
  [at('a"\\'), '{"a\\"\\\\":[1]}', 'list', '1'],
  [at('ключ'), '{"ключ":[1]}', 'list', '1'],
  [at('__proto__', 'a'), '{"__proto__":{"a":[1]}}', 'list', '1'],
  [at('constructor'), '{}', 'empty'],
  [at('a', '1', 'b'), '{"a":[[0],{"b":[7,8]},{"b":[9]}]}', 'list', '7', '8'],
  [at('a', '01'), '{"a":[[0],[1]]}', 'list', '1'],
  [at('1'), '{"1":[5]}', 'list', '5'],
  [at('1'), '[[5],null]', 'empty'],
  [at('-1'), '[[5]]', 'empty'],
  [at(), '[1,2]', 'list', '1', '2'],
  [at(), '{"a":[1]}', 'object', '{"a":[1]}'],
  [at(), ' 12 ', 'scalar', '12'],
  [at(), 'null', 'empty'],
  [auto, '[[1],2]', 'list', '[1]', '2'],
  [auto, '[]', 'list'],
  [auto, '{"n":1,"o":{"deep":[1]},"rows":[3]}', 'list', '3'],
  [auto, '{"error":"x","rows":[]}', 'list'],
  [auto, '{"a":{"b":[1]}}', 'none'],
  [auto, '{}', 'none'],
];

for (const [field, body, kind, ...items] of found) {
  test(`finds in ${body} ${field.kind === 'auto' ? 'by itself' : `at '${field.text}'`}: ${kind}`, () => {
    const bytes = items.reduce((sum, item) => sum + Buffer.byteLength(item) + 1, 0);
    for (const size of sizes) {
      const outcome = scanBody(body, { dataField: field }, size);
      assert.equal([outcome.found, outcome.items], [kind, items]);
      assert.equal([outcome.count, outcome.itemBytes], [items.length, bytes]);
    }
  });
}

const later: readonly FoundCase[] = [
  [at('a'), '{"a":[1,2],"a":[3]}', 'list', '3'],
  [at('a'), '{"a":[1,2],"\\u0061":null}', 'empty'],
  [at('a', 'b'), '{"a":{"b":[1]},"a":{"c":0}}', 'empty'],
  [at('a', 'b'), '{"a":{"b":[1]},"x":0,"a":{"b":[2],"b":{"c":[3]}}}', 'object', '{"c":[3]}'],
  [auto, '{"a":[1],"a":[2]}', 'list', '2'],
  [auto, '{"a":[1],"a":5,"b":[3]}', 'list', '3'],
];

for (const [field, body, kind, ...items] of later) {
  test(`lets the last duplicate win in ${body}`, () => {
    for (const size of sizes) {
      const outcome = scanBody(body, { dataField: field, batchBytes: 1 }, size);
      assert.equal([outcome.found, outcome.items, outcome.count], [kind, items, items.length]);
      assert.is(outcome.restarts > 0, size === 1);
    }
  });
}

test('reports no restart before a slab was emitted', () => {
  assert.is(scanBody('{"a":[1,2],"a":[3]}', { dataField: at('a') }, 1).restarts, 0);
});

type CaptureCase = readonly [body: string, path: string, json: string | undefined, ...beside: string[]];

const captured: readonly CaptureCase[] = [
  ['{"meta":{"next":"a\\u0062"},"data":[]}', 'meta.next', '"a\\u0062"'],
  ['{"data":[{"id":1},{"id": [2, 3]}]}', 'data.1.id', '[2,3]'],
  ['{"data":[{"id":1},{"id":2}]}', 'data.01.id', '2'],
  ['{"data":[{"id":1},{"id":2}]}', 'data.2.id', undefined],
  ['{"data":[{"id":1},{"key":2}]}', 'data.1.id', undefined, 'key'],
  ['{ "data" : [ { "id" : 1 } , 2 ] }', 'data', '[{"id":1},2]'],
  ['{"o":{"x":1},"data":[1 ,2]}', '', undefined, 'o', 'data'],
  ['{"has_more":true,"data":[]}', 'hasMore', undefined, 'has_more', 'data'],
  ['{"meta":{"a":1,"b":2},"data":[]}', 'meta.next.page', undefined, 'a', 'b'],
  ['{"meta":5,"data":[]}', 'meta.next', undefined],
  ['{"meta":{"next":1},"meta":{"prev":2}}', 'meta.next', undefined, 'prev'],
  ['{"meta":{"next":1},"meta":3}', 'meta.next', undefined],
  ['{"n":1,"n":2}', 'n', '2'],
  ['{"__proto__":{"x":1}}', '__proto__.x', '1'],
  ['{"n":0}', 'n', '0'],
  ['{"n":null}', 'n', 'null'],
];

for (const [body, path, json, ...beside] of captured) {
  test(`captures '${path}' of ${body}: ${json ?? `absent beside [${beside}]`}`, () => {
    for (const fingerprint of [false, true]) {
      for (const size of sizes) {
        const options = { dataField: at('data'), captures: [path.split('.')], fingerprint };
        const outcome = scanBody(body, options, size);
        assert.equal([outcome.captured[0], outcome.beside[0]], [json, beside]);
      }
    }
  });
}

test('captures containers around the items and values inside them at once', () => {
  const body = '{"page": {"n": 1, "data": [ {"id": [1, 2]}, {"id": 3} ]}, "z": 0}';
  const paths = ['page', 'page.data', 'page.data.1', 'page.data.0.id.1', 'page.data', 'page.data.0.id'];
  const captures = [[], ...paths.map((path) => path.split('.'))];
  const list = '[{"id":[1,2]},{"id":3}]';
  const expected = [body.replaceAll(' ', ''), `{"n":1,"data":${list}}`, list, '{"id":3}', '2', list, '[1,2]'];
  for (const size of sizes) {
    const outcome = scanBody(body, { dataField: at('page', 'data'), captures }, size);
    assert.equal(outcome.items, ['{"id":[1,2]}', '{"id":3}']);
    assert.equal(outcome.captured, expected);
  }
});

test('captures only values at a silent path, the last one of a repeated member', () => {
  const captures = [['a', 'n'], ['a', 'm'], ['b']];
  const silent = new Set([0, 1]);
  const bodies = [
    ['{"a":{"x":1,"n":2},"data":[]}', ['2', undefined, undefined]],
    ['{"a":{"n":2,"m":"y"},"data":[],"a":{"n":3}}', ['3', undefined, undefined]],
    ['{"a":{"n":2},"a":4,"b":5,"data":[]}', [undefined, undefined, '5']],
  ] as const;
  for (const [body, expected] of bodies) {
    for (const size of sizes) {
      const outcome = scanBody(body, { dataField: at('data'), captures, silent }, size);
      assert.equal(outcome.captured, expected);
      assert.equal(outcome.beside.slice(0, 2), [[], []]);
    }
  }
});

test('captures lists and objects at a shallow path as empty ones, whatever their size, and scalars unchanged', () => {
  const large = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id })));
  const body = `{"data":${large},"o":{"a":{"b":1}},"s":"x","o":{"a":7},"none":[]}`;
  const paths = ['data', 'data.0', 'data.0.id', 'o', 'o.a', 's', 'none', 'none.0', 'absent'];
  const captures = [...paths, 'o'].map((path) => path.split('.'));
  const shallow = new Set(paths.keys());
  for (const size of [WHOLE, 7]) {
    const outcome = scanBody(body, { dataField: at('data'), captures, shallow }, size);
    const expected = ['[]', '{}', '0', '{}', '7', '"x"', '[]', undefined, undefined, '{"a":7}'];
    assert.equal(outcome.captured, expected);
    assert.is(outcome.count, 50_000);
  }
});

test('captures the numbers of an object as a table, the last one of a name, and those of the last object', () => {
  const body =
    '{"n":1,"s":"x","items":[{"id":7}],"o":{"a":1},"o":{"b":2.5,"c":{"d":3},"e":[4],"\\u00e9\\"":-5,"f":60},"n":12000,"z":null}';
  const captures = [[], ['o'], ['absent'], ['n']];
  const figures = new Set([0, 1, 2]);
  for (const size of sizes) {
    const outcome = scanBody(body, { dataField: at('items'), captures, figures, silent: figures }, size);
    assert.equal(outcome.captured, ['{"n":12000}', '{"b":2.5,"f":60}', undefined, '12000']);
    assert.equal(outcome.items, ['{"id":7}']);
  }
});

test('captures at most 64 numbers of an object', () => {
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, index])));
  const figures = new Set([0]);
  const [captured = '{}'] = scanBody(body, { captures: [[]], figures, silent: figures }, WHOLE).captured;
  assert.equal(Object.keys(JSON.parse(captured)).length, 64);
});

test('names the path of a capture that is too large', () => {
  const body = `{"a":{"b":"${'x'.repeat(100)}"}}`;
  for (const size of sizes) {
    const got = failure(body, { captures: [['a', 'b']], maxCaptureBytes: 101 }, size);
    assert.is(got?.code, 'ERR_ITEM_SIZE');
    assert.match(got?.message ?? '', /'a\.b' is larger than 101 bytes/);
    const fits = scanBody(body, { captures: [['a', 'b']], maxCaptureBytes: 102 }, size);
    assert.is(fits.captured[0]?.length, 102);
  }
});

test('gives up a silent scalar that is too large, and continues', () => {
  const long = 'x'.repeat(200);
  const body = `{"total":"${long}","items":[1,2],"next":"${long}","count":"7"}`;
  const captures = ['total', 'count', 'next'].map((name) => [name]);
  const silent = new Set([0, 1, 2]);
  for (const size of sizes) {
    const options = { captures, silent, shallow: silent, maxCaptureBytes: 101, fingerprint: true };
    const outcome = scanBody(body, options, size);
    assert.equal(outcome.captured, [undefined, '"7"', undefined]);
    assert.equal(outcome.items, ['1', '2']);
    assert.equal(outcome.chain, scanBody(body, { fingerprint: true }, WHOLE).chain);
  }
});

test('a required path fails at a value that is too large, though a silent one leads there too', () => {
  const body = `{"a":{"total":"${'x'.repeat(200)}"}}`;
  const silent = { silent: new Set([0]), shallow: new Set([0]), maxCaptureBytes: 101 };
  for (const needed of [['a', 'total'], ['a']]) {
    const got = failure(body, { captures: [['a', 'total'], needed], ...silent });
    assert.is(got?.code, 'ERR_ITEM_SIZE', needed.join('.'));
  }
});

test('lists at most 64 names beside a missing one', () => {
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, index])));
  assert.is(scanBody(body, { captures: [['x']] }).beside[0]?.length, 64);
});

test('accepts an item of exactly the limit and rejects one byte more', () => {
  for (const item of [`"${'x'.repeat(98)}"`, `{"a" : [${'1,'.repeat(40)}100000000000]}`, '1'.repeat(100)]) {
    for (const body of [`[${item}, 1]`, `[1,${item}]`, `{"a":[${item} ]}`]) {
      for (const size of sizes) {
        const { items } = scanBody(body, { maxItemBytes: 100 }, size);
        assert.ok(items.includes(item.replaceAll(' ', '')));
        assert.is(failure(body, { maxItemBytes: 99 }, size)?.code, 'ERR_ITEM_SIZE');
      }
    }
  }
});

const MEBIBYTE = 1 << 20;
const large: readonly (readonly [name: string, item: string])[] = [
  ['a string of 5 MiB', `"${'x'.repeat(5 * MEBIBYTE)}"`],
  ['a string of escapes', `"${'\\u00e9\\n'.repeat(40_000)}"`],
  ['a number of a MiB of digits', `-${'7'.repeat(MEBIBYTE)}.${'0'.repeat(400)}1e5`],
  ['a long list', `[${'1,'.repeat(100_000)}1]`],
  ['a name of 200 KiB', `{"${'n'.repeat(200 << 10)}":1}`],
];

for (const [name, item] of large) {
  test(`reads ${name} as one item`, () => {
    for (const size of [WHOLE, 65536, 1000]) {
      const { items } = scanBody(`{"data":[ 1, ${item} ,2]}`, { dataField: at('data'), fingerprint: true }, size);
      assert.is(items.length, 3);
      assert.ok(items[1] === item);
    }
  });
}

test('accepts a MiB of white space anywhere', () => {
  const gap = ' \n\r\t'.repeat(MEBIBYTE / 4);
  const { items } = scanBody(`${gap}{${gap}"data"${gap}:${gap}[${gap}{"a":${gap}1}${gap},2${gap}]${gap}}${gap}`);
  assert.equal(items, ['{"a":1}', '2']);
});

test('does not take a long name for a short path, nor list it', () => {
  const body = `{"${'n'.repeat(200 << 10)}":[1]}`;
  const outcome = scanBody(body, { dataField: at('n'), captures: [['n', 'x']] }, 1000);
  assert.equal([outcome.found, outcome.captured[0], outcome.beside[0]], ['empty', undefined, []]);
});

test('emits a slab as soon as a batch is ready, and pauses the scan until it is accepted', () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 1000 }, () => 'x'.repeat(1000))));
  const scan = startScan({ ...defaults, batchBytes: 100_000 });
  for (const event of scan.feed(body)) {
    assert.ok('slab' in event && event.slab.bytes.length >= 100_000 && event.slab.bytes.length < 200_000);
    break;
  }
  assert.ok(scan.count < 300);
  scan.dispose();
  assert.ok(scanChunks([body], { batchBytes: 100_000 }).slabs >= 6);
});

test('never touches a slab again', () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 5000 }, (_, index) => ({ index }))));
  const scan = startScan({ ...defaults, batchBytes: 1000, fingerprint: true });
  const events = pieces(body, 3000).flatMap((chunk) => [...scan.feed(chunk)]);
  events.push(...scan.end());
  scan.dispose();
  scanBody('["other"]');
  const items = events.flatMap((event) => ('slab' in event ? itemsOf(event.slab) : []));
  assert.ok(events.length > 5);
  assert.is(`[${items}]`, body.toString());
});

test('keeps scans that run side by side apart', () => {
  const bodies = ['[1,"aa"]', '[{"b":2}]'];
  const scans = bodies.map(() => startScan({ ...defaults, batchBytes: 1, fingerprint: true }));
  const texts = ['', ''];
  for (let from = 0; from < 12; from++) {
    for (const [index, scan] of scans.entries()) {
      for (const event of scan.feed(Buffer.from(bodies[index]?.slice(from, from + 1) ?? ''))) {
        if ('slab' in event) texts[index] += Buffer.from(event.slab.bytes).toString();
      }
    }
  }
  for (const scan of scans) {
    for (const _ of scan.end()) assert.unreachable('all items were ready before the end');
    scan.dispose();
  }
  assert.equal(texts, ['1\n"aa"\n', '{"b":2}\n']);
});

test('starts afresh after a scan that failed', () => {
  assert.is(failure('{"a":["\\u1', { captures: [['a']], dataField: at('a') }, 2)?.code, 'ERR_JSON');
  assert.equal(scanBody('[1]').items, ['1']);
});

test('returns the same after dispose', () => {
  const scan = startScan({ ...defaults, captures: [['n']] });
  for (const _ of scan.feed(Buffer.from('{"n":7,"a":[1]}'))) assert.unreachable('the batch is not full');
  const slabs = [...scan.end()];
  scan.dispose();
  scan.dispose();
  assert.equal([slabs.length, scan.count, scan.itemBytes, scan.found], [1, 1, 2, 'list']);
  assert.is(Buffer.from(scan.captured(0).json ?? []).toString(), '7');
});

test('accepts nothing after dispose', () => {
  const scan = startScan(defaults);
  scan.dispose();
  assert.throws(() => [...scan.feed(Buffer.from('[1]'))], /disposed/);
  assert.throws(() => [...scan.end()], /disposed/);
});

const vectors: readonly (readonly [text: string, digest: bigint])[] = [
  ['', 0xef46db3751d8e999n],
  ['abc', 0x44bc2cf5ad770999n],
  ['Nobody inspects the spammish repetition', 0xfbcea83c8a378bf1n],
];

for (const [text, digest] of vectors) {
  test(`uses an XXH64 that gives '${text}' its published digest`, () => {
    assert.is(xxhash64(Buffer.from(text)), digest);
  });
}

test('chains the digests of the part before the items, of each 64 KiB of them, of all, of the rest, and the count', () => {
  const items = Array.from({ length: 9000 }, (_, index) => ({ index, text: 'ž'.repeat(index % 40) }));
  const lines = Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  const blocks = Array.from({ length: Math.floor(lines.length / 65536) }, (_, index) =>
    xxhash64(lines.subarray(0, (index + 1) * 65536)),
  );
  const expected = [
    xxhash64(Buffer.from('{"meta":{"page":1},"data":[')),
    ...blocks,
    xxhash64(lines),
    xxhash64(Buffer.from('{"meta":{"page":1},"data":[],"end":[1,2]}')),
    9000n,
  ];
  const value = { meta: { page: 1 }, data: items, end: [1, 2] };
  const chain = (text: string, batchBytes: number, size: number) =>
    scanBody(text, { dataField: at('data'), captures: [['meta']], fingerprint: true, batchBytes }, size).chain;
  assert.ok(expected.length > 8);
  assert.equal(chain(JSON.stringify(value), 1 << 20, WHOLE), expected);
  assert.equal(chain(JSON.stringify(value, null, 3), 1, WHOLE), expected);
  assert.equal(chain(JSON.stringify(value, null, '\t'), 70_000, 777), expected);
});

test('digests the items alone, whatever is around them and however they are spaced, cut and batched', () => {
  const list = Array.from({ length: 3000 }, (_, id) => ({ id, name: `name ${id}` }));
  const digest = (value: object, indent = 0, batchBytes = 1 << 20, size = WHOLE) =>
    scanBody(JSON.stringify(value, null, indent), { dataField: at('data'), fingerprint: true, batchBytes }, size)
      .itemsDigest;
  const expected = digest({ data: list });
  assert.ok(expected !== undefined);
  assert.is(digest({ request: 1, data: list, next: 'x' }), expected);
  assert.is(digest({ request: 22, data: list }, 2, 1000, 777), expected);
  assert.is(digest({ data: [] }), digest({ data: [], id: 7 }));
  assert.is.not(digest({ data: list.with(2999, { id: 2999, name: 'other' }) }), expected);
  assert.is.not(digest({ data: list.slice(1) }), expected);
  assert.is.not(digest({ data: [1, 2] }), digest({ data: [12] }));
  assert.is(scanBody('[1]', {}).itemsDigest, undefined);
});

test('digests the items that count if a later member replaces the earlier', () => {
  const digest = (body: string) =>
    scanBody(body, { dataField: at('data'), fingerprint: true, batchBytes: 1 }).itemsDigest;
  assert.is(digest('{"data":[1,2,3],"id":5,"data":[4]}'), digest('{"data":[4]}'));
});

test('keeps the chain up to the first block that differs', () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({ index }));
  const chain = (changed: number) =>
    scanBody(JSON.stringify(items.with(changed, { index: -1 })), { fingerprint: true }).chain;
  const [early, late, last] = [chain(0), chain(19_998), chain(19_999)];
  assert.is(early[0], late[0]);
  assert.is.not(early[1], late[1]);
  assert.equal(late.slice(0, 4), last.slice(0, 4));
  assert.is.not(late.at(-3), last.at(-3));
});

test('has the chain of the blocks in a slab when it emits the slab', () => {
  const body = Buffer.from(JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ index }))));
  const scan = startScan({ ...defaults, batchBytes: 1, fingerprint: true });
  let bytes = 0;
  for (const event of scan.feed(body)) {
    if ('slab' in event) bytes += event.slab.bytes.length;
    assert.is(scan.chain.length, 1 + Math.floor(bytes / 65536));
  }
  scan.dispose();
  assert.ok(bytes > 200_000);
});

test('has the whole chain when it emits the last slab', () => {
  const text = JSON.stringify({ data: [1, 2, 3], more: true });
  const { chain } = scanBody(text, { dataField: at('data'), fingerprint: true });
  const scan = startScan({ ...defaults, dataField: at('data'), fingerprint: true });
  assert.equal([...scan.feed(Buffer.from(text))], [], 'the items are fewer than a batch');
  const chains = Array.from(scan.end(), () => [...scan.chain]);
  assert.equal(chains, [chain]);
  assert.is(scan.count, 3);
  scan.dispose();
});

test('has an empty chain without a fingerprint', () => {
  assert.equal(scanBody('[1]').chain, []);
});

const differing: readonly (readonly [string, string])[] = [
  ['{"data":[]}', '{"data":null}'],
  ['{"data":[1]}', '{"data":1}'],
  ['{"data":[1,2]}', '{"data":[12]}'],
  ['{"data":[1]}', '{"data":[1],"next":2}'],
  ['{"data":["a b"]}', '{"data":["ab"]}'],
  ['{"data":[1.0]}', '{"data":[1]}'],
  ['{"data":[{"a":1,"b":2}]}', '{"data":[{"b":2,"a":1}]}'],
  ['{"a":1,"data":[1]}', '{"a":2,"data":[1]}'],
  ['{"data":[1],"data":[3]}', '{"data":[2],"data":[3]}'],
  ['{"data":[1],"data":[3]}', '{"data":[3]}'],
];

for (const [one, two] of differing) {
  test(`${one} and ${two} have different chains`, () => {
    const [first, second] = [one, two].map(
      (body) => scanBody(body, { dataField: at('data'), fingerprint: true }).chain,
    );
    assert.not.equal(first, second);
  });
}

test.run();
