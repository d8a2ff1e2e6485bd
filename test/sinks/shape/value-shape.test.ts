/** Two shapes joined are the shape of the items of both. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createObserver } from '../../../sinks/shape/observe.js';
import { anything, joined, mostValues, type ValueShape } from '../../../sinks/shape/value-shape.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { batchOf } from './sample.js';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set SEED to repeat)`);

function shapeOf(items: readonly unknown[]): ValueShape {
  const observer = createObserver();
  const batch = batchOf(items);
  observer.add(batch, 0, batch.count);
  return observer.shape() ?? anything;
}

/**
 * All that a shape says but its enumerations, which a few items do not make, and orders. `isMixed`: not all values that
 * could have the member are objects; then it is not known how many objects lack it.
 */
function facts({ types, properties, required, rest, items, format, seen }: ValueShape, isMixed = false): unknown {
  const isNowMixed = [...types].some((type) => type !== 'object' && type !== 'null');
  const inOrder = [...properties].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    types: [...types].sort(),
    required: [...required].sort(),
    properties: Object.fromEntries(inOrder.map(([name, member]) => [name, facts(member, isNowMixed)])),
    rest: rest && facts(rest),
    // Lengths of texts and of lists are counted together, so it is not known whether all lists were empty.
    items: types.has('string') ? 'unknown' : items && facts(items),
    format,
    seen: seen && { ...seen, missing: isMixed ? 'unknown' : seen.missing },
  };
}

type Next = () => number;

const texts = ['a', 'bb', '2026-11-27', '2026-11-27T10:00:00Z', '6f9619ff-8b86-d011-b42d-00c04fc90001'];

function value(next: Next, depth: number): unknown {
  const kind = next() % (depth === 0 ? 5 : 7);
  if (kind === 0) return null;
  if (kind === 1) return next() % 2 === 0;
  if (kind === 2) return (next() % 100) - 50;
  if (kind === 3) return (next() % 100) / 8;
  if (kind === 4) return texts[next() % texts.length];
  if (kind === 5) return Array.from({ length: next() % 4 }, () => value(next, depth - 1));
  return object(next, depth - 1);
}

const object = (next: Next, depth: number): Record<string, unknown> =>
  Object.fromEntries(['a', 'b', 'c', 'd'].flatMap((name) => (next() % 3 === 0 ? [] : [[name, value(next, depth)]])));

test('joined is what is observed of all items, for random items', () => {
  for (let turn = 0; turn < 300; turn++) {
    const next = mulberry32(seed + turn);
    const some = () => Array.from({ length: 1 + (next() % 6) }, () => object(next, 2));
    const [one, other] = [some(), some()];
    const [found, wanted] = [joined(shapeOf(one), shapeOf(other)), shapeOf([...one, ...other])];
    assert.equal(facts(found), facts(wanted), `seed ${seed + turn}: ${JSON.stringify([one, other])}`);
  }
});

const word = (n: number): string => `w${n}`;
const members = (shape: ValueShape, name: string) => shape.properties.get(name);

/** Items whose member `status` has so many texts, each often enough for an enumeration. */
const enumerated = (from: number, count: number) =>
  shapeOf(Array.from({ length: count * 50 }, (_, n) => ({ status: word(from + (n % count)) })));

test('two enumerations are one, up to the most texts', () => {
  const [one, other] = [enumerated(0, 3), enumerated(2, 3)];
  assert.equal(members(one, 'status')?.values, ['w0', 'w1', 'w2']);
  assert.equal(members(joined(one, other), 'status')?.values, ['w0', 'w1', 'w2', 'w3', 'w4']);
  const half = mostValues / 2;
  assert.is(members(joined(enumerated(0, half), enumerated(half, half)), 'status')?.values?.length, mostValues);
  assert.is(members(joined(enumerated(0, half), enumerated(half, half + 1)), 'status')?.values, undefined);
});

test('an enumeration stays beside values that are no text, and ends beside texts without one', () => {
  const numbers = shapeOf([{ status: 1 }, { status: null }]);
  assert.equal(members(joined(enumerated(0, 2), numbers), 'status')?.values, ['w0', 'w1']);
  assert.is(members(joined(enumerated(0, 2), shapeOf([{ status: 'other' }])), 'status')?.values, undefined);
});

test('a member that is new has no enumeration yet, nor have members and elements inside it', () => {
  const many = Array.from({ length: 100 }, (_, n) => ({ of: { status: word(n % 2), tags: [word(n % 2)] } }));
  const of = members(joined(shapeOf([{ id: 1 }]), shapeOf(many)), 'of');
  assert.equal([...(of?.types ?? [])], ['object']);
  assert.is(of && members(of, 'status')?.values, undefined);
  assert.is(of && members(of, 'tags')?.items?.values, undefined);
});

test('a shape that accepts anything makes the other one accept anything', () => {
  assert.equal(joined(anything, enumerated(0, 2)), anything);
  assert.equal(joined(enumerated(0, 2), anything), anything);
});

test('members beyond those that are listed, and notes, are those of both', () => {
  const plain: ValueShape = { types: new Set(['object']), properties: new Map(), required: new Set() };
  const texts: ValueShape = { types: new Set(['string']), properties: new Map(), required: new Set() };
  const numbers: ValueShape = { ...texts, types: new Set(['integer']) };
  const notes = new Map([['title', 'an order']]);
  const both = joined({ ...plain, rest: texts, notes }, { ...plain, rest: numbers });
  assert.equal([...(both.rest?.types ?? [])], ['string', 'integer']);
  assert.is(both.notes, notes);
  assert.is(joined(plain, { ...plain, rest: texts, notes }).rest, texts);
  assert.is(joined(plain, { ...plain, notes }).notes, notes);
});

test('elements that a shape does not describe may be anything, unless its arrays were empty', () => {
  const list = (values: readonly unknown[]) => shapeOf([{ v: values }]);
  const free: ValueShape = { types: new Set(['array']), properties: new Map(), required: new Set() };
  const inner = (shape: ValueShape) => members(shape, 'v')?.items?.types;
  assert.equal([...(inner(joined(list([]), list([1]))) ?? [])], ['integer']);
  assert.equal([...(inner(joined(list([1]), list([]))) ?? [])], ['integer']);
  assert.is(joined(free, members(list([1]), 'v') ?? anything).items, undefined);
  assert.is(joined(members(list([1]), 'v') ?? anything, free).items, undefined);
});

test.run();
