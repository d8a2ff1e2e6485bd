import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Exact, ExactNumber, type ExactObject, emptyObject, isObject } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import type { Items } from '../../src/core/model/batch.js';
import { appendMembers } from '../../src/page/append-members.js';

function columns(json: string): ExactObject {
  const value = parseExact(json);
  return isObject(value) ? value : emptyObject;
}

/** Lines as written: `slabOf` would rewrite them. The slab is in the middle of a larger buffer. */
function slabOf(...lines: readonly string[]): Items {
  const whole = Buffer.from(`......${lines.map((line) => `${line}\n`).join('')}`);
  const ends = lines.map((_, at) => lines.slice(0, at + 1).reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0));
  return { bytes: whole.subarray(6), offsets: Uint32Array.of(0, ...ends), count: lines.length };
}

/** The items of a slab by its offsets, each without its newline. */
const linesOf = ({ bytes, offsets, count }: Items) =>
  Array.from({ length: count }, (_, at) => {
    const line = Buffer.from(bytes).toString('utf8', offsets[at], offsets[at + 1]);
    assert.ok(line.endsWith('\n'));
    return line.slice(0, -1);
  });

const added = (item: string, json: string) => linesOf(appendMembers(slabOf(item), columns(json)))[0];

const cases = [
  ['{"a":1}', '{"parent_id":5}', '{"a":1,"parent_id":5}'],
  ['{}', '{"x":1,"y":2}', '{"x":1,"y":2}'],
  [
    '{"a":1}',
    '{"n":12345678901234567890,"f":1.50,"s":"é\\"","o":{"b":[]},"z":null}',
    '{"a":1,"n":12345678901234567890,"f":1.50,"s":"é\\"","o":{"b":[]},"z":null}',
  ],
  // an item that is no object
  ['5', '{"x":1}', '{"data":5,"x":1}'],
  ['"{}"', '{"x":1}', '{"data":"{}","x":1}'],
  ['null', '{"x":1}', '{"data":null,"x":1}'],
  ['[{"x":2}]', '{"x":1}', '{"data":[{"x":2}],"x":1}'],
  ['[]', '{"data":1,"data_u0":2}', '{"data":[],"data_u1":1,"data_u0":2}'],
  // names that are taken
  ['{"x":2}', '{"x":1}', '{"x":2,"x_u0":1}'],
  ['{"x":2,"x_u0":3}', '{"x":1}', '{"x":2,"x_u0":3,"x_u1":1}'],
  ['{"x":2}', '{"x":1,"x_u0":4}', '{"x":2,"x_u1":1,"x_u0":4}'],
  ['{"x":2,"y":3}', '{"y":1,"z":0,"x":4}', '{"x":2,"y":3,"y_u0":1,"z":0,"x_u0":4}'],
  ['{"a":1,"\\u0078":2}', '{"x":1}', '{"a":1,"\\u0078":2,"x_u0":1}'],
  ['{"a\\/b":2}', '{"a/b":1}', '{"a\\/b":2,"a/b_u0":1}'],
  ['{"\\u0061\\/b":2}', '{"a/b":1}', '{"\\u0061\\/b":2,"a/b_u0":1}'],
  ['{"a\\u0022b":2}', '{"a\\"b":1}', '{"a\\u0022b":2,"a\\"b_u0":1}'],
  ['{"a\\"b":2}', '{"a\\"b":1}', '{"a\\"b":2,"a\\"b_u0":1}'],
  ['{"é":2}', '{"é":1}', '{"é":2,"é_u0":1}'],
  ['{"":2}', '{"":1}', '{"":2,"_u0":1}'],
  // names that only seem to be taken
  ['{"a":"x"}', '{"x":1}', '{"a":"x","x":1}'],
  ['{"a":{"x":2}}', '{"x":1}', '{"a":{"x":2},"x":1}'],
  ['{"a":[{"x":2},"x"],"b":"}\\",\\"x\\":"}', '{"x":1}', '{"a":[{"x":2},"x"],"b":"}\\",\\"x\\":","x":1}'],
  ['{"xx":2,"X":3}', '{"x":1}', '{"xx":2,"X":3,"x":1}'],
  ['{"a":"\\\\"}', '{"x":1}', '{"a":"\\\\","x":1}'],
] as const;

for (const [item, json, expected] of cases) {
  test(`${item} with ${json} becomes ${expected}`, () => assert.is(added(item, json), expected));
}

test('each item is looked at for itself', () => {
  const slab = slabOf('{"a":1}', '{"x":2}', '{}', '7', '{"b":"\\n"}', '{"c":{"x":0}}', '{"x":3}', '{"a":4}');
  assert.equal(linesOf(appendMembers(slab, columns('{"x":1}'))), [
    '{"a":1,"x":1}',
    '{"x":2,"x_u0":1}',
    '{"x":1}',
    '{"data":7,"x":1}',
    '{"b":"\\n","x":1}',
    '{"c":{"x":0},"x":1}',
    '{"x":3,"x_u0":1}',
    '{"a":4,"x":1}',
  ]);
});

test('without columns, or without items, the slab stays itself', () => {
  const [slab, empty] = [slabOf('5', '{}'), slabOf()];
  assert.is(appendMembers(slab, emptyObject), slab);
  assert.is(appendMembers(empty, columns('{"x":1}')), empty);
});

test('the given slab is unchanged', () => {
  const slab = slabOf('{"x":2}', '{}');
  appendMembers(slab, columns('{"x":1}'));
  assert.equal(linesOf(slab), ['{"x":2}', '{}']);
});

test('any item keeps its own members in their order, and gets every column once', () => {
  const name = fc.constantFrom('a', 'b', 'a_u0', 'b_u0', 'data', '"', '\\', 'é', '\u0001');
  const item = fc.oneof(fc.dictionary(name, fc.jsonValue({ maxDepth: 2 })), fc.jsonValue({ maxDepth: 1 }));
  const column = fc.uniqueArray(name, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 4 }), column, (items, names) => {
      const lines = items.map((each) => JSON.stringify(each));
      const wanted: ExactObject = new Map(names.map((each, at): [string, Exact] => [each, new ExactNumber(`${at}`)]));
      const made = linesOf(appendMembers(slabOf(...lines), wanted)).map((line) => parseExact(line));
      for (const [at, each] of made.entries()) {
        const before = parseExact(lines[at] ?? '');
        const own = isObject(before) ? before : new Map([['data', before]]);
        assert.ok(isObject(each));
        assert.equal([...each].slice(0, own.size), [...own]);
        assert.equal([...each.values()].slice(own.size), [...wanted.values()]);
        assert.is(each.size, own.size + wanted.size);
      }
    }),
    { numRuns: 1000 },
  );
});

test.run();
